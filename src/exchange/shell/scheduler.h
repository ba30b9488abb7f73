// SPDX-License-Identifier: Apache-2.0
//
// Variables that Slurm sets for a job: "#SBATCH --nodes=16" and its kin, and sbatch's own words, as
// variables. Left out: heterogeneous jobs, whose parts have GPUs of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exchange/shell/value.h"

namespace orrery::shell {

// Lines of a script; variables that are set already stay.
void read_scheduler(std::string_view text, Variables& variables);
void read_scheduler_words(const std::vector<std::string>& words, Variables& variables);

}  // namespace orrery::shell
