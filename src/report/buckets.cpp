// SPDX-License-Identifier: Apache-2.0
#include "report/buckets.h"

#include <algorithm>
#include <string>

#include "core/json.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/estimate.h"
#include "estimate/run.h"
#include "report/frame_json.h"

namespace orrery {
namespace {

std::int64_t micro_batch_of(const Run& run, const Bucket& b) {
  return b.micro_batch > 0 ? b.micro_batch : run.strategy.micro_batch;
}

// All ranks draw alike, so that none waits.
Seconds mean_step(const Run& run) {
  Run alike = run;
  alike.training.buckets.draw = BucketDraw::step;
  return estimate(alike).step_time;
}

Answer answer_of(const Run& run, const Bucket& b) {
  Run one = run;
  one.training.buckets = {};
  one.training.sequence = b.tokens;
  one.strategy.micro_batch = micro_batch_of(run, b);
  return estimate(one);
}

double waste(const Run& run, Seconds step) { return std::max(0.0, 1 - mean_step(run) / step); }

}  // namespace

std::optional<Paragraph> buckets_line(const RunReport& r) {
  const Run& run = r.resolved.run;
  const auto all = run.training.buckets.all();
  if (all.empty()) return {};
  const auto [least, most] = std::minmax_element(
      all.begin(), all.end(), [](const Bucket& a, const Bucket& b) { return a.tokens < b.tokens; });
  const std::string sizes = counted(static_cast<std::int64_t>(all.size()), "size") + " of " +
                            grouped(least->tokens) + " to " + counted(most->tokens, "token");
  if (run.training.buckets.draw == BucketDraw::step) {
    return labelled("buckets", sizes + ", the same on all ranks of a step: the step is their mean");
  }
  const Seconds step = r.answer.step_time;
  return labelled("buckets", sizes + ": the slowest of " + counted(run.strategy.dp, "replica") +
                                 " takes " + seconds_text(step) + ", the mean " +
                                 seconds_text(mean_step(run)) + "; " + percent(waste(run, step)) +
                                 " of the step waits for it");
}

Json buckets_json(const RunReport& r) {
  const Run& run = r.resolved.run;
  Json by = Json::array();
  for (const Bucket& b : run.training.buckets.all()) {
    const Answer a = answer_of(run, b);
    by.push_back({{"tokens", b.tokens},
                  {"share", b.share},
                  {"micro_batch", micro_batch_of(run, b)},
                  {"step_time_s", a.step_time.si()},
                  {"peak_gib", gib(a.memory.peak)}});
  }
  return {{"draw", name_of(run.training.buckets.draw)},
          {"mean_step_time_s", mean_step(run).si()},
          {"waits", waste(run, r.answer.step_time)},
          {"by", by}};
}

}  // namespace orrery
