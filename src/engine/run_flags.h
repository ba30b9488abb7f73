// SPDX-License-Identifier: Apache-2.0
//
// The keys of a run file that have a flag of their own: `--tp 8`, "tp": 8 in a request.
#pragma once

#include <span>

namespace orrery {

struct RunFlag {
  const char* name;
  const char* path;  // of the run file
  const char* help;
};

std::span<const RunFlag> run_flags();

}  // namespace orrery
