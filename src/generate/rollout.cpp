// SPDX-License-Identifier: Apache-2.0
#include "generate/rollout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/divide.h"
#include "generate/counts.h"
#include "generate/prefill.h"

namespace orrery {
namespace {

// Answers of one engine, and what each waits for its tools.
struct Share {
  std::vector<std::int64_t> answers;
  std::vector<ToolWait> waits;
};

// Answers of each engine. Groups stay together where every engine has one.
std::vector<Share> dealt_to_engines(const RolloutWork& w) {
  const std::vector<std::int64_t> all = dealt(lengths_of(w.lengths, w.prompts * w.group));
  const std::vector<ToolWait> waits =
      w.waits.empty() ? waits_of(w.tools, w.prompts * w.group) : w.waits;
  const std::int64_t together = w.prompts >= w.engines ? w.group : 1;
  std::vector<Share> out(static_cast<std::size_t>(w.engines));
  for (std::int64_t i = 0; i < std::ssize(all); ++i) {
    const auto at = static_cast<std::size_t>(i);
    Share& share = out[static_cast<std::size_t>(i / together % w.engines)];
    share.answers.push_back(all[at]);
    if (waits.size() > 1) share.waits.push_back(waits[at]);
  }
  if (waits.size() == 1) {
    for (Share& share : out) share.waits = waits;
  }
  return out;
}

// Times of reading prompts, each priced once; lengths of answers that are read anew are rounded up.
class PrefillTable {
 public:
  explicit PrefillTable(const Generator& g) : g_(g) {}

  // An eighth of the length or less.
  static std::int64_t page_of(std::int64_t tokens) {
    std::int64_t page = 64;
    while (page * 16 < tokens) page *= 2;
    return page;
  }

  Seconds time(std::int64_t prompts, std::int64_t tokens) {
    const std::int64_t length = rounded_up(std::max<std::int64_t>(1, tokens), page_of(tokens));
    const auto [at, is_new] = known_.try_emplace({prompts, length}, Seconds());
    if (is_new) at->second = prefill_time(g_, prompts, length);
    return at->second * (as_number(tokens) / as_number(length));
  }

 private:
  const Generator& g_;
  std::map<std::pair<std::int64_t, std::int64_t>, Seconds> known_;
};

// Every place is taken again when an answer ends: the rate at the mean context.
Seconds steady_time(const BatchCosts& costs, const BatchLimits& limits, const RolloutWork& w,
                    double tokens, std::int64_t answers) {
  if (answers == 0) return {};
  const double mean = tokens / as_number(answers);
  const double context = as_number(w.prompt_length) + mean / 2;
  const double space = std::max(1.0, limits.cache_tokens / kept_tokens(limits.window, context));
  const auto batch =
      static_cast<std::int64_t>(std::min({as_number(limits.running), space, as_number(answers)}));
  const Seconds reading = costs.prefill(answers, w.prompt_length) / as_number(w.group);
  return costs.pass(batch, context) * (tokens / limits.tokens_a_pass / as_number(batch)) + reading;
}

}  // namespace

Seconds time_of_last(double share, std::vector<Seconds> ended) {
  if (ended.empty()) return {};
  const auto before = std::max(1.0, std::floor((1 - share) * as_number(std::ssize(ended)) + 1e-9));
  const auto at = std::min(static_cast<std::size_t>(before), ended.size()) - 1;
  const Seconds last = *std::max_element(ended.begin(), ended.end());
  std::nth_element(ended.begin(), ended.begin() + static_cast<std::ptrdiff_t>(at), ended.end());
  return last - ended[at];
}

Rollout play_rollout(const Generator& g, const RolloutWork& w) {
  Rollout r;
  r.longest = longest_of(w.lengths, w.prompts * w.group);
  const SequenceSpan span{as_number(w.prompt_length) + mean_of(w.lengths),
                          as_number(w.prompt_length + r.longest)};
  r.pool = pool_of(g, w.share, w.running, span);
  r.answers = w.prompts * w.group;
  const CacheWindow window = window_of(g);
  r.fits = r.pool.tokens >= kept_tokens(window, as_number(w.prompt_length + r.longest));
  if (!r.fits) return r;
  EnginePasses table(g);
  PrefillTable prefill(g);
  const BatchCosts costs{
      [&](std::int64_t batch, double context) { return table.time(batch, context); },
      [&](std::int64_t prompts, std::int64_t tokens) { return prefill.time(prompts, tokens); }};
  const BatchLimits limits{r.pool.running, r.pool.tokens, g.tokens_a_pass, window};
  const std::int64_t sharing = w.shared_prefixes && w.prompts >= w.engines ? w.group : 1;
  std::vector<Seconds> ended;
  for (const auto& [answers, waits] : dealt_to_engines(w)) {
    const PlayedBatch b =
        play_batch(costs, limits, {w.prompt_length, answers, sharing, w.turns, waits});
    const double tokens = std::accumulate(answers.begin(), answers.end(), 0.0);
    r.tokens += tokens;
    r.mean_of_engines += b.all / as_number(w.engines);
    r.steady = std::max(r.steady, steady_time(costs, limits, w, tokens, std::ssize(answers)));
    ended.insert(ended.end(), b.ended.begin(), b.ended.end());
    if (b.all > r.slowest.all) r.slowest = b;
  }
  r.slowest.ended.clear();
  r.last_tenth = time_of_last(0.1, ended);
  r.last_fiftieth = time_of_last(0.02, std::move(ended));
  return r;
}

}  // namespace orrery
