# SPDX-License-Identifier: Apache-2.0
"""`run.rl`: the step of reinforcement learning by phase."""
import pickle

import pytest

import orrery

RUN = orrery.Run("grpo-llama-3-8b-16-h100-async")


def test_keys_are_read_as_resolved_and_set_by_short_names():
    assert RUN.rl.prompts == 64 and RUN.rl.rollout_tp == 1 and RUN.rl.placement_kind == "async"
    assert RUN.rl.rollout_max_running > 0  # a default of the engine
    other = RUN.rl.set(response_mean=500, rollout_gpus=4, placement_staleness=2)
    assert other.rl.response_mean == 500 and other.rl.placement_rollout_gpus == 4
    assert other == RUN.set({"training.rl.response.mean": 500, "placement.rollout_gpus": 4,
                             "placement.staleness": 2})
    assert RUN.rl.response_mean == 1075  # a run does not change


def test_phases_are_those_of_the_answer():
    e = RUN.estimate()
    phases = RUN.rl.phases
    assert set(phases["phase"]) == {name for name, p in e.rl.phases.items() if p.time_s > 0}
    for row in phases.rows():
        assert row["time_s"] == e.rl.phases[row["phase"]].time_s
        assert row["low_s"] <= row["time_s"] <= row["high_s"]
    assert RUN.rl.step_time_s == e.step_time_s
    for row in RUN.rl.memory.rows():
        assert row["all_gib"] == pytest.approx(
            sum(row[part] for part in ("engine_gib", "learner_gib", "reference_gib", "logits_gib")))


def test_a_notebook_shows_the_phases():
    html = RUN.rl._repr_html_()
    assert "<td>generate</td>" in html and "80 % interval" in html
    assert "generate" in repr(RUN.rl)


def test_a_run_without_it_and_a_wrong_name_are_refused():
    with pytest.raises(orrery.InputError, match="without training.rl"):
        orrery.Run("llama-3-8b-8-h100").rl.phases
    with pytest.raises(orrery.InputError, match="did you mean 'response_mean'"):
        RUN.rl.set(respons_mean=3)
    with pytest.raises(AttributeError):
        RUN.rl.nothing
    with pytest.raises(AttributeError):
        RUN.rl.prompts = 3


def test_it_can_be_sent_to_another_process():
    assert pickle.loads(pickle.dumps(RUN.rl)).step_time_s == RUN.rl.step_time_s
