// SPDX-License-Identifier: Apache-2.0
//
// A simulated step as Chakra execution traces (MLCommons, schema 0.0.4), which ASTRA-sim plays: a
// file a rank, and the communicator groups as JSON {"id": [ranks]}.
//
// A trace holds the rank's passes in the schedule's order: kernels of a pass as one compute node,
// the collectives in it as one node each kind and group, those of sharded weights too, sends and
// receives between stages, then the reduction, the update and the gather. A collective that the run
// hides is beside its pass, the rest after it. Compute nodes carry the time and, for simulators
// that count operations, the FLOPs and bytes that take this time at the device's dense peak and
// memory bandwidth.
//
// A communicator group is a kind, and for replicas the levels between which they shard
// (parallel/partition.h). Groups are numbered kind by kind, as the step uses them, then by their
// lowest rank.
//
// Leaves out: contention, the inside of a collective, and reductions in two quantized hops, whose
// levels a line does not have (refused by why_no_chakra()). Units: full buffers in bytes, S of
// network/collective.h. Errors: none. Source of names and numbers: et_def.proto and Workload.cc of
// ASTRA-sim 2 (518bd51) as this project read them; of field numbers: et_def.proto of
// github.com/mlcommons/chakra at 0.0.4 [from memory, unverified].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "estimate/answer.h"
#include "sim/streams.h"

namespace orrery {

struct Run;

struct Simulation;

// Empty where it can; else what it cannot do.
std::string why_no_chakra(const Run& run);

// The trace of one rank.
std::string chakra_trace(const Run& run, const Simulation& s, std::int64_t rank);

// The groups of these ranks.
std::string chakra_groups(const Run& run, const Simulation& s,
                          const std::vector<std::int64_t>& ranks);

enum class GroupKind : std::uint8_t { tp, cp, ep, etp, dense, expert, stages };

struct RankGroup {
  GroupKind kind = GroupKind::tp;
  // Replicas as data_subgroup() has them (parallel/placement.h), or the numbers of two stages that
  // add up the gradients of parameters that both hold.
  std::int64_t inner = 1;
  std::int64_t outer = 1;

  bool operator==(const RankGroup&) const = default;
};

RankGroup group_of(const PassExchange& e);
RankGroup group_in_pass(const Run& run, const CommLine<double>& l);
RankGroup group_at_end(const Run& run, const CommLine<double>& l);
RankGroup group_of(const Rendezvous& r);

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
