// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "core/error.h"
#include "core/json_path.h"
#include "core/json_reader.h"

using namespace orrery;

namespace {

std::string refusal_of(const std::string& text) {
  try {
    parse_json(text, "f.json");
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

// The error message of a read of the document.
template <class Read>
std::string refusal(const std::string& text, Read&& read) {
  const Json document = parse_json(text, "f.json");
  try {
    read(Reader(document, "f.json"));
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

}  // namespace

TEST_CASE("comments are allowed and key order is kept") {
  const Json j = parse_json("// run\n{\"b\": 1, /* then */ \"a\": 2}", "f.json");
  CHECK(j.begin().key() == "b");
}

TEST_CASE("a key given twice is an error, at any depth") {
  CHECK(holds(refusal_of(R"({"a": 1, "a": 2})"), "twice"));
  CHECK(holds(refusal_of(R"({"x": {"a": 1, "b": [{"c": 1, "c": 1}]}})"), "\"c\""));
  CHECK(refusal_of(R"({"x": {"a": 1}, "y": {"a": 1}, "a": 1})") == "accepted");
  CHECK(refusal_of(R"([{"a": 1}, {"a": 1}])") == "accepted");
}

TEST_CASE("what is no JSON is an error of one line with file and place") {
  for (const char* text : {"", "{", "{\"a\" 1}", "[1,]", "{\"a\": 1} x", "nul", "{'a': 1}", "1e999",
                           "-1e999", "NaN", "[1", "/* open", "{\"a\": \"\xff\"}"}) {
    CAPTURE(text);
    const std::string stated = refusal_of(text);
    CAPTURE(stated);
    CHECK(holds(stated, "f.json"));
    CHECK(stated.find('\n') == std::string::npos);
  }
}

TEST_CASE("nesting has a bottom") {
  CHECK(refusal_of(nested(60)) == "accepted");
  CHECK(holds(refusal_of(nested(70)), "nesting"));
  CHECK(holds(refusal_of(nested(100000)), "nesting"));
}

TEST_CASE("counts do not narrow") {
  const auto read = [](const std::string& text) {
    return refusal(text, [](const Reader& r) { r.integer(0, 1000000); });
  };
  for (const char* good : {"8", "8.0", "5e5", "0", "1000000"}) CHECK(read(good) == "accepted");
  for (const char* bad : {"8.5", "-1", "1000001", "1e30", "1e308", "\"8\"", "true", "null", "[8]",
                          "18446744073709551615", "-9223372036854775808"}) {
    CAPTURE(bad);
    CHECK(holds(read(bad), "a whole number from 0 to 1000000"));
  }
  CHECK(refusal("300e9", [](const Reader& r) {
          CHECK(r.integer(1, std::int64_t{1} << 53) == 300000000000);
        }) == "accepted");
  // Beyond 2^53 a double skips integers: they are taken as written, or not at all.
  std::int64_t found = 0;
  const auto large = [&found](const Reader& r) {
    found = r.integer(0, std::numeric_limits<std::int64_t>::max());
  };
  CHECK(refusal("9007199254740993", large) == "accepted");
  CHECK(found == 9007199254740993);
  CHECK(refusal("9007199254740993.0", large) != "accepted");
}

TEST_CASE("numbers stay in range") {
  const auto read = [](const std::string& text) {
    return refusal(text, [](const Reader& r) { r.number(0, 1); });
  };
  for (const char* good : {"0", "1", "0.5", "1e-300"}) CHECK(read(good) == "accepted");
  for (const char* bad : {"1.0001", "-0.1", "\"0.5\"", "false"}) {
    CHECK(holds(read(bad), "a number from 0 to 1"));
  }
}

TEST_CASE("quantities are SI numbers or texts, and not negative") {
  const auto read = [](const std::string& text) {
    return refusal(text, [](const Reader& r) { r.quantity<kBytes>(); });
  };
  for (const char* good : {"\"80 GiB\"", "80e9", "1"}) CHECK(read(good) == "accepted");
  for (const char* bad :
       {"0", "-1", "\"0 B\"", "\"-1 GB\"", "\"80\"", "\"80 GiB/s\"", "true", "\"\"", "{}"}) {
    CAPTURE(bad);
    CHECK(holds(read(bad), "80 GiB"));
  }
  CHECK(refusal("0", [](const Reader& r) { r.quantity<kBytes>(true); }) == "accepted");
}

TEST_CASE("an error says file, path, what was found, what is allowed and the nearest name") {
  const std::string unknown = refusal(R"({"parallel": {"tq": 8}})", [](Reader r) {
    Reader parallel = r.at("parallel");
    parallel.find("tp");
    parallel.find("pp");
    parallel.reject_unknown();
  });
  CHECK(unknown ==
        "f.json: parallel.tq: found an unknown key; allowed: pp or tp; did you mean \"tp\"?");
  const std::string missing = refusal("{}", [](Reader r) { r.at("model"); });
  CHECK(missing == "f.json: model: found nothing; allowed: this key is required");
  const std::string item = refusal(R"({"a": [1, "x"]})", [](Reader r) {
    for (const Reader& i : r.at("a").items()) i.integer(0, 9);
  });
  CHECK(holds(item, "f.json: a[1]: found \"x\""));
}

TEST_CASE("a choice is by name") {
  static constexpr std::array<std::string_view, 3> kNames = {"none", "selective", "full"};
  const auto read = [](const std::string& text) {
    return refusal(text, [](const Reader& r) { r.choice(kNames); });
  };
  CHECK(read("\"full\"") == "accepted");
  CHECK(holds(read("\"fulll\""), "did you mean \"full\"?"));
  CHECK(holds(read("\"fulll\""), "none, selective or full"));
  CHECK(holds(read("2"), "none, selective or full"));
  CHECK(holds(read("\"Full\""), "did you mean \"full\"?"));
}

TEST_CASE("null counts as absent") {
  CHECK(refusal(R"({"a": null})", [](Reader r) {
          CHECK(!r.find("a"));
          r.reject_unknown();
        }) == "accepted");
  CHECK(refusal(R"({"a": null})", [](Reader r) { r.at("a"); }) != "accepted");
}

TEST_CASE("an error is one line whatever the input holds") {
  const std::string stated = refusal("{\"a\\nb\": 1, \"c\": \"d\\ne\"}", [](Reader r) {
    r.find("x");
    r.reject_unknown();
  });
  CHECK(stated.find('\n') == std::string::npos);
  const std::string text = refusal("\"a\\nb\\u0007\"", [](const Reader& r) { r.integer(0, 1); });
  CHECK(text.find('\n') == std::string::npos);
  CHECK(std::none_of(text.begin(), text.end(), [](char c) { return c > 0 && c < 32; }));
}

TEST_CASE("the nearest name is near") {
  const std::vector<std::string> names = {"llama-3-8b", "llama-3-70b", "gpt3-175b"};
  CHECK(nearest_name("llama3-8b", names) == "llama-3-8b");
  CHECK(nearest_name("GPT3-175B", names) == "gpt3-175b");
  CHECK(nearest_name("zzzzzzzzzzzzz", names).empty());
  const std::vector<std::string> longer = {"dgx-1-v100-16gb", "dgx-h100", "h100-80gb-800g",
                                           "--sequence-length", "--sequence-parallel"};
  CHECK(nearest_name("h100", longer) == "dgx-h100");
  CHECK(nearest_name("V100", longer) == "dgx-1-v100-16gb");
  CHECK(nearest_name("--seq-len", longer) == "--sequence-length");
  CHECK(nearest_name("--length-seq", longer).empty());
  CHECK(nearest_name(std::string(1000, 'a'), names).empty());
  CHECK(nearest_name("x", {}).empty());
}

TEST_CASE("merging changes values, adds keys and keeps the rest") {
  Json base = parse_json(R"({"a": {"b": 1, "c": [1, 2]}, "d": 1})", "");
  merge_over(base, parse_json(R"({"a": {"c": [3], "e": {"f": 1}}, "d": {"g": 2}})", ""));
  CHECK(base == parse_json(R"({"a": {"b": 1, "c": [3], "e": {"f": 1}}, "d": {"g": 2}})", ""));
}

TEST_CASE("the bare text of a value stands without quotes, and any bytes have one") {
  CHECK(brief(Json(1e12)) == "1e12");
  CHECK(brief(Json(12500000000.0)) == "125e8");
  CHECK(brief(Json(8.0)) == "8.0");
  CHECK(brief(Json(0.0)) == "0.0");
  CHECK(brief(Json(5.5)) == "5.5");
  CHECK(bare_text(Json("a b")) == "a b");
  CHECK(bare_text(Json({1, 2})) == "[1,2]");
  CHECK(bare_text(Json({"a\xff"})).substr(0, 3) == "[\"a");
}

TEST_CASE("values within an answer are found through lists by number") {
  const Json j = parse_json(R"({"best": [{"tp": 8}, {"tp": 4}]})", "x");
  REQUIRE(find_within(j, "best.1.tp") != nullptr);
  CHECK(*find_within(j, "best.1.tp") == 4);
  for (const char* path : {"best.2.tp", "best.x", "best.-1", "best.1x", "best.1.pp", "best..tp"}) {
    CAPTURE(path);
    CHECK(find_within(j, path) == nullptr);
  }
}

TEST_CASE("a path lies at itself and at what holds it") {
  CHECK(lies_at("tiers.0.bandwidth", "tiers.0"));
  CHECK(lies_at("tiers.0", "tiers.0"));
  CHECK(lies_at("scenarios[1].name", "scenarios"));
  CHECK_FALSE(lies_at("tiers.01", "tiers.0"));
  CHECK_FALSE(lies_at("tiers", "tiers.0"));
}

TEST_CASE("a document is appended as dump() writes it") {
  const Json document = Json::parse(
      R"({"a": [], "b": {}, "c": [1, -2, 18446744073709551615, 2.5, -0.0, 1e300, 3.0, true, null],
          "quote\"and \\": "tab\t, é, \u0001, \u007f", "": ["", [[{"x": "y"}]]]})");
  std::string text = "before ";
  append_json(document, text);
  CHECK(text == "before " + document.dump());
  std::string broken;
  append_json(Json("\xff"), broken);
  CHECK(broken == "\"\xef\xbf\xbd\"");
}
