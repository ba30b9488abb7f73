// SPDX-License-Identifier: Apache-2.0
//
// Facts: a stated value is not assumed, and origins read as words.
#include "core/fact.h"

#include <doctest/doctest.h>

#include "core/json.h"

using namespace orrery;

TEST_CASE("a stated value is found and is not assumed") {
  const std::vector<Fact> facts = {{"a", "1", "not given"},
                                   {"b", "2", "", Known::stated, "run.json"}};
  CHECK(is_assumed(facts, "a"));
  CHECK_FALSE(is_assumed(facts, "b"));
  CHECK_FALSE(is_assumed(facts, "c"));
  CHECK(find_fact(facts, "b")->where == "run.json");
  CHECK(find_fact(facts, "c") == nullptr);
}

TEST_CASE("path, value and why make a default of a tool") {
  const Fact fact{"parallel.zero", "1", "the framework's"};
  CHECK(fact.known == Known::tool_default);
  CHECK(origin_words(fact) == "default: the framework's");
}

TEST_CASE("an origin in words leaves out what is unknown") {
  CHECK(origin_words({"a", "1", "", Known::derived, ""}) == "derived");
  CHECK(origin_words({"a", "1", "not given", Known::tool_default, "megatron-core 0.12"}) ==
        "default: not given (megatron-core 0.12)");
}

TEST_CASE("a fact in JSON has all five keys") {
  const Json j = fact_json({"a", "1", "w", Known::open, "f"});
  CHECK(j.dump() == R"({"path":"a","value":"1","why":"w","known":"open","where":"f"})");
}
