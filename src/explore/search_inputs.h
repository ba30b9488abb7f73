// SPDX-License-Identifier: Apache-2.0
//
// The inputs that all workers of a search share: the space, the question, and the best found so
// far, which alone changes while they work. References outlive the workers.
#pragma once

#include <vector>

#include "explore/families.h"
#include "explore/front.h"
#include "explore/incumbents.h"
#include "explore/search_options.h"

namespace orrery {

struct SearchInputs {
  const Space& space;
  const std::vector<Unit>& units;
  const FamilyIndex& index;  // of the families; read where `options.families`
  const SearchOptions& options;
  const Conditions& conditions;
  Incumbents& incumbents;
  SharedFront& front;
  bool by_memory_alone = true;  // it alone decides which of the legal candidates fits
  bool by_step_alone = true;    // it alone decides which of the candidates that fit counts
  bool best_alone = false;      // only what may be the best or within its band is wanted

  // Then nobody wants the rest of the answer.
  bool is_stopped() const { return options.stopped && options.stopped(); }
};

SearchInputs search_inputs(const Space& space, const std::vector<Unit>& units,
                           const FamilyIndex& index, const SearchOptions& options,
                           Incumbents& incumbents, SharedFront& front);

}  // namespace orrery
