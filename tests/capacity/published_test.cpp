// SPDX-License-Identifier: Apache-2.0
// Trainings that happened, beside what the tool says of them.
#include <doctest/doctest.h>

#include "capacity/shipped_plans.h"
#include "support/about.h"

namespace orrery {
namespace {

using testing::answered;
using testing::AnsweredPlan;
using testing::text_of_file;

const AnsweredPlan& published() {
  static const std::unique_ptr<AnsweredPlan> kPlan =
      answered(*text_of_file(std::string(ORRERY_CONFIG_DIR) + "/capacity/published-runs.json"));
  return *kPlan;
}

const OptionAnswer& option(std::string_view begin) {
  for (const OptionAnswer& o : published().answer.options) {
    if (o.scenario.rfind(begin, 0) == 0) return o;
  }
  throw std::logic_error("no option " + std::string(begin));
}

double days(Seconds t) { return t / kDay; }

bool holds(const Ranged<Seconds>& r, double value) {
  return days(r.low) <= value && value <= days(r.high);
}

TEST_CASE("GPT-3 on 1,024 A100 takes the published 34 days") {
  // Narayanan et al., arXiv:2104.04473, section 5: 300 B tokens, 140 TFLOP/s a GPU, 34 days.
  CHECK(holds(option("GPT-3").training.time, 34));
}

TEST_CASE("one trillion parameters on 3,072 A100 take the published 84 days") {
  // The same: 450 B tokens, 163 TFLOP/s a GPU.
  CHECK(holds(option("1T").training.time, 84));
}

TEST_CASE("BLOOM's steps take the published 104 of 109 days") {
  // bigscience-workshop/bigscience@9e64ede: 85,376 steps of 105.2 s; 2022-03-11 to 06-28.
  const OptionAnswer& o = option("BLOOM");
  CHECK(holds(o.training.time, 104));
  CHECK(holds(o.range.wall, 109));
  // A failure every 168 h: about 15 in 104 days, and 95 % of the time trained.
  CHECK(o.outcome.failures == testing::about(o.outcome.wall.si() / (168 * 3600)).epsilon(0.02));
  CHECK(o.outcome.effective > 0.95);
}

TEST_CASE("Llama 3 405B trains more than 90 % of the time and fails as often as it did") {
  // arXiv:2407.21783, section 3.3.4. The rate is fitted on the 419 failures in 54 days, which the
  // run then has by construction; recovery times are MegaScale's.
  const OptionAnswer& o = option("Llama 3");
  const double of_54_days = o.outcome.failures * 54 / days(o.outcome.wall);
  CHECK(of_54_days == testing::about(419).epsilon(1e-3));
  CHECK(o.outcome.effective > 0.90);
  // 3.8e25 FLOPs at the 400 TFLOP/s a GPU of table 4 are 67 days.
  CHECK(holds(o.training.time, 3.8e25 / (16384 * 400e12) / 86400));
}

TEST_CASE("OPT-175B: the 33 ideal days are met, the 56 to 63 real ones are not") {
  // The layout is from memory; 147 TFLOP/s a GPU were measured (33.1 days). The 23 to 30 days from
  // ideal to real, over an interruption each 7.5 h, are 3 hours of recovery by hand each,
  // not the minutes of an automatic restart that the preset takes. A test that this is still so.
  const OptionAnswer& o = option("OPT");
  CHECK(holds(o.training.time, 33.1));
  CHECK(days(o.range.wall.high) < 56);
}

TEST_CASE("OPT-175B: three hours an interruption give the uptime that was seen") {
  const OptionAnswer& o = option("OPT");
  OutcomeInputs in = o.inputs;
  in.training = exactly(Seconds(33.1 * 86400));
  in.interruptions.detection = exactly(Seconds(0));
  in.interruptions.restart = exactly(Seconds(3.0 * 3600));
  in.policy.interval = Seconds(3600);
  in.spares = 100;
  const double real = days(outcome_of(in).wall);
  CHECK(real > 50);
  CHECK(real < 63);
}

TEST_CASE("a failure costs 18.6 minutes where a tenth of the time is lost to 419 in 54 days") {
  // 0.1 × 54 days / 419: what detection, restart and lost work may take together for Llama 3's
  // "above 90 %"; the preset's come to less.
  const Outcome& o = option("Llama 3").outcome;
  const Goodput& g = o.goodput;
  const double each = (g.detection + g.restart + g.lost_work + g.checkpoint) / g.failures / 60;
  CHECK(each < 18.6);
  CHECK(each > 10);
}

}  // namespace
}  // namespace orrery
