#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripts of Python and of shells parse, also those that only a check before a release runs."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [".ci", "bench", "docs", "packaging", "python", "scripts", "tests", "validation", "web"]
NOT_OURS = {"node_modules", "__pycache__"}


def kind_of(path):
    """"python", "sh", "bash", or "" for what is no script."""
    first = path.read_bytes()[:80].split(b"\n")[0].decode("utf-8", "replace")
    if path.suffix == ".py" or (first.startswith("#!") and "python" in first):
        return "python"
    if path.suffix == "" and first.startswith("#!"):
        return next((name for name in ("bash", "sh") if first.endswith(name)), "")
    return ""


def fault_of(path, kind):
    if kind == "python":
        try:
            ast.parse(path.read_text(encoding="utf-8"))
        except SyntaxError as e:
            return f"line {e.lineno}: {e.msg}"
        return ""
    done = subprocess.run([kind, "-n", str(path)], capture_output=True, text=True, check=False)
    return done.stderr.strip()


def main():
    faults, number = [], 0
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if not path.is_file() or NOT_OURS & set(path.parts):
                continue
            kind = kind_of(path)
            number += bool(kind)
            fault = fault_of(path, kind) if kind else ""
            if fault:
                faults.append(f"{path.relative_to(ROOT)}: {fault}")
    print("\n".join(faults) or f"{number} scripts parse")
    sys.exit(1 if faults or number < 50 else 0)


if __name__ == "__main__":
    main()
