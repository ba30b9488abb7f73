// SPDX-License-Identifier: Apache-2.0
//
// Parameters one rank holds, dense ones and those of experts apart: they have other replicas, so
// that states are sharded and gradients reduced over other ranks. `fixed` are weights that do not
// train: they have no gradient and no optimizer state, and travel as they are stored. Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>

#include "orrery/quantity.h"

namespace orrery {

enum class ShardedStates : std::uint8_t { dense, expert };

struct FixedWeights {
  std::int64_t count = 0;
  Bytes stored{};
  Bytes gathered{};        // on the wire, and as a gathered copy
  Bytes gathered_again{};  // those of them that a backward pass reads

  bool operator==(const FixedWeights&) const = default;

  FixedWeights& operator+=(const FixedWeights& o) {
    count += o.count;
    stored += o.stored;
    gathered += o.gathered;
    gathered_again += o.gathered_again;
    return *this;
  }
};

inline FixedWeights operator*(std::int64_t n, const FixedWeights& w) {
  const auto times = static_cast<double>(n);
  return {n * w.count, w.stored * times, w.gathered * times, w.gathered_again * times};
}

inline FixedWeights larger_of(const FixedWeights& a, const FixedWeights& b) {
  return {std::max(a.count, b.count), std::max(a.stored, b.stored),
          std::max(a.gathered, b.gathered), std::max(a.gathered_again, b.gathered_again)};
}

// States and work of an optimizer that depend on the shapes of matrices (estimate/updates.h).
struct UpdateWork {
  Bytes states{};
  Seconds time{};     // of all matrices, one after the other
  Seconds largest{};  // of one of them, which no sharding divides

  bool operator==(const UpdateWork&) const = default;

  UpdateWork& operator+=(const UpdateWork& o) {
    states += o.states;
    time += o.time;
    largest = std::max(largest, o.largest);
    return *this;
  }
};

inline UpdateWork operator*(std::int64_t n, const UpdateWork& w) {
  const auto times = static_cast<double>(n);
  return {w.states * times, w.time * times, n > 0 ? w.largest : Seconds()};
}

struct ParametersHeld {
  std::int64_t dense = 0;
  std::int64_t expert = 0;
  FixedWeights fixed_dense{};
  FixedWeights fixed_expert{};
  UpdateWork update_dense{};
  UpdateWork update_expert{};

  bool operator==(const ParametersHeld&) const = default;

  ParametersHeld& operator+=(const ParametersHeld& o) {
    dense += o.dense;
    expert += o.expert;
    fixed_dense += o.fixed_dense;
    fixed_expert += o.fixed_expert;
    update_dense += o.update_dense;
    update_expert += o.update_expert;
    return *this;
  }
};

inline ParametersHeld operator*(std::int64_t n, const ParametersHeld& p) {
  return {n * p.dense,        n * p.expert,       n * p.fixed_dense,
          n * p.fixed_expert, n * p.update_dense, n * p.update_expert};
}

inline ParametersHeld larger_of(const ParametersHeld& a, const ParametersHeld& b) {
  return {std::max(a.dense, b.dense),
          std::max(a.expert, b.expert),
          larger_of(a.fixed_dense, b.fixed_dense),
          larger_of(a.fixed_expert, b.fixed_expert),
          {},
          {}};
}

inline bool holds_any(const ParametersHeld& p) {
  return p.dense + p.expert + p.fixed_dense.count + p.fixed_expert.count > 0;
}

// Parameters of a stage: as the run shards them, and as a range does (layer_rules.h).
struct StageParameters : ParametersHeld {
  ParametersHeld resharded{};

  StageParameters& operator+=(const StageParameters& o) {
    ParametersHeld::operator+=(o);
    resharded += o.resharded;
    return *this;
  }
};

inline std::int64_t held(const ParametersHeld& p, ShardedStates which) {
  return which == ShardedStates::dense ? p.dense : p.expert;
}

inline const UpdateWork& update(const ParametersHeld& p, ShardedStates which) {
  return which == ShardedStates::dense ? p.update_dense : p.update_expert;
}

inline const FixedWeights& fixed(const ParametersHeld& p, ShardedStates which) {
  return which == ShardedStates::dense ? p.fixed_dense : p.fixed_expert;
}

}  // namespace orrery
