// SPDX-License-Identifier: Apache-2.0
#include "generate/batcher.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <queue>
#include <utility>

#include "core/divide.h"
#include "generate/counts.h"

namespace orrery {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Sequence {
  double passes_left = 0;  // of the whole answer
  double held = 0;         // tokens in the cache while it runs or waits for a tool
  std::int64_t turns_left = 1;
  std::int64_t group = 0;
};

struct Running {
  double until = 0;  // the pass after which its turn ends
  std::size_t answer = 0;
};

bool ends_later(const Running& a, const Running& b) { return a.until > b.until; }

class Player {
 public:
  Player(const BatchCosts& costs, const BatchLimits& limits, const BatchWork& work)
      : costs_(costs), limits_(limits), work_(work) {
    for (std::size_t i = 0; i < work.answers.size(); ++i) {
      const double passes =
          std::max(1.0, std::ceil(as_number(work.answers[i]) / limits.tokens_a_pass));
      const auto group = static_cast<std::int64_t>(i) / std::max<std::int64_t>(1, work.sharing);
      answers_.push_back({passes, 0, std::max<std::int64_t>(1, work.turns), group});
      waiting_.push_back(i);
    }
  }

  PlayedBatch play() {
    join();
    while (!running_.empty() || !at_tools_.empty()) {
      running_.empty() ? wait_for_tool() : go_on();
      join();
    }
    out_.all = now_;
    out_.mean_batch = out_.passes > 0 ? token_passes_ / out_.passes : 0;
    return std::move(out_);
  }

 private:
  struct AtTool {
    Seconds until;
    std::size_t answer;
  };

  std::int64_t batch() const { return std::ssize(running_); }
  bool is_alone() const { return running_.empty() && at_tools_.empty(); }
  std::int64_t in_flight() const { return batch() + std::ssize(at_tools_); }

  // Prompt and what a dropped answer had made.
  double read_anew(const Sequence& a) const { return as_number(work_.prompt) + a.held; }

  bool has_space(const Sequence& a) const {
    if (is_alone()) return true;
    return in_flight() < limits_.running &&
           occupied() + space_of(read_anew(a)) <= limits_.cache_tokens;
  }

  // Space in the cache, in tokens that all layers keep.
  double space_of(double tokens) const { return kept_tokens(limits_.window, tokens); }

  bool has_window() const { return limits_.window.share > 0; }

  double occupied() const {
    if (!has_window()) return held_;
    double all = 0;
    for (const Running& r : running_) all += space_of(answers_[r.answer].held);
    for (const AtTool& t : at_tools_) all += space_of(answers_[t.answer].held);
    return all;
  }

  // Waiting answers join, in order, as long as there is space.
  void join() {
    std::int64_t prompts = 0;
    double tokens = 0;
    std::int64_t last_group = -1;
    while (!waiting_.empty() && !is_full_ && has_space(answers_[waiting_.front()])) {
      const std::size_t i = waiting_.front();
      waiting_.pop_front();
      Sequence& a = answers_[i];
      const bool is_shared = work_.sharing > 1 && a.group == last_group && a.held == 0;
      if (!is_shared) {
        ++prompts;
        tokens += read_anew(a);
      }
      last_group = a.group;
      a.held += as_number(work_.prompt);
      held_ += a.held;
      start_turn(i);
    }
    if (prompts == 0) return;
    const auto mean = static_cast<std::int64_t>(std::llround(tokens / as_number(prompts)));
    const Seconds t = costs_.prefill(prompts, mean);
    out_.prefill += t;
    now_ += t;
    out_.most = std::max(out_.most, batch());
  }

  void start_turn(std::size_t i) {
    const Sequence& a = answers_[i];
    const double passes = std::ceil(a.passes_left / as_number(a.turns_left));
    running_.push_back({passed_ + passes, i});
    std::push_heap(running_.begin(), running_.end(), ends_later);
  }

  double growth() const { return as_number(batch()) * limits_.tokens_a_pass; }

  // Passes until the cache is full; a lone answer may outgrow it.
  double until_full() const {
    if (in_flight() <= 1) return kNever;
    return std::max(0.0, std::floor((limits_.cache_tokens - occupied()) / space_growth()));
  }

  // The most that one pass adds: what outgrows its window on the way takes less.
  double space_growth() const {
    if (!has_window()) return growth();
    double all = 0;
    for (const Running& r : running_) {
      const double held = answers_[r.answer].held;
      all += space_of(held + limits_.tokens_a_pass) - space_of(held);
    }
    return std::max(all, 1e-9);
  }

  double context_after(double passes) const {
    double of_running = held_;
    for (const AtTool& t : at_tools_) of_running -= answers_[t.answer].held;
    return (of_running + growth() * passes) / as_number(batch());
  }

  Seconds pass_now(double passes) {
    return costs_.pass(batch(), context_after(std::max(0.0, (passes - 1) / 2)));
  }

  double until_tool(Seconds a_pass) const {
    if (at_tools_.empty()) return kNever;
    return std::max(1.0, std::ceil((at_tools_.front().until - now_) / a_pass));
  }

  void go_on() {
    const double to_end = running_.front().until - passed_;
    const double to_full = until_full();
    if (to_full < 1 && to_end > 0) return drop_last();
    double n = std::min(to_end, to_full);
    n = std::min(n, until_tool(pass_now(1)));
    const Seconds a_pass = pass_now(n);
    now_ += a_pass * n;
    passed_ += n;
    out_.passes += n;
    token_passes_ += n * as_number(batch());
    const double grown = n * limits_.tokens_a_pass;
    held_ += growth() * n;
    for (const Running& r : running_) {
      answers_[r.answer].held += grown;
      answers_[r.answer].passes_left -= n;
    }
    end_turns();
    return_from_tools();
  }

  void end_turns() {
    while (!running_.empty() && running_.front().until <= passed_) {
      std::pop_heap(running_.begin(), running_.end(), ends_later);
      const std::size_t i = running_.back().answer;
      running_.pop_back();
      Sequence& a = answers_[i];
      if (--a.turns_left > 0 && a.passes_left > 0) {
        go_to_tool(i);
        continue;
      }
      held_ -= a.held;
      is_full_ = false;
      out_.ended.push_back(now_);
    }
  }

  // Sorted by the end: at the back where all wait equally long.
  void go_to_tool(std::size_t i) {
    const AtTool t{now_ + wait_of(i), i};
    const auto after =
        std::upper_bound(at_tools_.begin(), at_tools_.end(), t,
                         [](const AtTool& a, const AtTool& b) { return a.until < b.until; });
    at_tools_.insert(after, t);
  }

  Seconds wait_of(std::size_t i) const {
    if (work_.waits.empty()) return {};
    const ToolWait& w = work_.waits.size() == 1 ? work_.waits.front() : work_.waits[i];
    const bool is_first = answers_[i].turns_left == work_.turns - 1;
    return is_first ? w.each + w.once : w.each;
  }

  void return_from_tools() {
    while (!at_tools_.empty() && at_tools_.front().until <= now_) {
      const std::size_t i = at_tools_.front().answer;
      at_tools_.pop_front();
      start_turn(i);
    }
  }

  void wait_for_tool() {
    out_.idle += at_tools_.front().until - now_;
    now_ = at_tools_.front().until;
    return_from_tools();
  }

  // The answer that was sent last goes back to the front of the queue, until another one ends.
  void drop_last() {
    is_full_ = true;
    const auto last =
        std::max_element(running_.begin(), running_.end(),
                         [](const Running& a, const Running& b) { return a.answer < b.answer; });
    const std::size_t i = last->answer;
    running_.erase(last);
    std::make_heap(running_.begin(), running_.end(), ends_later);
    Sequence& a = answers_[i];
    held_ -= a.held;
    a.held -= as_number(work_.prompt);  // read again with the prompt
    waiting_.push_front(i);
    ++out_.dropped;
  }

  const BatchCosts& costs_;
  const BatchLimits& limits_;
  const BatchWork& work_;
  std::vector<Sequence> answers_;
  std::deque<std::size_t> waiting_;
  std::vector<Running> running_;  // a heap, the first to end in front
  std::deque<AtTool> at_tools_;
  Seconds now_{};
  double passed_ = 0;
  double held_ = 0;
  double token_passes_ = 0;
  bool is_full_ = false;  // an answer was dropped, and none has ended since
  PlayedBatch out_;
};

}  // namespace

PlayedBatch play_batch(const BatchCosts& costs, const BatchLimits& limits, const BatchWork& work) {
  return Player(costs, limits, work).play();
}

Seconds equal_waves(const BatchCosts& costs, const BatchLimits& limits, std::int64_t prompt,
                    std::int64_t answer, std::int64_t n) {
  const double space =
      std::floor(limits.cache_tokens / kept_tokens(limits.window, as_number(prompt + answer)));
  const auto in_wave = std::max<std::int64_t>(
      1, std::min(limits.running, static_cast<std::int64_t>(std::min(space, 1e12))));
  const double passes = std::ceil(as_number(answer) / limits.tokens_a_pass);
  const double context = as_number(prompt) + limits.tokens_a_pass * (passes - 1) / 2;
  const auto wave = [&](std::int64_t batch) {
    return costs.prefill(batch, prompt) + costs.pass(batch, context) * passes;
  };
  const std::int64_t rest = n % in_wave;
  const Seconds whole = wave(in_wave) * as_number(n / in_wave);
  return rest > 0 ? whole + wave(rest) : whole;
}

}  // namespace orrery
