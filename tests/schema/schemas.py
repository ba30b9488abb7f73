#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds `orrery schema` against what Orrery reads: `schemas.py ORRERY`.

Every shipped document, every document of tests/ and docs/ and every run of LEGAL is valid by the schema of its
kind; no
wrong input of tests/cli/bad_inputs.json is, unless its row says `"beyond_schema": true`, because a
rule between keys or a file that is not there makes it wrong. The JSON Schema library is Debian's
python3-jsonschema."""

import importlib.machinery
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KINDS = {
    "run": ["configs/runs/*.json"],
    "model": ["configs/models/*.json"],
    "node": ["configs/hardware/nodes/*.json"],
    "device": ["configs/hardware/devices/*.json"],
    "framework": ["configs/frameworks/*.json"],
    "engine": ["configs/engines/*.json"],
    "sweep": ["configs/sweeps/*.json"],
    "plan": ["configs/capacity/*.json"],
    "fleet": ["configs/fleets/*.json"],
    "switch": ["configs/switches/*.json"],
    "graph": ["configs/hardware/graphs/*.json"],
    "fabric": ["configs/hardware/fabrics/*.json"],
    "compression": ["configs/compression/*.json"],
    "failures": ["configs/failures/*.json"],
    "storage": ["configs/storage/*.json"],
    "prices": ["configs/prices/*.json"],
    "energy": ["configs/energy/*.json"],
    "observed": ["validation/runs/*.json"],
}
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
FENCE = re.compile(r"^ *```json\n(.*?)^ *```", re.DOTALL | re.MULTILINE)


def parse(text):
    """JSON with comments; None where it is none."""
    try:
        return json.loads(TOKEN.sub(lambda m: m[0] if m[0][0] == '"' else " ", text))
    except (ValueError, RecursionError):
        return None


def kind_of(document):
    """By the keys that only such a document has."""
    if isinstance(document, dict):
        keys = set(document)
        if {"model", "cluster", "training"} <= keys:
            return "run"
        if "scenarios" in keys or {"run", "goal"} <= keys:
            return "plan"
        if "run" in keys and keys & {"axes", "zip"}:
            return "sweep"
    if isinstance(document, list) and document and isinstance(document[0], dict):
        return "observed" if "run" in document[0] else None
    return None


# Legal runs whose shape no shipped document has.
LEGAL = {"a framework that inherits": {"framework": {"inherits": "megatron-core", "name": "mine", "kernels": {"linear_rate": 0.5}}},
         "a codec of its own": {"parallel": {"compression": {"dp": {"ratio": 4, "throughput": "50 GB/s"}}}}}


def legal():
    base = {"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
            "training": {"sequence_length": 8192, "global_batch": 8}, "framework": "megatron-core"}
    for name, change in LEGAL.items():
        yield name, "run", {**base, **change}


class Schemas:
    def __init__(self, orrery):
        self.orrery = orrery
        self.validators = {}

    def of(self, kind):
        if kind not in self.validators:
            done = subprocess.run([self.orrery, "schema", kind], capture_output=True, check=True)
            schema = json.loads(done.stdout)
            jsonschema.Draft7Validator.check_schema(schema)
            self.validators[kind] = jsonschema.Draft7Validator(schema)
        return self.validators[kind]

    def fault(self, kind, document):
        found = next(self.of(kind).iter_errors(document), None)
        if found is None:
            return None
        path = ".".join(str(key) for key in found.absolute_path)
        return f"{path}: {found.message[:200]}"


def shipped():
    for kind, patterns in KINDS.items():
        for pattern in patterns:
            for path in sorted(ROOT.glob(pattern)):
                document = parse(path.read_text())
                if kind == "observed":  # rows that do not say their batch are not predicted
                    document = [r for r in document if "global_batch" in r["run"]["training"]]
                yield str(path.relative_to(ROOT)), kind if document else None, document


def told():
    """Documents in pages, tests and files of published runs."""
    for path in sorted([ROOT / "README.md", *ROOT.glob("docs/*.md")]):
        for i, block in enumerate(FENCE.findall(path.read_text())):
            document = parse(block)
            yield f"{path.relative_to(ROOT)}, block {i + 1}", kind_of(document), document
    for path in sorted((ROOT / "tests").rglob("*.json")):
        if path.parent.name == "documents" and "-mistake-" in path.name:
            continue
        document = parse(path.read_text())
        yield str(path.relative_to(ROOT)), kind_of(document), document


def refused_by_what_it_should(schemas):
    """Faults of rows of bad_inputs.json whose input is a document with a schema."""
    loader = importlib.machinery.SourceFileLoader("bad_inputs", str(ROOT / "tests/cli/bad_inputs"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bad_inputs", loader))
    loader.exec_module(module)
    table = json.loads((ROOT / "tests/cli/bad_inputs.json").read_text())
    for row in table["inputs"]:
        kind = kind_of_input(row)
        document = parse(module.text_of(row, table))
        if kind is None or document is None:
            continue
        wrong = schemas.fault(kind, document) is not None
        beyond = row.get("beyond_schema", False)
        yield wrong != beyond, f"bad input \"{row['name']}\"", (
            "its schema does not refuse it" if not wrong else "its schema does refuse it")


# Kinds whose readers are written by hand (core/described_keys.h).
DESCRIBED = ["graph", "fabric", "compression", "failures", "energy", "prices"]


def keys_that_the_readers_know(schemas):
    """Tables of documents that are read by hand are held against what their readers allow: given a key
    that nobody knows, the program names all that it does."""
    for kind in DESCRIBED:
        properties = set(next(o for o in (schemas.of(kind).schema, schemas.of(kind).schema.get("else"))
                              if o and "properties" in o)["properties"]) - {"$schema"}
        known = set()
        for path in sorted(p for pattern in KINDS[kind] for p in ROOT.glob(pattern)):
            known |= allowed_beside(schemas.orrery, kind, parse(path.read_text()))
        for document in MORE.get(kind, []):
            known |= allowed_beside(schemas.orrery, kind, document)
        if properties != known:
            yield f"{kind}: only in the schema {sorted(properties - known)}, only read {sorted(known - properties)}"


# Shapes that no shipped document has.
CARDS = {"gpus_per_node": 8, "nodes": 4, "cards": 8, "card_link": "50 GB/s", "node_link": "400 GB/s"}
MORE = {"graph": [
    {"kind": "torus", "sides": [2, 2], "link": "50 GB/s"},
    {"kind": "switched", "gpus": 8, "link": "50 GB/s"},
    {"kind": "fat-tree", "radix": 64, **CARDS},
    {"kind": "dragonfly", "nodes_per_group": 2, "switches": 2, "taper": 1, "local_link": "50 GB/s", **CARDS}],
    "fabric": [{"kind": "fat-tree", "pod": 4}]}


def allowed_beside(orrery, kind, document):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "document.json"
        path.write_text(json.dumps({**document, "nobody_knows": 1}))
        if kind in ("failures", "prices"):  # read within a plan
            plan = Path(folder) / "plan.json"
            plan.write_text(json.dumps({"run": "llama-3-8b-8-h100", "goal": {"tokens": 1e9}, "scenarios": [
                {"name": "a", "cluster": {"node": "dgx-h100", "gpus": 8}, kind: str(path)}]}))
            words = ["capacity", str(plan)]
        else:
            words = ["show", kind, str(path)]
        told = subprocess.run([orrery, *words], capture_output=True, text=True).stderr
    found = re.search(r"nobody_knows: found an unknown key; allowed: (.*?)(;|$)", told)
    if not found:
        sys.exit(f"{kind}: {told}")
    return set(re.split(r", | or ", found[1].strip()))


def kind_of_input(row):
    command = row.get("argv", ["estimate"])
    if not any(key in row for key in ("run", "model", "text", "repeat")):
        return None  # a wrong command line
    if command[0] in ("estimate", "search", "memory", "simulate", "explain", "comm"):
        return "run" if "--against" not in command else None
    if command[0] == "validate":
        return "observed" if row.get("text", "").startswith("[{") else None
    return {"sweep": "sweep", "capacity": "plan"}.get(command[0])


def main():
    schemas = Schemas(sys.argv[1])
    count = failed = 0
    for where, kind, document in [*shipped(), *told(), *legal()]:
        if kind is None:
            continue
        count += 1
        fault = schemas.fault(kind, document)
        if fault:
            failed += 1
            print(f"{where}: {kind}: {fault}")
    print(f"{count - failed} of {count} documents are valid")
    bad = list(refused_by_what_it_should(schemas))
    for right, where, what in bad:
        if not right:
            failed += 1
            print(f"{where}: {what}")
    print(f"{sum(right for right, _, _ in bad)} of {len(bad)} wrong inputs are as they should be")
    for difference in keys_that_the_readers_know(schemas):
        failed += 1
        print(difference)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    try:
        import jsonschema
    except ImportError:
        print("no jsonschema for Python: skipped (Debian: python3-jsonschema)")
        sys.exit(77)
    main()
