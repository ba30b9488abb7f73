// SPDX-License-Identifier: Apache-2.0
//
// The phases of a step of reinforcement learning, as a trainer's log prints them: medians over its
// steps, without the first, which warms up.
//
// - verl: a line a step, "step:3 - timing_s/gen:61.2 - …" (also np.float64(61.2));
// - NeMo RL: "Total step time: 97.7s" and below it "generation: 55.2s (56.5%)", in any order;
// - TRL: a dictionary a step, 'completions/mean_length', 'step_time'.
// Names stand in rl_log.cpp, a row each. A name that covers two phases (NeMo RL's log-probabilities
// of policy and reference) is a sum. Leaves out: waiting of asynchronous runs, validation,
// checkpoints. Units: seconds, tokens. Errors: none; a text without such lines has no steps.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rl/phase_times.h"

namespace orrery {

// A time that a log prints, and the phases that it covers.
struct LoggedPhase {
  std::string name;             // "timing_s/gen"
  std::vector<RlPhase> covers;  // none: the whole step
  Seconds median{};
};

struct RlLog {
  std::string form;  // "verl", "NeMo RL", "TRL"; "" where there is none
  std::size_t steps = 0;
  std::vector<LoggedPhase> phases;
  std::optional<double> answer;  // mean tokens
  std::optional<double> prompt;
  std::optional<double> at_cap;  // share of the answers

  const LoggedPhase* step() const;
};

RlLog read_rl_log(std::string_view text);

}  // namespace orrery
