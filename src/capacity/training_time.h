// SPDX-License-Identifier: Apache-2.0
//
// From tokens, or a budget of FLOPs, to steps and seconds: phases one after another, each with its
// own run and, while the batch grows, its own step.
//
// Step times err together, as one stack does: lows add to a low, highs to a high. Leaves out what
// lies between phases (loading, evaluation) and what stops a run (capacity/goodput.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capacity/ranged.h"
#include "estimate/answer.h"
#include "estimate/resolve.h"

namespace orrery {

// What is to be trained; one of them. None: the run file's training.tokens.
struct Goal {
  double tokens = 0;
  double flops = 0;                                     // by `convention`
  FlopsConvention convention = FlopsConvention::six_n;  // as budgets are published
  double tokens_per_parameter = 0;  // 20 is compute-optimal (Chinchilla, arXiv:2203.15556)
};

// The first tokens of a phase, at a smaller batch.
struct RampStep {
  std::int64_t global_batch = 0;
  double tokens = 0;
};

struct PieceTime {
  std::string phase;
  std::int64_t global_batch = 0;
  std::int64_t steps = 0;
  double tokens = 0;
  Ranged<Seconds> step;
  Ranged<Seconds> time;
  Answer answer;
};

struct TrainingTime {
  std::vector<PieceTime> pieces;
  Ranged<Seconds> time;
  double tokens = 0;
  Flops model_flops{};
};

// Tokens that a goal asks of a run; 0 where neither says.
double tokens_of(const Goal& goal, const Run& run);

// `steps` that train `tokens`, the last one whole.
PieceTime piece_time(const std::string& phase, const Run& run, double tokens);

void add_piece(TrainingTime& t, const Run& run, PieceTime piece);

}  // namespace orrery
