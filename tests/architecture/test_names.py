#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No doctest name contains a ';': CMake splits lists there, and a test that never ran would count as
passed. No two cases of one program share a name, because a filter could not separate them."""

import re
import sys
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
NAME = re.compile(r'\b(?:TEST_CASE|TEST_CASE_TEMPLATE|SCENARIO|TEST_SUITE)\s*\(\s*((?:"(?:\\.|[^"\\])*"\s*)+)')


def names(path):
    text = path.read_text()
    for match in NAME.finditer(text):
        pieces = re.findall(r'"((?:\\.|[^"\\])*)"', match.group(1))
        yield text.count("\n", 0, match.start()) + 1, "".join(pieces)


def main():
    found = []
    count = Counter()
    for path in sorted(TESTS.rglob("*.cpp")):
        shown = path.relative_to(TESTS.parent)
        for line, name in names(path):
            if ";" in name:
                found.append(f"{shown}:{line}: ';' in the test name: {name}")
            count[path.relative_to(TESTS).parts[0], name] += 1
    found += [f"tests/{folder}: {n} cases named: {name}"
              for (folder, name), n in count.items() if n > 1]
    print("\n".join(found) or f"{sum(count.values())} test names: all sound")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
