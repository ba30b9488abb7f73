#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Words that a reader would have to learn here and nowhere else stay out of pages, comments and names of code;
USE says what the field has in their place.

LEFT counts the uses that remain in a folder, and only shrinks: more are refused, and fewer must be written down
(`words.py --update`). A folder without an entry has none. A quoted message or key of JSON is not looked at."""

import re
import sys
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
from comments import SIGNS, files as files_of_code, paragraphs

ROOT = Path(__file__).resolve().parents[2]
USE = {
    "said": "set, given, written", "unsaid": "not given", "told": "set, given", "usual": "default, common",
    "usually": "mostly, by default", "room": "module; space", "rooms": "modules", "not understood": "ignored, unsupported",
    "says otherwise": "is set", "stops the import": "is refused", "import stops": "import is refused",
    "weakly": "as a default", "understood": "ignored, unsupported", "kept_part": "cached_part",
    "ends_meet": "ends_synchronise", "Ink": "what it holds", "InkSpan": "what it holds", "Look": "what it holds",
    "Crowd": "what it holds", "Climb": "what it holds",
}
# "room for 80 kB" is space, and so is "headroom".
PROSE = re.compile(r"\b(unsaid|said|told|usual|usually|rooms|room(?! (?:for|to|in|however)\b)|not understood|says? otherwise|"
                   r"stops? the import|import stops)\b", re.IGNORECASE)
PARTS = {"said", "unsaid", "told", "usual", "room", "rooms", "weakly", "understood"}  # of a name
NAMES = re.compile(r"\b(kept_parts?|ends_meet|Ink|InkSpan|Look|Crowd|Climb)\b")
NAME = re.compile(r"[A-Za-z_]\w*")
PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
STRING = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|`[^`]*`|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\'')
INCLUDE = re.compile(r'#include "([^"]+)"')
# Names of others: weakly_canonical() of <filesystem>.
FOREIGN = {"weakly_canonical"}

LEFT = {
    "cuda": 1,
    "python": 5,
    "scripts": 1,
    "src/cli": 2,
    "src/core": 4,
    "src/engine": 1,
    "src/estimate": 4,
    "src/exchange": 21,
    "src/explore": 7,
    "src/hardware": 1,
    "src/io": 1,
    "src/memory": 2,
    "src/parallel": 2,
    "src/report": 8,
    "src/sim": 6,
    "tests": 5,
    "tests/browser": 15,
    "tests/cli": 5,
    "tests/exchange": 1,
    "tests/install": 1,
    "tests/mcp": 8,
    "tests/python": 14,
    "tests/schema": 4,
    "tests/sim": 2,
    "tests/support": 3,
    "web": 19,
}


def place(path):
    """The folder that a file counts to: src/exchange, tests/cli, docs."""
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[:2] if parts[0] in ("src", "tests") and len(parts) > 2 else parts[:1])


def code_of(path):
    """The code of a file without strings and comments, with the names of the headers it includes."""
    text = path.read_text()
    names = " ".join(INCLUDE.findall(text))
    sign = SIGNS.get(path.suffix, "#")
    code = STRING.sub('""', text)
    return re.sub(rf"(?<!:){sign}[^\n]*", "", code) + " " + re.sub(r"\W", " ", names)


def words_of_code(code):
    yield from NAMES.findall(code)
    for name in NAME.findall(code):
        if name not in FOREIGN:
            yield from (p.lower() for p in PART.findall(name) if p.lower() in PARTS)


def pages():
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "configs/hardware/README.md"]
    return sorted(p for p in found if p.name not in ("CHANGELOG.md", "claims.md"))


def faults():
    """(path, line, word) of every use."""
    for page in pages():
        for number, line in enumerate(page.read_text().splitlines(), 1):
            yield from ((page, number, w) for w in PROSE.findall(re.sub(r"`[^`]*`", "", line)))
    for path in files_of_code():
        if path.resolve() == Path(__file__).resolve():
            continue
        for number, text in paragraphs(path):
            yield from ((path, number, w) for w in PROSE.findall(text))
        yield from ((path, 1, w) for w in words_of_code(code_of(path)))
    for path in [ROOT / "CMakeLists.txt", *(ROOT / "cmake").rglob("*.cmake"), *ROOT.glob("*/CMakeLists.txt")]:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            yield from ((path, number, w) for w in words_of_code(line))


def update(counts):
    rows = "".join(f'    "{folder}": {n},\n' for folder, n in sorted(counts.items()))
    text = Path(__file__).read_text()
    Path(__file__).write_text(re.sub(r"^LEFT = \{\n(?:    .*\n)*\}", "LEFT = {\n" + rows + "}", text, flags=re.MULTILINE))


def main():
    found = list(faults())
    counts = Counter(place(path) for path, _, _ in found)
    if "--update" in sys.argv[1:]:
        update(counts)
        return
    wrong = []
    for folder in sorted({*counts, *LEFT}):
        if counts[folder] > LEFT.get(folder, 0):
            wrong += [f"{path.relative_to(ROOT)}:{line}: {word!r}: use {USE.get(word.lower(), USE.get(word, 'another word'))}"
                      for path, line, word in found if place(path) == folder]
            wrong.append(f"{folder}: {counts[folder]} uses of retired words, {LEFT.get(folder, 0)} allowed")
        elif counts[folder] < LEFT.get(folder, 0):
            wrong.append(f"{folder}: {counts[folder]} uses of retired words are left; write that down: "
                         "tests/architecture/words.py --update")
    print("\n".join(wrong) or f"{sum(counts.values())} uses of retired words are left, none is new")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
