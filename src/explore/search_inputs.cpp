// SPDX-License-Identifier: Apache-2.0
#include "explore/search_inputs.h"

#include <algorithm>

#include "explore/space.h"

namespace orrery {
namespace {

bool step_decides_alone(const Conditions& c) {
  const auto of_strategy = [](const BoundExpression& e) {
    return e.needs() == KnownPart::strategy;
  };
  return !c.objective && c.pareto.empty() &&
         std::all_of(c.constraints.begin(), c.constraints.end(), of_strategy);
}

const Conditions& conditions_of(const SearchOptions& o) {
  static const Conditions kNone;
  return o.conditions != nullptr ? *o.conditions : kNone;
}

}  // namespace

SearchInputs search_inputs(const Space& space, const std::vector<Unit>& units,
                           const FamilyIndex& index, const SearchOptions& options,
                           Incumbents& incumbents, SharedFront& front) {
  SearchInputs in = {space, units, index, options, conditions_of(options), incumbents, front};
  in.by_memory_alone = in.conditions.constraints.empty();
  in.by_step_alone = step_decides_alone(in.conditions);
  in.best_alone = !options.counts && !options.families && in.by_step_alone;
  return in;
}

}  // namespace orrery
