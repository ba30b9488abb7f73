#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The version of CMakeLists.txt is that of the newest entry of the changelog, of the citation and of the
recipe for Spack. The other recipes read it from CMakeLists.txt."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACES = {
    "CMakeLists.txt": r"^ *VERSION ([0-9.]+)$",
    "CHANGELOG.md": r"^## \[([0-9.]+)\]",
    "CITATION.cff": r"^version: ([0-9.]+)$",
    "packaging/spack/packages/orrery/package.py": r'^ *version\("([0-9.]+)"',
}


def version_in(file, pattern):
    found = re.search(pattern, (ROOT / file).read_text(), re.MULTILINE)
    return found.group(1) if found else "none"


def main():
    versions = {file: version_in(file, pattern) for file, pattern in PLACES.items()}
    print("\n".join(f"{file}: {version}" for file, version in versions.items()))
    sys.exit(len(set(versions.values())) != 1)


if __name__ == "__main__":
    main()
