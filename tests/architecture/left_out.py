#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""web/left_out.cpp stands in for the sources that cmake/wasm leaves out: each of its functions is defined
in one of them. One whose source moved would be linked twice, which only the build of the page shows."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEFINED = re.compile(r"^[A-Za-z][\w:<>]*(?: [\w:<>]+)* (?:\w+::)*(\w+)\([^;{]*\)(?: const)? \{", re.M)


def functions(path):
    return set(DEFINED.findall(path.read_text()))


def main():
    listed = re.findall(r"\$\{source\}/(src/[\w/]+\.cpp)", (ROOT / "cmake/wasm/CMakeLists.txt").read_text())
    stands_in = functions(ROOT / "web/left_out.cpp") - {"refuse"}
    missing = [f"{name}: does not exist" for name in listed if not (ROOT / name).is_file()]
    out = set().union(*(functions(ROOT / name) for name in listed if (ROOT / name).is_file()))
    missing += [f"web/left_out.cpp: {name}() is in no source that cmake/wasm leaves out"
                for name in sorted(stands_in - out)]
    print("\n".join(missing) or f"{len(stands_in)} functions stand in for {len(listed)} sources")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
