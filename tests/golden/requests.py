#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The golden requests: every command asked through the engine, as a line of `orrery call`.

    tests/golden/requests.py lines [COMMAND…] > calls.jsonl   the calls, with the texts of their files
    tests/golden/requests.py check ORRERY                each answer is that of the command line
    tests/golden/requests.py compare A.jsonl PAGE.jsonl CALLS    the program's answers and the page's, byte
                                                        for byte, but that the page counts no published runs

A line of requests.jsonl is {"command", "request", "cli"}; `cli` are the arguments of the same
question on the command line. Answers rest on the configs built into the program alone."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def requests():
    return [json.loads(line) for line in (ROOT / "tests/golden/requests.jsonl").open()]


def with_texts(value):
    """The request with the text of every file that it names."""
    if isinstance(value, list):
        return [with_texts(v) for v in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"file"} and isinstance(value["file"], str):
        return {**value, "text": (ROOT / value["file"]).read_text()}
    return {k: with_texts(v) for k, v in value.items()}


def lines(commands=()):
    for n, r in enumerate(requests(), 1):
        if commands and r["command"] not in commands:
            continue
        yield json.dumps({"id": n, "command": r["command"], "request": with_texts(r["request"])})


def answer_of_line(line):
    """Code and text of an answer, a document as it was written."""
    answer = json.loads(line)
    return answer["code"], answer.get("answer", answer.get("text", ""))


def differences(orrery):
    calls = "".join(line + "\n" for line in lines())
    done = subprocess.run([orrery, "call", "--config-dir", "-"], input=calls, text=True,
                          capture_output=True, cwd=ROOT, check=True)
    answers = done.stdout.splitlines()
    asked = requests()
    if len(answers) != len(asked):
        yield f"{len(asked)} calls, {len(answers)} answers"
    for n, (request, line) in enumerate(zip(asked, answers), 1):
        code, answer = answer_of_line(line)
        cli = subprocess.run([orrery, request["command"], *shlex.split(request["cli"]),
                              "--config-dir", "-"], text=True, capture_output=True, cwd=ROOT)
        wanted = cli.stdout
        if not isinstance(answer, str):
            wanted = json.loads(wanted) if wanted else None
        if (cli.returncode, wanted) != (code, answer):
            yield f"{n}: orrery {request['command']} {request['cli']}: exit {cli.returncode}, " \
                  f"called {code}: {json.loads(line).get('error', 'another answer')}"


def on_the_page(request, answer):
    """The program's answer as the page, which holds no published runs, has to give it."""
    lists_devices = request["command"] == "list" and request["request"]["what"] == "devices"
    return re.sub(r'("published_runs":)\d+', r'\1null', answer) if lists_devices else answer


def compare(left, right, calls):
    a, b = Path(left).read_text().splitlines(), Path(right).read_text().splitlines()
    every = requests()
    asked = [every[json.loads(line)["id"] - 1] for line in Path(calls).read_text().splitlines()]
    if not len(a) == len(b) == len(asked):
        yield f"{len(asked)} calls, {len(a)} and {len(b)} answers"
    for n, (program, y) in enumerate(zip(a, b)):
        x = on_the_page(asked[n], program)
        if x != y:
            at = next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
            yield f"{asked[n]['command']} {asked[n]['cli']}: " \
                  f"…{x[max(0, at - 60):at + 40]} / …{y[max(0, at - 60):at + 40]}"


def main():
    action, *files = sys.argv[1:] or [""]
    if action == "lines":
        print("\n".join(lines(files)))
        return
    if (action, len(files)) not in {("check", 1), ("compare", 3)}:
        sys.exit(__doc__)
    found = list(differences(Path(files[0]).resolve()) if action == "check" else compare(*files))
    asked = len(Path(files[2]).read_text().splitlines()) if action == "compare" else len(requests())
    print("\n".join(found) or f"{asked} golden requests: all alike")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
