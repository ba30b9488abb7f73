#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of `import orrery` against what it promises: a line each, exit code 1 where one is not met.

    PYTHONPATH=build/python bench/python_bars.py --orrery build/orrery [--quick]

Run it on a machine that does nothing else, with a Release build. `--quick` asks less of each; its figures
are for finding faults of this script."""

import argparse
import gc
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import orrery

NAME = "gpt3-175b-1024-a100"
LONG = orrery.Run(model="llama-3-405b", node="dgx-h100", gpus=4096, sequence_length=8192,
                  global_batch=4096, framework="megatron-core")
broken = []


def bar(what, value, limit, unit):
    met = value <= limit
    broken.extend([] if met else [what])
    print(f"{what:58} {value:10.4g} {unit:5} of {limit:g} {'' if met else '  NOT MET'}", flush=True)


def seconds(work, times, clock=time.perf_counter):
    """The median of some runs."""
    taken = []
    for _ in range(times):
        began = clock()
        work()
        taken.append(clock() - began)
    return statistics.median(taken)


def importing(times):
    """In seconds of the processor: a process of its own each, with compiled files as an installed package has them."""
    compiled = tempfile.TemporaryDirectory()
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled.name}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def child(code):
        words = [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"]
        subprocess.run(words, check=True, env=environment)
        taken = []
        for _ in range(times):
            before = used()
            subprocess.run(words, check=True, env=environment)
            taken.append(used() - before)
        return statistics.median(taken)

    def used():  # os.times counts hundredths of a second only
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime

    bar("import orrery, beside Python's own start", (child("import orrery") - child("pass")) * 1e3, 30, "ms")


class AtOnce:
    """An engine's session that has its answer already."""

    def __init__(self, answer):
        self.answer = answer

    def set(self, path, value):
        pass

    def ask(self, command, options):
        return self.answer


def session(times):
    """The time that Python adds to the engine's calls: those of an engine that costs nothing."""
    live = orrery.Session(orrery.Run(NAME))
    answer = live._session.ask("estimate", "{}")
    live._session = AtOnce(answer)

    def number():
        for i in range(1000):
            live.set("training.micro_batch", 1 + i % 2).ask().number()

    def whole():
        for i in range(1000):
            live.set("training.micro_batch", 1 + i % 2).estimate()

    def written():  # by the engine, in C++
        for _ in range(1000):
            answer.parts()

    def us(work):
        return seconds(work, times, time.process_time) * 1e3

    bar("session.set().ask().number(), over the engine's", us(number), 20, "us")
    bar("session.set().estimate(), over the engine's", us(whole) - us(written), 20, "us")


def threads(times):
    run = orrery.Run(NAME)

    def some(_=None):
        for _ in range(20):
            run.estimate()

    def at_once(pool, threads):
        return lambda: list(pool.map(some, range(threads)))

    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(2) as two:
        # In turn, since the speed of a machine that others share changes; the first round is warming.
        work = [at_once(one, 1), at_once(two, 2), some]
        rounds = [[seconds(w, 1) for w in work] for _ in range(1 + 4 * times)][1:]
    of_one, of_two, of_main = (statistics.median(column) for column in zip(*rounds))
    print(f"an estimate: {of_main / 20 * 1e3:.2f} ms on the main thread, {of_one / 20 * 1e3:.2f} ms on another")
    bar("two threads' estimates over one's", of_two / of_one, 1.2, "times")
    bar("one estimate on the main thread, over another thread's", of_main / of_one, 1.5, "times")


def interrupted():
    def until_stopped(what, work, after):
        sent = []

        def send():
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(after, send)
        timer.start()
        try:
            work()
            timer.cancel()
            print(f"{what}: ended by itself")
        except KeyboardInterrupt:
            bar(f"Ctrl-C in {what}", (time.perf_counter() - sent[0]) * 1e3, 200, "ms")

    until_stopped("search", lambda: LONG.search(jobs=1), 0.3)
    until_stopped("capacity", lambda: LONG.set(tokens=1e13).capacity(search=True, deadline="60d"), 0.1)
    until_stopped("validate", orrery.validate, 0.1)
    until_stopped("sweep", lambda: orrery.sweep(LONG.set(tp=8, pp=16), {
        "global_batch": {"from": 1024, "to": 65536, "step": 64}, "sequence_length": [1024, 2048, 4096, 8192]}), 0.3)
    with tempfile.TemporaryDirectory() as folder:
        rows = "m,n,k,dtype,us\n" + "".join(
            f"{m},{n},{k},bf16,{2 * m * n * k / 2e8:.1f}\n"
            for m in range(256, 8192, 512) for n in range(512, 8192, 512) for k in (1024, 4096, 8192))
        Path(folder, "gemm.csv").write_text(rows)
        until_stopped("calibrate", lambda: orrery.calibrate("fit", [Path(folder, "gemm.csv")],
                                                            device="h100-sxm5-80gb"), 0.3)


def leak(count):
    run = orrery.Run(NAME)

    def ask(times):
        for i in range(times):
            run.set(global_batch=1536 + 128 * (i % 7)).estimate()

    def resident():
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    ask(max(200, count // 50))
    before = resident()
    ask(count)
    bar(f"memory kept by {count:,} estimates", (resident() - before) / 2**20, 4, "MiB")


def sweep(program, count):
    import pandas  # not what is measured

    axes = {"global_batch": {"from": 128, "to": 128 * count // 100, "step": 128},
            "micro_batch": [1, 2, 4, 8], "tp": [1, 2, 4, 8, 16], "pp": [1, 2, 4, 8, 16]}
    columns = ["step_time_s", "memory.peak_gib"]
    table = []

    def by_python():
        table[:] = [orrery.sweep(NAME, axes, columns=columns, jobs=1).to_pandas()]

    began = time.perf_counter()
    by_python()
    python = time.perf_counter() - began
    assert isinstance(table[0], pandas.DataFrame)
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder, "sweep.json")
        paths = {"global_batch": "training.global_batch", "micro_batch": "training.micro_batch",
                 "tp": "parallel.tp", "pp": "parallel.pp"}
        document.write_text(json.dumps({"run": NAME, "columns": columns,
                                        "axes": {paths[k]: v for k, v in axes.items()}}))
        began = time.perf_counter()
        subprocess.run([program, "sweep", str(document), "--jobs", "1", "--csv", "-o", str(Path(folder, "rows.csv")),
                        "-q"], check=True)
        cli = time.perf_counter() - began
    bar(f"a sweep of {len(table[0]):,} rows to pandas over the program's", python / cli, 2, "times")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--orrery", required=True, help="the program of the same build")
    parser.add_argument("--quick", action="store_true", help="ask less")
    args = parser.parse_args()
    times = 3 if args.quick else 9
    importing(times)
    session(times)
    threads(times)
    interrupted()
    leak(500 if args.quick else 100_000)
    sweep(args.orrery, 1_000 if args.quick else 100_000)
    sys.exit(f"not met: {', '.join(broken)}" if broken else 0)


if __name__ == "__main__":
    main()
