// SPDX-License-Identifier: Apache-2.0
#include "rl/played_steps.h"

#include <algorithm>
#include <cmath>

#include "generate/rollout.h"

namespace orrery {
namespace {

constexpr std::int64_t kQuantilesAnAnswer = 16;
constexpr std::int64_t kMostQuantiles = 1 << 20;

// SplitMix64 (G. L. Steele et al., Fast splittable pseudorandom number generators, 2014).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Between 0 and 1, neither of them.
double uniform(std::uint64_t x) {
  constexpr double kOf = 1.0 / (std::uint64_t{1} << 53);
  return (static_cast<double>(x >> 11) + 0.5) * kOf;
}

// The lengths that steps of n answers draw from.
std::vector<std::int64_t> lengths_to_draw(const AnswerLengths& lengths, std::int64_t n) {
  if (!lengths.listed.empty()) return lengths.listed;
  return lengths_of(lengths, std::min(kMostQuantiles, n * kQuantilesAnAnswer));
}

struct Drawn {
  RlPlayedStep step;
  PhaseSeconds phases{};
};

class StepsPlayer {
 public:
  StepsPlayer(const RlRun& rl, const RlStep& step, std::uint64_t seed)
      : rl_(rl),
        step_(step),
        seed_(seed),
        lengths_(lengths_to_draw(rl.work.lengths, rl.work.prompts * rl.work.group)) {}

  PlayedSteps play(std::int64_t n) {
    for (std::int64_t k = 0; k < n; ++k) drawn_.push_back(draw(k));
    const bool apart = rl_.generates && rl_.placement.kind != PlacementKind::colocated;
    out_.groups = apart ? 2 : 1;
    rl_.generates&& rl_.placement.kind == PlacementKind::async ? play_queue() : play_in_turn();
    set_quantiles();
    return std::move(out_);
  }

 private:
  Drawn draw(std::int64_t k) const {
    Drawn d;
    for (const RlPhase p : kAllOf<RlPhase>) d.phases[p] = step_.phases[p].value;
    if (!rl_.generates) return d;
    RolloutWork work = rl_.work;
    const std::int64_t n = work.prompts * work.group;
    work.lengths.listed = drawn_lengths(lengths_, n, seed_, k);
    if (work.tools.differ()) work.waits = drawn_waits(n, k);
    const Rollout played = play_rollout(rl_.generator, work);
    d.phases[RlPhase::generate] = generation_time(rl_, played);
    d.step = {{},
              d.phases[RlPhase::generate],
              rl_.placement.partial ? Seconds() : played.last_fiftieth,
              played.tokens,
              played.longest};
    if (rl_.packs) follow_tokens(played.tokens, d.phases);
    return d;
  }

  // Uniform numbers of their own for the wait and for whether it hangs.
  std::vector<ToolWait> drawn_waits(std::int64_t n, std::int64_t step) const {
    std::vector<ToolWait> out;
    const std::uint64_t base = mixed(~seed_ ^ mixed(static_cast<std::uint64_t>(step)));
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint64_t x = base + 2 * static_cast<std::uint64_t>(i);
      const bool is_hung = uniform(mixed(x + 1)) < rl_.work.tools.hung;
      out.push_back(wait_at(rl_.work.tools, uniform(mixed(x)), is_hung));
    }
    return out;
  }

  // In proportion to prompts and answers over those in the mean.
  void follow_tokens(double tokens, PhaseSeconds& phases) const {
    const auto n = static_cast<double>(rl_.work.prompts * rl_.work.group);
    const double prompts = n * static_cast<double>(rl_.work.prompt_length);
    const double share = (prompts + tokens) / (prompts + n * mean_of(rl_.work.lengths));
    for (const RlPhase p :
         {RlPhase::old_log_probs, RlPhase::reference, RlPhase::values, RlPhase::update}) {
      phases[p] = phases[p] * share;
    }
  }

  static std::size_t group_of(RlPhase p) {
    return p == RlPhase::generate || p == RlPhase::reward ? 0 : 1;
  }

  void add(std::int64_t k, RlPhase p, Seconds begin, Seconds length) {
    if (length == Seconds()) return;
    const std::size_t group = out_.groups == 1 ? 0 : group_of(p);
    out_.spans.push_back({group, p, k, begin, begin + length});
    out_.end = std::max(out_.end, begin + length);
  }

  // In the order in which they happen, from this moment.
  Seconds add_all(std::int64_t k, std::initializer_list<RlPhase> phases, Seconds now) {
    for (const RlPhase p : phases) {
      const Seconds length = drawn_[static_cast<std::size_t>(k)].phases[p];
      add(k, p, now, length);
      now += length;
    }
    return now;
  }

  void play_in_turn() {
    Seconds now{};
    for (std::int64_t k = 0; k < std::ssize(drawn_); ++k) {
      const Seconds begin = now;
      now = add_all(k,
                    {RlPhase::sleep, RlPhase::generate, RlPhase::reward, RlPhase::wake,
                     RlPhase::old_log_probs, RlPhase::reference, RlPhase::values, RlPhase::update,
                     RlPhase::handover},
                    now);
      keep(k, now - begin);
    }
  }

  void keep(std::int64_t k, Seconds time) {
    RlPlayedStep s = drawn_[static_cast<std::size_t>(k)].step;
    s.time = time;
    out_.steps.push_back(s);
  }

  void play_queue() {
    std::vector<QueueTimes> times;
    for (const Drawn& d : drawn_) times.push_back(queue_times(d.phases));
    const auto updates = play_updates(times, rl_.placement.staleness);
    Seconds before{};
    for (std::int64_t k = 0; k < std::ssize(updates); ++k) {
      const PlayedUpdate& u = updates[static_cast<std::size_t>(k)];
      add_all(k, {RlPhase::generate, RlPhase::reward}, u.begin);
      add_all(k,
              {RlPhase::old_log_probs, RlPhase::reference, RlPhase::values, RlPhase::update,
               RlPhase::handover},
              u.learn);
      keep(k, u.updated - before);
      before = u.updated;
    }
  }

  void set_quantiles() {
    std::vector<Seconds> times;
    const bool skips = rl_.placement.kind == PlacementKind::async && out_.steps.size() > 1;
    for (std::size_t i = skips ? 1 : 0; i < out_.steps.size(); ++i) {
      times.push_back(out_.steps[i].time);
    }
    if (times.empty()) return;
    StepSpread& o = out_.spread;
    o.steps = std::ssize(times);
    for (const Seconds t : times) o.mean += t / static_cast<double>(o.steps);
    o.p10 = quantile(times, 0.1);
    o.p50 = quantile(times, 0.5);
    o.p90 = quantile(times, 0.9);
    o.p99 = quantile(times, 0.99);
    o.longest = quantile(times, 1);
  }

  const RlRun& rl_;
  const RlStep& step_;
  std::uint64_t seed_;
  std::vector<std::int64_t> lengths_;
  std::vector<Drawn> drawn_;
  PlayedSteps out_;
};

}  // namespace

std::vector<std::int64_t> drawn_lengths(const std::vector<std::int64_t>& lengths, std::int64_t n,
                                        std::uint64_t seed, std::int64_t step) {
  std::vector<std::int64_t> out;
  const std::uint64_t base = mixed(seed ^ mixed(static_cast<std::uint64_t>(step)));
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t x = mixed(base + static_cast<std::uint64_t>(i));
    out.push_back(lengths[static_cast<std::size_t>(x % lengths.size())]);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Seconds quantile(std::vector<Seconds> values, double share) {
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(std::floor(at));
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (values[high] - values[low]) * (at - std::floor(at));
}

std::int64_t steps_worth_playing(const RlRun& rl) {
  constexpr std::int64_t kAnswers = 1 << 16;
  constexpr std::int64_t kFewest = 16;
  constexpr std::int64_t kMost = 128;
  const std::int64_t answers = std::max<std::int64_t>(1, rl.work.prompts * rl.work.group);
  return std::clamp(kAnswers / answers, kFewest, kMost);
}

PlayedSteps play_steps(const ResolvedRun& learner, const RlStep& step, std::int64_t steps,
                       std::uint64_t seed) {
  return StepsPlayer(*learner.rl, step, seed).play(steps);
}

}  // namespace orrery
