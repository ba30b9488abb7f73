// SPDX-License-Identifier: Apache-2.0
//
// Memory of a stage on one of its kinds, and the fullest of all.
//
// States that are sharded over unlike devices may have unequal shards (Cephalo, arXiv:2411.01075):
// each line of sharded states is then the equal share times MixedRun::state_share. Leaves out: what
// gathering unequal shards costs more. Units: bytes of one rank. Errors: none.
//
// A run fits as surely as it asks (estimate/risk.h) where each stage does on each of its kinds.
#pragma once

#include <utility>

#include "estimate/mixed_estimate.h"

namespace orrery {

template <Number R>
struct StageSeatOf {
  StageSeat plain;
  StageMemory<R> memory;
};

// Keeps the stage that takes most of its device.
template <Number R>
struct FullestSeat {
  MixedAnswerOf<R>& out;
  std::pair<double, double> most{-1, -1};  // of its device: peak, needed
  bool host_full = false;

  void offer(const MixedRun& run, std::int64_t stage, std::size_t kind, StageSeatOf<R> seat);
  void judge(const MixedRun& run);
};

bool fits_at_risk(const MixedRun& run, const MixedAnswer& a);

}  // namespace orrery
