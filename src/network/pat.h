// SPDX-License-Identifier: Apache-2.0
//
// PAT, NCCL's all-gather and reduce-scatter in a logarithm of steps (Jeaugey, arXiv:2506.20252;
// since NCCL 2.23): a Bruck exchange whose partners are chosen so that buffers stay small. NCCL has
// it for one rank a node only. Its rate is `pat_rate` of the ring's, a constant of the tier with
// its source in configs/: large messages stay on the ring because of it. The 0.75 there is NCCL's
// own, by which it chooses; no measured curve of PAT was found. It counts in the time as well:
// chosen by it and timed at the ring's rate, twice the nodes could take less (models.md).
// Errors: none.
#pragma once

#include <cstddef>

#include "network/recursive.h"

namespace orrery {

struct Pat {
  static constexpr Algorithm id = Algorithm::pat;

  static constexpr bool has(CollectiveLibrary l) { return l != CollectiveLibrary::rccl; }
  static bool applies(const Cluster& c, const Fold& f) {
    const std::size_t fabric = first_fabric(c, f);
    return fabric <= f.outermost && f.units[fabric] == f.ranks;
  }

  template <Number R>
  static SecondsOf<R> time(const Cluster& c, const Group& g, const Fold& f, Collective kind,
                           BytesOf<R> full) {
    Clock<R> clock = recursive_clock(c, g, f, kind, full);
    const Tier& t = c.tiers[f.outermost];
    clock.wire = clock.wire / lift<R>(t.pat_rate, {"cluster.tiers.pat_rate", "of a ring's rate",
                                                   static_cast<int>(f.outermost)});
    return named(total(clock), {"PAT time", ""});
  }
};

}  // namespace orrery
