#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The runner of the command tests must itself notice every fault."""

import contextlib
import importlib.machinery
import importlib.util
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
_loader = importlib.machinery.SourceFileLoader("run", str(Path(__file__).with_name("run")))
_spec = importlib.util.spec_from_loader("run", _loader)
runner = importlib.util.module_from_spec(_spec)
sys.modules["run"] = runner
_loader.exec_module(runner)


class Case(unittest.TestCase):
    def check(self, text, update=False):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "case.t"
            path.write_text(text)
            with contextlib.redirect_stdout(io.StringIO()) as self.said:
                good = runner.check_file(path, Path("/bin/orrery"), update)
            return good, path.read_text()

    def passes(self, text):
        return self.check(text)[0]


class RunnerTest(Case):
    def test_exact_output(self):
        self.assertTrue(self.passes("$ printf 'a\\nb\\n'\n> a\n> b\n"))
        self.assertFalse(self.passes("$ printf 'a\\nb\\n'\n> a\n"))
        self.assertFalse(self.passes("$ printf 'a\\n'\n> a\n> b\n"))
        self.assertFalse(self.passes("$ echo a b\n> a  b\n"))

    def test_wildcards(self):
        self.assertTrue(self.passes("$ seq 9\n> 1\n> ...\n> 9\n"))
        self.assertTrue(self.passes("$ seq 2\n> ...\n> 1\n> ...\n> 2\n> ...\n"))
        self.assertFalse(self.passes("$ seq 9\n> 1\n> ...\n> 8\n"))
        self.assertTrue(self.passes("$ echo 'took 3 ms.'\n> took ... ms.\n"))
        self.assertFalse(self.passes("$ echo 'took 3 msx'\n> took ... ms.\n"))

    def test_exit_code(self):
        self.assertTrue(self.passes("$ exit 3\n! exit 3\n"))
        self.assertFalse(self.passes("$ exit 3\n"))
        self.assertFalse(self.passes("$ true\n! exit 3\n"))

    def test_stderr(self):
        self.assertFalse(self.passes("$ echo noise >&2\n"))
        self.assertTrue(self.passes("$ echo noise >&2\n! stderr noise\n"))
        self.assertTrue(self.passes("$ echo noise 7 >&2\n! stderr /noise [0-9]$/\n"))
        self.assertFalse(self.passes("$ true\n! stderr noise\n"))

    def test_stdin_and_shared_directory(self):
        self.assertTrue(self.passes("$ cat > f\n< one\n<\n< two\n$ cat f\n> one\n>\n> two\n"))

    def test_places_are_named(self):
        self.assertTrue(self.passes("$ echo $ROOT/x; pwd\n> $ROOT/x\n> $TMP\n"))

    def test_nothing_to_run_fails(self):
        self.assertFalse(self.passes("# only a comment\n"))

    def test_stray_text_is_an_error(self):
        with self.assertRaises(ValueError):
            self.check("$ true\nstray\n")

    def test_update_keeps_what_still_matches(self):
        text = "# why\n$ seq 3\n> 1\n> ...\n\n$ echo new; echo bad >&2; exit 2\n> old\n"
        _, after = self.check(text, update=True)
        self.assertEqual(
            after,
            "# why\n$ seq 3\n> 1\n> ...\n\n"
            "$ echo new; echo bad >&2; exit 2\n> new\n! exit 2\n! stderr bad\n")
        self.assertTrue(self.passes(after))

    def test_update_keeps_every_line_in_its_place(self):
        text = (
            "$ echo '[1]'; echo bad >&2; exit 2\n! exit 2\n! stderr bad\n# why\n> [1]\n"
            "! json .[0] = 1\n$ echo 2; echo bad >&2; exit 3\n! exit 2\n! stderr bad\n> 1\n")
        _, after = self.check(text, update=True)
        self.assertEqual(after, text.replace("! exit 2\n! stderr bad\n> 1", "! exit 3\n! stderr bad\n> 2"))
        self.assertTrue(self.passes(after))

    def test_update_keeps_json_lines_and_shows_those_that_fail(self):
        text = "$ echo '{\"a\": 2}'\n! json a = 1\n"
        good, after = self.check(text, update=True)
        self.assertFalse(good)
        self.assertEqual(after, text)
        self.assertIn("json a = 1: found 2, expected 1", self.said.getvalue())


ANSWER = """{"step": 21.55, "fits": true, "why": "recommended: fast", "days": [1, 2, 3], "rows": [
 {"name": "a", "gib": 40.0, "set": {"tp": 1}}, {"name": "b", "gib": 80.5, "alone": null}],
 "best": 1, "sum": {"x": 10, "y": 11.55}, "a key": [], "end": "2027-01-02"}"""


class JsonTest(Case):
    """Each line with what it says where it fails; None where it holds."""

    def fault(self, check, answer=ANSWER):
        stdin = "".join(f"< {line}\n" for line in answer.splitlines())
        good, _ = self.check(f"$ cat\n{stdin}! json {check}\n")
        lines = [line.strip() for line in self.said.getvalue().splitlines() if " json " in line]
        self.assertEqual(good, not lines)
        if good:
            return None
        self.assertTrue(lines[0].startswith(f"json {check}: "), lines[0])
        return lines[0][len(f"json {check}: "):]

    def holds(self, *checks):
        for check in checks:
            self.assertIsNone(self.fault(check), check)

    def fails(self, check, with_words):
        self.assertEqual(self.fault(check), with_words, check)

    def test_values(self):
        self.holds("step = 21.55", "fits = true", 'why != "x"', "days = [1, 2, 3]", ". = .",
                   '.["a key"] = []', 'rows[1] = {"name": "b", "gib": 80.5, "alone": null}')
        self.fails("step = 21.56", "found 21.55, expected 21.56")
        self.fails("step != 21.55", "found 21.55 on both sides")
        self.fails("days = [1, 5, 3]", "[1] found 2, expected 5")
        self.fails("days = [1, 2]", "has 3 items, expected 2")
        self.fails('rows[0].set = {"tp": 2}', "tp found 1, expected 2")
        self.fails('rows[0].set = {"pp": 1}', "pp is missing")
        self.fails("rows[0].set = {}", "tp is not expected")

    def test_types_are_exact(self):
        self.fails("rows[0].gib = 40", "found 40.0, expected 40")
        self.fails("fits = 1", "found true, expected 1")
        self.fails("rows[1].alone = false", "found null, expected false")
        self.fails("fits = 1 ± 1", "found: found true, expected a number")
        self.fails("why < 3", 'found "recommended: fast" < 3, expected two numbers or two texts')
        self.fails("fits <= true", "found true <= true, expected two numbers or two texts")
        self.fails("step ~ /2/", "found 21.55, expected a text")
        self.fails("sum(why) = 1", 'sum, min or max: found "recommended: fast", expected a list')

    def test_tolerance(self):
        self.holds("step = 21.5 ± 0.06", "step = 20 ± 10 %", "sum(sum) = step ± 1e-9 %")
        self.fails("step = 21.5 ± 0.04", "found 21.55, expected 21.5 ± 0.04")
        self.fails("step = 20 ± 7 %", "found 21.55, expected 20 ± 7 %")

    def test_order(self):
        self.holds("days[0] < days[1] <= 2 < days[-1]", "step >= 21.55", 'end > "2027-01-01"')
        self.fails("days[0] < days[1] < 2", "found 2, expected < 2")
        self.fails("step > 21.55", "found 21.55, expected > 21.55")

    def test_missing(self):
        self.fails("rows[0].set.pp = 1", "rows[0].set.pp: missing; rows[0].set has tp")
        self.fails("stp = 1", "stp: missing; the document has step, fits, why, days, rows, best, sum, "
                   "a key, end")
        self.fails("days[3] = 1", "days[3]: missing; there are 3 items")
        self.fails("why.x = 1", 'why: found "recommended: fast", expected an object')
        self.fails("none.json:x = 1", "none.json: No such file or directory")
        self.holds("no stp", "no rows[*].pp")
        self.fails("no rows[*].alone", "found rows[1].alone")
        self.fails('no .["a key"][*].x', "found no item")

    def test_every_item(self):
        self.holds("rows[*].gib = [40.0, 80.5]", "rows[*].gib < 81", "days[:-1] < days[1:]",
                   "2 * rows[*].gib = [80, 161] ± 1e-9", "rows[best].name = \"b\"", "sum[*] > 9",
                   "max(rows[*].gib) = 80.5", "min(days) = 1", "days[1:2] = [2]")
        self.fails("rows[*].gib <= 80", "rows[1].gib: found 80.5, expected <= 80")
        self.fails("rows[*].gib = [40.0]", "found 2 items [40.0, 80.5], expected 1: [40.0]")
        self.fails("rows[*].set = {}", "rows[1].set: missing; rows[1] has name, gib, alone")
        self.fails('.["a key"][*].x > 1', "found no item")
        self.fails("days = 1", "found [1, 2, 3], expected 1")

    def test_chosen_items(self):
        self.holds('rows[name="a"].gib = 40.0', 'rows[*gib > 50, name ~ /b/].name = ["b"]',
                   "rows[*set.tp=1].name = [\"a\"]", "rows[alone=null].name = \"b\"")
        self.fails('rows[name="c"].gib = 40.0',
                   "rows: found 0 items of which the condition holds, expected 1")
        self.fails("rows[gib > 1].gib = 40.0",
                   "rows: found 2 items of which the condition holds, expected 1")

    def test_functions(self):
        self.holds("len(rows) = 2", 'keys(sum) = "x y"', "abs(1 - step) = 20.55 ± 1e-9",
                   "distinct(days) = [1, 2, 3]", 'without(sum, "x") = {"y": 11.55}',
                   'type(.[*]) = ["number", "bool", "text", "list", "list", "number", "object", "list", '
                   '"text"]', "(days[0] + days[1]) * 2 / 3 - 1 = 1 ± 0")
        self.fails("len(rows) = 3", "found 2, expected 3")
        self.fails('without(sum, "z") = {}', "without: z is missing")
        self.fails("min(rows[*gib > 99].gib) = 1", "found no item")

    def test_in_and_patterns(self):
        self.holds("best in [0, 1]", '"fast" in why', 'without(sum, "x") in sum', "why ~ /^rec.*t$/",
                   "why !~ /slow/", "rows[*].gib in [40.0, 80.5]")
        self.fails("best in [0, 2]", "found 1")
        self.fails('{"x": 11} in sum', "x found 10, expected 11")
        self.fails('{"z": 11} in sum', "z is missing")
        self.fails("rows[*].gib in [40.0]", "rows[1].gib: found 80.5")
        self.fails("why ~ /slow/", 'found "recommended: fast"')
        self.fails("why !~ /fast/", 'found "recommended: fast"')

    def test_documents(self):
        self.assertTrue(self.passes(
            "$ echo '{\"a\": 1}' > a.json\n$ echo '{\"a\": 1}' > b.json\n"
            "! json a.json:a = b.json:a\n! json a = 1\n! json a.json: = b.json:\n"))
        self.assertIsNone(self.fault(".[*].a = [1, 2]", '{"a": 1}\n{"a":\n2}'))
        self.assertIn("stdout: not JSON", self.fault("a = 1", '{"a": NaN}'))
        self.assertIn("stdout: not JSON", self.fault("a = 1", '{"a": 1} x'))
        self.assertEqual(self.fault("a = 1", ""), "stdout: empty, expected JSON")

    def test_text_is_compared_beside_json(self):
        self.assertFalse(self.passes("$ echo '[1]'\n> [2]\n! json .[0] = 1\n"))
        self.assertTrue(self.passes("$ echo '[1]'\n! json .[0] = 1\n"))
        self.assertFalse(self.passes("$ echo '[1]' > a.json; echo x\n! json a.json:[0] = 1\n"))

    def test_lines_that_are_no_check(self):
        for line in ("a", "a = ", "a = 1 2", "a == 1", "= 1", "a ~ /(/", "a = 1 ± b", "no a[0]",
                     "a[b=1 = 2", "[1, = 2", "f(a) = 1", "a = {b: 1}", "a = 1 ± 1 ± 2", "a -1 = 2"):
            with self.assertRaisesRegex(ValueError, r"case.t:2: ! json ", msg=line):
                self.check(f"$ true\n! json {line}\n")


if __name__ == "__main__":
    unittest.main()
