#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Types the command of every option of `orrery capacity` and compares what it gives.

The step time of the first phase at its full batch and the peak memory are the option's, to the digit.

follow_commands.py ANSWER.json...
"""
import json
import subprocess
import sys


def main():
    followed = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as f:
            options = json.load(f)["options"]
        for o in options:
            if o["status"] != "fits":
                continue
            out = subprocess.run(o["command"] + " --json", shell=True, check=True,
                                 capture_output=True, text=True).stdout
            estimate = json.loads(out)
            phase = o["time"]["phases"][-1]
            assert estimate["step_time_s"] == phase["step_time_s"][1], o["command"]
            assert estimate["memory"]["peak_gib"] == o["memory"]["peak_gib"], o["command"]
            followed += 1
    print(f"{followed} commands followed")


main()
