// SPDX-License-Identifier: Apache-2.0
//
// Tiers inside a tier where a graph has a tight cut: two switches joined by a thin link, the halves
// of a ring or torus, the quads of a hybrid cube mesh.
//
// A tier whose unit has a cut that carries less than an all-to-all over its children's links needs
// (inner_cut.h) is split at it: blocks of children side by side become a tier inside
// (`Tier::block`), what joins the blocks is the tier itself, both folded from the graph. Then a
// group's own cut counts: ranks strided over blocks share what joins these, a ring pays nothing
// where the cut carries one. Again inside the blocks and among them, while there are tiers left and
// equal blocks. If a cut is still too tight, all rates of the tier fall to its rate, so that
// nothing is faster than the cut; each such tier is noted.
#pragma once

#include <string>
#include <vector>

#include "hardware/cluster.h"
#include "hardware/topology/routes.h"

namespace orrery {

// `c` is folded from the graph (graph_fold.h). One line for each tier that is now slower than its
// links.
std::vector<std::string> split_at_cuts(Cluster& c, Routes& routes);

}  // namespace orrery
