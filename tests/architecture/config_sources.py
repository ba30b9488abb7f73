#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every number in configs/hardware, models, frameworks, engines and compression has a source.

A file carries "source" for all of it and may carry "sources", an object from a path or the beginning
of one ("tiers.0", "gemm.efficiency") to the source of the values below. A number, or a string with a
unit, is covered by the longest path that holds it, else by "source". A path that holds nothing is an
error too: it was renamed or never meant.

A source is a text, where another document states the value, or an object {"kind", "on", "source",
"prior"}. What is fitted names in "on" the data it was fitted on: groups of validation/runs, "tier A",
or documents. The kind is data: no text may hold it in brackets."""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("hardware", "models", "frameworks", "compression", "failures", "storage", "prices",
           "energy", "data", "engines")
NOT_FACTS = {"source", "sources"}
KINDS = {"stated", "announced", "measured", "fitted", "derived", "assumed", "memory"}
KIND_IN_TEXT = re.compile(r"\[(fitted|set) (on|with)|^\[(from memory|derived|assumed)|"
                          r"\[(from memory, unverified|derived|assumed)\]$")
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


def groups():
    """Names that "on" may hold beside documents, which have a slash, a hash or a blank in theirs."""
    names = {"tier A"}
    for path in (ROOT / "validation" / "runs").glob("*.json"):
        names |= {row["source"]["group"] for row in read(path)}
    return names


def is_text(value):
    return isinstance(value, str) and bool(value.strip())


def source_faults(where, source, known):
    if is_text(source):
        if KIND_IN_TEXT.search(source):
            yield f"{where} has its kind in its text: {source}"
        return
    if not isinstance(source, dict) or source.get("kind") not in KINDS:
        yield f"{where} has no kind: {source}"
        return
    if unknown := set(source) - {"kind", "on", "source", "prior"}:
        yield f"{where} has {', '.join(sorted(unknown))}"
    if source["kind"] == "fitted" and not source.get("on"):
        yield f"{where} is fitted on nothing"
    for name in source.get("on", []):
        if name not in known and not re.search(r"[/# ]", name):
            yield f"{where} is fitted on {name}, which is no group of validation/runs"
    if "prior" in source:
        yield from source_faults(where + ", prior", source["prior"], known)


def faults(document, known):
    if not isinstance(document, dict):
        yield "not an object"
        return
    whole = document.get("source")
    if whole is not None:
        yield from source_faults("the file", whole, known)
    entries = {components(written): source for written, source in document.get("sources", {}).items()}
    for path, source in entries.items():
        yield from source_faults(".".join(path), source, known)
        if not exists(document, path):
            yield f'"sources": {".".join(path)} names nothing in the file'
    if whole is not None:
        return
    for leaf in numeric_leaves(document):
        if not any(leaf[:n] in entries for n in range(1, len(leaf) + 1)):
            yield f'{".".join(leaf)} has no source'


def main():
    found = []
    known = groups()
    files = [p for folder in FOLDERS for p in sorted((ROOT / "configs" / folder).rglob("*.json"))]
    for path in files:
        try:
            found += [f"{path.relative_to(ROOT)}: {fault}" for fault in faults(read(path), known)]
        except ValueError as error:
            found.append(f"{path.relative_to(ROOT)}: {error}")
    print("\n".join(found) or f"{len(files)} files: every number has a source")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
