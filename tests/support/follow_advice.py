#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Types every advice of random run files and compares what it gives with what it promised.

Step time, peak memory and whether it fits, to the digit. The runs are those of people: some keys are
left open. The seed is fixed. tests/insight/advice_test.cpp does the same to five hundred runs
without a command line.

follow_advice.py RUNS
"""
import json
import random
import subprocess
import sys


def random_run(dice):
    node, device_precisions = dice.choice([("dgx-a100-80gb", ["bf16", "fp16"]),
                                           ("dgx-h100", ["bf16", "fp8"]), ("hgx-b200", ["bf16"])])
    model = dice.choice(["llama-3-8b", "llama-3-70b", "gpt3-13b", "mixtral-8x7b", "qwen3-30b-a3b"])
    run = {"model": model, "cluster": {"node": node, "gpus": dice.choice([8, 32, 64, 256])},
           "training": {"sequence_length": dice.choice([2048, 8192]), "global_batch": 256},
           "framework": dice.choice(["generic", "megatron-core", "fsdp", "deepspeed", "torchtitan"])}
    if dice.random() < 0.5:
        run["training"]["precision"] = dice.choice(device_precisions)
    if dice.random() < 0.5:
        run["training"]["micro_batch"] = dice.choice([1, 2, 4])
    open_keys = {"tp": [2, 4, 8], "pp": [2, 4], "cp": [2], "zero": [0, 1, 2, 3],
                 "recompute": ["none", "selective", "full"], "sequence_parallel": [True, False]}
    if model in ("mixtral-8x7b", "qwen3-30b-a3b"):
        open_keys["ep"] = [2, 8]
    run["parallel"] = {k: dice.choice(v) for k, v in open_keys.items() if dice.random() < 0.4}
    if "selective" == run["parallel"].get("recompute") and dice.random() < 0.5:
        run["parallel"]["recompute_modules"] = ["core_attn", "mlp"]
    return run


def estimate(more):
    done = subprocess.run("orrery estimate run.json --json" + more, shell=True, check=False,
                          capture_output=True, text=True)
    assert done.returncode in (0, 2, 3), done.stderr
    assert done.returncode != 2 or not more, ("refused: " + more, done.stderr)
    return json.loads(done.stdout) if done.returncode != 2 else None


def main():
    dice = random.Random(19)
    runs = followed = 0
    while runs < int(sys.argv[1]):
        with open("run.json", "w", encoding="utf-8") as f:
            run = random_run(dice)
            json.dump(run, f)
        answer = estimate("")
        if answer is None:
            continue
        runs += 1
        for advice in answer["advice"]:
            after = estimate(" " + advice["type"])
            found = (after["step_time_s"], after["memory"]["peak_gib"], after["feasible"])
            said = (advice["step_time_s"], advice["peak_gib"], advice["feasible"])
            assert found == said, (run, advice["type"], said, found)
            followed += 1
    print(f"{runs} runs, {followed} advices followed")


main()
