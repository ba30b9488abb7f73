#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Data flows one way: a module includes itself and the modules to its left, and nothing but io and cli
touches files, threads, streams or the environment. The order is that of CMakeLists.txt. Boost's graphs
take seconds to compile, so only sources of src/hardware/topology include them. A file that names
std::int64_t has <cstdint> or a header of ours that has it: <string> brings it in g++ 12, not in 14."""

import functools
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = {"io", "cli"}

# Not even through the standard library; em++ 3.1.6 and clang 14 lack the second group.
SYSTEM_HEADERS_OF_OUTSIDE = {
    "fstream", "filesystem", "iostream", "thread", "future", "condition_variable", "csignal",
    "unistd.h", "fcntl.h", "dirent.h", "sys/stat.h", "sys/mman.h"}
SYSTEM_HEADERS_OF_NOBODY = {"format", "source_location", "execution", "expected", "print"}
WORDS_OF_OUTSIDE = re.compile(
    r"\b(?:std::)?(getenv|secure_getenv|fopen|system|popen)\s*\(|\bstd::(async|jthread|cout|cerr|cin)\b")
WORDS_OF_NOBODY = re.compile(r"\bstd::(views|format|source_location)\b")

LIBRARIES = {
    "Eigen/": {"calibrate"},
    "CLI/": OUTSIDE,
    "spdlog/": OUTSIDE,
    "fmt/": OUTSIDE,
    "zlib.h": OUTSIDE,
    "sqlite3.h": OUTSIDE,
    "mpi.h": OUTSIDE,
}

SOURCES = {"boost/": "src/hardware/topology"}  # not even headers there

INTEGERS = re.compile(r"\bstd::u?int(8|16|32|64)_t\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def modules():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.findall(r"^orrery_module\((\w+)", text, re.MULTILINE)


def without_comments(text):
    """The text with comments blanked, lines kept; strings are left as they are."""
    def blank(match):
        return match.group(0) if match.group(0)[0] in "\"'" else re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', blank, text,
                  flags=re.DOTALL)


def include_fault(path, module, order, quote, header):
    """The fault of this include in this file of a module, or None."""
    top = header.split("/")[0]
    if quote == '"':
        if top in order and order.index(top) > order.index(module):
            return f"{module} comes before {top}"
        if "/" not in header or header.startswith("."):
            return "include as \"module/file.h\""
    if header in SYSTEM_HEADERS_OF_NOBODY:
        return "not in every compiler this builds with"
    for prefix, folder in SOURCES.items():
        if header.startswith(prefix) and (path.suffix != ".cpp" or path.parent != ROOT / folder):
            return f"only a source of {folder} may"
    if module in OUTSIDE:
        return None
    if header in SYSTEM_HEADERS_OF_OUTSIDE:
        return f"only {', '.join(sorted(OUTSIDE))} may"
    for prefix, allowed in LIBRARIES.items():
        if header.startswith(prefix) and module not in allowed:
            return f"only {', '.join(sorted(allowed))} may"
    return None


def faults_of_module(path, module, order):
    for number, line in enumerate(without_comments(path.read_text()).splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            fault = include_fault(path, module, order, *match.groups())
        else:
            code = re.sub(r'"(?:\\.|[^"\\])*"', '""', line)
            word = WORDS_OF_NOBODY.search(code)
            if not word and module not in OUTSIDE:
                word = WORDS_OF_OUTSIDE.search(code)
            fault = "not in this module" if word else None
        if fault:
            yield f"{path.relative_to(ROOT)}:{number}: {line.strip()}: {fault}"


def faults_of_public_header(path, order):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        module, _, header = match.group(2).partition("/") if match else ("", "", "")
        if header and module in order:
            yield f"{path.relative_to(ROOT)}:{number}: {line.strip()}: modules are not installed"


def first_lines_fault(path):
    lines = path.read_text().splitlines()
    if not lines or "SPDX-License-Identifier: Apache-2.0" not in lines[0]:
        return "the first line is not the SPDX line"
    if path.suffix == ".h" and "#pragma once" not in lines:
        return "no #pragma once"
    return None


@functools.lru_cache(maxsize=None)
def has_integers(path):
    """Whether this file, or a header of ours that it includes, includes <cstdint>."""
    includes = [m.groups() for line in path.read_text().splitlines() if (m := INCLUDE.match(line))]
    own = (folder / header for _, header in includes for folder in (ROOT / "src", ROOT / "include", ROOT / "tests"))
    return ("<", "cstdint") in includes or any(has_integers(p) for p in own if p.is_file())


def integers_fault(path):
    if INTEGERS.search(without_comments(path.read_text())) and not has_integers(path):
        return "std::int64_t without <cstdint>"
    return None


def sources(folder):
    return sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in {".h", ".cpp"})


def main():
    order = modules()
    found = []
    for path in sources("src"):
        module = path.relative_to(ROOT / "src").parts[0]
        if module not in order:
            found.append(f"{path.relative_to(ROOT)}: {module} is not a module of CMakeLists.txt")
            continue
        found += faults_of_module(path, module, order)
    for path in sources("include"):
        found += faults_of_public_header(path, order)
    for folder in ("src", "include", "tests", "bench"):
        found += [f"{path.relative_to(ROOT)}: {fault}" for path in sources(folder)
                  if (fault := first_lines_fault(path) or integers_fault(path))]
    print("\n".join(found) or f"{len(sources('src'))} files in {len(order)} modules: all in order")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
