// SPDX-License-Identifier: Apache-2.0
//
// Switches of a run that change its speed and memory and nothing of what is trained: those of the
// framework's profile (`options`) and fused attention.
//
// The best switches of a layout are found one after the other, each at the value with the shortest
// step that fits as surely as the run asks, until none gains a thousandth. Leaves out switches that
// only help together, and counts (sizes of buckets). Errors: none; a value that a rule refuses is
// passed over.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/json_fwd.h"
#include "estimate/config_lookup.h"
#include "insight/advice.h"

namespace orrery {

struct ResolvedRun;

struct Switch {
  std::string path;                 // of the run file
  std::vector<std::string> others;  // values that the run does not have
};

std::vector<Switch> switches_of(const ResolvedRun& run);

struct BestSwitches {
  std::vector<Setting> settings;  // over the run file
  Seconds step_time{};            // infinite where nothing fits
};

// Leaves alone the switches that are not free.
BestSwitches best_switches(const Json& run, const std::string& file, const ConfigLookup& lookup,
                           const std::function<bool(const std::string& path)>& is_free);

Json with_settings(Json run, const std::vector<Setting>& settings);

// Single switches of the framework, and kernels of attention where its models are those of
// transformers, that make the run faster, or let it fit as surely as it asks, in the order of the
// profile. Where no switch and no move (insight/advice.h) lets it fit, or logits fill the device: a
// switch beside one of the changes that people make first. `run` is the file that `resolved` was
// made of.
std::vector<Advice> switch_advice(const Json& run, const ResolvedRun& resolved,
                                  const Answer& answer, const ConfigLookup& lookup);

}  // namespace orrery
