// SPDX-License-Identifier: Apache-2.0
#include "core/expression.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>

#include "core/error.h"
#include "core/json.h"

using namespace orrery;

namespace {

Expression parsed(const std::string& text) { return parse_expression(text, "x.json", "rule"); }

double worth(const std::string& text) {
  static const std::map<std::string, double> kValues = {
      {"a", 2},   {"b", 5}, {"run.step_time_s", 12}, {"run.memory.peak_gib", 30}, {"list[1].x", 7},
      {"yes", 1}, {"no", 0}};
  const PathValue value = [](const std::string& path) -> std::optional<double> {
    const auto found = kValues.find(path);
    if (found == kValues.end()) return {};
    return found->second;
  };
  return evaluate(parsed(text), value, "x.json", "rule");
}

std::string error_of(const std::string& text) {
  try {
    worth(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

bool refuses(const std::string& text, const std::string& part) {
  const std::string error = error_of(text);
  CAPTURE(text);
  CAPTURE(error);
  return error.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("arithmetic binds as on paper") {
  CHECK(worth("1 + 2 * 3") == 7);
  CHECK(worth("(1 + 2) * 3") == 9);
  CHECK(worth("8 / 4 / 2") == 1);
  CHECK(worth("10 - 4 - 3") == 3);
  CHECK(worth("2 ^ 3 ^ 2") == 512);
  CHECK(worth("-2 ^ 2") == -4);
  CHECK(worth("2 ^ -1") == 0.5);
  CHECK(worth("--3") == 3);
  CHECK(worth("2 * -3") == -6);
  CHECK(worth("1e3 + .5") == 1000.5);
}

TEST_CASE("functions take numbers") {
  CHECK(worth("min(3, a, b)") == 2);
  CHECK(worth("max(a, b) - 1") == 4);
  CHECK(worth("abs(a - b)") == 3);
  CHECK(worth("log(b / b)") == 0);
  CHECK(worth("max(a, min(b, 4))") == 4);
}

TEST_CASE("paths are looked up, with dots and indices") {
  CHECK(worth("run.step_time_s / a") == 6);
  CHECK(worth("list[1].x") == 7);
  CHECK(worth("a * a + a") == 6);
  CHECK(parsed("a + b * a").paths() == std::vector<std::string>{"a", "b"});
}

TEST_CASE("comparisons and words give truths") {
  CHECK(worth("a < b") == 1);
  CHECK(worth("b <= a") == 0);
  CHECK(worth("a == 2 and b != 2") == 1);
  CHECK(worth("not a == 2 or b > 4") == 1);
  CHECK(worth("not (a == 2 or b > 4)") == 0);
  CHECK(worth("yes and not no") == 1);
  CHECK(worth("a < b or no and no") == 1);  // and before or
  CHECK(parsed("a < b").kind() == ExpressionKind::truth);
  CHECK(parsed("a").kind() == ExpressionKind::either);
  CHECK(parsed("a + 1").kind() == ExpressionKind::number);
}

TEST_CASE("units are those of run files, in SI") {
  CHECK(worth("80 GiB") == 80.0 * 1073741824);
  CHECK(worth("400 Gb/s") == 50e9);
  CHECK(worth("3 min") == 180);
  CHECK(worth("run.step_time_s < 20 s") == 1);
  CHECK(worth("80 GB / 4 s == 20 GB/s") == 1);
  CHECK(worth("min(2 s, 3 s) + 500 ms") == 2.5);
  CHECK(worth("a > 1 and b > 2") == 1);  // no units
}

TEST_CASE("units that cannot belong together are refused") {
  CHECK(refuses("3 s + 4 GB", "column 7"));
  CHECK(refuses("3 s < 4", "column 7"));
  CHECK(refuses("run.memory.peak_gib <= 72 GiB", "the name says its unit"));
  CHECK(refuses("run.memory.peak_gib - 2 + a <= 72 GiB", "the name says its unit"));
  CHECK(worth("run.memory.peak_gib <= 72") == 1);
  CHECK(worth("run.memory.peak_gib * 1 GiB > 4") == 1);  // unknown then: the reader's business
}

TEST_CASE("what is wrong is said with its column") {
  CHECK(refuses("", "the end in column 1"));
  CHECK(refuses("1 +", "the end in column 4"));
  CHECK(refuses("1 + * 2", "column 5"));
  CHECK(refuses("a b", "column 3"));
  CHECK(refuses("(a", "column 3"));
  CHECK(refuses("a)", "column 2"));
  CHECK(refuses("a < b < 3", "one comparison at a time"));
  CHECK(refuses("a & b", "\"&\" in column 3"));
  CHECK(refuses("3 parsec", "\"parsec\" after a number in column 3"));
  CHECK(refuses("3 GIB", "did you mean \"GiB\""));
  CHECK(refuses("mix(a, b)", "did you mean \"min\""));
  CHECK(refuses("log(a, b)", "column 6"));
  CHECK(refuses("min()", "column 5"));
  CHECK(refuses("a. < 3", "a name after the dot"));
  CHECK(refuses("list[x]", "a whole number from 0"));
  CHECK(refuses("list[1", "a whole number from 0"));
  CHECK(refuses("1 and a", "column 1"));
  CHECK(refuses("(a < b) + 1", "column 1"));
  CHECK(refuses("a + (b < 3)", "column 5"));
  CHECK(refuses("abs(a < b)", "column 5"));
  CHECK(refuses("not 3", "column 5"));
  CHECK(refuses("missing + 1", "a path that leads to a number"));
  CHECK(refuses("a / no", "not finite"));
  CHECK(refuses("log(0 - a)", "not finite"));
  CHECK(error_of("1 +").rfind("x.json: rule: ", 0) == 0);
}

TEST_CASE("depth and length are bounded") {
  const std::string deep(100, '(');
  CHECK(refuses(deep + "1" + std::string(100, ')'), "at most 64 levels"));
  CHECK(refuses(std::string(100, '-') + "1", "at most 64 levels"));
  CHECK(refuses(std::string(5000, ' ') + "1", "at most 4096 bytes"));
  std::string wide = "a";
  for (int i = 0; i < 1000; ++i) wide += "+a";
  CHECK(worth(wide) == 2002);
}

TEST_CASE("a document answers paths with its numbers and truths") {
  const Json j = parse_json(
      R"({"a": {"b": [1, {"c": 2.5}]}, "t": true, "s": "x", "q": "2 GiB", "r": "400 Gb/s"})",
      "d.json");
  CHECK(number_at(j, "a.b[1].c") == 2.5);
  CHECK(number_at(j, "a.b[0]") == 1);
  CHECK(number_at(j, "t") == 1);
  CHECK(number_at(j, "q") == 2147483648.0);
  CHECK(number_at(j, "r") == 50e9);
  CHECK(!number_at(j, "s"));
  CHECK(!number_at(j, "a"));
  CHECK(!number_at(j, "a.b[2]"));
  CHECK(!number_at(j, "a.x"));
  CHECK(!number_at(j, "a[0]"));
  CHECK(!number_at(j, "a.b.c"));
}
