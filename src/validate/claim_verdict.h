// SPDX-License-Identifier: Apache-2.0
//
// A claim run: every point of its map computed, every check judged.
//
// A check is reproduced where its rule holds at every point of the map, holds if … where it holds
// at some, contradicted where at none, not checkable where there is no rule or every point's runs
// are refused. A run that is refused (an illegal strategy) makes its point one that does not
// count; a run that does not fit in memory is an answer, and `feasible` says it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "validate/claim.h"

namespace orrery {

enum class Verdict : std::uint8_t { reproduced, holds_if, contradicted, not_checkable };
constexpr EnumNames<Verdict> names_of(Verdict) {
  return {"reproduced", "holds if", "contradicted", "not checkable"};
}

struct ClaimPoint {
  std::vector<std::size_t> at;  // value of each axis
  std::string refusal;          // "" where everything was computed
  std::vector<double> values;   // of each quantity
  std::vector<bool> holds;      // each check that has a rule; false for others
};

struct JudgedCheck {
  Verdict verdict = Verdict::not_checkable;
  std::string why;  // where it holds, or why it cannot be checked
};

struct JudgedClaim {
  Claim claim;
  std::vector<ClaimPoint> points;
  std::vector<JudgedCheck> checks;
};

// The run of a row of published runs, and what was measured: `step_time_s`, however the row
// publishes it, `peak_memory_gib`, `out_of_memory`.
struct PublishedRun {
  Json run;
  Json measured;
};

struct ClaimContext {
  std::function<Json(const std::string& name)> load;  // a run file by name
  std::function<void(Json& run, const std::string& path, const Json& value)> set;
  // The document its expressions look into. Errors: InputError where the run is refused.
  std::function<Json(const Json& run, const std::string& file)> answer;
  // Nothing: there is no such row.
  std::function<std::optional<PublishedRun>(const std::string& id)> published;
  // A document of configs/. Errors: InputError where there is none.
  std::function<Json(const ClaimDocument& d, const std::string& file)> document;
};

JudgedClaim judge(Claim claim, const ClaimContext& context);

}  // namespace orrery
