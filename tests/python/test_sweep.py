# SPDX-License-Identifier: Apache-2.0
"""Sweeps as columns, alone and over an executor."""
import csv
import json
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

import orrery
from conftest import ROOT

AXES = {"parallel.tp": [1, 2, 4, 8], "gpus": [64, 128]}


@pytest.fixture(scope="module")
def grid():
    return orrery.Run(model="llama-3-8b", node="dgx-h100", gpus=64, sequence_length=8192,
                      global_batch=128)


@pytest.fixture(scope="module")
def table(grid):
    return orrery.sweep(grid, AXES)


def test_rows_are_those_of_the_program(cli):
    name = "stash-or-checkpoint"
    rows = [json.loads(line) for line in cli("sweep", name, "--json").splitlines()]
    table = orrery.sweep(name)
    assert table.row_count == len(rows)
    for column in (c for c in table if c in rows[0]):
        assert list(table[column]) == [row[column] for row in rows]
    assert orrery.sweep(ROOT / f"configs/sweeps/{name}.json") == table


def test_each_point_has_the_numbers_of_its_estimate(grid, table):
    assert list(table)[:3] == ["parallel.tp", "cluster.gpus", "status"]
    assert table["cluster.gpus"] == (64, 128) * 4
    for row in table.rows():
        e = grid.set(tp=row["parallel.tp"], gpus=row["cluster.gpus"]).estimate()
        assert (row["step_time_s"], row["memory.peak_gib"]) == (e.step_time_s, e.memory.peak_gib)


def test_shards_are_joined_as_the_program_joins_them(tmp_path):
    for i in range(2):
        shard = orrery.ask("sweep", sweep="stash-or-checkpoint", shard=f"{i}/2")
        (tmp_path / f"{i}.jsonl").write_text(shard.to_json())
    joined = orrery.ask("merge", files=[tmp_path / "0.jsonl", tmp_path / "1.jsonl"])
    assert joined.rows == orrery.ask("sweep", sweep="stash-or-checkpoint").rows
    assert len(joined.rows) == 72


def test_keys_may_change_together(grid):
    table = orrery.sweep(grid, zip=[{"tp": [2, 4], "pp": [4, 2]}], columns=["mfu"])
    assert list(table) == ["parallel.tp", "parallel.pp", "status", "reason", "mfu"]
    assert list(zip(table["parallel.tp"], table["parallel.pp"])) == [(2, 4), (4, 2)]


def test_an_illegal_point_has_a_reason_and_no_number(grid):
    table = orrery.sweep(grid, {"tp": [3, 4]}, columns=["step_time_s"])
    assert table["status"][0] == "illegal" and table["reason"][0]
    assert table["step_time_s"][0] is None and table["step_time_s"][1] > 0


@pytest.mark.parametrize("shards", [1, 3, 20])
def test_an_executor_gives_the_same_rows(grid, table, shards):
    with ThreadPoolExecutor(2) as threads:
        assert orrery.sweep(grid, AXES, executor=threads, shards=shards) == table


def test_processes_give_the_same_rows_and_know_the_folder(grid, table, tmp_path):
    told = []
    (tmp_path / "models").mkdir()
    orrery.configure(config_dir=tmp_path)
    try:
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
            shared = orrery.sweep(grid, AXES, executor=processes, shards=2,
                                  progress=lambda done, total: told.append((done, total)))
    finally:
        orrery.configure()
    assert shared == table and told == [(1, 2), (2, 2)]


def test_searches_run_over_an_executor(grid):
    axes, numbers = {"gpus": [8, 16]}, ["step_time_s"]
    alone = orrery.sweep(grid, axes, answer="search", columns=numbers)
    with ThreadPoolExecutor(2) as threads:
        assert orrery.sweep(grid, axes, answer="search", columns=numbers, executor=threads,
                            shards=2) == alone
    # A sweep's search leaves the framework's switches as they are.
    held = grid.set(gpus=8).search(keep=["framework_options", "flash_attention"])
    assert alone["step_time_s"][0] == held.best[0].step_time_s


def test_a_wrong_key_ends_a_shared_sweep(grid):
    with ThreadPoolExecutor(2) as threads, pytest.raises(orrery.InputError):
        orrery.sweep(grid, {"parallel.tpp": [1, 2]}, executor=threads)


def test_columns_go_to_csv_pandas_and_numpy(table, tmp_path):
    table.to_csv(tmp_path / "rows.csv")
    with open(tmp_path / "rows.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(r["step_time_s"]) for r in rows] == list(table["step_time_s"])
    numpy = pytest.importorskip("numpy")
    assert table.numpy("step_time_s").dtype == numpy.float64
    assert table.numpy("status").dtype == object
    pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert list(frame.columns) == list(table) and len(frame) == table.row_count
    assert frame["step_time_s"].tolist() == list(table["step_time_s"])


def test_a_table_shows_itself_and_cannot_be_changed(table):
    assert table._repr_html_().count("<tr>") == 9
    assert repr(table).startswith("Table(8 rows: parallel.tp, cluster.gpus")
    assert len(repr(table)) < 300
    with pytest.raises(AttributeError):
        table.axes = ()


def test_each_number_of_the_step_has_the_ends_of_its_interval(grid, table):
    rows = table.rows()
    answer = grid.set(tp=rows[0]["parallel.tp"], gpus=rows[0]["cluster.gpus"]).estimate()
    for name in ("step_time_s", "tokens_per_s", "tokens_per_s_per_gpu", "mfu", "hfu",
                 "model_tflops_per_gpu"):
        ends = (rows[0][f"{name}_low"], rows[0][f"{name}_high"])
        assert ends == pytest.approx(answer.interval_80[name]), name
