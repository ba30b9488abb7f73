// SPDX-License-Identifier: Apache-2.0
//
// The rollout of one step: prompts × group answers over engines, played as events.
//
// Groups are dealt to engines in turn, whole where there are as many groups as engines, so that
// prefixes can be shared. Each engine plays its share (batcher.h); the step waits for the slowest.
// Leaves out: requests that move between engines, routing by load. Units: seconds, tokens.
// Errors: none; the cache must hold one answer (`fits`).
#pragma once

#include "generate/batcher.h"
#include "generate/decode.h"
#include "generate/lengths.h"
#include "generate/pool.h"

namespace orrery {

struct RolloutWork {
  std::int64_t prompts = 1;
  std::int64_t group = 1;
  std::int64_t prompt_length = 1;
  AnswerLengths lengths;
  std::int64_t turns = 1;
  ToolWaits tools;
  std::vector<ToolWait> waits;  // of each answer, as dealt; in place of those that follow
  std::int64_t engines = 1;
  std::int64_t running = 256;  // of an engine, at most
  double share = 0.9;          // of the device's memory
  bool shared_prefixes = true;
};

struct Rollout {
  bool fits = false;  // the cache holds the longest answer
  EnginePool pool;
  PlayedBatch slowest;  // of the engine that ends last, without `ended`
  std::int64_t answers = 0;
  double tokens = 0;  // of all answers
  std::int64_t longest = 0;
  Seconds mean_of_engines{};
  Seconds last_tenth{};     // of the step: since nine of ten answers of all engines were there
  Seconds last_fiftieth{};  // since 98 of 100 were; of fewer than 50, the last one alone
  Seconds steady{};         // the same tokens, where new answers follow those that end
};

// From when this share of the answers is there, one at least, to the end; `ended` in any order.
Seconds time_of_last(double share, std::vector<Seconds> ended);

Rollout play_rollout(const Generator& g, const RolloutWork& work);

}  // namespace orrery
