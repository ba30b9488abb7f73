#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A sentence of a comment or docstring begins with its subject, not with "Of …", "What …", "Whoever …"
or a pronoun of the same kind (CONTRIBUTING.md, English)."""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "include", "cuda", "tests", "bench", "python", "scripts", "web")
BUILT = re.compile(r"web/(node_modules|dist|build)/")
SIGNS = {".h": "//", ".cpp": "//", ".cu": "//", ".c": "//", ".ts": "//", ".mjs": "//", ".py": "#"}
# At the beginning of a comment, or behind the full stop of a sentence in it.
FORBIDDEN = re.compile(r"(?:^|(?<=[\w)\"`%]\. ))(Of|What|Whatever|Who|Whoever|Whose|Those)\b")
# At the beginning alone; in a sentence that follows another they refer to it.
NO_SUBJECT = re.compile(r"(As|It|Its|They|Their|Them|That|Which|Such)\b")


def paragraphs(path):
    """(line, text) of each paragraph of comments; a trailing comment is one of its own."""
    sign = SIGNS[path.suffix]
    alone = re.compile(rf"\s*{sign}+<?\s*(.*)")
    trailing = re.compile(rf"\S.*\s{sign}<?\s+(.*)")
    begin, words = 0, []
    for number, line in enumerate([*path.read_text().splitlines(), ""], 1):
        found = alone.fullmatch(line)
        if found and found.group(1):
            begin = begin if words else number
            words.append(found.group(1))
            continue
        if words:
            yield begin, " ".join(words)
        words = []
        found = trailing.match(line)
        if found and "://" not in line:
            yield number, found.group(1)
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
                yield node.body[0].lineno, " ".join(ast.get_docstring(node).split())


def files():
    found = (p for folder in FOLDERS for p in (ROOT / folder).rglob("*") if p.suffix in SIGNS)
    return sorted(p for p in found if not BUILT.match(str(p.relative_to(ROOT))))


def main():
    found, seen = [], 0
    for path in files():
        for line, text in paragraphs(path):
            seen += 1
            fault = FORBIDDEN.search(text) or NO_SUBJECT.match(text)
            if fault:
                begin = text[fault.start():fault.start() + 60]
                found.append(f"{path.relative_to(ROOT)}:{line}: begins with {fault.group(1)!r}: {begin}")
    print("\n".join(found) or f"{seen} comments: all begin with their subject")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
