// SPDX-License-Identifier: Apache-2.0
//
// The terms in which rules are written: what divides what, the pieces of a sequence, the layers of
// a chunk, what is recomputed and offloaded.
//
// All are constexpr and inlined into the search's inner loop. Units: counts. Errors: none; a
// divisor is at least 1, which the first rule holds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "parallel/rules_facts.h"
#include "parallel/schedules/table.h"
#include "parallel/stages.h"
#include "parallel/strategy_json.h"

namespace orrery::legality {

using C = RuleCase;

// Division of 64 bits is slow on many machines, and these numbers are small.
constexpr bool divides(std::int64_t divisor, std::int64_t n) {
  const auto d = static_cast<std::uint64_t>(divisor);
  const auto x = static_cast<std::uint64_t>(n);
  if (((d | x) >> 32) != 0) return x % d == 0;
  return static_cast<std::uint32_t>(x) % static_cast<std::uint32_t>(d) == 0;
}

// a·b·c·d = n without overflow: beyond 2^53 the product is rounded, but then it is not n.
constexpr bool is_product(std::int64_t n, std::int64_t a, std::int64_t b, std::int64_t c,
                          std::int64_t d = 1) {
  const auto real = [](std::int64_t x) { return static_cast<double>(x); };
  return real(a) * real(b) * real(c) * real(d) == real(n);
}

// Ring and all-gather attention give every rank an early and a late piece, to balance causal work.
constexpr std::int64_t sequence_pieces(const Strategy& s) {
  if (s.cp == 1) return 1;
  return s.cp_type == ContextType::a2a ? s.cp : 2 * s.cp;
}

// No mask asks for balanced pieces where a model is no text decoder, and its trainers pad the
// tokens of a sample to what the ranks divide (AI-Hypercomputer/maxdiffusion, README).
constexpr bool pads_tokens(const C& c) { return c.a.trunk.kinds > 0; }

constexpr bool all_to_all(const Strategy& s) { return s.cp > 1 && s.cp_type == ContextType::a2a; }

constexpr bool recomputes(const Strategy& s, ModuleMask modules) {
  return (recomputed_modules(s) & modules) != 0;
}

// Micro batches that one run of the schedule takes.
constexpr std::int64_t of_one_run(const C& c) { return c.s.micro_batches / c.s.schedule_runs; }

constexpr bool stage_layers_fit(const C& c) {
  std::int64_t sum = 0;
  for (std::int64_t j = 0; j < c.s.pp * c.s.vpp; ++j) {
    const std::int64_t layers = c.s.stage_layers[static_cast<std::size_t>(j)];
    if (layers < 0) return false;
    sum += layers;
  }
  return sum == c.a.layers;
}

// Each range holds a layer of its kind and none that the model lacks, and sets something.
constexpr bool ranges_fit(const C& c) {
  for (std::uint8_t i = 0; i < c.s.layers.count; ++i) {
    const LayerRule& rule = c.s.layers.rules[i];
    if (!rule.recompute && !rule.zero) return false;
    if (rule.end != kLastLayer && rule.end > c.a.layers) return false;
    if (is_end(rule)) {
      if (rule.recompute) return false;
      continue;
    }
    bool holds = false;
    for (std::int64_t layer = rule.first; layer < c.a.layers && !holds; ++layer) {
      holds = layer < rule.end && is_of_kind(rule, has_experts(c.a, layer));
    }
    if (!holds) return false;
  }
  return true;
}

// Ranges with a ZeRO of their own have one stage of it, beside a run without other partitions.
inline bool ranges_shard(const C& c) {
  const std::optional<std::int64_t> other = other_zero(c.s.layers, c.s.zero);
  if (!other) return true;
  for (std::uint8_t i = 0; i < c.s.layers.count; ++i) {
    const std::optional<std::int8_t> zero = c.s.layers.rules[i].zero;
    if (zero && *zero != c.s.zero && *zero != *other) return false;
  }
  const bool is_plain = c.s.partition == partition_of(c.s.zero, dense_replicas(c.s)) &&
                        c.s.zeropp == ZeroPlusPlus{} && c.s.sites == 1;
  return is_plain && c.s.offload.optimizer == OffloadTarget::none &&
         c.s.offload.parameters == OffloadTarget::none &&
         copies_of_model(schedule_of(c.s.schedule).layout) == 1;
}

inline ChunksTaken chunks_taken(const C& c) { return schedule_of(c.s.schedule).chunks; }

}  // namespace orrery::legality
