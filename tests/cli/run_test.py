#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The runner of the command tests must itself notice every fault."""

import importlib.machinery
import importlib.util
import os
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


class RunnerTest(unittest.TestCase):
    def check(self, text, update=False):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "case.t"
            path.write_text(text)
            sys.stdout = open(os.devnull, "w")
            try:
                good = runner.check_file(path, Path("/bin/orrery"), update)
            finally:
                sys.stdout.close()
                sys.stdout = sys.__stdout__
            return good, path.read_text()

    def passes(self, text):
        return self.check(text)[0]

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


if __name__ == "__main__":
    unittest.main()
