# SPDX-License-Identifier: Apache-2.0
"""JSON documents of a command test: paths into them, and how their values are compared.

Every function raises Fault, or returns a text, where something is missing or wrong. json_checks.py
has the lines that use them.
"""

import json
import operator
import re


class Fault(Exception):
    """A document lacks a value, or holds another one."""


class Many(list):
    """The values of a path with every item; `places` has where each stands."""

    def __init__(self, values, places):
        super().__init__(values)
        self.places = places


SPACE = re.compile(r"\s*")
ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def type_of(value):
    names = {dict: "object", list: "list", Many: "list", str: "text", bool: "bool", type(None): "null"}
    return names.get(type(value), "number")


def shown(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else text[:300] + " …"


def number(value, place):
    if type_of(value) != "number":
        raise Fault(f"{place}: found {shown(value)}, expected a number")
    return value


def difference(found, expected, place=""):
    """The first place where two JSON values differ, or nothing."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in [*expected, *found]:
            if key not in found or key not in expected:
                what = "missing" if key not in found else "not expected"
                return f"{place}.{key} is {what}".lstrip(".")
            inner = difference(found[key], expected[key], f"{place}.{key}")
            if inner:
                return inner.lstrip(".")
        return ""
    if isinstance(found, list) and isinstance(expected, list):
        for i, (a, b) in enumerate(zip(found, expected)):
            inner = difference(a, b, f"{place}[{i}]")
            if inner:
                return inner
        return "" if len(found) == len(expected) else (
            f"{place} has {len(found)} items, expected {len(expected)}".strip())
    if type(found) is type(expected) and found == expected:
        return ""
    return f"{place} found {shown(found)}, expected {shown(expected)}".strip()


def documents_of(text, name):
    """The JSON value of a text, or the list of several, one after the other."""
    def refuse(word):
        raise ValueError(f"{word} is not JSON")
    decoder = json.JSONDecoder(parse_constant=refuse)
    found, at = [], 0
    try:
        while (at := SPACE.match(text, at).end()) < len(text):
            value, at = decoder.raw_decode(text, at)
            found.append(value)
    except ValueError as error:
        raise Fault(f"{name}: not JSON: {error}") from None
    if not found:
        raise Fault(f"{name}: empty, expected JSON")
    return found[0] if len(found) == 1 else found


class Documents:
    """The printed document (or the file that the output went to) and other files, each read once."""

    def __init__(self, stdout, read_file, printed_to=None):
        self.stdout, self.read_file, self.printed_to, self.known = stdout, read_file, printed_to, {}

    def document(self, name):
        name = name or self.printed_to
        if name not in self.known:
            try:
                text = self.stdout if name is None else self.read_file(name)
            except OSError as error:
                raise Fault(f"{name}: {error.strerror}") from None
            self.known[name] = documents_of(text, name or "stdout")
        return self.known[name]


class Path:
    """A file (None: what was printed) and the steps from its document to a value."""

    def __init__(self, file, steps):
        self.file, self.steps = file, steps

    def start(self, documents):
        return [(f"{self.file}:" if self.file else "", documents.document(self.file))]

    def value(self, documents):
        return walk(self.start(documents), self.steps, documents)

    def absent(self, documents):
        """The places where the last key stands all the same."""
        key = self.steps[-1][1]
        parents = walk_all(self.start(documents), self.steps[:-1], documents)
        if not parents:
            raise Fault("found no item")
        return [joined(place, key) for place, parent in parents if key in object_of(parent, place)]


def object_of(value, place):
    if not isinstance(value, dict):
        raise Fault(f"{place or 'the document'}: found {shown(value)}, expected an object")
    return value


def list_of(value, place):
    if not isinstance(value, list):
        raise Fault(f"{place or 'the document'}: found {shown(value)}, expected a list")
    return value


def joined(place, key):
    return place + key if not place or place.endswith(":") else f"{place}.{key}"


def items_of(value, place):
    if isinstance(value, dict):
        return [(joined(place, key), inner) for key, inner in value.items()]
    return [(f"{place}[{i}]", inner) for i, inner in enumerate(list_of(value, place))]


def stepped(place, value, step, documents):
    """The places and values that a step leads to from one value."""
    kind, what = step
    if kind == "key":
        if what not in object_of(value, place):
            has = ", ".join(value) or "no keys"
            raise Fault(f"{joined(place, what)}: missing; {place or 'the document'} has {has}")
        return [(joined(place, what), value[what])]
    if kind == "index":
        index = what(documents)
        if isinstance(index, str):
            return stepped(place, value, ("key", index), documents)
        if type(index) is not int or not -len(list_of(value, place)) <= index < len(value):
            raise Fault(f"{place}[{index}]: missing; there are {len(value)} items")
        return [(f"{place}[{index}]", value[index])]
    if kind == "slice":
        first = what.indices(len(list_of(value, place)))[0]
        return [(f"{place}[{first + i}]", inner) for i, inner in enumerate(value[what])]
    chosen = [item for item in items_of(value, place) if all(c(item, documents) for c in what)]
    if kind == "only" and len(chosen) != 1:
        raise Fault(f"{place}: found {len(chosen)} items of which the condition holds, expected 1")
    return chosen


def walk_all(found, steps, documents):
    for step in steps:
        found = [inner for place, value in found for inner in stepped(place, value, step, documents)]
    return found


def walk(start, steps, documents):
    found = walk_all(start, steps, documents)
    if any(kind in ("slice", "every") for kind, _ in steps):
        return Many([value for _, value in found], [place for place, _ in found])
    return found[0][1]


def paired(a, b):
    """(place, a, b) of each pair that a comparison or a sum of two sides takes together."""
    many = a if isinstance(a, Many) else b if isinstance(b, Many) else None
    if many is None:
        return [("", a, b)]
    lists = [x for x in (a, b) if isinstance(x, list)]
    if len(lists) == 2 and len(a) != len(b):
        raise Fault(f"found {len(a)} items {shown(a)}, expected {len(b)}: {shown(b)}")
    if not many and len(lists) < 2:
        raise Fault("found no item")
    sides = [x if isinstance(x, list) else [x] * len(many) for x in (a, b)]
    return list(zip(many.places, *sides))


def each(function, value):
    if not isinstance(value, Many):
        return function(value)
    return Many([function(x) for x in value], value.places)


def numbers_of(value):
    values = list(value.values()) if isinstance(value, dict) else list_of(value, "sum, min or max")
    return [number(x, "an item") for x in values]


def least(choose, value):
    values = numbers_of(value)
    if not values:
        raise Fault("found no item")
    return choose(values)


def distinct(value):
    different = {json.dumps(x, sort_keys=True): x for x in list_of(value, "distinct")}
    return [different[k] for k in sorted(
        different, key=lambda k: (type_of(different[k]), different[k])
        if type_of(different[k]) in ("number", "text") else (type_of(different[k]), k))]


def length(value):
    if not isinstance(value, (list, dict, str)):
        raise Fault(f"len: found {shown(value)}, expected a list, an object or a text")
    return len(value)


def without(value, *keys):
    for key in keys:
        if key not in object_of(value, "without"):
            raise Fault(f"without: {key} is missing")
    return {k: v for k, v in value.items() if k not in keys}


FUNCTIONS = {
    "len": length,
    "sum": lambda value: sum(numbers_of(value)),
    "min": lambda value: least(min, value),
    "max": lambda value: least(max, value),
    "abs": lambda value: each(lambda x: abs(number(x, "abs")), value),
    "distinct": distinct,
    "keys": lambda value: each(lambda x: " ".join(object_of(x, "keys")), value),
    "without": without,
    "type": lambda value: each(type_of, value),
}


def calculated(sign, a, b):
    pairs = paired(a, b)
    values = [ARITHMETIC[sign](number(x, place or "left"), number(y, place or "right"))
              for place, x, y in pairs]
    many = isinstance(a, Many) or isinstance(b, Many)
    return Many(values, [place for place, _, _ in pairs]) if many else values[0]


def within(found, expected, tolerance, percent):
    room = tolerance / 100 * abs(expected) if percent else tolerance
    return abs(found - expected) <= room


def is_part(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return difference({k: b[k] for k in a if k in b}, a)
    if isinstance(a, str) and isinstance(b, str):
        return "" if a in b else f"found {shown(b)}"
    return "" if any(not difference(x, a) for x in list_of(b, "in")) else f"found {shown(a)}"


def compared(sign, a, b, margin):
    """Nothing, or what is wrong with one pair."""
    if margin:
        good = within(number(a, "found"), number(b, "expected"), *margin)
        return "" if good else f"found {shown(a)}, expected {shown(b)} ± {margin[0]:g}" + (
            " %" if margin[1] else "")
    if sign == "=":
        return difference(a, b)
    if sign == "!=":
        return "" if difference(a, b) else f"found {shown(a)} on both sides"
    if sign == "in":
        return is_part(a, b)
    if type_of(a) != type_of(b) or type_of(a) not in ("number", "text"):
        return f"found {shown(a)} {sign} {shown(b)}, expected two numbers or two texts"
    return "" if ORDERS[sign](a, b) else f"found {shown(a)}, expected {sign} {shown(b)}"


def matched(negated, pattern, value):
    if not isinstance(value, str):
        return f"found {shown(value)}, expected a text"
    return "" if (re.search(pattern, value) is None) == negated else f"found {shown(value)}"


def first_fault(pairs, judge):
    for place, a, b in pairs:
        fault = judge(a, b)
        if fault:
            return f"{place}: {fault}" if place else fault
    return ""
