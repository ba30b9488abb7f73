#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A member of a Json is lost when another is inserted into the same object or array: both are vectors. This
finds a reference, pointer, iterator or Reader into a document that is used after an insertion into it, or
in a loop with one, and a reference into what a call returns. Its blind spot (an insertion by a function that gets the document) the address
sanitizer sees, where every insertion moves all members (src/core/moving_json.h)."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACE = r"[A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*)*"
# Json& x = doc["a"]; const auto x = doc.find("a"); Json* x = &doc["a"]; Reader x = Reader(doc).at("a")
BOUND = re.compile(
    rf"\b(?:Json|auto)\s*[&*]\s*(?P<a>\w+)\s*=\s*&?(?P<p>{PLACE})\s*\["
    rf"|\b(?:Json|auto)\s*[&*]\s*(?P<a2>\w+)\s*=\s*at_key<[^;]*>\((?P<p2>{PLACE})\)\s*;"
    rf"|\bauto\s+(?P<a3>\w+)\s*=\s*(?P<p3>{PLACE})\.(?:find|begin)\("
    rf"|\bReader\s+(?P<a4>\w+)\s*=\s*Reader\((?P<p4>{PLACE})[,)]"
    rf"|\bReader\s+(?P<a5>\w+)\((?P<p5>{PLACE}),")


# Json& x = value_at(f(), "a"): into a value that f returns; value_at itself returns a reference
OF_CALL = re.compile(r"\b(?:Json|auto)\s*&\s*(?P<n>\w+)\s*=\s*value_at\((?P<f>(?!value_at\b)\w+(?:::\w+)*\()")


def insertion(place):
    """An assignment to a key of this document, and the calls that put a member into it."""
    p = re.escape(place)
    return re.compile(
        rf"(?<![\w.>]){p}(?:\[[^\]]*\])+\s*=(?!=)"
        rf"|(?<![\w.>]){p}(?:\[[^\]]*\])*\.(?:insert|emplace|emplace_back|push_back|update)\("
        rf"|\bset_at\({p}\s*,|\bmerge_over\({p}\s*,|at_key<[^;=]*>\({p}\)\s*=(?!=)")


def without_comments(text):
    def blank(match):
        return match.group(0) if match.group(0)[0] in "\"'" else re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', blank, text, flags=re.DOTALL)


def end_of_scope(text, at):
    depth = 0
    for i in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth < 0:
            return i
    return len(text)


def loops(text, begin, end):
    """The spans of the loops with braces that begin in this stretch."""
    for match in re.finditer(r"\b(?:for|while)\s*\(", text[begin:end]):
        brace = text.find("{", begin + match.end())
        if 0 <= brace < end:
            yield begin + match.start(), end_of_scope(text, brace + 1)


def faults(text):
    """(line, name, document) of each use of a reference that may be lost."""
    text = without_comments(text)
    for match in OF_CALL.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group("n"), match.group("f") + ")"
    for match in BOUND.finditer(text):
        groups = match.groupdict()
        name = next(groups[k] for k in ("a", "a2", "a3", "a4", "a5") if groups[k])
        place = next(groups[k] for k in ("p", "p2", "p3", "p4", "p5") if groups[k])
        begin, end = match.end(), end_of_scope(text, match.end())
        uses = [begin + m.start() for m in re.finditer(rf"(?<![\w.>]){name}\b", text[begin:end])]
        inserted = [(begin + m.start(), text.find(";", begin + m.end()))
                    for m in insertion(place).finditer(text[begin:end])
                    if not re.search(rf"\b{name}\s*=\s*$", text[begin:begin + m.start()])]  # bound anew
        for at, statement in inserted:
            again = [u for u in uses if u > statement]
            again += [u for a, b in loops(text, begin, end) if a < at < b for u in uses if a < u < b]
            if again and name != place:
                yield text.count("\n", 0, min(again)) + 1, name, place
                break


SELF_TEST = (
    ('void f(Json& d) { Json& t = d["tiers"]; d["sources"]["a"] = 1; t.push_back(2); }', 1),
    ('void f(D& o) { Json& t = o.node["tiers"]; for (int i = 0; i < 3; ++i) { t[i] = 1; o.node["s"] = 2; } }', 1),
    ('void f(Json& d) { const auto at = d.find("a"); d["b"] = 1; use(*at); }', 1),
    ('void f(Json& d) { const Json& t = value_at(read(d), "tiers"); use(t); }', 1),
    ('void f(Json& d) { const Json& t = value_at(value_at(d, "a"), "tiers"); use(t); }', 0),
    ('void f(Json& d) { Json& t = d["tiers"]; t.push_back(2); d["sources"] = 1; }', 0),
    ('void f(Json& d) { Json& t = d["tiers"]; t["a"] = 1; t["b"] = 2; }', 0),
)


def main():
    for text, count in SELF_TEST:
        assert len(list(faults(text))) == count, text
    found = 0
    for file in sorted((ROOT / "src").rglob("*")):
        if file.suffix not in (".h", ".cpp"):
            continue
        for line, name, place in faults(file.read_text()):
            found += 1
            print(f"{file.relative_to(ROOT)}:{line}: {name} is used after an insertion into {place}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
