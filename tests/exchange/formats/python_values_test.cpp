// SPDX-License-Identifier: Apache-2.0
// Configurations in Python: what a file's statements give to names.
#include "exchange/python_values.h"

#include <doctest/doctest.h>

#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

// Without the list of imports.
Json values(const std::string& text) {
  Json document = python_values(text).value_or(Json::object());
  document.erase("imports");
  return document;
}

Json value_of(const std::string& expression) { return value_at(values("x = " + expression), "x"); }

}  // namespace

TEST_CASE("Expressions are worked out as Python does") {
  const std::pair<const char*, Json> kWorked[] = {
      {"5 * 8", 40},
      {"2 ** 3 ** 2", 512},
      {"-2 ** 2", -4},
      {"7 // 2 - -7 // 2", 7},  // 3 + 4
      {"-7 % 3", 2},
      {"8 / 3 * 3", 8},
      {"1_000 + 1e3", 2000},
      {"int(2048 - (336 / 14) ** 2)", 1472},
      {"'a' \"b\"", "ab"},
      {"[1, 2] + [3]", {1, 2, 3}},
      {"(4,)", Json::array({4})},
      {"(4)", 4},
      {"4 if 2 > 1 and not False else 5", 4},
      {"None or 3", 3},
      {"'b' in ['a', 'b']", true},
      {"1 is not None", true},
      {"max(2, int('8'))", 8},
      {"True == 1", true},
      {"1 < 2 < 3", true},
      {"3 > 2 != 2", false},
      {"4 not in [1, 2] == False", false},  // 4 not in [1, 2] and [1, 2] == False
      {"f(1) < 2 < 1", false},
      {"0 or [] or 'a' or 3", "a"},
      {"{'a': 1, 'b': [2]}['b'][-1]", 2},
      {"dict(a=1, **{'b': 2})", {{"a", 1}, {"b", 2}}},
      {"torch.bfloat16", "bfloat16"},
      {"[Optimizer(lr=1)]", Json::array({{{"type", "Optimizer"}, {"lr", 1}}})},
      {"dict(a=dict(type=AdamW, lr=1e-4))", {{"a", {{"type", "AdamW"}, {"lr", 1e-4}}}}},
      {"int(os.environ.get('MICRO', 4))", 4},
  };
  for (const auto& row : kWorked) CHECK_MESSAGE(value_of(row.first) == row.second, row.first);
}

TEST_CASE("What only a running program knows stays as written") {
  for (const char* text :
       {"f(3)", "open('a').read()", "x.y", "1 / 0", "os.environ['MICRO']", "f'{a}'", "[1][3]",
        "unknown + 1", "2 ** 100000", "lambda: 3", "1 +", "(", "3 if a else 4", "not a"}) {
    const Json value = value_of(text);
    REQUIRE_MESSAGE(value.is_string(), text);
    CHECK_MESSAGE(value.get<std::string>().front() == '$', text);
  }
}

TEST_CASE("A name that is passed on stands where it goes to") {
  CHECK(values(
            "size = 4\nother = 2\nother *= 3\nmodel = dict(size=size, more=[size, other + 1])\n") ==
        Json{{"other", 6}, {"model", {{"size", 4}, {"more", {4, 7}}}}});
}

TEST_CASE("Statements at the left margin count, and blocks whose condition is known") {
  CHECK(values("a = 1\nif a > 1:\n    b = 2\nelif a == 1:\n    b = 3\nelse:\n    b = 4\n")["b"] ==
        3);
  CHECK(values("a = 1; b = 2\nif a == 1: b = 5\n")["b"] == 5);
  CHECK(values("a = 1\ndef f():\n    a = 2\nclass C:\n    a = 3\n")["a"] == 1);
  CHECK(values("a = 1\nif __name__ == '__main__':\n    a = 2\n")["a"] == 1);
  CHECK(values("a, b = 1, 2\nc = d = 3\n") == Json{{"a", 1}, {"b", 2}, {"c", 3}, {"d", 3}});
  CHECK(values("a = dict(b=1)\na['c'] = 2\na.b = 3\na.update(d=4)\n")["a"] ==
        Json{{"b", 3}, {"c", 2}, {"d", 4}});
  CHECK(values("text = \"\"\"\na = 1\n\"\"\"\nb = [  # of two\n  1,\n  2\n]\n")["b"] == Json{1, 2});
}

TEST_CASE("What a branch or a loop may have set is not known") {
  for (const char* block :
       {"if f():\n    a = 2\n", "for i in range(3):\n    a = i\n", "while g:\n    a += 1\n",
        "try:\n    a = 2\nexcept E:\n    pass\n", "if f():\n    pass\nelse:\n    a = 2\n",
        "with f() as g:\n    a = 2\n"}) {
    const Json a = values(std::string("a = 1\n") + block)["a"];
    CHECK_MESSAGE(a == "$a", block);
  }
  CHECK(values("a = []\nfor i in b:\n    a.append(i)\n")["a"] == "$a");
}

TEST_CASE("An object of a class of settings stands under its name, without its helpers") {
  CHECK(
      values(
          "n = 2\nhelp = load()\nfsdp = FSDPConfig(tp=n)\ntrainer = TrainerConfig(fsdp=fsdp)\n") ==
      Json{{"TrainerConfig",
            {{"type", "TrainerConfig"}, {"fsdp", {{"type", "FSDPConfig"}, {"tp", 2}}}}}});
}

TEST_CASE("Imports are listed, and modules whose names are taken all") {
  const Json document = *python_values("import os, torch.nn as nn\nfrom a.b import *\nx = 1\n");
  CHECK(document["imports"] == Json{"os", "torch.nn", "a.b"});
  CHECK(document["imports_all"] == Json{"a.b"});
}

TEST_CASE("Work is bound: nesting, values that names repeat, long texts") {
  const auto repeated = [](const std::string& part, std::size_t n) {
    std::string all;
    for (std::size_t i = 0; i < n; ++i) all += part;
    return all;
  };
  std::string doubled = "a0 = [1, 1]\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "a" + std::to_string(i - 1);
    doubled += "a" + std::to_string(i) + " = [" + before + ", " + before + "]\n";
  }
  CHECK(python_values(doubled).has_value());
  for (const std::string& hostile :
       {repeated("(", 100000), repeated("[", 60000) + repeated("]", 60000), repeated("-", 100000),
        repeated("not ", 100000) + "1", repeated("2**", 50000) + "1", repeated("'a' ", 50000),
        repeated("1 if 1 else ", 50000) + "1", repeated("a[", 50000), repeated("f(", 50000),
        repeated("x = ", 50000) + "1", repeated("{'a': ", 50000),
        "s = 'a'\n" + repeated("s = s + s\n", 90)})
    CHECK(python_values("x = " + hostile).has_value());
}

TEST_CASE("A script starts a configuration in Python, and its flags go over it") {
  const ImportedRun r =
      read({{"run.sh", "torchrun --nproc_per_node=4 train.py config/gpt.py --batch_size=32\n"},
            {"gpt.py",
             "batch_size = 12\nblock_size = 1024\ngradient_accumulation_steps = 5 * 8\n"
             "eval_iters = 10\nmax_iters = 100\n"}},
           R"({"cluster": {"node": "dgx-h100"}})");
  CHECK(at(r, "cluster.gpus") == 4);
  CHECK(at(r, "training.micro_batch") == 32);
  CHECK(at(r, "training.global_batch") == 1280);
  CHECK(at(r, "training.sequence_length") == 1024);
}

TEST_CASE("A loop that sets a batch leaves it open") {
  const ImportedRun r = read({{"gpt.py",
                               "block_size = 1024\nmax_iters = 9\nn_layer = 2\nbatch_size = 4\n"
                               "for k in range(3):\n    batch_size = k\n"}},
                             R"({"cluster": {"node": "dgx-h100", "gpus": 8}})");
  CHECK(is_open(r, "training.micro_batch"));
}

}  // namespace orrery
