// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/json_reader.h"

using namespace orrery;

namespace {

// The error of reading a document.
std::optional<InputError> error_of(const std::string& text,
                                   const std::function<void(Reader)>& read) {
  try {
    const Json document = parse_json(text, "f.json");
    read(Reader(document, "f.json"));
  } catch (const InputError& e) {
    return e;
  }
  return {};
}

struct Wrong {
  std::string_view text;
  ErrorCode code;
  std::function<void(Reader)> read;
};

}  // namespace

TEST_CASE("an error is one line, and its parts are there without reading it") {
  const InputError e(ErrorCode::unknown_name, "run.json", "a.b", "\"twp\"\nand more", "one or two",
                     "two");
  CHECK(std::string(e.what()) ==
        "run.json: a.b: found \"twp\" and more; allowed: one or two; did you mean \"two\"?");
  CHECK(e.code() == ErrorCode::unknown_name);
  CHECK(e.file() == "run.json");
  CHECK(e.path() == "a.b");
  CHECK(e.found() == "\"twp\"\nand more");
  CHECK(e.allowed() == "one or two");
  CHECK(e.nearest() == "two");
  CHECK(InputError("f", "", "x", "y").code() == ErrorCode::not_allowed);
}

TEST_CASE("each mistake of a document has its code") {
  const auto count = [](Reader r) { static_cast<void>(r.at("n").integer(1, 8)); };
  const auto nothing = [](const Reader& r) { r.reject_unknown(); };
  const auto time = [](Reader r) { static_cast<void>(r.at("n").quantity<kSeconds>()); };
  constexpr std::array<std::string_view, 2> kNames = {"one", "two"};
  const auto name = [&](Reader r) { static_cast<void>(r.at("n").choice(kNames)); };
  const std::vector<Wrong> wrong = {
      {"{", ErrorCode::malformed, nothing},
      {R"({"n": 1, "n": 1})", ErrorCode::malformed, nothing},
      {R"({"n": 1})", ErrorCode::unknown_key, nothing},
      {"[]", ErrorCode::wrong_type, nothing},
      {"{}", ErrorCode::missing_key, count},
      {R"({"n": null})", ErrorCode::missing_key, count},
      {R"({"n": "1"})", ErrorCode::wrong_type, count},
      {R"({"n": 9})", ErrorCode::out_of_range, count},
      {R"({"n": 1.5})", ErrorCode::out_of_range, count},
      {R"({"n": "three"})", ErrorCode::unknown_name, name},
      {R"({"n": 3})", ErrorCode::wrong_type, name},
      {R"({"n": "3 apples"})", ErrorCode::malformed, time},
      {R"({"n": -3})", ErrorCode::out_of_range, time},
      {R"({"n": []})", ErrorCode::wrong_type, time},
  };
  for (const Wrong& w : wrong) {
    CAPTURE(w.text);
    const auto e = error_of(std::string(w.text), w.read);
    REQUIRE(e);
    CHECK(name_of(e->code()) == name_of(w.code));
    CHECK(e->file() == "f.json");
  }
}
