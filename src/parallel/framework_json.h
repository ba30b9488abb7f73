// SPDX-License-Identifier: Apache-2.0
//
// Reads a framework profile and applies a run's switches to it.
//
// A profile lists its switches under `options`: each has a `default` and, for every value it takes,
// an overlay of profile fields, which is laid over the profile where the run chooses that value;
// the profile's own fields are those of the defaults. A run names them in
// `parallel.framework_options`; a switch or a value the profile does not have is an InputError.
// Values are compared as text: true is "true".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/json_fwd.h"
#include "parallel/framework.h"

namespace orrery {

struct FrameworkOption {
  std::string name;
  std::string value;
  bool assumed = false;                    // the profile's default
  bool is_count = false;                   // a whole number, not one of a few words
  std::vector<std::string> searched = {};  // values that a search tries
};

struct FrameworkProfile {
  Framework framework;
  std::string states;           // name of the recipe it trains by where the run says none
  std::string fp16_states;      // and of that in fp16
  std::optional<bool> dropout;  // of its models, where neither run nor model says
  std::string inherits;         // the profile it takes its other keys from, by name
  std::vector<FrameworkOption> options;
  std::vector<std::string> notes;  // on keys of earlier versions, one line each
  KeptJson document;               // with the overlays applied, for provenance
};

// The keys of a profile that hold a value, within their groups: "kernels.linear_rate".
std::vector<std::string> framework_paths();

// Values of `parallel`, a resolved object, that the software is not known to run (`runs`), as
// "zero 0 or 1 beside a pipeline; zero 3". Leaves out recompute, of which the run warns itself.
std::vector<std::string> beyond_runs(const FrameworkProfile& profile, const Json& parallel);

// `options` is the run's framework_options (an object or null), found at `options_path` of
// `run_file`.
FrameworkProfile read_framework(const Json& profile, const std::string& file, const Json& options,
                                const std::string& run_file, const std::string& options_path);

}  // namespace orrery
