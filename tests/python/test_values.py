# SPDX-License-Identifier: Apache-2.0
"""Answers, runs and tables as Python values: frozen, typed, picklable, shown in notebooks."""
import pickle
import typing

import pytest

import orrery


@pytest.fixture(scope="module")
def estimate():
    return orrery.Run("gpt3-175b-1024-a100").estimate()


def test_an_answer_has_the_names_of_its_json(estimate):
    document = estimate.to_dict()
    assert estimate.memory.peak_gib == document["memory"]["peak_gib"]
    assert estimate["memory"]["by_stage"][0].stage == 0
    assert dict(estimate.breakdown_s) == document["breakdown_s"]
    with pytest.raises(AttributeError, match="step_time_s"):
        estimate.step_time


def test_nothing_of_an_answer_can_be_changed(estimate):
    for value in (estimate, estimate.memory, estimate.run):
        with pytest.raises(AttributeError):
            value.step_time_s = 1
    copy = estimate.to_dict()
    copy["memory"]["peak_gib"] = 0
    assert estimate.memory.peak_gib > 1
    assert isinstance(estimate.memory.by_stage, tuple)


@pytest.mark.parametrize("kind", ["estimate", "simulate", "search"])
def test_annotations_are_true(kind):
    """Type checkers believe the annotations of the classes of answers."""
    run = orrery.Run(model="llama-3-8b", node="dgx-h100", gpus=8, sequence_length=4096,
                     global_batch=16, **({} if kind == "search" else {"tp": 2}))
    answer = run.ask(kind)
    for value in (answer, *([answer.memory] if kind != "search" else [])):
        for name, wanted in typing.get_type_hints(type(value)).items():
            if not name.startswith("_"):
                held = getattr(value, name)
                assert isinstance(held, typing.get_origin(wanted) or wanted), (name, held)


def test_answers_runs_and_tables_survive_a_pickle(estimate):
    run = orrery.Run({"model": "llama-3-8b"}, tp=2, observed=None)
    table = orrery.Table({"tp": [1, 2], "step_time_s": [1.5, None]}, ["tp"])
    for value in (estimate, estimate.memory, run, table):
        copy = pickle.loads(pickle.dumps(value))
        assert copy == value and type(copy) is type(value)
    assert pickle.loads(pickle.dumps(estimate)).run == estimate.run


def test_equal_runs_and_answers_have_equal_hashes(estimate):
    run = orrery.Run("gpt3-175b-1024-a100")
    assert len({run, run.set(tp=4).set({"parallel.tp": 8}), run.set(tp=8)}) == 2
    assert len({estimate, run.estimate(), estimate.memory}) == 2


def test_set_returns_another_run_and_the_last_change_wins():
    run = orrery.Run("gpt3-175b-1024-a100", tp=4)
    other = run.set("parallel.tp", 8).set(tp=2, pp=4)
    assert run.estimate().inputs.parallel.tp == 4
    assert other.estimate().inputs.parallel.tp == 2
    assert eval(repr(other), {"Run": orrery.Run}) == other


def test_runs_are_equal_only_where_the_order_of_their_changes_says_the_same():
    run = orrery.Run("llama-3-8b-8-h100")
    whole = {"tp": 1, "zero": 3}
    last_whole = run.set("parallel.tp", 4).set("parallel", whole)
    last_part = run.set("parallel", whole).set("parallel.tp", 4)
    assert last_whole.estimate().step_time_s != last_part.estimate().step_time_s
    assert last_whole != last_part
    for each in (last_whole, last_part, run.set(gpus=16).set("parallel", whole).set(tp=2)):
        again = eval(repr(each), {"Run": orrery.Run})
        assert again == each and hash(again) == hash(each)
        assert again.estimate() == each.estimate()
    # The order of changes beside each other says nothing.
    one, other = run.set(tp=2).set(pp=2), run.set(pp=2).set(tp=2)
    assert one == other and hash(one) == hash(other)
    observed = orrery.Run("llama-3-8b-8-h100", observed="steps.json")
    assert eval(repr(observed), {"Run": orrery.Run}) == observed != run


def test_equal_records_have_equal_hashes():
    from orrery._record import Record

    one, other = Record({"a": 1, "b": [{"c": 2}]}), Record({"b": [{"c": 2.0}], "a": 1.0})
    assert one == other and hash(one) == hash(other)
    assert one != Record({"a": 1, "b": [{"c": 3}]})


def test_files_are_paths_for_every_option_that_reads_one(tmp_path):
    cluster = tmp_path / "cluster.json"
    cluster.write_text('{"node": "dgx-h100", "gpus": 16}')
    by_file = orrery.collective("all-reduce", cluster=cluster, size="1MiB")
    by_name = orrery.collective("all-reduce", node="dgx-h100", gpus=16, size="1MiB")
    assert by_file.points == by_name.points
    assert orrery.collective("all-reduce", cluster=str(cluster), size="1MiB") == by_file


def test_what_a_run_was_made_of_may_change_afterwards():
    document = {"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
                "training": {"sequence_length": 4096, "global_batch": 16}}
    run = orrery.Run(document)
    before = run.estimate()
    document["cluster"]["gpus"] = 16
    assert run.estimate() == before


def test_numbers_of_numpy_are_numbers():
    numpy = pytest.importorskip("numpy")
    run = orrery.Run("gpt3-175b-1024-a100")
    assert run.set(tp=numpy.int64(4)) == run.set(tp=4)


def test_an_answer_shows_itself(estimate):
    assert "step_time_s=21" in repr(estimate) or "step_time_s=" in repr(estimate)
    assert "1,024 GPUs" in str(estimate)
    page = estimate.to_html()
    assert page.startswith("<!doctype html>") and "GPT-3 175B" in page
    assert estimate._repr_html_().startswith("<iframe srcdoc=")
    assert "<" not in estimate._repr_html_()[8:].split('"')[1]


def test_explain_asks_about_the_run_of_the_estimate():
    e = orrery.Run("gpt3-175b-1024-a100", tp=4).estimate()
    assert e.explain("memory.optimizer_gib").value == pytest.approx(e.memory.optimizer_gib)


@pytest.mark.parametrize("command", ["estimate", "memory", "comm", "explain", "compare", "search",
                                     "simulate", "list", "show", "collective"])
def test_every_answer_has_a_page(command, golden):
    request = next(r for c, r, _ in golden if c == command)
    page = orrery.ask(command, **{k: v for k, v in request.items() if k != "format"}).to_html()
    assert page.startswith("<!doctype html>") and page.rstrip().endswith("</html>")
