// SPDX-License-Identifier: Apache-2.0
#include "core/provenance.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "core/json.h"

namespace orrery {
namespace {

const char* const kDocument = R"({
  "peak": 3, "rate": {"fp16": 1, "fp8": 2}, "source": "a data sheet",
  "sources": {"rate": {"kind": "fitted", "on": ["nemo", "tier A"], "source": "long runs"},
              "rate.fp8": {"kind": "memory"}}})";

std::string given_value(const Json& document, const std::string& path) {
  return source_text(document_source(document, path));
}

TEST_CASE("the longest path that holds a value says its source, else the document's own") {
  const Json document = Json::parse(kDocument);
  CHECK(given_value(document, "rate.fp16") == "[fitted on nemo, tier A] long runs");
  CHECK(given_value(document, "rate.fp8") == "[from memory, unverified]");
  CHECK(given_value(document, "peak") == "a data sheet");
  CHECK(document_source(document, "peak").kind == SourceKind::stated);
  CHECK(listed_source(document, "peak").kind == SourceKind::unknown);
  CHECK(listed_source(document, "rates").kind == SourceKind::unknown);
}

TEST_CASE("a value of a product that nobody can buy is announced") {
  const Json document =
      Json::parse(R"({"peak": 3, "source": {"kind": "announced", "source": "a keynote"}})");
  CHECK(given_value(document, "peak") == "[announced] a keynote");
}

TEST_CASE("a source goes over another as a whole") {
  Json document = Json::parse(kDocument);
  merge_sourced(document, Json::parse(R"({"rate": {"fp16": 4},
                                          "sources": {"rate": {"kind": "assumed"}}})"));
  CHECK(document["rate"]["fp16"] == 4);
  CHECK(given_value(document, "rate.fp16") == "[assumed]");
  CHECK(given_value(document, "rate.fp8") == "[from memory, unverified]");
}

TEST_CASE("a value may stand beside its source, at any depth") {
  const Json given = Json::parse(R"({
    "rate": {"fp16": {"value": 5, "kind": "derived", "source": "half of fp8"}},
    "tiers": [{"latency": {"value": "2 us", "kind": "fitted", "on": ["x"]}}],
    "price": {"value": 3, "low": 2, "source": "kept as it is"}})");
  const Json apart = with_sources_apart(given);
  CHECK(apart["rate"]["fp16"] == 5);
  CHECK(apart["tiers"][0]["latency"] == "2 us");
  CHECK(apart["price"] == given["price"]);
  CHECK(given_value(apart, "rate.fp16") == "[derived] half of fp8");
  CHECK(given_value(apart, "tiers.0.latency") == "[fitted on x]");
}

void check(const std::string& sources) {
  const Json document = Json::parse(R"({"sources": {"peak": )" + sources + "}}");
  Reader r(document, "d.json");
  check_sources(r);
}

TEST_CASE("a source is a text, or has a kind and, if fitted, the data") {
  for (const char* good : {R"("a text")", R"({"kind": "assumed"})", R"({"kind": "run"})",
                           R"({"kind": "announced", "source": "a keynote"})",
                           R"({"kind": "fitted", "on": ["nemo"], "prior": "a sheet"})"}) {
    CAPTURE(good);
    CHECK_NOTHROW(check(good));
  }
  for (const char* bad :
       {"3", R"({"source": "no kind"})", R"({"kind": "unknown"})", R"({"kind": "fitted"})",
        R"({"kind": "fitted", "on": []})", R"({"kind": "memory", "why": "?"})",
        R"({"kind": "assumed", "prior": {"kind": "guessed"}})"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(check(bad), InputError);
  }
}

}  // namespace
}  // namespace orrery
