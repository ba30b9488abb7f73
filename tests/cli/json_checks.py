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
import re

from json_values import (
    FUNCTIONS, Fault, Path, calculated, compared, first_fault, matched, paired, walk)

TOKEN = re.compile(
    r"""\s*(?:(?P<file>(?:\$ROOT/)?[A-Za-z_][\w./-]*\.[A-Za-z]\w*:)
    |(?P<regex>!?~\s*/(?:\\.|[^/\\])*/)
    |(?P<string>"(?:\\.|[^"\\])*")
    |(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<sign><=|>=|!=|[=<>±%+\-*/()\[\]{}.,:]))""", re.X)
CONSTANTS = {"true": True, "false": False, "null": None}


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
