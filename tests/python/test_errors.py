# SPDX-License-Identifier: Apache-2.0
"""A wrong question is an InputError that says where, what was found and what is allowed."""
import pickle

import pytest

import orrery


def test_a_wrong_value_says_where_it_stands(run):
    with pytest.raises(orrery.InputError) as raised:
        run.set(tp="eight").estimate()
    error = raised.value
    assert isinstance(error, ValueError)
    assert error.path == "parallel.tp" or "tp" in error.where
    assert "eight" in error.found and error.allowed and error.code == "wrong_type"


def test_an_illegal_strategy_names_its_rule(run):
    with pytest.raises(orrery.InputError) as raised:
        run.set(tp=3).estimate()
    assert raised.value.code == "broken_rule"


def test_a_misspelt_key_gets_a_suggestion():
    with pytest.raises(orrery.InputError) as raised:
        orrery.Run(sequence_lenght=8192)
    assert raised.value.nearest == "sequence_length"
    with pytest.raises(orrery.InputError) as raised:
        orrery.Run("gpt3-175b-1024-a100").set("parallel.zerro", 1).estimate()
    assert raised.value.nearest == "zero" and raised.value.code == "unknown_key"


def test_every_key_at_the_top_of_a_run_file_is_one_of_run():
    orrery.Run(name="mine", risk="low", stack={}, assumed=[])
    with pytest.raises(orrery.InputError, match="stak"):
        orrery.Run(stak={})


def test_an_option_that_no_command_has_is_refused(run):
    with pytest.raises(orrery.InputError, match="depht"):
        run.explain("step_time_s", depht=2)
    with pytest.raises(orrery.InputError, match="nonesuch"):
        orrery.ask("nonesuch")
    with pytest.raises(AttributeError):
        orrery.nonesuch
    with pytest.raises(AttributeError):
        run.nonesuch


def test_a_file_that_is_not_there_is_named(run, tmp_path):
    with pytest.raises(orrery.InputError, match="gone.log") as raised:
        run.estimate(against=tmp_path / "gone.log")
    assert raised.value.code == "not_found"
    (tmp_path / "bytes.log").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(orrery.InputError, match="bytes.log"):
        run.estimate(against=tmp_path / "bytes.log")


def test_an_error_survives_a_pickle(run):
    with pytest.raises(orrery.InputError) as raised:
        run.set(tp=3).estimate()
    copy = pickle.loads(pickle.dumps(raised.value))
    assert str(copy) == str(raised.value) and vars(copy) == vars(raised.value)


def test_no_number_is_refused(run):
    with pytest.raises(ValueError):
        run.set("training.tokens", float("nan")).estimate()


def test_a_folder_of_configs_must_exist(tmp_path):
    with pytest.raises(orrery.InputError, match="nowhere"):
        orrery.configure(config_dir=tmp_path / "nowhere")
    assert orrery.Run("gpt3-175b-1024-a100").estimate().feasible  # the engine at hand stays


def test_names_are_found_in_a_folder_of_ones_own(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models/tiny.json").write_text(
        '{"num_hidden_layers": 2, "hidden_size": 256, "num_attention_heads": 4, "vocab_size": 1000,'
        ' "intermediate_size": 1024, "hidden_act": "swiglu"}')
    orrery.configure(config_dir=tmp_path)
    try:
        run = orrery.Run(model="tiny", node="dgx-h100", gpus=8, sequence_length=128, global_batch=8)
        assert run.estimate().feasible
    finally:
        orrery.configure()
