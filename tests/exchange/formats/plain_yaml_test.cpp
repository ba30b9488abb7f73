// SPDX-License-Identifier: Apache-2.0
#include "exchange/plain_yaml.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "core/json.h"
#include "exchange/yaml.h"

namespace orrery {
namespace {

// Both readers' value, or "refused".
std::string value_of(Json (*read)(std::string_view, const std::string&), const std::string& text) {
  try {
    return read(text, "a.yaml").dump();
  } catch (const InputError&) {
    return "refused";
  }
}

TEST_CASE("YAML of configuration files reads without yaml-cpp as with it") {
  for (const char* text :
       {"a: 1\nb:\n  - x\n  - y: 2\n    z: no\n  -\n    - 1\n    - [2, 3]\n"
        "c: {d: 'it''s', e: \"q\\n\\u00e9\"}\n",
        "a:\n- 1\n- 2\nb: # c\n  c: 5e-6 # x\n  d: 1_000\n",
        "x: &base\n  a: 1\n  b: [1, 2]\ny:\n  <<: *base\n  b: 3\nz: [*base]\n",
        "x: |\n  one\n   two\n\n  three\n\ny: >-\n  a\n  b\n\n  c\n   d\n  e\nz: |+\n  k\n\n\n",
        "a: plain text\n  goes on\n  here\nb: \"two\n  lines\"\nc: 'x\n\n  y'\n",
        "%YAML 1.1\n--- # start\na: 1\n...\nb: 2\n",
        "--- a\n",
        "---\n- 1\n---\n- 2\n",
        "- a\n- - b\n  - c\n- k: v\n  l: w\n-\n  m: n\n",
        "a: [1,\n  2, # two\n  {b: c, d},\n  ]\n",
        "a: {x: [1, {y: z}], 'q r': \"}\"}\n",
        "a: http://x.y/z#frag\nb: c:d\nc: 'a # b'\nd: a#b\n",
        "\"quoted key\": 1\n'single': 2\n",
        "a: !!str 5\nb: ! 6\nc: !foo bar\n",
        "a: 1\na: 2\n",
        "",
        "# only\n",
        "just text\n",
        "a: yes\nb: 0x1F\nc: 017\nd: 12:30\ne: ~\nf:\n",
        "a: \"\\x41\\U0001F600\"\n",
        "a:   \n  \n  b: 1\r\n",
        "a: |2\n   x\n  y\n",
        "a: >\n    x\n     y\n    z\n"}) {
    CAPTURE(text);
    CHECK(value_of(read_plain_yaml, text) == value_of(read_yaml, text));
    CHECK(value_of(read_plain_yaml, text) != "refused");
  }
}

TEST_CASE("text that is no YAML is refused with its line") {
  for (const char* text :
       {"a: 1\n b: 2\n", "a: [1, 2\n", "a: *b\n", "\ta: 1\n", "a: - b\n", "a: b: c\n", "a: @x\n",
        "a:\n    b: 1\n  c: 2\n", "a: \"x\" y\n", "a: [1] y\n", "a: {b: 1}}\n", "a: \"\\q\"\n"}) {
    CAPTURE(text);
    CHECK(value_of(read_plain_yaml, text) == "refused");
    CHECK(value_of(read_yaml, text) == "refused");
  }
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "[";
  CHECK_THROWS_WITH_AS(read_plain_yaml("a: 1\nb: " + deep, "a.yaml"),
                       "a.yaml: line 2: found a bracket left open; allowed: YAML", InputError);
  CHECK(value_of(read_plain_yaml, deep + std::string(10'000, ']')) == "refused");
  std::string bombs = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string one = "*a" + std::to_string(i - 1);
    bombs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + one;
    for (int k = 0; k < 9; ++k) bombs += ", " + one;
    bombs += "]\n";
  }
  CHECK(value_of(read_plain_yaml, bombs) == "refused");
}

}  // namespace
}  // namespace orrery
