// SPDX-License-Identifier: Apache-2.0
//
// Lower bounds on the step of a block of candidates, compared with the best found so far: whether
// any of the candidates can still be in the answer.
//
// Each bound is computed once a block. Invariant: a candidate that is hopeless is above what every
// final incumbent lets in, so that no answer depends on when it was asked. Where more than the step
// decides (`by_step_alone`), nothing is hopeless.
#pragma once

#include <optional>
#include <span>

#include "explore/priced_runs.h"
#include "explore/unit_tally.h"

namespace orrery {

class Bounds {
 public:
  Bounds(const SearchInputs& in, PricedRuns& runs) : in_(in), runs_(runs) {}

  // The block and its parts that are filled, and the legal shardings of its unit.
  void start(const CandidateBlock& block, std::int64_t most_gradient_shards);

  // With the run's sharding, which is in `families`.
  bool is_hopeless(std::span<const std::size_t> families);
  // The same for all shardings in `families`. The bound leaves out the cost of sharding.
  bool is_hopeless_however_sharded(std::span<const std::size_t> families);

 private:
  // No candidate of the block has a better objective.
  struct Bound {
    double objective = 0;
    bool wanted = false;  // it may count as one of the best, or in a family of the whole block
    std::int64_t cost_version = 0;
  };

  Bound bound_of_costs() const;
  bool nobody_wants(const Bound& bound, std::span<const std::size_t> families) const;

  const SearchInputs& in_;
  PricedRuns& runs_;
  std::span<const std::size_t> of_block_;
  std::int64_t most_gradient_shards_ = 1;
  std::optional<Bound> so_sharded_;
  std::optional<Bound> however_sharded_;
};

// True where the best one known beats every strategy with these blocks, however they are laid out.
bool beats_all_layouts(const SearchInputs& in, PricedRuns& runs, const Point& point);

}  // namespace orrery
