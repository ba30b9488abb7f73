// SPDX-License-Identifier: Apache-2.0
//
// A job whose traffic meets another's on the same links, or a checkpoint's.
//
// Each computes and sends in turn: in every step T its traffic fills the shared links for c. While
// both send, each has half of them (max-min fairness), so that both get on at the same pace: in
// units of work the other's sending stays a pattern of c' in every T', and the delay is what of the
// pattern falls into an own length c. Over all phases, with n = ⌊c/T'⌋ and r = c − n·T':
//
//   mean delay      c·c'/T'
//   between         n·c' + max(0, r + c' − T')  and  n·c' + min(r, c')
//   more than n·c' + x in (|r − c'| + 2(min(r, c') − x))/T' of the phases
//
// A step is longer by that share of c of what half the links cost it all the time, which the chain
// prices with what compute hides. Shared are the links of the outermost tier; where nodes are
// placed on the pods of a fabric, the uplinks of pods that hold nodes of both, in which each node
// has an equal part: where a pod's uplink carries all of them, neither waits, and where both have
// unequal parts the pattern counts as if their paces were one. Jobs drift: CASSINI's shifts
// (NSDI'24), priorities (Crux, SIGCOMM'24) and phases that lock are left out, as are traffic spread
// over the step, for which the tail is shorter, and more than two jobs. Units: SI. Errors:
// InputError where two jobs do not fit one fabric.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capacity/checkpoint.h"
#include "insight/comm_report.h"

namespace orrery {

// A step on the shared links.
struct SharedTraffic {
  Seconds step{};
  Seconds busy{};    // c
  Seconds halved{};  // the step with its part of the links all the time
  std::string tier;
};

// The part of the outermost links that a job has while both send.
struct LinkParts {
  double own = 0.5;
  double other = 0.5;
  std::optional<std::int64_t> pods;  // that hold nodes of both, where nodes are placed
};

// Jobs of which neither is placed on a fabric share in halves.
LinkParts link_parts(const Cluster& own, const Cluster& other);

// The nodes of the other job beside those of the first, by the policy of its own placement (packed
// without one); nothing where neither job is placed on pods, or the other's nodes are given.
std::optional<std::vector<std::int64_t>> nodes_beside(const ResolvedRun& own,
                                                      const ResolvedRun& other);

// `parts_uplinks`: of pods, beside which the nodes keep their own links.
SharedTraffic shared_traffic(const CommReport& r, double part, bool parts_uplinks = false);

struct TrafficDelay {
  Seconds mean{};
  Seconds at_95{};  // or less in 95 of 100 phases
  Seconds worst{};
};

// Traffic of length `busy` beside another job's, which sends `other_busy` in every `period`.
TrafficDelay delay_beside(Seconds busy, Seconds period, Seconds other_busy);

// Steps beside the other job.
struct StepsBeside {
  Seconds mean{};
  Seconds at_95{};
  Seconds worst{};
};
StepsBeside steps_beside(const SharedTraffic& own, const SharedTraffic& other);

// A step beside a checkpoint that is written over the network of the run.
//
// Every node writes its part of the checkpoint (capacity/checkpoint.h) at s, the part of it that
// the storage and one client allow, every `interval`. In each tier between nodes, of rate B for the
// n nodes of a unit, the write takes n·s of the link, at most half (max-min fairness), and the step
// has the rest, which the chain prices with what compute hides. With D the time of the write, S the
// step alone and S' the step beside it:
//
//   mean step = interval over the steps in it,  (interval − D)/S + D/S'
//   worst     = S', or S + (S' − S)·D/S' where one step holds the whole write
//   1 of 20   = the worst where a write holds a twentieth of the steps or more, else S
//
// Leaves out storage on a network of its own, which shares no link, the nodes of the storage, and
// training that stands still meanwhile (`simulate --checkpoint`).
struct WriteBeside {
  Bytes per_node{};
  Seconds interval{};
  Seconds write{};        // D
  BytesPerSecond rate{};  // s
  double link_part = 1;   // that the step keeps, of the tier that the write takes most of
  Seconds alone{};        // S
  Seconds during{};       // S'
  Seconds mean{};
  Seconds at_95{};
  Seconds worst{};
};

// The storage has a rate of writing.
WriteBeside step_beside_write(const RunReport& r, const Storage& storage, Seconds interval);

}  // namespace orrery
