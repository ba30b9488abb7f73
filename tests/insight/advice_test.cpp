// SPDX-License-Identifier: Apache-2.0
#include "insight/advice.h"

#include <doctest/doctest.h>

#include "insight/limiter.h"
#include "support/about.h"
#include "support/sample_runs.h"

namespace orrery {
namespace {

using testing::gpt3;
using testing::resolved;
using testing::with;

// The run file with an advice taken, as a user would take it.
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
  return run;
}

// Every advice on a run file, taken as it stands, gives what it promised.
void check_advice(const Json& run_file) {
  CAPTURE(run_file.dump());
  const ResolvedRun r = resolved(run_file);
  for (const Advice& a : advise(r, estimate(r.run))) {
    REQUIRE_FALSE(a.settings.empty());
    CAPTURE(a.settings[0].path + " " + a.settings[0].value);
    const Answer after = estimate(resolved(taken(run_file, a)).run);
    CHECK(after.step_time.si() == testing::about(a.step_time.si()));
    CHECK(after.memory.peak.si() == testing::about(a.peak.si()));
    CHECK((after.reason == Reason::fits) == a.fits);
  }
}

std::string value_in(const Advice& a, const std::string& path) {
  for (const Setting& s : a.settings) {
    if (s.path == path) return s.value;
  }
  return "";
}

TEST_CASE("advice taken gives the step time and the memory it promised") {
  // The resolved run: an advice leaves alone what was assumed.
  for (const Json& run : testing::sample_runs()) check_advice(*resolved(run).inputs);
}

TEST_CASE("an advice names the keys of the run file that cannot stand beside it") {
  const auto check = [](const char* parallel) {
    check_advice(with(gpt3(), std::string(R"({"parallel": )") + parallel + "}"));
  };
  check(R"({"recompute": "selective", "recompute_modules": ["core_attn", "mlp"]})");
  check(R"({"recompute": "full", "recompute_layers": 2, "recompute_method": "block"})");
  check(R"({"recompute": "full", "recompute_method": "uniform"})");
  check(R"({"zero": 1, "zero_shard_group": 16})");
  check(R"({"zero": null, "partition": {"weights": 1, "gradients": 1, "optimizer": 16}})");
}

TEST_CASE("recompute that is no longer selective takes its modules away, where the file has them") {
  const auto advice_of = [](const char* parallel) {
    const ResolvedRun r = resolved(with(gpt3(), parallel));
    for (const Advice& a : advise(r, estimate(r.run))) {
      if (value_in(a, "parallel.recompute") == "none") return a;
    }
    return Advice();
  };
  const char* listed =
      R"({"parallel": {"recompute": "selective", "recompute_modules": ["core_attn"]}})";
  CHECK(value_in(advice_of(listed), "parallel.recompute_modules") == "null");
  const Advice plain = advice_of(R"({"parallel": {"recompute": "selective"}})");
  CHECK(plain.settings.size() == 1);
}

TEST_CASE("a run that fits is told what is faster") {
  const ResolvedRun run = resolved(gpt3());
  const Answer answer = estimate(run.run);
  const std::vector<Advice> advice = advise(run, answer);
  REQUIRE_FALSE(advice.empty());
  CHECK(advice.size() <= kMostAdvice);
  for (const Advice& a : advice) {
    CHECK(a.fits);
    CHECK(a.step_time < answer.step_time);
  }
}

TEST_CASE("a run that does not fit is told what would, by two changes where one is not enough") {
  const ResolvedRun one = resolved(with(gpt3(), R"({"parallel": {"pp": 1, "dp": 128}})"));
  REQUIRE(estimate(one.run).reason == Reason::device_memory);
  const std::vector<Advice> advice = advise(one, estimate(one.run));
  REQUIRE_FALSE(advice.empty());
  for (const Advice& a : advice) {
    CHECK(a.fits);
    CHECK(a.peak <= one.run.cluster.device.memory_capacity);
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
    CHECK_FALSE(differences(run, changed, {}).empty());
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
