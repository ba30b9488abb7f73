// SPDX-License-Identifier: Apache-2.0
//
// The flags of torchrun and of DeepSpeed's launcher, behind which a program stands. A flag that
// neither has is named, since the launcher itself refuses it and its value moves nothing here:
// `torchrun --nproc-per-nod 8 train.py`.
//
// Leaves out: the flags of Accelerate, which configs/tools/accelerate.json lists, and those of
// schedulers and containers.
#pragma once

#include <string>
#include <vector>

#include "exchange/settings.h"

namespace orrery {

// The flags that no launcher of `before` has: the words of a command up to its program.
std::vector<ForeignSetting> odd_launcher_flags(const std::vector<std::string>& before,
                                               const std::string& file);

// DeepSpeed's list of hosts and GPUs, `--include localhost:0,1` or `-i`; "" where it names none.
std::string included_gpus(const std::vector<std::string>& before);

}  // namespace orrery
