#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No two files define a type of the same name in a namespace. The linker would silently keep only one
destructor, constructor or copy for both. Nor do two sources of a module in namespaces without a name: the
builds compile a module's sources in groups, and which of them share a group changes with each new file."""

import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEFINED = re.compile(r"^(?:struct|class|union|enum(?: class)?) (\w+)(?:\s+final)?(?:\s*:[^;{]*)?\s*\{")


def types_of(path):
    """Line and name of each type, and whether its namespace has none, so that it is the file's own."""
    hidden = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line == "namespace {":
            hidden = True
        elif line == "}  // namespace":
            hidden = False
        found = DEFINED.match(line)
        if found:
            yield number, found.group(1), hidden


def main():
    places = defaultdict(list)
    for folder in ("include", "src", "cuda"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".cu"):
                continue
            module = path.relative_to(ROOT).parts[1]
            for line, name, hidden in types_of(path):
                places[name, module if hidden else ""].append(f"{path.relative_to(ROOT)}:{line}")
    twice = [f"{name}: {', '.join(at)}" for (name, _), at in sorted(places.items()) if len(at) > 1]
    print("\n".join(twice) or f"{len(places)} types: each name once")
    sys.exit(1 if twice else 0)


if __name__ == "__main__":
    main()
