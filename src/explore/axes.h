// SPDX-License-Identifier: Apache-2.0
//
// The axes of a search: for each axis the listed values, or bounds on its free values.
//
// Free values:
//   tp, cp, pp         divisors of the GPUs
//   dp                 follows from the others
//   ep, etp            divisors of the experts; divisors of tp
//   micro_batch        divisors of the global batch
//   vpp                as the schedule allows, up to two chunks more than layers
//   schedule           those in closed form; if set to "free" also those that are written out
//   zero               0 to 3
//   sequence_parallel  both if tp is above one
//   recompute          none, selective, full, and "layers": full of the first n layers of every
//                      chunk, for each n
// Free only if set to "free", else as in the run file or the framework:
//   zero_shard_group   divisors of dp·cp
//   recompute_modules  every set of the model's modules
//   offload            every set of optimizer, parameters and activations on the host
//   stage_layers       up to two layers fewer on the first and on the last chunk
// Everything else of a run is an outer axis (space.h). The names of the axes: axis_keys.h.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "parallel/strategy_choices.h"

namespace orrery {

struct Strategy;

enum class SearchAxis : std::uint8_t {
  tp,
  pp,
  vpp,
  cp,
  ep,
  etp,
  dp,
  micro_batch,
  sequence_parallel,
  zero,
  zero_shard_group,
  schedule,
  recompute,
  recompute_modules,
  offload,
  stage_layers,
};
inline constexpr std::size_t kSearchAxes = kCountOf<SearchAxis>;

inline constexpr auto kLayersChoice = static_cast<std::int64_t>(RecomputeChoice::layers);

// Values of enumerations are their numbers, of truths 0 and 1, of modules their mask; of the last
// two axes a code (below).
struct AxisValues {
  std::vector<std::int64_t> listed;  // empty: free
  bool open = false;                 // "free" was said, of an axis that otherwise stays as it is
  std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> runnable;  // of the free values, those the framework has; empty: all

  bool is_free() const { return listed.empty(); }
};

struct Axes {
  EnumArray<SearchAxis, AxisValues> values;
  AxisValues recompute_layers;  // of "layers"

  AxisValues& operator[](SearchAxis a) { return values[a]; }
  const AxisValues& operator[](SearchAxis a) const { return values[a]; }
};

// The listed values, or those of `free` within the bounds.
std::vector<std::int64_t> chosen(const AxisValues& axis, const std::vector<std::int64_t>& free);

// Sorted.
std::vector<std::int64_t> divisors(std::int64_t n);

// The code of an offload: the three targets and the share of the optimizer in thousandths.
std::int64_t code_of(const Offload& o);
Offload offload_of(std::int64_t code);

// How layers are split over the parts of a pipeline: evenly, as the framework does; with `first`
// and `last` fewer on the first and on the last part than on the others; or as a list says.
struct StageSplit {
  enum class Kind : std::uint8_t { even, ends, listed };
  Kind kind = Kind::even;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::vector<std::int64_t> layers;  // of Kind::listed, by part
};
inline constexpr std::int64_t kMostFewerLayers = 15;

// 0; 1 … 256 for the ends; from 1,024 on the listed ones in their order.
std::int64_t code_of(const StageSplit& split, std::size_t index_of_listed);

// Layers of each of `parts` parts; empty where the split is none of so many.
std::vector<std::int64_t> layers_by(const StageSplit& split, std::int64_t layers,
                                    std::int64_t parts);

// The key of the run file that an axis varies: "tp"; and of the number of layers of "layers".
std::string_view key_of(SearchAxis a);
std::string_view recompute_layers_key();

// An axis whose values are words and not numbers or truths.
bool is_of_words(SearchAxis a);

// The value of a strategy on an axis; of stage_layers 0 where they are even, else 1.
std::int64_t value_of(const Strategy& s, SearchAxis a);

// "8", "interleaved", "true", "layers", "core_attn + mlp"
std::string text_of(SearchAxis a, std::int64_t value);

}  // namespace orrery
