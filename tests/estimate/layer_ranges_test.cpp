// SPDX-License-Identifier: Apache-2.0
//
// Ranges of layers with a recompute of their own, and stages of balanced layers.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "estimate/estimate.h"
#include "estimate/resolve.h"
#include "parallel/stages.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

// 24 equal layers on 16 GPUs.
Json run_with(const std::string& parallel, const std::string& framework = "megatron-core") {
  Json run = json_of(R"({
    "model": {"name": "m", "num_hidden_layers": 24, "hidden_size": 2048, "num_attention_heads": 16,
              "intermediate_size": 8192, "vocab_size": 50304, "hidden_act": "gelu"},
    "cluster": {"node": "dgx-h100", "gpus": 16},
    "training": {"sequence_length": 2048, "global_batch": 64, "flash_attention": false}})");
  run["framework"] = framework;
  run["parallel"] = json_of(parallel);
  return run;
}

Answer answer(const Json& run) { return estimate(run_of(run)); }

void check_same(const Answer& a, const Answer& b) {
  CHECK(a.step_time == b.step_time);
  for (const Term t : kAllOf<Term>) CHECK(a.breakdown[t] == b.breakdown[t]);
  for (const MemoryLine l : kAllOf<MemoryLine>) CHECK(a.memory[l] == b.memory[l]);
  CHECK(a.memory.peak == b.memory.peak);
  CHECK(a.hardware_flops == b.hardware_flops);
  REQUIRE(a.comm_count == b.comm_count);
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    CHECK(a.comm[i].count == b.comm[i].count);
    CHECK(a.comm[i].sent == b.comm[i].sent);
    CHECK(a.comm[i].exposed == b.comm[i].exposed);
  }
}

}  // namespace

TEST_CASE("a range of all layers is the plain run to the last bit") {
  for (const char* framework : {"megatron-core", "fsdp", "deepspeed"}) {
    for (const char* kind : {"none", "selective", "full"}) {
      for (const char* other : {"none", "full"}) {
        CAPTURE(framework);
        CAPTURE(kind);
        CAPTURE(other);
        const std::string pp = framework == std::string("megatron-core") ? R"("pp": 4, )" : "";
        const std::string start = R"({"tp": 2, )" + pp + R"("recompute": ")";
        const std::string range = R"(", "layers": [{"range": "0-23", "recompute": ")";
        const Json ranged = run_with(start + other + range + kind + R"("}]})", framework);
        check_same(answer(ranged), answer(run_with(start + kind + R"("})", framework)));
      }
    }
  }
}

TEST_CASE("n of 24 layers that run again add n/24 of what all add") {
  const auto with = [](const std::string& layers) {
    return answer(run_with(R"({"tp": 2, "recompute": "none", "zero": 0)" + layers + "}"));
  };
  const Answer none = with("");
  const Answer all = with(R"(, "layers": [{"range": "0-23", "recompute": "full"}])");
  const Answer six = with(R"(, "layers": [{"range": "3-8", "recompute": "full"}])");
  const auto share = [&](auto of) { return (of(six) - of(none)) / (of(all) - of(none)); };
  CHECK(share([](const Answer& a) { return a.step_time.si(); }) == about(6.0 / 24).epsilon(1e-9));
  CHECK(share([](const Answer& a) { return a.hardware_flops.si(); }) ==
        about(6.0 / 24).epsilon(1e-9));
  // The layer at work is held whole beside what the others save: 18 whole, 6 inputs, 1 restored.
  const double saved = none.memory[MemoryLine::activations].si();
  const double six_saved = six.memory[MemoryLine::activations].si();
  CHECK(six_saved < saved);
  CHECK(six_saved > all.memory[MemoryLine::activations].si());
}

TEST_CASE("three kinds of recompute in one run add up layer by layer") {
  const auto with = [](const std::string& layers) {
    return answer(
        run_with(R"({"tp": 2, "zero": 0, "recompute": "none", "layers": [)" + layers + "]}"));
  };
  const auto of = [](const char* range, const char* kind) {
    return std::string(R"({"range": ")") + range + R"(", "recompute": ")" + kind + R"("})";
  };
  const double none = with(of("0-23", "none")).step_time.si();
  const double selective = with(of("0-23", "selective")).step_time.si();
  const double full = with(of("0-23", "full")).step_time.si();
  const double mixed = with(of("0-5", "full") + "," + of("6-9", "selective")).step_time.si();
  CHECK(mixed ==
        about(none + 6.0 / 24 * (full - none) + 4.0 / 24 * (selective - none)).epsilon(1e-9));
}

TEST_CASE("ranges are read back as they are written, and judged") {
  const Json run = run_with(
      R"({"tp": 2, "pp": 2, "recompute": "full", "layers": [{"range": "4", "recompute": "none"},
          {"range": "6-11", "recompute": "selective"}]})");
  const ResolvedRun r = resolve_run(run, "run.json", shipped_configs());
  CHECK((*r.inputs)["parallel"]["layers"] == run["parallel"]["layers"]);
  CHECK(resolve_run(*r.inputs, "run.json", shipped_configs()).run.strategy == r.run.strategy);
  const auto refuses = [](const std::string& layers, const char* words) {
    CAPTURE(layers);
    CHECK_THROWS_WITH_AS(run_of(run_with(R"({"recompute": "full", "layers": )" + layers + "}")),
                         doctest::Contains(words), InputError);
  };
  refuses(R"([{"range": "0-24", "recompute": "none"}])", "parallel.layers");
  refuses(R"([{"range": "9-3", "recompute": "none"}])", "parallel.layers");
  refuses(R"([{"range": "experts", "recompute": "none"}])", "parallel.layers");
  refuses(R"([{"range": "head", "recompute": "none"}])", "parallel.layers[0].range");
  refuses(R"([{"range": "0-3"}])", "parallel.layers[0].recompute");
  refuses(R"([{"range": "0-3", "recompute": "none"}], "recompute_layers": 2)", "parallel.layers");
}

namespace {

// Every way to spread `left` layers over the stages after `done`.
template <class Visit>
void for_each_split(std::int64_t left, std::size_t stages, std::vector<std::int64_t>& done,
                    Visit&& visit) {
  if (done.size() + 1 == stages) {
    done.push_back(left);
    visit(done);
    done.pop_back();
    return;
  }
  for (std::int64_t n = 0; n <= left; ++n) {
    done.push_back(n);
    for_each_split(left - n, stages, done, visit);
    done.pop_back();
  }
}

std::vector<std::int64_t> layers_chosen(const ResolvedRun& r) {
  std::vector<std::int64_t> layers;
  for (std::int64_t j = 0; j < r.run.strategy.pp; ++j) {
    const LayerRange range = layers_of(r.run.strategy, r.run.model, j);
    layers.push_back(range.end - range.first);
  }
  return layers;
}

}  // namespace

TEST_CASE("balanced stages are the best of all contiguous splits that fit") {
  for (const double gib : {80.0, 13.5}) {
    CAPTURE(gib);
    Json run = run_with(R"({"tp": 1, "pp": 4, "zero": 0, "recompute": "none",
        "layers": [{"range": "0-4", "recompute": "full"}]})");
    run["model"]["num_hidden_layers"] = 12;
    run["cluster"]["device"] = {{"memory_capacity", std::to_string(gib) + " GiB"}};
    const auto cost_of = [&](const std::vector<std::int64_t>& layers) {
      Json listed = run;
      listed["parallel"]["stage_layers"] = layers;
      const Run r = run_of(listed);
      for (const StageMemory<double>& m : memory_by_stage(r)) {
        if (m.needed > r.cluster.device.memory_capacity) {
          return std::numeric_limits<double>::infinity();
        }
      }
      const auto m = static_cast<double>(r.strategy.micro_batches);
      double sum = 0;
      double most = 0;
      for (const Seconds busy : busy_by_stage(r)) {
        sum += busy.si() / m;
        most = std::max(most, busy.si() / m);
      }
      return sum + (m - 1) * most;
    };
    double best = std::numeric_limits<double>::infinity();
    std::vector<std::int64_t> done;
    for_each_split(12, 4, done,
                   [&](const auto& layers) { best = std::min(best, cost_of(layers)); });
    REQUIRE(best < std::numeric_limits<double>::infinity());
    Json balanced = run;
    balanced["parallel"]["stage_layers"] = "balanced";
    const ResolvedRun r = resolve_run(balanced, "run.json", shipped_configs());
    CHECK(cost_of(layers_chosen(r)) == about(best).epsilon(1e-12));
    CHECK((*r.inputs)["parallel"]["stage_layers"] == Json(layers_chosen(r)));
  }
}

TEST_CASE("balanced stages are no slower than even ones") {
  for (const char* model : {"llama-3-8b", "llama-2-70b", "mixtral-8x7b"}) {
    CAPTURE(model);
    Json run = run_with(R"({"tp": 4, "pp": 4, "recompute": "full"})");
    run["model"] = model;
    Json balanced = run;
    balanced["parallel"]["stage_layers"] = "balanced";
    CHECK(answer(balanced).step_time <= answer(run).step_time * (1 + 1e-12));
  }
}

TEST_CASE("stages of several chunks are not balanced") {
  CHECK_THROWS_WITH_AS(
      run_of(run_with(R"({"pp": 4, "vpp": 2, "recompute": "none", "stage_layers": "balanced"})")),
      doctest::Contains("parallel.stage_layers"), InputError);
}
