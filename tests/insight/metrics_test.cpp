// SPDX-License-Identifier: Apache-2.0
#include "insight/metrics.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "estimate/estimate.h"
#include "support/about.h"
#include "support/sample_runs.h"

namespace orrery {
namespace {

TEST_CASE("metrics have one key each, and every key its meaning") {
  std::set<std::string_view> keys;
  for (const Metric& m : metrics()) {
    CAPTURE(m.key);
    CHECK(keys.insert(m.key).second);
    CHECK_FALSE(m.meaning.empty());
    CHECK_FALSE(m.label.empty());
    CHECK(find_metric(m.key) == &m);
  }
  CHECK(find_metric("step_time") == nullptr);
}

TEST_CASE("rates follow from one another") {
  const ResolvedRun r = testing::resolved(testing::gpt3());
  const Answer a = estimate(r.run);
  const auto value = [&](const char* key) { return find_metric(key)->value({r.run, a}); };
  CHECK(value("tokens_per_s") * value("step_time_s") == testing::about(1536.0 * 2048));
  CHECK(value("tokens_per_s_per_gpu") * 1024 == testing::about(value("tokens_per_s")));
  CHECK(value("mfu") * 312 == testing::about(value("model_tflops_per_gpu")));
  CHECK(value("hfu") > value("mfu"));  // selective recompute executes more
}

TEST_CASE("the interval of a utilisation ends at the peak, that of a rate with the step's") {
  const ResolvedRun r = testing::resolved(testing::gpt3());
  Answer a = estimate(r.run);
  const auto interval = [&](const char* key) { return interval_80(*find_metric(key), r.run, a); };
  const double mfu = find_metric("mfu")->value({r.run, a});
  CHECK(interval("mfu")[0] == testing::about(mfu * (a.step_time / a.interval_high)));
  CHECK(interval("mfu")[1] == testing::about(mfu * (a.step_time / a.interval_low)));
  a.interval_low = 0.5 * mfu * a.step_time;
  CHECK(interval("mfu")[1] == 1);
  CHECK(interval("hfu")[1] == 1);
  CHECK(interval("tokens_per_s")[1] == testing::about(1536.0 * 2048 / a.interval_low.si()));
}

}  // namespace
}  // namespace orrery
