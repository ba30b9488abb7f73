// SPDX-License-Identifier: Apache-2.0
#include "insight/rl_report.h"

#include <algorithm>

#include "document/words.h"
#include "estimate/rl_keys.h"

namespace orrery {
namespace {

constexpr double kWorthSaying = 0.1;  // of the step

const char* phase_words(RlPhase p) {
  switch (p) {
    case RlPhase::generate:
      return "generating answers";
    case RlPhase::reward:
      return "scoring them";
    case RlPhase::old_log_probs:
      return "log-probabilities of the policy";
    case RlPhase::reference:
      return "log-probabilities of the reference";
    case RlPhase::values:
      return "values of the critic";
    case RlPhase::update:
      return "learning";
    case RlPhase::handover:
      return "handing weights over";
    case RlPhase::sleep:
    case RlPhase::wake:
      return "yielding the device";
  }
  return "";
}

// On GPUs of their own the longer of the two sets the step.
std::string longer_side(const RlStep& s) {
  const bool learner = s.queue.generator_waits > s.queue.learner_waits;
  return std::string("the step is as long as the ") + (learner ? "learner" : "generator") +
         " takes, with the hand-over";
}

std::string longest_phase(const RlRun& rl, const RlStep& s) {
  if (rl.generates && rl.placement.kind == PlacementKind::async) return longer_side(s);
  RlPhase most = RlPhase::generate;
  for (const RlPhase p : kAllOf<RlPhase>) {
    if (s.phases[p].value > s.phases[most].value) most = p;
  }
  return std::string("the longest phase is ") + phase_words(most) + ", " +
         percent(s.phases[most].value / s.step.value, 0) + " of the step";
}

// "a cap of 3,100 (-12 %), 24 instead of 16 GPUs that generate (-9 %)"
std::string shorter_tails(const RlReport& r) {
  constexpr std::size_t kMost = 3;
  std::string text;
  std::size_t n = 0;
  for (const RlAlternative& a : r.faster) {
    if (!a.shortens_tail || !r.step.fits || n++ == kMost) continue;
    text += (text.empty() ? "" : ", ") + a.words + " (" +
            signed_percent(a.step / r.step.step.value - 1) + ")";
  }
  return text;
}

void add_tail(const RlReport& r, std::vector<std::string>& out) {
  const RlRun& rl = *r.learner.resolved.rl;
  const RlStep& s = r.step;
  const bool hidden =
      s.queue.generator_waits > Seconds() && rl.placement.kind == PlacementKind::async;
  if (!rl.generates || rl.placement.partial || hidden) return;
  // Where more than 2 % stop at the cap together, the tail is the last tenth.
  constexpr double kTogether = 0.01;
  double held = s.rollout.last_fiftieth / s.step.value;
  const bool is_tenth = held < kTogether;
  if (is_tenth) held = s.rollout.last_tenth / s.step.value;
  if (held < kWorthSaying) return;
  const std::string shorter = shorter_tails(r);
  out.push_back(std::string("the longest ") + (is_tenth ? "10 %" : "2 %") +
                " of the answers hold the step for " + percent(held, 0) +
                (shorter.empty() ? ": no cap, split or engine that was tried shortens it by 3 %"
                                 : ": " + shorter));
}

void add_pool(const RlRun& rl, const RlStep& s, std::vector<std::string>& out) {
  const PlayedBatch& b = s.rollout.slowest;
  if (!rl.generates || b.dropped == 0) return;
  out.push_back("the cache of an engine was full " + grouped(b.dropped) +
                " times and answers were read anew: more " +
                key_path<&RolloutRequest::memory_share> + ", fewer " +
                key_path<&RolloutRequest::max_running> + " or more GPUs an engine");
}

void add_waits(const RlRun& rl, const RlStep& s, std::vector<std::string>& out) {
  if (rl.placement.kind != PlacementKind::async) return;
  const double learner = s.queue.learner_waits / s.step.value;
  const double generator = s.queue.generator_waits / s.step.value;
  if (learner > kWorthSaying) {
    out.push_back("the learner waits for answers " + percent(learner, 0) +
                  " of a step: give the generator more GPUs");
  }
  if (generator > kWorthSaying) {
    out.push_back("the generator waits for weights " + percent(generator, 0) +
                  " of a step: give the learner more GPUs");
  }
}

}  // namespace

const RlAlternative* first_of_same_learning(const RlReport& r) {
  const auto found = std::find_if(r.faster.begin(), r.faster.end(), [](const RlAlternative& a) {
    return a.kind != RlChangeKind::answers;
  });
  return found == r.faster.end() ? nullptr : &*found;
}

RlReport rl_report_on(ResolvedRun resolved) {
  RlReport r{report_on(std::move(resolved)), {}, {}, {}};
  r.step = rl_step(r.learner.resolved);
  return r;
}

std::vector<std::string> rl_advice(const RlReport& r) {
  const RlRun& rl = *r.learner.resolved.rl;
  std::vector<std::string> out = {longest_phase(rl, r.step)};
  add_tail(r, out);
  add_pool(rl, r.step, out);
  add_waits(rl, r.step, out);
  return out;
}

}  // namespace orrery
