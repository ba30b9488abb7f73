// SPDX-License-Identifier: Apache-2.0
//
// The question of `collective`: its options, and the sizes of a curve: "1MiB..16GiB" (multiplied by
// a factor from one to the next, the last included), a list "64 KiB,1 MiB", or one size. Errors:
// InputError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/hooks.h"
#include "engine/overrides.h"
#include "engine/request.h"
#include "insight/collective_curve.h"
#include "orrery/quantity.h"

namespace orrery {

struct CollectiveChoice {
  std::string kind;
  bool has_node = false;
  std::optional<RequestDocument> cluster;  // the `cluster` object of a run file
  std::vector<Override> overrides;         // of node, gpus, calibration and `set`
  std::string size;
  std::string step;
  std::string algorithm;
  std::int64_t ranks_per_node = 0;  // 0: all GPUs of a node
  std::int64_t groups = 0;          // 0: 1
  double busiest_rank = 0;          // 0: 1
  bool has_gpus = false;
  std::vector<NamedText> against;  // files of measurements
  Asker asker = Asker::request;
};

// The part that all forms of the question have; its sizes are not set.
CollectiveQuestion collective_question(const CollectiveChoice& choice,
                                       const CommandContext& context);

// The collectives of the files, each priced as it was measured.
CommandAnswer collective_against(const CollectiveChoice& choice, const OutputForm& output,
                                 const CommandContext& context);

std::vector<std::string> collective_names();
std::vector<std::string> collective_algorithm_names();  // without "auto"

// `step` is the factor, "" for 2.
std::vector<Bytes> collective_sizes(const std::string& text, const std::string& step);

}  // namespace orrery
