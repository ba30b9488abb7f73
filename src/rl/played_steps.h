// SPDX-License-Identifier: Apache-2.0
//
// Steps of reinforcement learning played one after the other, each with answers of its own: who
// does what when, and how far steps differ by their longest answers.
//
// The lengths of a step are drawn from those of the run (its distribution by quantiles, sixteen
// times as many as answers; or its list), and so are the waits for an agent's tools, with calls
// that hang (generate/tool_waits.h); a seed and the step's number decide them, so that the same
// input gives the same steps. The generator is played anew (generate/rollout.h); the learner's
// phases follow the tokens of the step where answers are packed, and stay as they are where each is
// padded. Colocated and split, the phases follow each other; async, generator and learner are a
// queue (queue.h). Leaves out: everything else that differs between steps (rewards, growth of the
// answers over a training), so that measured spreads are wider. Units: seconds. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "rl/step.h"

namespace orrery {

// A phase of one step on one group of GPUs: 0 generates (colocated: all GPUs), 1 learns.
struct RlSpan {
  std::size_t group = 0;
  RlPhase phase = RlPhase::generate;
  std::int64_t step = 0;
  Seconds begin{};
  Seconds end{};
};

struct RlPlayedStep {
  Seconds time{};  // from the update before to this one
  Seconds generate{};
  Seconds last_fiftieth{};  // of it: since 98 of 100 answers were there
  double tokens = 0;        // of its answers
  std::int64_t longest = 0;
};

// How far steps differ: quantiles of their time.
struct StepSpread {
  std::int64_t steps = 0;
  Seconds mean{};
  Seconds p10{}, p50{}, p90{}, p99{};
  Seconds longest{};
};

struct PlayedSteps {
  std::vector<RlPlayedStep> steps;
  std::vector<RlSpan> spans;  // by step, then by begin
  std::size_t groups = 1;
  Seconds end{};
  StepSpread spread;  // without the first of a queue, with which nothing overlaps
};

// Enough steps to see a tail, of so few answers in all that they are played in a second.
std::int64_t steps_worth_playing(const RlRun& rl);

PlayedSteps play_steps(const ResolvedRun& learner, const RlStep& step, std::int64_t steps,
                       std::uint64_t seed);

// n of these lengths, as one step draws them, shortest first.
std::vector<std::int64_t> drawn_lengths(const std::vector<std::int64_t>& lengths, std::int64_t n,
                                        std::uint64_t seed, std::int64_t step);

// The value below which a share of them lies, between neighbours in proportion; n > 0.
Seconds quantile(std::vector<Seconds> values, double share);

}  // namespace orrery
