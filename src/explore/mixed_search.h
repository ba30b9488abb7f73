// SPDX-License-Identifier: Apache-2.0
//
// The fastest placements of a run on several kinds of node.
//
// Space: every subset of the groups, in every order of their stages; of each group all nodes, or
// the most that a power of two divides, so that a node that divides badly may stay idle; tp of each
// group, a power of two inside its node; the size of the micro batch, a power of two; recompute;
// dp, with groups that hold stages or whole replicas. Layers, micro batches over replicas and
// shards follow, balanced exactly (estimate/mixed_balance.h). Subsets are tried because a slow
// group may cost more than it adds. A family shares subset, tp, micro batch and recompute, and no
// member of it is faster than
//
//   T ≥ M / Σₖ Sₖ·max over blocks b of w_b/t_{k,b},   Sₖ = GPUsₖ/(tpₖ·cp),  Σ_b n_b·w_b = 1
//
// M micro batches of all replicas, t_{k,b} the passes of block b on kind k, tp's exchanges
// included, n_b blocks of a kind in the model: each of the Sₖ places gets through its share of the
// model no faster than through the block that suits it best. Families are opened by rising bound
// until none can be among the best: exact. Where micro batches differ in size (ZeRO 2 and 3)
// nothing is bounded. A candidate fits with the probability that the run asks for. Leaves out:
// other axes, which stay as the run has them. Errors: InputError of the run itself; candidates that
// a rule refuses are counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json_fwd.h"
#include "estimate/resolve.h"

namespace orrery {

struct MixedSearchOptions {
  std::size_t top = 5;
  std::vector<std::string> keep;  // of mixed_axes(), as the run has them
  bool exhaustive = false;        // every family is opened, whatever its bound
};

// Axes that `keep` may hold.
std::vector<std::string> mixed_axes();

struct MixedFound {
  KeptJson run;                     // whole, to be asked again
  std::vector<std::string> groups;  // in the order of their stages
  std::vector<std::int64_t> tp;     // by group of `groups`
  std::vector<std::int64_t> idle;   // GPUs left out, by group of `groups`
  bool holds_stages = true;
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  std::int64_t micro_batch = 1;
  std::string recompute;
  std::vector<std::int64_t> layers;  // by part of the model
  Seconds step{};
  double fit_probability = 0;
  double fullest = 0;  // needed memory over the device's, of the fullest stage
};

// The same search with one node more of a group: the marginal worth of each kind.
struct MixedMarginal {
  std::string group;
  std::int64_t gpus = 0;          // of the node
  std::optional<Seconds> step{};  // of the best placement; nothing where none fits
};

struct MixedSearchResult {
  std::int64_t families = 0;
  std::int64_t opened = 0;      // families
  std::int64_t candidates = 0;  // of opened families
  std::int64_t refused = 0;     // by a rule
  std::int64_t unfit = 0;
  std::vector<MixedFound> best;
  std::vector<MixedMarginal> marginals;  // where they are asked for
};

// One for each group of the run; `own` is the run's own best step, which no node more lengthens: it
// may stay idle.
std::vector<MixedMarginal> marginals_of(const Json& run, const std::string& file,
                                        const ConfigLookup& lookup,
                                        const MixedSearchOptions& options,
                                        std::optional<Seconds> own);

MixedSearchResult search_mixed(const Json& run, const std::string& file, const ConfigLookup& lookup,
                               const MixedSearchOptions& options);

}  // namespace orrery
