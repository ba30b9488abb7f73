// SPDX-License-Identifier: Apache-2.0
//
// PAT, NCCL's all-gather and reduce-scatter in a logarithm of steps (Jeaugey, arXiv:2506.20252;
// since NCCL 2.23): a Bruck exchange whose partners are chosen so that buffers stay small. NCCL has
// it for one rank a node only, and takes it for a quarter slower on the wire than its ring
// (NVIDIA/nccl@5067397c src/graph/tuning.cc), which is why large messages stay on the ring.
#pragma once

#include <cstddef>

#include "network/recursive.h"

namespace orrery {

struct Pat {
  static constexpr Algorithm id = Algorithm::pat;
  static constexpr double kWireRate = 0.75;

  static constexpr bool has(CollectiveLibrary l) { return l != CollectiveLibrary::rccl; }
  static bool applies(const Cluster& c, const Fold& f) {
    const std::size_t fabric = first_fabric(c, f);
    return fabric <= f.outermost && f.units[fabric] == f.ranks;
  }

  template <Number R>
  static SecondsOf<R> time(const Cluster& c, const Group& g, const Fold& f, Collective kind,
                           BytesOf<R> full) {
    Clock<R> clock = recursive_clock(c, g, f, kind, full);
    clock.wire = clock.wire / lift<R>(kWireRate, {"rate of PAT over the ring's", "NCCL"});
    return named(total(clock), {"PAT time", ""});
  }
};

}  // namespace orrery
