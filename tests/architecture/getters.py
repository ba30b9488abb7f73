#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No reader of settings stands behind `||` in src/exchange: where the left side is true it is not called, and the setting that
it would have marked as read is refused as one that nobody knows. Read each of them first."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "src" / "exchange"
READER = re.compile(
    r"\|\|\s*!?\(?\s*(?:\w+(?:\.|->))*"
    r"(?:(?:settings|settings_)(?:\.|->)(?:flag|word|text|count|number|words|choice)|is_on)\("
)
COMMENT = re.compile(r"//[^\n]*")

failed = 0
for path in sorted(ROOT.rglob("*.cpp")):
    text = COMMENT.sub("", path.read_text())
    for found in READER.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        print(f"{path.relative_to(ROOT.parents[1])}:{line}: a setting that is read behind ||: {found.group().strip()}…")
        failed = 1
sys.exit(failed)
