// SPDX-License-Identifier: Apache-2.0
//
// Signs in a line of a script that it starts torchtitan. A dotted setting alone is none: OLMo-core,
// Lightning and others have them too. Errors: none.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "exchange/text_lines.h"

namespace orrery::torchtitan {

// Settings that torchtitan alone has: its tables, and names of the tables that other tools have
// too.
inline constexpr std::string_view kOwnNames[] = {"parallelism.",
                                                 "activation_checkpoint.",
                                                 "quantize.",
                                                 "float8.",
                                                 "mx.",
                                                 "experimental.",
                                                 "fault_tolerance.",
                                                 "memory_estimation.",
                                                 "job.config_file",
                                                 "model.flavor",
                                                 "model.converters",
                                                 "training.seq_len",
                                                 "training.local_batch_size",
                                                 "training.num_tokens_",
                                                 "training.data_parallel_",
                                                 "training.tensor_parallel_",
                                                 "training.mixed_precision_"};
// The names of torchtitan as a program.
inline constexpr std::string_view kPrograms[] = {"torchtitan.train", "torchtitan/train",
                                                 "-m torchtitan", "--module torchtitan"};

// "--training.seq_len"
inline bool has_own_name(std::string_view line) {
  for (std::size_t at = line.find("--"); at != std::string_view::npos;
       at = line.find("--", at + 2)) {
    std::string name(line.substr(at + 2, 40));
    std::replace(name.begin(), name.end(), '-', '_');
    if (std::any_of(std::begin(kOwnNames), std::end(kOwnNames),
                    [&](std::string_view known) { return begins_with(name, known); }))
      return true;
  }
  return false;
}

inline bool is_sign(std::string_view line) {
  return has_own_name(line) ||
         std::any_of(std::begin(kPrograms), std::end(kPrograms),
                     [&](std::string_view program) { return contains(line, program); });
}

}  // namespace orrery::torchtitan
