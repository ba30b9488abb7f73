// SPDX-License-Identifier: Apache-2.0
#include "capacity/training_time.h"

#include <cmath>
#include <utility>

#include "estimate/estimate.h"
#include "estimate/run.h"
#include "model/operators.h"

namespace orrery {

double tokens_of(const Goal& goal, const Run& run) {
  if (goal.tokens > 0) return goal.tokens;
  if (goal.flops > 0) {
    const Flops a_sequence = model_flops(run.model, goal.convention, run.training.sequence, 1);
    return goal.flops / a_sequence.si() * static_cast<double>(run.training.sequence);
  }
  if (goal.tokens_per_parameter > 0) {
    const ParameterCount n = parameter_count(run.model, run.training.sequence);
    return goal.tokens_per_parameter * static_cast<double>(n.active);
  }
  return static_cast<double>(run.training.tokens);
}

PieceTime piece_time(const std::string& phase, const Run& run, double tokens) {
  PieceTime p;
  p.phase = phase;
  p.global_batch = run.training.global_batch;
  p.tokens = tokens;
  p.answer = estimate(run);
  const auto a_step = static_cast<double>(run.training.global_batch * run.training.sequence);
  // Less than a billionth of a step is a rounding error.
  p.steps = static_cast<std::int64_t>(std::ceil(tokens / a_step * (1 - 1e-9)));
  p.step = {p.answer.step_time, p.answer.interval_low, p.answer.interval_high};
  const auto n = static_cast<double>(p.steps);
  p.time = {p.step.value * n, p.step.low * n, p.step.high * n};
  return p;
}

void add_piece(TrainingTime& t, const Run& run, PieceTime piece) {
  t.time.value += piece.time.value;
  t.time.low += piece.time.low;
  t.time.high += piece.time.high;
  t.tokens += piece.tokens;
  t.model_flops += run.model_flops * static_cast<double>(piece.steps);
  t.pieces.push_back(std::move(piece));
}

}  // namespace orrery
