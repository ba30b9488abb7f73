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

// The places alone: the values stand in the run itself.
Json places_json(const std::vector<Fact>& stated) {
  return json_list(stated, [](const Fact& f) -> Json {
    return {{"path", f.path}, {"where", f.where}};
  });
}

Json alternative_json(const Alternative& a) {
  return {{"value", a.value},
          {"weight", a.weight},
          {"step_time_change", a.time_ratio - 1},
          {"memory_change", a.memory_ratio - 1}};
}

Json open_json(const std::vector<OpenKey>& open) {
  return json_list(open, [](const OpenKey& key) -> Json {
    return {{"path", key.path},
            {"taken", key.taken},
            {"why", key.why},
            {"alternatives", json_list(key.alternatives, alternative_json)}};
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

Json settings_json(const std::vector<Setting>& settings) {
  Json changes = Json::object();
  for (const Setting& s : settings) changes[s.path] = json_or_text(s.value);
  return changes;
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
  j["open"] = open_json(r.resolved.open);
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
