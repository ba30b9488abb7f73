# SPDX-License-Identifier: Apache-2.0
"""The `! json` lines of a command test: what a JSON document must hold.

A line compares values by = != < <= > >= (also in a chain, a < b <= c), by `in` and by a regular
expression (~ and !~). `no PATH` holds where the last key of the path is absent.

    ! json feasible = true
    ! json step_time_s = 21.55 ± 0.01
    ! json sum(breakdown_s) = step_time_s ± 1e-10 %
    ! json options[0].time.days[0] < options[0].time.days[1]
    ! json c.json:communication = e.json:communication
    ! json differences[cause="slow parts"].time_s > 2 * estimate_step_time_s
    ! json curves[*].role = "only tests"
    ! json best[0].why ~ /^recommended/
    ! json no timeline

A path begins with a key of what the command printed, with `.` for all of it, or with FILE: for a file
of the test's directory (or $ROOT/...). A document of several JSON values one after the other, such as
JSON lines, is the list of them. The steps of a path:

    .key  ["a key"]          the value of a key
    [0]  [-1]  [PATH]        an item, counted from 0 or from the end, or by the number that PATH holds
    [*]  [1:]  [:-1]         every item, or some of them
    [key="x", n > 3]         the only item of which these hold; with a star, [*key="x"], every such item

A path with every item is as many values as there are: one value beside them is compared with each (and
there must be one at least), a list with all in order. Values are JSON, and `=` is exact: 2 is not 2.0,
but a tolerance (± of the unit, or of the expected value with %) compares numbers. Between them stand
+ - * / with spaces on both sides, parentheses, and

    len(x) sum(x) min(x) max(x) abs(x)    sum, min and max over a list, every item, or an object's values
    distinct(x)                           the different values, sorted
    keys(x)                               an object's keys in order, as one text with spaces
    without(x, "key", ...)                an object but for these keys
    type(x)                               object, list, text, number, bool or null

`a in b`: a is an item of a list, a part of a text, or an object whose every pair stands in b.
"""

import json
import operator
import re


class Fault(Exception):
    """What a document lacks, or holds instead."""


class Many(list):
    """The values of a path with every item; `places` has where each stands."""

    def __init__(self, values, places):
        super().__init__(values)
        self.places = places


TOKEN = re.compile(
    r"""\s*(?:(?P<file>(?:\$ROOT/)?[A-Za-z_][\w./-]*\.[A-Za-z]\w*:)
    |(?P<regex>!?~\s*/(?:\\.|[^/\\])*/)
    |(?P<string>"(?:\\.|[^"\\])*")
    |(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<sign><=|>=|!=|[=<>±%+\-*/()\[\]{}.,:]))""", re.X)
SPACE = re.compile(r"\s*")
CONSTANTS = {"true": True, "false": False, "null": None}
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
    """What the command printed, or the file that its output went to, and other files; each read once."""

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


class Parser:
    """One line to a function of Documents that says what is wrong, or nothing."""

    def __init__(self, text):
        self.text, self.at = text, 0
        self.kind = self.token = None
        self.reads_stdout = False
        self.advance()

    def advance(self):
        rest = self.text[self.at:]
        if not rest.strip():
            self.kind = self.token = None
            return
        m = TOKEN.match(self.text, self.at)
        if m is None:
            raise ValueError(f"not understood: {rest.strip()}")
        self.kind, self.token, self.at = m.lastgroup, m[m.lastgroup], m.end()

    def follows(self, character):
        return self.text[self.at:self.at + 1] == character

    def taken(self, *tokens):
        if self.kind in ("sign", "word") and self.token in tokens:
            token = self.token
            self.advance()
            return token
        return None

    def need(self, token):
        if not self.taken(token):
            raise ValueError(f"found {self.token or 'the end'}, expected {token}")

    def check(self):
        if self.kind == "word" and self.token == "no" and self.follows(" "):
            self.advance()
            path = self.path()
            if not path.steps or path.steps[-1][0] != "key":
                raise ValueError("no PATH: the path must end in a key")
            self.end()
            return lambda documents: "".join(
                f"found {place}" for place in path.absent(documents)[:1])
        tests = self.comparisons(self.sum())
        self.end()
        if not tests:
            raise ValueError("expected a comparison")
        return lambda documents: next(filter(None, (test(documents) for test in tests)), "")

    def end(self):
        if self.token is not None:
            raise ValueError(f"not understood: {self.token}{self.text[self.at:]}")

    def comparisons(self, left):
        tests = []
        while True:
            if self.kind == "regex":
                tests.append(self.regex(left))
                continue
            sign = self.taken("=", "!=", "<", "<=", ">", ">=", "in")
            if sign is None:
                return tests
            right = self.sum()
            margin = self.margin() if sign == "=" else None
            tests.append(self.comparison(sign, left, right, margin))
            left = right

    def regex(self, left):
        negated, pattern = self.token.startswith("!"), self.token[self.token.index("/") + 1:-1]
        re.compile(pattern)
        self.advance()
        return lambda documents: first_fault(
            paired(left(documents), None), lambda a, _: matched(negated, pattern, a))

    @staticmethod
    def comparison(sign, left, right, margin):
        def test(documents):
            a, b = left(documents), right(documents)
            # "in" asks for each of the left side in the whole of the right one.
            pairs = paired(a, None) if sign == "in" else paired(a, b)
            return first_fault(
                pairs, lambda x, y: compared(sign, x, b if sign == "in" else y, margin))
        return test

    def margin(self):
        if not self.taken("±"):
            return None
        if self.kind != "number":
            raise ValueError("expected a number after ±")
        tolerance = float(self.token)
        self.advance()
        return tolerance, self.taken("%") is not None

    def sum(self):
        return self.chain(("+", "-"), lambda: self.chain(("*", "/"), self.factor))

    def chain(self, signs, part):
        left = part()
        while True:
            sign = self.taken(*signs)
            if sign is None:
                return left
            left = self.calculation(sign, left, part())

    @staticmethod
    def calculation(sign, a, b):
        return lambda documents: calculated(sign, a(documents), b(documents))

    def factor(self):
        if self.kind in ("string", "number"):
            value = json.loads(self.token)
            self.advance()
            return lambda documents: value
        if self.kind == "word" and self.token in CONSTANTS:
            value = CONSTANTS[self.token]
            self.advance()
            return lambda documents: value
        if self.kind == "word" and self.token in FUNCTIONS and self.follows("("):
            return self.call()
        if self.taken("("):
            inner = self.sum()
            self.need(")")
            return inner
        if self.taken("["):
            items = self.separated("]", self.sum)
            return lambda documents: [item(documents) for item in items]
        if self.taken("{"):
            pairs = self.separated("}", self.pair)
            return lambda documents: {key: value(documents) for key, value in pairs}
        return self.path().value

    def call(self):
        function = FUNCTIONS[self.token]
        self.advance()
        self.need("(")
        arguments = self.separated(")", self.sum)
        if not arguments:
            raise ValueError("expected something between the parentheses")
        return lambda documents: function(*(argument(documents) for argument in arguments))

    def separated(self, end, part):
        found = []
        while not self.taken(end):
            if found:
                self.need(",")
            found.append(part())
        return found

    def pair(self):
        if self.kind != "string":
            raise ValueError(f"found {self.token or 'the end'}, expected a key in quotes")
        key = json.loads(self.token)
        self.advance()
        self.need(":")
        return key, self.sum()

    def path(self):
        file, steps = None, []
        if self.kind == "file":
            file = self.token[:-1]
            attached = re.match(r"[\w\[]", self.text[self.at:]) is not None
            self.advance()
            if not attached:
                return Path(file, [])
        else:
            self.reads_stdout = True
            if not self.taken(".") and self.kind != "word":
                raise ValueError(f"found {self.token or 'the end'}, expected a path or a value")
        if self.kind == "word" and self.token != "in":
            steps.append(("key", self.token))
            self.advance()
        return Path(file, steps + self.steps())

    def steps(self):
        steps = []
        while True:
            if self.taken("["):
                steps.append(self.bracket())
            elif self.taken("."):
                if self.kind != "word":
                    raise ValueError(f"found {self.token or 'the end'}, expected a key")
                steps.append(("key", self.token))
                self.advance()
            else:
                return steps

    def bracket(self):
        if self.taken("*"):
            return "every", self.separated("]", self.condition)
        if self.taken(":"):
            return self.slice(None)
        if self.kind == "word" and re.match(r"[\w.]*\s*(?:=|!=|<|>|!?~)", self.text[self.at:]):
            return "only", self.separated("]", self.condition)
        if self.kind == "number":
            first = json.loads(self.token)
            self.advance()
            if self.taken(":"):
                return self.slice(first)
            self.need("]")
            return "index", lambda documents: first
        index = self.sum()
        self.need("]")
        return "index", index

    def slice(self, first):
        last = None
        if self.kind == "number":
            last = json.loads(self.token)
            self.advance()
        self.need("]")
        return "slice", slice(first, last)

    def condition(self):
        """A condition on an item: KEY or KEY.KEY compared with a value; an item without the key is not meant."""
        before = self.reads_stdout
        path = self.path()
        self.reads_stdout = before
        item = {}
        tests = self.comparisons(lambda _: item["value"])
        if len(tests) != 1:
            raise ValueError("expected a comparison with a key of the item")

        def holds(placed, documents):
            try:
                item["value"] = walk([placed], path.steps, documents)
                return not tests[0](documents)
            except Fault:
                return False
        return holds


class Check:
    """A `! json` line, read."""

    def __init__(self, text):
        parser = Parser(text)
        self.text, self.test = text, parser.check()
        self.reads_stdout = parser.reads_stdout

    def fault(self, documents):
        """Nothing, or a line with the check, what was found and what was expected."""
        try:
            fault = self.test(documents)
        except Fault as error:
            fault = str(error)
        return f"json {self.text}: {fault}" if fault else ""
