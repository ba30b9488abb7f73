// SPDX-License-Identifier: Apache-2.0
//
// Origins of values: every key of a resolved run has one, a file's record of them lasts as long as
// the value does, and options leave their name.
#include "estimate/origins.h"

#include <doctest/doctest.h>

#include <string>

#include "core/error.h"
#include "estimate/resolve.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Json plain_run() {
  return json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
      "training": {"sequence_length": 8192, "global_batch": 8},
      "parallel": {"tp": 2}})");
}

Json with_record(const std::string& record) {
  return with(plain_run(), R"({"assumed": [)" + record + "]}");
}

Known known_of(const ResolvedRun& r, const std::string& path) {
  const Fact* origin = origin_of(r, path);
  REQUIRE(origin != nullptr);
  return origin->known;
}

void check_origins(const ResolvedRun& r, const Json& value, const std::string& path) {
  CAPTURE(path);
  if (!value.is_object() || value.empty()) {
    CHECK(origin_of(r, path) != nullptr);
    return;
  }
  for (const auto& [key, below] : value.items()) check_origins(r, below, path + "." + key);
}

std::string record_refusal(const std::string& record) {
  try {
    resolved(with_record(record));
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("every key of a resolved run has an origin") {
  for (const char* change :
       {"{}", R"({"framework": "megatron-core", "parallel": {"cp": 2, "pp": 2, "vpp": 2}})",
        R"({"model": "mixtral-8x7b", "framework": "deepspeed", "parallel": {"ep": 2, "zero": 1}})",
        R"({"training": {"adapter": {"kind": "qlora"}}, "framework": "hf-trainer"})"}) {
    const ResolvedRun r = resolved(with(plain_run(), change));
    for (const auto& [key, value] : r.inputs->items()) check_origins(r, value, key);
  }
}

TEST_CASE("values are stated, defaults, derived") {
  const ResolvedRun r = resolved(plain_run());
  CHECK(known_of(r, "parallel.tp") == Known::stated);
  CHECK(known_of(r, "model.hidden_size") == Known::stated);
  CHECK(known_of(r, "parallel.pp") == Known::tool_default);
  CHECK(known_of(r, "parallel.dp") == Known::derived);
  CHECK(origin_of(r, "parallel.pp")->where == kOurDefault);
  CHECK(origin_of(r, "parallel.zero")->where == "generic");
  CHECK(origin_of(r, "parallel.tp")->where == "run.json");
}

TEST_CASE("a recorded origin lasts as long as the value") {
  const std::string record = R"({"path": "parallel.tp", "value": "2", "why": "w",
                                 "known": "default", "where": "megatron-core 0.12"})";
  const ResolvedRun r = resolved(with_record(record));
  CHECK(known_of(r, "parallel.tp") == Known::tool_default);
  CHECK(origin_of(r, "parallel.tp")->where == "megatron-core 0.12");
  const Json other = with(with_record(record), R"({"parallel": {"tp": 4}})");
  CHECK(known_of(resolved(other), "parallel.tp") == Known::stated);
}

TEST_CASE("a record of another tool's setting is repeated, one of an absent key is not") {
  const ResolvedRun r = resolved(with_record(
      R"({"path": "--hybrid", "value": "none"}, {"path": "parallel.recompute_layers", "value": "3"})"));
  CHECK(is_assumed(r.recorded, "--hybrid"));
  CHECK_FALSE(is_assumed(r.recorded, "parallel.recompute_layers"));
}

TEST_CASE("an option leaves its name, even where a record has the same value") {
  const Json run = with_record(R"({"path": "parallel.tp", "value": "2"})");
  const Fact flag{"parallel.tp", "2", "", Known::stated, "--tp"};
  const ResolvedRun r = resolve_run(run, "run.json", shipped_configs(), {flag});
  CHECK(known_of(r, "parallel.tp") == Known::stated);
  CHECK(origin_of(r, "parallel.tp")->where == "--tp");
}

TEST_CASE("a resolved run read again has the same origins of its defaults") {
  const ResolvedRun once = resolved(plain_run());
  Json again = *once.inputs;
  again["assumed"] = Json::array();
  for (const Fact& f : assumed_facts(once)) again["assumed"].push_back(fact_json(f));
  const ResolvedRun twice = resolved(again);
  for (const Fact& f : assumed_facts(once)) {
    CAPTURE(f.path);
    REQUIRE(origin_of(twice, f.path) != nullptr);
    CHECK(origin_words(*origin_of(twice, f.path)) == origin_words(f));
  }
}

TEST_CASE("a malformed record is refused by its path") {
  CHECK(record_refusal(R"({"value": "2"})").find("assumed[0].path") != std::string::npos);
  CHECK(record_refusal(R"({"path": "a", "known": "guess"})").find("assumed[0].known") !=
        std::string::npos);
}
