// SPDX-License-Identifier: Apache-2.0
//
// A change for a run that ran out of memory although it is predicted to fit.
#include "insight/memory_relief.h"

#include <doctest/doctest.h>

#include "insight/run_report.h"
#include "insight/switches.h"
#include "support/sample_runs.h"

namespace orrery {
namespace {

Json that_fits() {
  return testing::json_of(R"({"model": "llama-3-8b", "framework": "fsdp",
      "cluster": {"node": "dgx-h100", "gpus": 8}, "parallel": {"recompute": "none"},
      "training": {"sequence_length": 4096, "global_batch": 64, "micro_batch": 1}})");
}

TEST_CASE("a run that needed more than predicted gets a change that takes as much less") {
  const RunReport r = testing::report_of(that_fits());
  REQUIRE(r.answer.reason == Reason::fits);
  const Bytes needed = r.answer.capacity;
  const auto relief = memory_relief(r, needed);
  REQUIRE(relief);
  const Json changed = with_settings(that_fits(), relief->settings);
  const Answer after = estimate(testing::resolved(changed).run);
  CHECK(after.memory.peak == relief->peak);
  const double missed = needed / r.answer.memory.allocated;
  CHECK(after.memory.needed * missed <= after.capacity);
}

TEST_CASE("nothing relieves a run that needed a hundred times its device") {
  const RunReport r = testing::report_of(that_fits());
  CHECK_FALSE(memory_relief(r, r.answer.capacity * 100));
}

}  // namespace
}  // namespace orrery
