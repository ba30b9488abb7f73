#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No block of text of a page is longer than 120 words, and the changelog no longer than 120 lines.

A block is a paragraph or an item of a list. Headings, tables, code and comments of HTML end a block and
do not count."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_WORDS = 120
MOST_LINES_OF_CHANGES = 120
FENCE = re.compile(r"\s*(```|~~~)")
ENDS = re.compile(r"\s*(#|\||<!--|$)")
ITEM = re.compile(r"\s*([-*+]|\d+\.) ")
BUILT = re.compile(r"(build[^/]*|dist|web/node_modules|web/dist|tests/golden)/")


def pages():
    found = (p for p in ROOT.rglob("*.md") if not BUILT.match(str(p.relative_to(ROOT))))
    return sorted(p for p in found if not any(part.startswith(".") for part in p.relative_to(ROOT).parts))


def blocks(text):
    """(line, number of words) of each block."""
    begin, words, fenced = 0, 0, False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        fence = FENCE.match(line)
        fenced ^= bool(fence)
        ends = fence or fenced or ENDS.match(line)
        if words and (ends or ITEM.match(line)):
            yield begin, words
            words = 0
        if not ends:
            begin = begin if words else number
            words += len(line.split())


def main():
    found, seen = [], 0
    for path in pages():
        for line, words in blocks(path.read_text()):
            seen += 1
            if words > MOST_WORDS:
                found.append(f"{path.relative_to(ROOT)}:{line}: a block of {words} words, {MOST_WORDS} at most: "
                             "shorter paragraphs, a list or a table")
    changes = len((ROOT / "CHANGELOG.md").read_text().splitlines())
    if changes > MOST_LINES_OF_CHANGES:
        found.append(f"CHANGELOG.md: {changes} lines, {MOST_LINES_OF_CHANGES} at most: one line a change")
    print("\n".join(found) or f"{seen} blocks: none longer than {MOST_WORDS} words")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
