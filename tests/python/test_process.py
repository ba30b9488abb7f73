# SPDX-License-Identifier: Apache-2.0
"""The module in a process: import, threads, Ctrl-C, memory."""
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import orrery

LONG = orrery.Run(model="llama-3-405b", node="dgx-h100", gpus=4096, sequence_length=8192,
                  global_batch=4096, framework="megatron-core")


def test_import_loads_nothing_that_takes_long():
    loaded = subprocess.run(
        [sys.executable, "-c", "import orrery, sys; print(*sys.modules)"],
        check=True, capture_output=True, text=True).stdout.split()
    assert not {"numpy", "pandas", "matplotlib", "asyncio", "dataclasses"}.intersection(loaded)


def test_a_call_lets_other_threads_work():
    """While one thread searches another gets answers."""
    stop = threading.Event()

    class Stopped(Exception):
        pass

    def progress(done, total):
        if stop.is_set():
            raise Stopped

    ended = []

    def search():
        try:
            LONG.search(progress=progress, jobs=1)
        except Stopped as error:
            ended.append(error)

    thread = threading.Thread(target=search)
    thread.start()
    try:
        answers = [orrery.Run("gpt3-175b-1024-a100").estimate() for _ in range(3)]
        assert answers[0] == answers[2]
        assert thread.is_alive()
    finally:
        stop.set()
        thread.join()
    assert len(ended) == 1  # what the progress function raised came through


def test_answers_of_many_threads_are_equal():
    from concurrent.futures import ThreadPoolExecutor

    runs = [orrery.Run("gpt3-175b-1024-a100", micro_batch=b) for b in (1, 2, 4)] * 4
    with ThreadPoolExecutor(6) as threads:
        at_once = list(threads.map(orrery.Run.estimate, runs))
    assert at_once == [run.estimate() for run in runs]


@pytest.mark.parametrize("work", [
    lambda: [LONG.search(jobs=1) for _ in range(100)],
    lambda: [LONG.set(tokens=1e13).capacity(search=True, deadline="60d", jobs=1)
             for _ in range(100)],
    lambda: [orrery.validate() for _ in range(100)],
], ids=["search", "capacity", "validate"])
def test_ctrl_c_ends_long_work(work):
    """The work would take a minute; after the signal it ends far sooner."""
    before = []

    def interrupt():
        before.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.5, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    assert time.process_time() - before[0] <= 1


def test_handlers_of_signals_may_ask():
    """Each interrupts a call that waits for a thread, which is then busy."""
    asked, answered = [], []

    def handler(*_):
        asked.append(None)
        if len(asked) == 1:
            answered.append(LONG.search(jobs=1))
        elif len(asked) == 2:
            answered.append(LONG.estimate())

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    try:
        first = LONG.search(jobs=1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert answered == [LONG.estimate(), first]


def test_a_forked_process_asks():
    """A fork has none of the threads that its parent's calls work on."""
    run = orrery.Run("gpt3-175b-1024-a100")
    number = run.estimate().step_time_s
    code = f"""
import orrery, os
run = orrery.Run("gpt3-175b-1024-a100")
run.estimate()
child = os.fork()
if child == 0:
    os._exit(0 if run.estimate().step_time_s == {number!r} else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


@pytest.mark.parametrize("in_thread", [False, True])
def test_progress_is_told_to_the_thread_that_asks(in_thread):
    told = set()

    def search():
        LONG.search(jobs=1, progress=lambda *_: told.add(threading.get_ident()))
        asked.append(threading.get_ident())

    asked = []
    if in_thread:
        thread = threading.Thread(target=search)
        thread.start()
        thread.join()
    else:
        search()
    assert told == set(asked)


def test_many_estimates_leave_no_memory_behind():
    run = orrery.Run("gpt3-175b-1024-a100")

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    def ask(times):
        for i in range(times):
            run.set(global_batch=1536 + 128 * (i % 7)).estimate().memory
            with pytest.raises(orrery.InputError):
                run.set(tp=3).estimate()

    ask(60)
    before = resident()
    ask(240)
    assert resident() - before < 2 << 20
