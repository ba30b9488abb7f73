#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every number in configs/hardware, models, frameworks and compression has a source.

A file carries "source" (a string or a list of strings) for all of it and may carry "sources", an
object from a path or the beginning of one ("tiers.0", "gemm.efficiency") to the source of all values
below. A number, or a string with a unit, is covered by the longest path that contains it, else by
"source". A path that matches nothing is an error, too: it was renamed or misspelt."""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("hardware", "models", "frameworks", "compression", "failures", "storage", "prices",
           "energy", "data")
NOT_FACTS = {"source", "sources"}
QUANTITY = re.compile(r"[-+]?[0-9.]+([eE][-+]?[0-9]+)?\s*[A-Za-zµ%°/]+$")


def read(path):
    """JSON with comments, as the program reads it; a key given twice is an error."""
    def unique(pairs):
        keys = [k for k, _ in pairs]
        for key in keys:
            if keys.count(key) > 1:
                raise ValueError(f"key {key} twice")
        return dict(pairs)

    def keep_strings(match):
        return match.group(0) if match.group(0).startswith('"') else " "
    text = re.sub(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', keep_strings, path.read_text(),
                  flags=re.DOTALL)
    return json.loads(text, object_pairs_hook=unique)


def numeric_leaves(value, path=()):
    if isinstance(value, dict):
        for key, inner in value.items():
            if path or key not in NOT_FACTS:
                yield from numeric_leaves(inner, path + (key,))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from numeric_leaves(inner, path + (str(i),))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path
    elif isinstance(value, str) and QUANTITY.match(value):
        yield path


def exists(value, path):
    for key in path:
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return False
    return True


def components(written):
    return tuple(re.sub(r"\[(\d+)\]", r".\1", written).strip("./").replace("/", ".").split("."))


def is_text(value):
    if isinstance(value, list):
        return bool(value) and all(isinstance(v, str) and v.strip() for v in value)
    return isinstance(value, str) and bool(value.strip())


def faults(document):
    if not isinstance(document, dict):
        yield "not an object"
        return
    whole = document.get("source")
    if whole is not None and not is_text(whole):
        yield '"source" is neither a text nor a list of texts'
    entries = {components(written): text for written, text in document.get("sources", {}).items()}
    for path, text in entries.items():
        if not is_text(text):
            yield f'"sources": {".".join(path)} has no text'
        if not exists(document, path):
            yield f'"sources": {".".join(path)} names nothing in the file'
    if is_text(whole):
        return
    for leaf in numeric_leaves(document):
        if not any(leaf[:n] in entries for n in range(1, len(leaf) + 1)):
            yield f'{".".join(leaf)} has no source'


def main():
    found = []
    files = [p for folder in FOLDERS for p in sorted((ROOT / "configs" / folder).rglob("*.json"))]
    for path in files:
        try:
            found += [f"{path.relative_to(ROOT)}: {fault}" for fault in faults(read(path))]
        except ValueError as error:
            found.append(f"{path.relative_to(ROOT)}: {error}")
    print("\n".join(found) or f"{len(files)} files: every number has a source")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
