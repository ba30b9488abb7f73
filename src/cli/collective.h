// SPDX-License-Identifier: Apache-2.0
//
// What `orrery collective` is asked, and what its two forms share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/session.h"
#include "insight/collective_curve.h"

namespace orrery {

struct CollectiveArguments {
  std::string kind;
  std::string node;
  std::string cluster;
  std::string gpus;
  std::string calibration;
  std::string sizes;  // "": 1MiB..16GiB
  std::string step;
  std::string algorithm;
  std::int64_t ranks_per_node = 0;  // 0: all GPUs of a node
  std::int64_t groups = 0;          // 0: 1
  double busiest_rank = 0;          // 0: 1
  std::vector<std::string> sets;
  std::vector<std::string> against;  // files of measurements
};

// What all forms of the question say; its sizes are not set.
CollectiveQuestion collective_question(const CollectiveArguments& a, const Session& s);

// The collectives of the files, each priced as it was measured.
ExitCode run_collective_against(const CollectiveArguments& a, const Session& s);

}  // namespace orrery
