// SPDX-License-Identifier: Apache-2.0
#include "report/advice.h"

#include <doctest/doctest.h>

#include "report/limiter.h"
#include "report/neighbours.h"
#include "report/sample_runs.h"

namespace orrery {
namespace {

using testing::gpt3;
using testing::resolved;
using testing::with;

// The run with an advice taken, as a user would take it. `run` also holds what was assumed: the
// modules of a selective recompute go with it.
Json taken(Json run, const Advice& advice) {
  for (const Setting& s : advice.settings) {
    Json* at = &run;
    std::string path = s.path;
    for (std::size_t dot = 0; (dot = path.find('.')) != std::string::npos;
         path = path.substr(dot + 1)) {
      at = &(*at)[path.substr(0, dot)];
    }
    (*at)[path] = Json::accept(s.value) ? Json::parse(s.value) : Json(s.value);
  }
  Json& parallel = run["parallel"];
  if (parallel.value("recompute", "selective") != "selective") parallel.erase("recompute_modules");
  return run;
}

TEST_CASE("advice taken gives the step time and the memory it promised") {
  for (const Json& run : testing::sample_runs()) {
    const ResolvedRun r = resolved(run);
    CAPTURE(run.dump());
    for (const Advice& a : advise(r.run, estimate(r.run))) {
      REQUIRE_FALSE(a.settings.empty());
      // The resolved run: an advice leaves alone what was assumed.
      const Answer after = estimate(resolved(taken(r.inputs, a)).run);
      CAPTURE(a.settings[0].path + " " + a.settings[0].value);
      CHECK(after.step_time.si() == doctest::Approx(a.step_time.si()));
      CHECK(after.memory.peak.si() == doctest::Approx(a.peak.si()));
      CHECK((after.reason == Reason::fits) == a.fits);
    }
  }
}

TEST_CASE("a run that fits is told what is faster") {
  const Run run = resolved(gpt3()).run;
  const Answer answer = estimate(run);
  const std::vector<Advice> advice = advise(run, answer);
  REQUIRE_FALSE(advice.empty());
  CHECK(advice.size() <= kMostAdvice);
  for (const Advice& a : advice) {
    CHECK(a.fits);
    CHECK(a.step_time < answer.step_time);
  }
}

TEST_CASE("a run that does not fit is told what would, by two changes where one is not enough") {
  const Run one = resolved(with(gpt3(), R"({"parallel": {"pp": 1, "dp": 128}})")).run;
  REQUIRE(estimate(one).reason == Reason::device_memory);
  const std::vector<Advice> advice = advise(one, estimate(one));
  REQUIRE_FALSE(advice.empty());
  for (const Advice& a : advice) {
    CHECK(a.fits);
    CHECK(a.peak <= one.cluster.device.memory_capacity);
  }
}

TEST_CASE("every neighbour keeps GPUs and batch") {
  const Run run = resolved(gpt3()).run;
  int legal = 0;
  for (const Move move : kMoves) {
    Run changed = run;
    if (!make_neighbour({&move, 1}, changed)) continue;
    ++legal;
    CHECK(world_size(changed.strategy) == 1024);
    CHECK(changed.strategy.dp * changed.strategy.micro_batch * changed.strategy.micro_batches ==
          1536);
    CHECK_FALSE(differences(run, changed).empty());
  }
  CHECK(legal > 8);
}

TEST_CASE("the limiter names the largest loss") {
  const auto sentence = [](const char* change) {
    const Run run = resolved(with(gpt3(), change)).run;
    return limiter(run, estimate(run));
  };
  CHECK(sentence(R"({})").find("kernels below the dense peak") == 0);
  CHECK(sentence(R"({"training": {"global_batch": 64}})").find("pipeline bubble, ") == 0);
  CHECK(sentence(R"({"parallel": {"pp": 1}})").find("memory: ") == 0);
  CHECK(sentence(R"({"cluster": {"tiers": {"nvswitch": {"bandwidth": "3 GB/s"}}}})")
            .find("tensor-parallel communication, ") == 0);
}

}  // namespace
}  // namespace orrery
