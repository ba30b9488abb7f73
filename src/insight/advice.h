// SPDX-License-Identifier: Apache-2.0
//
// Which single change of a run would help: those that fit where it does not, those that are faster
// where it does.
//
// Tries a fixed list of neighbours (recompute, micro batch, tp, pp, vpp, cp, ZeRO, sequence
// parallelism, FlashAttention, optimizer offload), keeps the GPUs and the global batch, lets dp
// take what is left, and estimates each legal one; where no single change fits, pairs. It is no
// search: what is two changes away and merely faster is not seen. Keys of the run file that cannot
// stand beside a change are named with it, so that it can be followed as it stands. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "estimate/estimate.h"

namespace orrery {

struct ResolvedRun;

// One key of the run file and its new value, as --set takes them: "null" takes the key away.
struct Setting {
  std::string path;
  std::string value;
};

struct Advice {
  std::vector<Setting> settings;
  bool fits = false;
  Seconds step_time{};
  Bytes peak{};
};

inline constexpr std::size_t kMostAdvice = 3;

// Best first. If a run does not fit and no listed change makes it fit: the lowest peaks.
std::vector<Advice> advise(const ResolvedRun& run, const Answer& answer);

}  // namespace orrery
