# SPDX-License-Identifier: Apache-2.0
"""One question asked in several ways: random runs through the module, `orrery call`, the command line, an open
session and the event simulator. ORRERY_DIFFERENTIAL says how many runs (scripts/full-check: thousands), and
ORRERY_SEED which."""
import json
import os
import random
import subprocess

import pytest

import orrery
from conftest import PROGRAM, ROOT
from orrery._run import flag_paths

COUNT = int(os.environ.get("ORRERY_DIFFERENTIAL", "24"))
SEED = int(os.environ.get("ORRERY_SEED", "1"))
BY_COMMAND_LINE = 8  # a process each

AXES = {
    "model": ["llama-3-8b", "gpt3-175b", "llama-3-70b", "mixtral-8x7b", "deepseek-v3"],
    "node": ["dgx-h100", "dgx-a100-80gb", "mi300x-oam-8", "gb200-nvl72"],
    "gpus": [8, 16, 64, 72, 256, 1024],
    "sequence_length": [1024, 2048],
    "global_batch": [16, 96, 512],
    "framework": ["megatron-core", "fsdp", "generic", "deepspeed"],
    "precision": ["bf16", "fp16"],
    "tp": [1, 2, 4, 8],
    "pp": [1, 2, 4],
    "cp": [1, 2],
    "ep": [1, 2, 8],
    "micro_batch": [1, 2, 3],
    "zero": [0, 1, 2, 3],
    "recompute": ["none", "selective", "full"],
    "sequence_parallel": [True, False],
}
REQUIRED = ["model", "node", "gpus", "sequence_length", "global_batch"]


def random_keys(random):
    """Legal or not: a refusal has to be the same as well."""
    chosen = [name for name in AXES if name in REQUIRED or random.random() < 0.5]
    return {name: random.choice(AXES[name]) for name in chosen}


@pytest.fixture(scope="module")
def runs():
    source = random.Random(SEED)
    return [random_keys(source) for _ in range(COUNT)]


def asked(run):
    """The module's answer, as the program prints it, or its refusal."""
    try:
        return run.estimate().to_dict()
    except orrery.InputError as error:
        return str(error)


def test_the_module_answers_what_orrery_call_answers(runs):
    lines = [json.dumps({"command": "estimate", "request": {"set": {
        flag_paths()[name]: value for name, value in keys.items()}}}) for keys in runs]
    told = subprocess.run([PROGRAM, "call", "--config-dir", "-"], input="\n".join(lines) + "\n", text=True,
                          capture_output=True, check=True, cwd=ROOT).stdout.splitlines()
    assert len(told) == len(runs)
    answered = 0
    for keys, line in zip(runs, told):
        answer = json.loads(line)
        answered += "answer" in answer
        assert asked(orrery.Run(**keys)) == answer.get("answer", answer.get("error")), (SEED, keys)
    assert answered >= len(runs) / 4  # the draw is not all refusals


def test_the_module_prints_the_bytes_of_the_command_line(runs):
    for keys in runs[:BY_COMMAND_LINE]:
        words = [w for name, v in keys.items() for w in
                 ("--" + name.replace("_", "-"), json.dumps(v) if isinstance(v, bool) else str(v))]
        done = subprocess.run([PROGRAM, "estimate", *words, "--json", "--config-dir", "-"], text=True,
                              capture_output=True, cwd=ROOT)
        try:
            assert orrery.Run(**keys).estimate().to_json() == done.stdout, (SEED, keys)
        except orrery.InputError:
            assert done.returncode == 2, (SEED, keys)


def test_an_open_session_answers_what_a_fresh_run_answers(runs):
    """Earlier questions make no difference: keys set, changed, taken away, legal or not."""
    source = random.Random(SEED + 1)
    session, run = orrery.Session(orrery.Run("llama-3-8b-8-h100")), orrery.Run("llama-3-8b-8-h100")
    for keys in runs:
        for name, value in source.sample(sorted(keys.items(), key=str), min(3, len(keys))):
            session.set(name, value)
            run = run.set({name: value})
        wanted = asked(run)
        try:
            assert session.estimate().to_dict() == wanted, (SEED, run)
        except orrery.InputError as error:
            assert str(error) == wanted, (SEED, run)


def test_the_simulator_agrees_with_the_estimate(runs):
    """Two models of one step: events, and sums. They share costs and memory; the time may differ by what
    contention and order do, which docs/simulate.md names."""
    compared = 0
    for keys in runs:
        run = orrery.Run(**keys)
        try:
            estimate, played = run.estimate(), run.simulate()
        except orrery.InputError:
            continue
        compared += 1
        assert played.memory.peak_gib == pytest.approx(estimate.memory.peak_gib, rel=0.02), (SEED, run)
        assert 0.8 <= played.step_time_s / estimate.step_time_s <= 1.25, (SEED, run)
    assert compared >= len(runs) / 5
