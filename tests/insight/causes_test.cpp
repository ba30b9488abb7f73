// SPDX-License-Identifier: Apache-2.0
#include "insight/causes.h"

#include <doctest/doctest.h>

#include "support/about.h"
#include "support/sample_runs.h"

namespace orrery {
namespace {

RunReport report() { return report_on(testing::resolved(testing::gpt3())); }

double none_of_these(const std::vector<StepCause>& causes) {
  for (const StepCause& c : causes) {
    if (c.what.rfind("none of these", 0) == 0) return c.probability;
  }
  return 0;
}

TEST_CASE("a log as predicted is explained by the causes, one far away by none of them") {
  const RunReport r = report();
  const Seconds step = r.answer.step_time;
  CHECK(none_of_these(causes_of(r, step, {})) == 0);
  CHECK(causes_of(r, step, {}).front().what == "the estimate's own error");
  for (const double factor : {0.1, 8.0, 30.0}) {
    const std::vector<StepCause> causes = causes_of(r, step * factor, {});
    CAPTURE(factor);
    CHECK(causes.front().what.rfind("none of these", 0) == 0);
    CHECK(causes.front().probability > 0.99);
  }
}

TEST_CASE("memory that no cause gives is explained by none, though the step is as predicted") {
  const RunReport r = report();
  const Bytes allocated = r.answer.memory.allocated;
  REQUIRE(allocated.si() > 0);
  CHECK(none_of_these(causes_of(r, r.answer.step_time, allocated)) == 0);
  CHECK(none_of_these(causes_of(r, r.answer.step_time, allocated * 0.05)) > 0.99);
}

TEST_CASE("probabilities fall, and those left out are less than two in a hundred each") {
  const RunReport r = report();
  double sum = 0;
  double last = 1;
  for (const StepCause& c : causes_of(r, r.answer.step_time * 1.2, {})) {
    CHECK(c.probability <= last);
    last = c.probability;
    sum += c.probability;
  }
  CHECK(sum <= 1 + 1e-12);
  CHECK(sum > 0.8);
}

}  // namespace
}  // namespace orrery
