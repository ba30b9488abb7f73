// SPDX-License-Identifier: Apache-2.0
//
// Separate keys of a plan: goals, ramps, numbers of GPUs, requirements. A key may be in a scenario
// or else in the plan.
//
// Errors: InputError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capacity/prices_json.h"
#include "capacity/requirement.h"
#include "capacity/training_time.h"
#include "core/json_reader.h"

namespace orrery {

inline constexpr std::int64_t kMostPlanGpus = 10'000'000;

// The scenario's key, or else the plan's.
class Both {
 public:
  Both(Reader scenario, Reader plan) : scenario_(std::move(scenario)), plan_(std::move(plan)) {}

  std::optional<Reader> find(const std::string& key) {
    auto own = scenario_.find(key);
    auto common = plan_.find(key);
    return own ? own : common;
  }
  Reader& scenario() { return scenario_; }

 private:
  Reader scenario_;
  Reader plan_;
};

// {"tokens"}, {"flops"} or {"tokens_per_parameter"}.
Goal read_goal(Reader r);

// [{"global_batch", "tokens"}].
std::vector<RampStep> read_ramp(const Reader& r);

// 512, [512, 1024], {"from": 512, "to": 4096, "factor": 2}.
std::vector<std::int64_t> read_counts(const Reader& r);

// One object, or a list of them.
std::vector<Requirement> read_requirements(const Reader& r, const ExchangeRates& exchange);

}  // namespace orrery
