# SPDX-License-Identifier: Apache-2.0
"""Fixtures that the tests of the module share. ORRERY is the program; ORRERY_ROOT the source tree."""
import json
import os
import subprocess
from pathlib import Path

import pytest

import orrery

ROOT = Path(os.environ["ORRERY_ROOT"])
PROGRAM = os.environ["ORRERY"]


@pytest.fixture(scope="session")
def cli():
    """The JSON answer of the program, as values; it also looks for names where the module does."""

    def answer(*arguments):
        words = [PROGRAM, *arguments, "--config-dir", "-"]
        done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
        assert done.returncode in (0, 3), done.stderr
        return done.stdout

    return answer


@pytest.fixture
def run():
    return orrery.Run("gpt3-175b-1024-a100")


@pytest.fixture(scope="session")
def golden():
    """The golden requests with the texts of their files."""

    def with_texts(value):
        if isinstance(value, list):
            return [with_texts(item) for item in value]
        if not isinstance(value, dict):
            return value
        if set(value) == {"file"} and isinstance(value["file"], str):
            return {**value, "text": (ROOT / value["file"]).read_text()}
        return {key: with_texts(item) for key, item in value.items()}

    lines = (ROOT / "tests/golden/requests.jsonl").read_text().splitlines()
    return [
        (line["command"], with_texts(line["request"]), line["cli"]) for line in map(json.loads, lines)
    ]
