#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file and function of ours that a comment of our code, a page of docs/ or CONTRIBUTING.md names exists.

A source is `module/file.h` or `file.h`: the end of the path of a file in this tree. A path in
backticks that begins with one of our folders leads to a file or folder. A function is `name()`,
`Type::name()` or `object.name()`: our code calls or defines one of that name."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = (".h", ".cpp", ".cu", ".cuh", ".c", ".py", ".ts", ".mjs")
FOLDERS = ("src", "include", "cuda", "tests", "bench", "python", "web", "scripts", "docs", "configs",
           "validation", "cmake", "packaging")
BUILT = re.compile(r"web/(node_modules|dist|build)/")

# Other projects' files and functions.
FOREIGN = set("""
csrc/flash_attn/src/flash_fwd_launch_template.h
aten/src/ATen/native/cuda/Embedding.cu Embedding.cu
torch/csrc/autograd/input_buffer.cpp torch/csrc/profiler/util.cpp libkineto/src/output_json.cpp
deepspeed.comm.log_summary utils_funcs.torch_dtype_from_precision client.get_executor
""".split())
# Made by the user, or any file of a kind.
OPEN = re.compile(r"NAME|^module/file\.h$|^configs/hardware/calibrated$")

SOURCE = re.compile(r"(?<![\w./<*-])((?:[\w-]+/)*[\w-]+\.(?:h|cpp|cu|cuh))(?![\w./])")
PATH = re.compile(r"`((?:%s)/[\w./-]*[\w/-])`" % "|".join(FOLDERS))
FUNCTION = re.compile(r"(?<![\w.$\"'])((?:\w+(?:::|\.))*[a-z_]\w*)\(\)")
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])\'|(//[^\n]*|/\*.*?\*/)', re.DOTALL)
CALLED = re.compile(r"\b([A-Za-z_]\w*)(?:<[^<>;()]*>)?\s*\(")


def files():
    found = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file())
    return sorted(p for p in found if not BUILT.match(str(p.relative_to(ROOT))))


def split(path):
    """The code of a file without comments, and (line, text) of its comments; a Python file is all code."""
    text, comments = path.read_text(), []

    def take(match):
        if not match.group(1):
            return match.group(0)
        line = text.count("\n", 0, match.start()) + 1
        comments.extend(enumerate(match.group(1).splitlines(), line))
        return " "
    return (text, []) if path.suffix == ".py" else (COMMENT.sub(take, text), comments)


def pages():
    return [*sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]


def missing(text, ends, called):
    """Names in a line that the tree lacks."""
    for source in SOURCE.findall(text):
        if source not in ends:
            yield source
    for path in PATH.findall(text):
        if not (ROOT / path).exists():
            yield path
    for name in FUNCTION.findall(text):
        if re.split(r"::|\.", name)[-1] not in called:
            yield name


def main():
    ours = files()
    parts = [path.relative_to(ROOT).parts for path in ours]
    ends = {"/".join(p[i:]) for p in parts for i in range(len(p))}
    called, lines = set(), []
    for path in (p for p in ours if p.suffix in CODE):
        code, comments = split(path)
        called.update(CALLED.findall(code))
        lines += [(path, *comment) for comment in comments]
    lines += [(p, *line) for p in pages() for line in enumerate(p.read_text().splitlines(), 1)]
    found = [f"{path.relative_to(ROOT)}:{number}: {name} does not exist"
             for path, number, text in lines for name in missing(text, ends, called)
             if name not in FOREIGN and not OPEN.search(name)]
    print("\n".join(found) or f"{len(lines)} lines: every file and function they name exists")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
