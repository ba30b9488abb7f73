// SPDX-License-Identifier: Apache-2.0
//
// The keys of a run file that have a flag of their own (core/keys.h): `--tp 8`, "tp": 8 in a
// request.
#pragma once

#include <string>
#include <vector>

namespace orrery {

struct RunFlag {
  const char* name;
  std::string path;  // of the run file
  const char* help;
};

const std::vector<RunFlag>& run_flags();

}  // namespace orrery
