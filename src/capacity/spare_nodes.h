// SPDX-License-Identifier: Apache-2.0
//
// Nodes that leave a job until they are repaired, one or several at once, and the time that
// training waits because no spare is left.
//
// Losses of each kind come at a constant rate, whatever the job does but wait; a loss of b nodes
// brings them back together after its repair. With S spares training waits while more than S are
// away, and then nothing else is lost. The stationary probabilities q(n) of n nodes away follow
//     n·q(n) = Σ_k a_k·b_k·q(n − b_k),  n − b_k ≤ S,  a_k = rate × repair
// (J. S. Kaufman, Blocking in a shared resource environment, IEEE Trans. Commun. 29 (1981), with
// losses admitted up to S). Losses of one node: Erlang's loss formula of S + 1 servers, exact for
// any distribution of repairs. Several at once: the recursion is exact while nothing waits, and
// close where waits are short. Leaves out that a repair may need a technician who is busy.
// Units: SI. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/quantity.h"

namespace orrery {

// Nodes (systems: in a rack, trays) that leave at once, of the whole job.
struct NodeLoss {
  PerSecond rate{};  // by the wall clock
  std::int64_t nodes = 1;
  Seconds repair{};
};

// One event takes at most so many nodes: a building.
inline constexpr std::int64_t kMostNodesAtOnce = 4096;

// The sum over all kinds.
PerSecond rate_of(const std::vector<NodeLoss>& losses);

// The share of time spent waiting for a node.
double waiting_share(const std::vector<NodeLoss>& losses, std::int64_t spares);

// The fewest spares that keep the waiting below `share` of the time; at most `most`.
std::int64_t spares_for(const std::vector<NodeLoss>& losses, double share, std::int64_t most);

}  // namespace orrery
