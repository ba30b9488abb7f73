// SPDX-License-Identifier: Apache-2.0
//
// The communicator groups of a simulated step: the group of each collective, its ranks, and a
// number as its name.
//
// A group is a kind, and for replicas the levels between which they shard (parallel/partition.h).
// Groups are numbered kind by kind, as the step uses them, then by their lowest rank. Leaves out
// the second hop of quantized reductions, whose levels a line does not have. Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/simulate.h"

namespace orrery {

enum class GroupKind : std::uint8_t { tp, cp, ep, etp, dense, expert };

struct RankGroup {
  GroupKind kind = GroupKind::tp;
  std::int64_t inner = 1;  // of replicas, as data_subgroup() has them (parallel/placement.h)
  std::int64_t outer = 1;

  bool operator==(const RankGroup&) const = default;
};

RankGroup group_of(const PassExchange& e);
RankGroup group_in_pass(const CommLine<double>& l);
RankGroup group_at_end(const Run& run, const CommLine<double>& l);

class CommGroups {
 public:
  CommGroups(const Run& run, const Simulation& s);

  std::vector<std::int64_t> members(const RankGroup& g, std::int64_t rank) const;
  std::string name(const RankGroup& g, std::int64_t rank) const;

  const std::vector<RankGroup>& kinds() const { return kinds_; }

 private:
  void note(const RankGroup& g);

  const Strategy& strategy_;
  std::vector<RankGroup> kinds_;
};

}  // namespace orrery
