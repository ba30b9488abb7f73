// SPDX-License-Identifier: Apache-2.0
#include "parallel/framework_json.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "core/json.h"
#include "support/about.h"

namespace orrery {
namespace {

Json profile() {
  return Json::parse(R"({
    "name": "stack", "states": "adam-mixed-16", "kernels": {"attention": ["flash-2"]},
    "overlap": {"ep_exposed": 0.5}, "host": {"step_overhead": {"value": "30 ms", "kind": "assumed"}},
    "options": {"fused": {"default": "true", "values": {"true": {},
                                                        "false": {"kernels": {"pointwise_passes": 2}}}},
                "live": {"default": 0, "lowest": 0, "field": "gathers.max_live"}}})");
}

FrameworkProfile profile_of(const Json& document, const Json& options = Json::object()) {
  return read_framework(document, "stack.json", options, "run.json", "parallel.framework_options");
}

// Where the profile is wrong; "" where it is not.
std::string refused(const Json& document) {
  try {
    profile_of(document);
  } catch (const InputError& e) {
    return e.path();
  }
  return "";
}

TEST_CASE("what a profile leaves out follows from what it says") {
  const FrameworkProfile p = profile_of(profile());
  CHECK(p.fp16_states == "adam-mixed-16");
  CHECK(p.framework.overlap.ep_exposed_interleaved == 0.5);
  CHECK(p.framework.host.step_overhead.si() == testing::about(0.03));
  CHECK(p.framework.kernels.pointwise_passes == 1);
}

TEST_CASE("a run's switches change fields") {
  const Framework f = profile_of(profile(), {{"fused", false}, {"live", 7}}).framework;
  CHECK(f.kernels.pointwise_passes == 2);
  CHECK(f.gathers.max_live == 7);
}

TEST_CASE("a misspelt key is refused wherever it stands, chosen or not") {
  CHECK(refused(profile()).empty());
  Json document = profile();
  document["kernels"]["pointwise_pases"] = 2;
  CHECK(refused(document) == "kernels.pointwise_pases");
  document = profile();
  document["options"]["fused"]["values"]["false"]["kernels"]["pointwise_pases"] = 2;
  CHECK(refused(document) == "options.fused.values.false.kernels.pointwise_pases");
  document = profile();
  document["options"]["fused"]["values"]["false"]["kernels"]["pointwise_passes"] = 0;
  CHECK(refused(document) == "options.fused.values.false.kernels.pointwise_passes");
  document = profile();
  document["options"]["live"]["field"] = "max_live";
  CHECK(refused(document) == "options.live.field");
}

}  // namespace
}  // namespace orrery
