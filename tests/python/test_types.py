# SPDX-License-Identifier: Apache-2.0
"""The stubs are those of the module, and the package is typed."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

import orrery

pytest.importorskip("mypy")
PACKAGE = Path(orrery.__file__).parent


def run_mypy(module, *arguments, tmp_path):
    cache = Path(os.environ.get("MYPY_CACHE_DIR", tmp_path))
    return subprocess.run([sys.executable, "-m", module, *arguments], cwd=PACKAGE.parent, text=True,
                          capture_output=True, env={**os.environ, "MYPY_CACHE_DIR": str(cache),
                                                    "MYPYPATH": str(PACKAGE.parent)})


USER = """
import orrery
run = orrery.Run(model="llama-3-8b", tp=2)
e: orrery.Estimate = run.set("parallel.tp", 4).estimate()
seconds: float = e.step_time_s + e.memory.peak_gib
wrong: str = e.step_time_s
"""


def test_the_package_is_typed_strictly_and_a_users_mistake_is_found(tmp_path):
    (tmp_path / "user.py").write_text(USER)
    done = run_mypy("mypy", "--strict", "-p", "orrery", tmp_path=tmp_path)
    assert done.returncode == 0, done.stdout
    done = run_mypy("mypy", "--strict", str(tmp_path / "user.py"), tmp_path=tmp_path)
    assert done.stdout.count("error:") == 1 and "user.py:6" in done.stdout, done.stdout


def test_the_stub_is_that_of_the_module(tmp_path):
    done = run_mypy("mypy.stubtest", "orrery._engine", tmp_path=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
