# SPDX-License-Identifier: Apache-2.0
"""A session answers what a run with the same keys answers."""
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

import orrery

CHANGES = [("tp", 4), ("training.micro_batch", 2), ("pp", 16), ("tp", 8), ("zero", 0), ("gpus", 2048),
           ("precision", "bf16"), ("parallel.recompute", "full"), ("model.num_hidden_layers", 64)]


def test_every_answer_is_that_of_a_run_with_the_same_keys(run):
    session = orrery.Session(run)
    for path, value in random.Random(7).choices(CHANGES, k=12):
        run = run.set({path: value})
        session.set(path, value)
        assert session.run == run
        try:
            wanted = run.estimate()
        except orrery.InputError as error:
            with pytest.raises(orrery.InputError) as raised:
                session.estimate()
            assert str(raised.value) == str(error)
            continue
        assert session.estimate() == wanted
        live = session.ask()
        assert live.number("step_time_s") == wanted.step_time_s
        assert live.number("memory.peak_gib") == wanted.memory.peak_gib
        assert live.number("nonesuch") is None


def test_a_wrong_value_shows_in_the_answer_and_can_be_mended(run):
    session = orrery.Session(run)
    live = session.set("tp", 3).ask()
    for question in (live.number, live.estimate):
        with pytest.raises(orrery.InputError, match="tp"):
            question()
    assert session.set("tp", 8).estimate().step_time_s == run.set(tp=8).estimate().step_time_s


def test_an_answer_stays_what_it_was(run):
    session = orrery.Session(run)
    before = session.set("tp", 4).ask()
    session.set("tp", 8)
    assert before.estimate() == run.set(tp=4).estimate()


def test_threads_take_turns(run):
    session = orrery.Session(run)
    with ThreadPoolExecutor(4) as threads:
        answers = set(threads.map(lambda _: session.ask().number(), range(40)))
    assert answers == {run.estimate().step_time_s}
