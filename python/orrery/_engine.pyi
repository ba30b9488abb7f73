# SPDX-License-Identifier: Apache-2.0
"""The C++ part: requests and answers as JSON text (python/module.cpp)."""
from collections.abc import Callable

class Engine:
    def __init__(self, options: str) -> None: ...
    # Code, text, files, warnings, broken, error; wrong: code, file, path, found, allowed, nearest.
    def call(
        self, command: str, request: str, progress: Callable[[int, int], object] | None = ...
    ) -> tuple[
        int,
        str,
        list[tuple[str, bytes]],
        list[str],
        list[str],
        str,
        tuple[str, str, str, str, str, str] | None,
    ]: ...

def commands() -> list[str]: ...
def version() -> str: ...
