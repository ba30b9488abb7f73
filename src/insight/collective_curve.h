// SPDX-License-Identifier: Apache-2.0
//
// One collective over sizes, in the terms of nccl-tests (doc/PERFORMANCE.md there).
//
// size is S, the full buffer (network/collective.h); algbw = S / time; busbw = algbw times the
// factor of network/bus_factor.h. It compares with the rate of a link whatever n is; where a switch
// reduces it may be more. One rank, or no bytes, take no time and have no rate: both are 0. A
// point-to-point is that of the slowest pair of neighbours of the group, as all wait for it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hardware/cluster_reader.h"
#include "network/collective.h"
#include "network/group.h"
#include "orrery/quantity.h"

namespace orrery {

struct CollectiveQuestion {
  Collective kind = Collective::all_reduce;
  ResolvedCluster cluster;
  KeptJson cluster_input;  // as the user gave it
  std::int64_t ranks_per_node = 1;
  std::int64_t groups = 1;
  double busiest_rank = 1;             // of an all-to-all: what one rank sends over the mean
  std::optional<Algorithm> algorithm;  // nothing: the fastest the library has
  std::vector<Bytes> sizes;
};

struct CollectivePoint {
  Bytes size{};
  Seconds time{};
  BytesPerSecond algbw{};
  BytesPerSecond busbw{};
  Algorithm algorithm = Algorithm::none;
  std::size_t tier = 0;  // the outermost in use
  // The fastest of all algorithms, whether the library has it or not.
  Algorithm fastest = Algorithm::none;
  Seconds fastest_time{};
};

// Ranks of the group; of a point-to-point those whose neighbours send to each other.
std::int64_t ranks_of(const CollectiveQuestion& q);

// Errors: InputError where the group does not fit its node or the algorithm does not serve it.
std::vector<CollectivePoint> collective_curve(const CollectiveQuestion& q);

}  // namespace orrery
