// SPDX-License-Identifier: Apache-2.0
//
// Phases of a step of reinforcement learning from a trainer's lines: medians without the first
// step.
#include "exchange/logs/rl_log.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace orrery;

namespace {

const LoggedPhase* phase_of(const RlLog& log, const std::string& name) {
  const auto at = std::find_if(log.phases.begin(), log.phases.end(),
                               [&](const LoggedPhase& p) { return p.name == name; });
  return at == log.phases.end() ? nullptr : &*at;
}

}  // namespace

TEST_CASE("verl prints a line a step, also through ray and numpy") {
  const RlLog log = read_rl_log(
      "(TaskRunner pid=7) step:1 - timing_s/gen:90.0 - timing_s/step:130.0\n"
      "(TaskRunner pid=7) step:2 - timing_s/agent_loop/generate_sequences/max:80.0 - "
      "timing_s/gen:np.float64(60.5) - timing_s/step:100.0 - response_length/mean:812.0\n"
      "something else\n"
      "(TaskRunner pid=7) step:3 - timing_s/gen:62.5 - timing_s/step:104.0 - "
      "response_length/mean:820.0\n");
  CHECK(log.form == "verl");
  CHECK(log.steps == 3);
  REQUIRE(log.step() != nullptr);
  CHECK(log.step()->median.si() == doctest::Approx(102));
  const LoggedPhase* gen = phase_of(log, "timing_s/gen");
  REQUIRE(gen != nullptr);
  CHECK(gen->median.si() == doctest::Approx(61.5));
  CHECK(gen->covers == std::vector<RlPhase>{RlPhase::generate});
  CHECK(*log.answer == doctest::Approx(816));
}

TEST_CASE("A time without an end is none") {
  const RlLog log = read_rl_log(
      "step:1 - timing_s/gen:inf - timing_s/step:1e999 - timing_s/reward:2 - timing_s/ref:3\n");
  CHECK(log.phases.size() == 2);
  CHECK(log.step() == nullptr);
}

TEST_CASE("NeMo RL's log-probabilities are of policy and reference together") {
  const RlLog log = read_rl_log(
      "Timing:\n  • Total step time: 97.70s\n  • generation: 55.20s (56.5%)\n"
      "  • policy_training: 20.10s (20.6%)\n  • policy_and_reference_logprobs: 12.00s (12.3%)\n");
  CHECK(log.form == "NeMo RL");
  const LoggedPhase* scored = phase_of(log, "policy_and_reference_logprobs");
  REQUIRE(scored != nullptr);
  CHECK(scored->covers == std::vector<RlPhase>{RlPhase::old_log_probs, RlPhase::reference});
  CHECK(log.step()->median.si() == doctest::Approx(97.7));
}

TEST_CASE("TRL prints lengths and the time of a step") {
  const RlLog log = read_rl_log(
      "{'loss': 0.1, 'completions/mean_length': 134.9, 'completions/clipped_ratio': '0.08', "
      "'step_time': 4.68}\n");
  CHECK(log.form == "TRL");
  CHECK(*log.answer == doctest::Approx(134.9));
  CHECK(*log.at_cap == doctest::Approx(0.08));
  CHECK(log.step()->median.si() == doctest::Approx(4.68));
}

TEST_CASE("a training log is none of reinforcement learning") {
  CHECK(read_rl_log("iteration 3/ 10 | elapsed time per iteration (ms): 812.3 |\n").form.empty());
  CHECK(read_rl_log("").form.empty());
  CHECK(read_rl_log("generation: soon\n").form.empty());
}
