// SPDX-License-Identifier: Apache-2.0
#include "report/frame_json.h"

#include <cmath>
#include <stdexcept>

#include "core/units.h"
#include "estimate/origins.h"
#include "insight/run_report.h"
#include "orrery/version.h"

namespace orrery {
namespace {

// Their values stand in the run itself.
Json places_json(const std::vector<Fact>& stated) {
  return json_list(stated, [](const Fact& f) -> Json {
    return {{"path", f.path}, {"where", f.where}};
  });
}

}  // namespace

Json stack_json(const Run& run) {
  const StackKind kind = stack_kind(run);
  return {{"framework", kind.framework},
          {"class", kind.stack_class},
          {"generation", kind.generation},
          {"mixture", kind.mixture}};
}

Json rests_on_json(const std::vector<RestsOnPart>& parts) {
  return json_list(parts, [](const RestsOnPart& p) {
    Json one = {{"part", p.part}, {"basis", p.basis}};
    if (!p.calibration.empty()) one["calibration"] = p.calibration;
    return one;
  });
}

Json rests_on_json(const ResolvedRun& r) { return rests_on_json(parts_rest_on(r)); }

void check_finite(const Json& j) {
  if (j.is_number_float() && !std::isfinite(j.get<double>())) {
    throw std::logic_error("a result is not finite");
  }
  if (j.is_structured()) {
    for (const Json& child : j) check_finite(child);
  }
}

std::string dump(const Json& j) {
  check_finite(j);
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json facts_json(const std::vector<Fact>& facts) { return json_list(facts, fact_json); }

Json reported_inputs(const ResolvedRun& r) {
  Json inputs = *r.inputs;
  inputs["assumed"] = facts_json(assumed_facts(r));
  inputs["stated"] = places_json(r.stated);
  return inputs;
}

void add_frame(const RunReport& r, Json& j) {
  j["warnings"] = r.resolved.warnings;
  j["rests_on"] = rests_on_json(r.resolved);
  j["inputs"] = reported_inputs(r.resolved);
  j = versioned(std::move(j));
}

Json versioned(Json j) {
  j["schema_version"] = kSchemaVersion;
  j["tool_version"] = kVersion;
  return j;
}

}  // namespace orrery
