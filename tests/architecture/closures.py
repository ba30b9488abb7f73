#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much of the project a source sees, followed through its #includes, and the bounds on that.

A file that sees few headers is seldom compiled again. `closures.py` holds the bounds; `--of HEADER`
lists the sources that see a header, `--seen FILE` the headers a file sees, `--top N` the headers
that most sources see.
"""

import argparse
import functools
import re
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)

# Project headers a source sees, at most: in the median, and any.
MEDIAN = 27
MOST = 128
# Sources that see a header, at most.
SEEN_BY = {
    "cost/product.h": 9,
    "cost/attention.h": 4,
    "network/algorithms.h": 1,
    "network/ring.h": 1,
    "parallel/schedules/list.h": 4,
}
# Sources that parse all of JSON's library.
JSON = "nlohmann/json.hpp"
SEE_JSON = 0.46  # of all


@functools.lru_cache(maxsize=None)
def includes(path):
    """(project files, other names) this file includes itself."""
    own, others = [], []
    for name in INCLUDE.findall(path.read_text()):
        found = next((p for p in (SRC / name, ROOT / "include" / name) if p.is_file()), None)
        own.append(found) if found else others.append(name)
    return own, others


@functools.lru_cache(maxsize=None)
def seen(path):
    """Project headers this file sees, and the others by name."""
    headers, names, todo = set(), set(), [path]
    while todo:
        own, others = includes(todo.pop())
        names.update(others)
        for header in own:
            if header not in headers:
                headers.add(header)
                todo.append(header)
    return headers, names


def sources():
    return sorted(SRC.rglob("*.cpp"))


def seen_by(header):
    return [s for s in sources() if SRC / header in seen(s)[0]]


def faults():
    counts = [len(seen(s)[0]) for s in sources()]
    median = statistics.median(counts)
    json = sum(JSON in seen(s)[1] for s in sources())
    print(f"{len(counts)} sources see {median:g} project headers in the median, "
          f"{max(counts)} at most; {json} see {JSON}")
    if median > MEDIAN:
        yield f"the median is {median:g}, at most {MEDIAN} is allowed"
    for source in sources():
        if len(seen(source)[0]) > MOST:
            yield f"{source.relative_to(ROOT)} sees {len(seen(source)[0])} headers, allowed {MOST}"
    for header, most in SEEN_BY.items():
        n = len(seen_by(header))
        print(f"{n:4} see {header}")
        if n > most:
            yield f"{n} sources see {header}, at most {most} are allowed (closures.py --of {header})"
    if json > SEE_JSON * len(counts):
        yield f"{json} of {len(counts)} sources see {JSON}, at most {SEE_JSON:.0%} are allowed"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--of", metavar="HEADER")
    parser.add_argument("--seen", metavar="FILE")
    parser.add_argument("--top", metavar="N", type=int)
    args = parser.parse_args()
    if args.of:
        print("\n".join(str(s.relative_to(ROOT)) for s in seen_by(args.of)))
    elif args.seen:
        headers = seen(SRC / args.seen)[0]
        print("\n".join(sorted(str(h.relative_to(ROOT)) for h in headers)))
    elif args.top:
        count = {}
        for source in sources():
            for header in seen(source)[0]:
                count[header] = count.get(header, 0) + 1
        for header in sorted(count, key=lambda h: -count[h])[: args.top]:
            print(f"{count[header]:4} {header.relative_to(ROOT)} (sees {len(seen(header)[0])})")
    else:
        found = list(faults())
        print("\n".join(found))
        sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
