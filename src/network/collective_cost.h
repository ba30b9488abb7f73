// SPDX-License-Identifier: Apache-2.0
//
// The cost of a collective of a group with the fastest algorithm of its library.
//
// Models launch, latency by step, and the busiest link on the way (network/clock.h), with the links
// of a unit shared by all groups that use them. Leaves out other traffic, stragglers and protocols
// by size; compression is network/coded_cost.h's. Units: SI. Errors: none; a group has at least one
// rank and fits the cluster. Costs neither allocate nor throw.
#pragma once

#include <cstdint>
#include <vector>

#include "core/number.h"
#include "network/collective.h"
#include "network/group.h"

namespace orrery {

struct Cluster;

template <Number R>
struct CollectiveCost {
  SecondsOf<R> time{};
  BytesOf<R> bytes_per_rank{};  // the volume that busbw counts (network/volume.h)
  Algorithm algorithm = Algorithm::none;
  std::uint8_t tier = 0;  // the outermost in use
  BytesOf<R> message{};   // S, the full buffer
  SecondsOf<R> codec{};   // of `time`, what compresses and decompresses (network/coded_cost.h)
  double ratio = 1;       // bytes before compression over bytes on the wire
  BytesOf<R> sent{};      // by one rank, with this algorithm
};

template <Number R>
CollectiveCost<R> collective_cost(const Cluster& c, const Group& g, Collective kind,
                                  BytesOf<R> full_buffer);

// By a given algorithm, which must apply.
template <Number R>
CollectiveCost<R> collective_cost_by(Algorithm a, const Cluster& c, const Group& g, Collective kind,
                                     BytesOf<R> full_buffer);

// Whether the algorithm serves this collective of this group.
bool applies(Algorithm a, const Cluster& c, const Group& g, Collective kind);

// The algorithms that serve a collective, of any library. Allocates.
std::vector<Algorithm> algorithms_of(Collective kind);

}  // namespace orrery
