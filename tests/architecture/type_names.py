#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No two files define a type of the same name in a namespace. The linker would silently keep only one
destructor, constructor or copy for both."""

import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEFINED = re.compile(r"^(?:struct|class|union|enum(?: class)?) (\w+)(?:\s+final)?(?:\s*:[^;{]*)?\s*\{")


def types_of(path):
    """Line and name of each type outside namespaces without a name, which are the file's own."""
    hidden = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line == "namespace {":
            hidden = True
        elif line == "}  // namespace":
            hidden = False
        found = DEFINED.match(line)
        if found and not hidden:
            yield number, found.group(1)


def main():
    places = defaultdict(list)
    for folder in ("include", "src", "cuda"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".cu"):
                continue
            for line, name in types_of(path):
                places[name].append(f"{path.relative_to(ROOT)}:{line}")
    twice = [f"{name}: {', '.join(at)}" for name, at in sorted(places.items()) if len(at) > 1]
    print("\n".join(twice) or f"{len(places)} types: each name once")
    sys.exit(1 if twice else 0)


if __name__ == "__main__":
    main()
