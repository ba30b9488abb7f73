// SPDX-License-Identifier: Apache-2.0
//
// Exchanges between nodes of different kinds.
//
// A link gives the rate of one node into the network that joins two kinds. A collective over
// several kinds goes at the slowest pair: seen from each kind, the tiers outside its node carry no
// more than the links to the others, and the slowest kind counts. A send between unlike stages is
// as long as the slower of its two ends takes for the larger of the two parts that a rank sends or
// receives. Ranks of a kind with a smaller tp hold more of the gradient: they join several of the
// groups that sum one of lcm(tp) slices each, and take as long as their own bytes do. Leaves out:
// switches that add across kinds, collectives dearer for uneven shards (Cephalo, arXiv:2411.01075,
// measured up to 25 %), the re-slicing of tensors where tp differs. Units: SI. Errors: none.
#pragma once

#include <optional>
#include <span>

#include "estimate/mixed_run.h"
#include "estimate/sends.h"

namespace orrery {

// Where the inputs of a recorded number are from (core/traced.h): a kind, or a kind whose network
// is slowed to its link to another.
int part_of_kind(std::size_t kind);
int part_of_link(const MixedRun& r, std::size_t kind, std::size_t other);
struct RecordedPlace {
  std::size_t kind = 0;
  std::optional<std::size_t> beside;  // the other end of the link
};
RecordedPlace place_of_part(const MixedRun& r, int part);

// The part of the slowest link to `others`; the kind's own where there is no other.
int part_beside(const MixedRun& r, std::size_t kind, std::span<const std::size_t> others);

// The run of a kind whose tiers outside the node carry no more than its links to `others`.
Run run_beside(const MixedRun& r, std::size_t kind, std::span<const std::size_t> others);

// A rank of the outermost tier with one of another node, where `ranks` send at the same time.
Group pair_between_nodes(const Cluster& c, std::int64_t ranks);

// From stage `from` to stage `to` of a replica, on these kinds.
struct StageEnd {
  std::size_t kind = 0;
  std::int64_t stage = 0;
};
template <Number R>
SendCost<R> send_between(const MixedRun& r, StageEnd from, StageEnd to);

// The sum of a word embedding's gradient that first and last stage hold; zero where none do.
template <Number R>
CollectiveCost<R> tied_between(const MixedRun& r, std::size_t first, std::size_t last);

}  // namespace orrery
