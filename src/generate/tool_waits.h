// SPDX-License-Identifier: Apache-2.0
//
// How long the answers of an agent wait for their tools.
//
// Between two turns an answer waits `mean` in the mean; the waits of answers differ by `spread`
// (standard deviation over mean, lognormal), those of one answer do not. In a share `hung` of the
// answers one call does not come back, and is given up after `timeout`: such steps are the tail
// between steps (of 14 published steps of agents 13 take 395 to 528 s, one 1,252 s:
// NVIDIA-NeMo/RL). Leaves out: tools that share a machine and slow each other down, calls that are
// tried again. Units: seconds. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/quantity.h"

namespace orrery {

struct ToolWaits {
  Seconds mean{};
  double spread = 0;
  double hung = 0;  // share of the answers
  Seconds timeout{};

  bool differ() const { return spread > 0 || hung > 0; }
};

// The waits of one answer.
struct ToolWait {
  Seconds each{};  // between two turns
  Seconds once{};  // more, before its second turn
};

// At quantile p of the body.
ToolWait wait_at(const ToolWaits& w, double p, bool is_hung);

// n waits: the quantiles (i + ½)/n, and hung·n answers that hang, in an order that is not that of
// dealt lengths (generate/lengths.h); one where they do not differ.
std::vector<ToolWait> waits_of(const ToolWaits& w, std::int64_t n);

}  // namespace orrery
