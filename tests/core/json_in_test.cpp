// SPDX-License-Identifier: Apache-2.0
#include "core/json_in.h"

#include <doctest/doctest.h>

#include <string>

#include "core/limits.h"
#include "core/quote.h"

namespace orrery {
namespace {

std::string deep_lists(int levels) {
  const auto n = static_cast<std::size_t>(levels);
  return std::string(n, '[') + std::string(n, ']');
}

std::string object_of(std::size_t keys) {
  std::string text = "{";
  for (std::size_t i = 0; i < keys; ++i) {
    text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":" + std::to_string(i);
  }
  return text + "}";
}

TEST_CASE("JSON within another text is a value, or nothing") {
  CHECK(json_in("8") == Json(8));
  CHECK(json_in(" {\"a\": [1, \"]}{[\\\"\"]} ") == Json{{"a", {1, "]}{[\""}}});
  for (const char* text : {"", "auto", "8 GiB", "[1", "1]", "{\"a\": 1} x", "\"open", "// c\n1"}) {
    CAPTURE(text);
    CHECK_FALSE(json_in(text));
  }
}

TEST_CASE("JSON beyond the bounds is found before a tree is built") {
  CHECK(json_in(deep_lists(kDeepestWrapped)));
  CHECK_FALSE(json_in(deep_lists(kDeepestWrapped + 1)));
  CHECK_FALSE(json_in(deep_lists(4'000'000)));
  CHECK_FALSE(json_in(std::string(8'000'000, '[')));
  CHECK(json_in(object_of(kMostKeys)));
  CHECK_FALSE(json_in(object_of(kMostKeys + 1)));
  CHECK_FALSE(json_in(object_of(1'000'000)));
}

TEST_CASE("a quotation is valid UTF-8 on one line and has an end") {
  CHECK(quote("plain") == "plain");
  CHECK(quote("a\nb\x1b[31m") == "a b [31m");
  CHECK(quote("\xff\xc3", 40) == "\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(quote("\xed\xa0\x80x", 40) == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx");  // a surrogate
  CHECK(quote("ab\xc3\xa4", 3) == "ab…");
  CHECK(quote("ab\xc3\xa4", 4) == "ab\xc3\xa4");
  CHECK(quote(std::string(1'000'000, 'x')).size() == kLongestQuote + std::string("…").size());
}

TEST_CASE("the error of a long value quotes its beginning") {
  const std::string text = "{\"a\": \"" + std::string(2'000'000, 'y') + "\", }";
  try {
    parse_json(text, std::string(1'000'000, 'f'));
    FAIL("it was read");
  } catch (const std::exception& e) {
    CHECK(std::string(e.what()).size() < 4 * kLongestQuote);
  }
  CHECK(brief(Json(std::string(1'000'000, 'z'))).size() < 80);
}

}  // namespace
}  // namespace orrery
