// SPDX-License-Identifier: Apache-2.0
#include "validate/tolerance.h"

#include <doctest/doctest.h>

#include "core/error.h"

namespace orrery {
namespace {

ValidationReport report() {
  ValidationReport r;
  Summary s;
  s.scope = "tier A";
  s.error = {10, 0.08, 0.2, 0.1, -0.05, 0.6};
  r.summaries.push_back(s);
  s.scope = "all";
  r.summaries.push_back(s);
  s.scope = "tier B";
  s.error = {};
  s.refused = 3;
  r.summaries.push_back(s);
  return r;
}

std::vector<std::string> broken(const std::string& text) {
  return broken_tolerances(text, "tolerance.json", report());
}

std::string refused_limit(const std::string& text) {
  try {
    broken(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("bounds that are kept say nothing") {
  CHECK(broken(R"({"median": 0.08, "p90": 0.2, "mean": 0.1, "bias": 0.05, "within_10": 0.6})")
            .empty());
}

TEST_CASE("every broken bound is a line with its scope, value and bound") {
  const auto lines = broken(R"([{"scope": "tier A", "median": 0.07, "within_10": 0.7},
                                {"p90": 0.1}])");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "tier A: median 8.0 %, at most 7.0 %");
  CHECK(lines[1] == "tier A: within_10 60.0 %, at least 70.0 %");
  CHECK(lines[2] == "all: p90 20.0 %, at most 10.0 %");
}

TEST_CASE("the size of the bias is bounded") { CHECK(broken(R"({"bias": 0.04})").size() == 1); }

TEST_CASE("a scope in which nothing was judged keeps no bound") {
  CHECK(broken(R"({"scope": "tier B", "median": 1})").size() == 1);
  CHECK(broken(R"({"scope": "tier B", "refused": 2})").size() == 1);
  CHECK(broken(R"({"scope": "tier B", "refused": 3})").empty());
}

TEST_CASE("a tolerance nobody can mean is refused") {
  CHECK(refused_limit(R"({"scope": "tier C", "median": 1})").find(R"(did you mean "tier)") !=
        std::string::npos);
  CHECK(refused_limit(R"({"scope": "all"})").find("at least one of") != std::string::npos);
  CHECK(refused_limit(R"({"medium": 1})").find(R"(did you mean "median"?)") != std::string::npos);
  CHECK(refused_limit(R"({"median": 1, "p95": 1})").find("p95") != std::string::npos);
  CHECK(refused_limit(R"({"median": -1})").find("median") != std::string::npos);
}

}  // namespace
}  // namespace orrery
