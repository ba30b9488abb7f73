// SPDX-License-Identifier: Apache-2.0
//
// The keys of the run file that the axes of a search vary, and with them the names of the axes.
#pragma once

#include <utility>

#include "core/enum_names.h"
#include "estimate/training_keys.h"
#include "explore/axes.h"
#include "parallel/strategy_keys.h"

namespace orrery {

struct AxisKey {
  const Key* key;
  const char* path;
};

namespace detail {

template <auto... Members>
constexpr EnumArray<SearchAxis, AxisKey> axis_keys() {
  return {AxisKey{&key_row<Members>, key_path<Members>}...};
}

}  // namespace detail

inline constexpr EnumArray<SearchAxis, AxisKey> kAxisKeys =
    detail::axis_keys<&StrategyRequest::tp, &StrategyRequest::pp, &StrategyRequest::vpp,
                      &StrategyRequest::cp, &StrategyRequest::ep, &StrategyRequest::etp,
                      &StrategyRequest::dp, &TrainingRequest::micro_batch,
                      &StrategyRequest::sequence_parallel, &StrategyRequest::zero,
                      &StrategyRequest::zero_shard_group, &StrategyRequest::schedule,
                      &StrategyRequest::recompute, &StrategyRequest::recompute_modules,
                      &StrategyRequest::offload, &StrategyRequest::stage_layers>();

constexpr EnumNames<SearchAxis> names_of(SearchAxis) {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return EnumNames<SearchAxis>(kAxisKeys.values[I].key->name...);
  }
  (std::make_index_sequence<kSearchAxes>());
}

constexpr FormKind kind_of(SearchAxis a) { return kAxisKeys[a].key->forms.front().kind; }

}  // namespace orrery
