// SPDX-License-Identifier: Apache-2.0
#include "report/claims.h"

#include <doctest/doctest.h>

#include "document/markdown.h"
#include "document/text.h"

namespace orrery {
namespace {

// A run answers with itself.
JudgedClaim judged(const std::string& parts) {
  ClaimContext context;
  context.set = [](Json& run, const std::string& path, const Json& value) { run[path] = value; };
  context.answer = [](const Json& run, const std::string&) { return run; };
  const std::string text = R"({"title": "t", "claim": "c", "source": "s", )" + parts + "}";
  return judge(read_claim(text, "claim.json"), context);
}

TEST_CASE("a claim says what is claimed beside what is computed, and its verdict") {
  const JudgedClaim j = judged(R"("runs": {"a": {"run": {"x": 4}}},
    "compute": {"n": {"is": "a.x", "unit": "letters", "claimed": 4}},
    "checks": [{"text": "as many", "holds": "n == 4"}])");
  CHECK(text_of(claims_document({j}), {}) ==
        "t\n  claim: c\n  source: s\n\nquantity    claimed   computed\n"
        "n         4 letters  4 letters\n\n  1. as many\n     reproduced\n");
  CHECK(markdown_of(claims_document({j})).find("| n | 4 letters | 4 letters |") !=
        std::string::npos);
  CHECK(claims_json({j}).at("claims").at(0).at("checks").at(0).at("verdict") == "reproduced");
}

TEST_CASE("a map shows what differs, the table of quantities all of them") {
  const std::string page = markdown_of(claims_document({judged(
      R"("runs": {"a": {"run": {"x": 1}}},
         "map": [{"name": "r", "why": "", "values": [
            {"label": "10", "let": {"r": 10}}, {"label": "20", "let": {"r": 20}}]}],
         "compute": {"z": {"is": "a.x * r", "unit": "s"}, "same": {"is": "a.x", "claimed": 2}},
         "checks": [{"text": "", "holds": "z > 0"}, {"text": "", "holds": "z > 15"}])")}));
  CHECK(page.find("| z |  | 10 to 20 s |") != std::string::npos);
  CHECK(page.find("| same | 2 | 1 |") != std::string::npos);
  CHECK(page.find("| r | z (s) | check 2 |\n") != std::string::npos);
  CHECK(page.find("| 20 | 20 | yes |\n") != std::string::npos);
}

}  // namespace
}  // namespace orrery
