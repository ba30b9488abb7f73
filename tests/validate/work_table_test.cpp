// SPDX-License-Identifier: Apache-2.0
// The attribution of errors, for cases with a known cause.
#include "validate/work_table.h"

#include <doctest/doctest.h>

#include <cmath>

#include "explore/sensitivity.h"
#include "shipped_runs.h"

namespace orrery {
namespace {

double attention_share(const Run& run) {
  for (const Elasticity& e : elasticities(run)) {
    if (e.key == "attention_efficiency") return -e.value;
  }
  return 0;
}

// All of tier A as if measured where attention costs `factor` less and sources have levels.
ValidationReport as_if_measured(double factor) {
  ValidationReport report = testing::shipped_report();
  for (JudgedRow& r : report.rows) {
    if (r.row.tier != RowTier::a || !time_error(r)) continue;
    const double level = r.row.source.group == "llm-foundry" ? 1.07 : 0.95;
    r.published.time =
        r.answer.step_time * (level * std::exp(-std::log(factor) * attention_share(r.run)));
  }
  return report;
}

TEST_CASE("attention priced too long is found, and nothing else, whatever the level of sources") {
  const WorkTable t = work_table(as_if_measured(1.2), RowTier::a);
  REQUIRE(t.table.size() == 8);
  CHECK(t.table[1][3] == "the yardstick");
  for (std::size_t i = 2; i < t.table.size(); ++i) {
    const Cells& line = t.table[i];
    CAPTURE(line[0]);
    const double found = std::stod(line[3]);
    if (line[0] == "attention") {
      CHECK(found == doctest::Approx(20).epsilon(0.1));
    } else {
      CHECK(std::abs(found) < 2);
    }
  }
  CHECK(t.sentence.find(" to 0.0 % (0.") != std::string::npos);
}

TEST_CASE("rows of no tier leave the heading alone") {
  const WorkTable t = work_table(ValidationReport{}, RowTier::a);
  CHECK(t.table.size() == 1);
  CHECK(t.sentence.empty());
}

}  // namespace
}  // namespace orrery
