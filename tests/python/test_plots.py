# SPDX-License-Identifier: Apache-2.0
"""Pictures hold the numbers of their answers."""
import pytest

import orrery

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def run():
    return orrery.Run(model="llama-3-8b", node="dgx-h100", gpus=16, sequence_length=4096,
                      global_batch=64, tp=2, pp=4, recompute="none")


def test_bars_of_memory_reach_the_peak_of_each_stage(run):
    e = run.estimate()
    axes = orrery.plot_memory(e)
    tops = {}
    for bar in axes.patches:
        tops[bar.get_x()] = max(tops.get(bar.get_x(), 0), bar.get_y() + bar.get_height())
    assert list(tops.values()) == pytest.approx([s.peak_gib for s in e.memory.by_stage])


def test_the_timeline_ends_with_the_step_and_has_every_pass(run):
    played = run.simulate()
    axes = orrery.plot_timeline(played)
    assert len(axes.get_yticks()) == 4
    passes = [name for _, name, _, _ in played.passes()]
    assert passes.count("F0") == passes.count("B0") == 4
    assert max(b.get_x() + b.get_width() for b in axes.patches) <= played.step_time_s
    assert sum(b.get_width() for b in axes.patches) == pytest.approx(
        sum(seconds for *_, seconds in played.passes()))


def test_the_front_is_that_of_the_search(run):
    free = orrery.Run(model="llama-3-8b", node="dgx-h100", gpus=8, sequence_length=4096,
                      global_batch=16)
    found = free.search(pareto=["step_time_s", "memory.peak_gib"])
    (line,) = orrery.plot_front(found).lines
    assert list(line.get_xdata()) == [p.step_time_s for p in found.pareto.front]
    assert list(line.get_ydata()) == [p.peak_gib for p in found.pareto.front]
    with pytest.raises(ValueError, match="pareto"):
        orrery.plot_front(free.search(top=1))


def test_a_sweep_has_a_line_a_layout_and_hollow_points_that_do_not_fit(run):
    table = orrery.sweep(run, {"tp": [1, 2, 3], "sequence_length": [4096, 262144]})
    axes = orrery.plot_sweep(table, "memory.peak_gib", axes=matplotlib.pyplot.figure().subplots())
    lines = [line for line in axes.lines if line.get_linestyle() == "-"]
    assert [line.get_label() for line in lines][:2] == ["parallel.tp 1", "parallel.tp 2"]
    assert list(lines[0].get_xdata()) == [4096, 262144]
    hollow = [x for line in axes.lines if line.get_fillstyle() == "none" for x in line.get_xdata()]
    assert hollow.count(262144) == sum(s in ("unlikely", "does not fit") for s in table["status"]) > 0


def test_the_timeline_of_interleaved_stages_has_one_name_a_kind():
    played = orrery.Run("llama-3-70b-64-h100").simulate()
    axes = orrery.plot_timeline(played)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["forward", "backward", "update"]
    assert len(axes.get_yticklabels()) == 4
