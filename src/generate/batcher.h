// SPDX-License-Identifier: Apache-2.0
//
// Continuous batching on one engine, played as events: answers join as soon as a place and space in
// the cache are free, and leave when they end.
//
// Between two events the batch stays the same and contexts grow evenly, so that the passes between
// them are priced at once, at their mean context: exact where the time of a pass is linear in the
// context. When the cache is full, the answer that was sent last is dropped; it waits until another
// one ends and is read anew with all that it had made (vLLM's recompute preemption). Turns of an
// agent split an answer evenly; between two the answer waits for its tool and keeps its cache.
// Prompts of answers that join are read before the next pass, once for those of a group that join
// together where prefixes are shared. Leaves out: chunked prefill beside passes, priorities, tokens
// that a tool returns, cache evicted while a tool runs, the cache that answers of one prompt share.
// Units: seconds, tokens. Errors: none.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "generate/tool_waits.h"
#include "orrery/quantity.h"

namespace orrery {

// Questions of the batcher to an engine.
struct BatchCosts {
  std::function<Seconds(std::int64_t batch, double context)> pass;
  std::function<Seconds(std::int64_t prompts, std::int64_t tokens)> prefill;
};

// The cache of a sequence where some layers keep its last tokens alone (sliding windows, chunks),
// as an engine has it that frees what left their window:
//
//   kept(n) = n − s·max(0, n − w)
//
// in tokens that all layers keep; s is the share of a token's cache in those layers, w their window
// (vLLM's design page "Hybrid KV Cache Manager": they reserve slots for the last tokens only).
// Leaves out layers of unlike windows, and pages that one kind of layer pads for another.
struct CacheWindow {
  double share = 0;   // 0: all layers keep all
  double tokens = 0;  // of the window
};

constexpr double kept_tokens(const CacheWindow& w, double tokens) {
  return tokens > w.tokens ? tokens - w.share * (tokens - w.tokens) : tokens;
}

struct BatchLimits {
  std::int64_t running = 1;  // answers at once
  double cache_tokens = 0;   // of all running answers together
  double tokens_a_pass = 1;  // of each answer
  CacheWindow window{};      // of layers that keep the last tokens alone
};

struct BatchWork {
  std::int64_t prompt = 0;            // tokens of each
  std::vector<std::int64_t> answers;  // tokens of each, in the order in which they are sent
  std::int64_t sharing = 1;           // neighbours that have one prompt; 1: none is shared
  std::int64_t turns = 1;
  std::vector<ToolWait> waits{};  // as `answers`; one for all; none: nobody waits
};

struct PlayedBatch {
  Seconds all{};
  Seconds prefill{};
  Seconds idle{};  // all answers wait for tools
  double passes = 0;
  double mean_batch = 0;         // over passes
  std::int64_t most = 0;         // answers at once
  std::int64_t dropped = 0;      // preemptions
  std::vector<Seconds> ended{};  // of each answer, the first to end in front
};

PlayedBatch play_batch(const BatchCosts& costs, const BatchLimits& limits, const BatchWork& work);

// n equal answers that never outgrow the cache: waves of at most `running`, each one after the
// other.
Seconds equal_waves(const BatchCosts& costs, const BatchLimits& limits, std::int64_t prompt,
                    std::int64_t answer, std::int64_t n);

}  // namespace orrery
