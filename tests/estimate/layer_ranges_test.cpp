// SPDX-License-Identifier: Apache-2.0
//
// Ranges of layers with a recompute or a sharding of their own, and stages of balanced layers.
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

namespace {

// All that a range can hold: 24 layers and both ends, with this ZeRO.
std::string all_with(int zero) {
  const std::string z = std::to_string(zero);
  return R"("layers": [{"range": "0-23", "zero": )" + z + R"(}, {"range": "embedding", "zero": )" +
         z + R"(}, {"range": "head", "zero": )" + z + "}]";
}

double sent(const Answer& a, Collective c) {
  double bytes = 0;
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    const CommLine<double>& l = a.comm[i];
    if (l.dimension == CommDimension::dp && l.collective == c) bytes += l.sent.si();
  }
  return bytes;
}

}  // namespace

TEST_CASE("a zero of all layers and both ends is the run of that zero to the last bit") {
  for (const char* framework : {"megatron-core", "fsdp", "deepspeed"}) {
    for (int run_zero = 0; run_zero <= 3; ++run_zero) {
      for (int zero = 0; zero <= 3; ++zero) {
        CAPTURE(framework);
        CAPTURE(run_zero);
        CAPTURE(zero);
        const std::string start = R"({"tp": 2, "recompute": "selective", "zero": )";
        const Json ranged =
            run_with(start + std::to_string(run_zero) + ", " + all_with(zero) + "}", framework);
        check_same(answer(ranged), answer(run_with(start + std::to_string(zero) + "}", framework)));
      }
    }
  }
}

TEST_CASE("states of a range are sharded as its zero says, and of the other layers as the run's") {
  // 24 layers of 12·h² + 13·h parameters (biases and two norms) on 16 replicas, ADAM with 2 + 4 +
  // 12 bytes: layers 0 to 5 share out all of it.
  const auto with = [](const std::string& layers) {
    return answer(run_with(R"({"zero": 0, "recompute": "none")" + layers + "}"));
  };
  const Answer none = with("");
  const Answer six = with(R"(, "layers": [{"range": "0-5", "zero": 3}])");
  const double of_layers = 6 * (12.0 * 2048 * 2048 + 13.0 * 2048);
  const double kept = of_layers / 16;
  const auto less = [&](MemoryLine l) { return none.memory[l].si() - six.memory[l].si(); };
  CHECK(less(MemoryLine::weights) == about(2 * (of_layers - kept)).epsilon(1e-9));
  CHECK(less(MemoryLine::gradients) == about(4 * (of_layers - kept)).epsilon(1e-9));
  CHECK(less(MemoryLine::optimizer) == about(12 * (of_layers - kept)).epsilon(1e-9));
  // Two layers are gathered at a time, and the gradient of one before it is reduced.
  CHECK(six.memory[MemoryLine::gathered_weights].si() > 2 * 2 * of_layers / 6);
  CHECK(none.memory[MemoryLine::gathered_weights].si() == 0);
}

TEST_CASE("a range of zero 3 sends 3mΨ of its parameters, and 2Ψ of the others go once a step") {
  const auto with = [](const std::string& layers) {
    return answer(run_with(R"({"zero": 0, "recompute": "none")" + layers + "}"));
  };
  const Answer none = with("");
  const Answer six = with(R"(, "layers": [{"range": "6-11", "zero": 3}])");
  const double of_layers = 6 * (12.0 * 2048 * 2048 + 13.0 * 2048);
  // ZeRO, arXiv:1910.02054, section 7: of 16 ranks, 4 micro batches of one sequence each; weights
  // travel in 2 bytes, gradients in 4.
  const double part = 15.0 / 16;
  CHECK(sent(six, Collective::all_gather) == about(2 * 4 * 2 * of_layers * part).epsilon(1e-9));
  CHECK(sent(six, Collective::reduce_scatter) == about(4 * 4 * of_layers * part).epsilon(1e-9));
  CHECK(sent(none, Collective::all_reduce) - sent(six, Collective::all_reduce) ==
        about(2 * 4 * of_layers * part).epsilon(1e-9));
}

TEST_CASE("each layer more of zero 3 takes memory off and time to the step") {
  Answer before = answer(run_with(R"({"zero": 1, "recompute": "none"})"));
  for (const char* range : {"0-3", "0-11", "0-23"}) {
    const Answer now =
        answer(run_with(std::string(R"({"zero": 1, "recompute": "none", "layers": [{"range": ")") +
                        range + R"(", "zero": 3}]})"));
    CHECK(now.memory[MemoryLine::weights] < before.memory[MemoryLine::weights]);
    CHECK(now.step_time >= before.step_time);
    before = now;
  }
}

TEST_CASE("a zero of a range stands beside its recompute and that of other ranges") {
  const Json run = run_with(
      R"({"tp": 2, "recompute": "none", "zero": 1, "layers": [
          {"range": "0-5", "recompute": "full", "zero": 3}, {"range": "4-11", "recompute": "selective"},
          {"range": "head", "zero": 3}]})");
  const ResolvedRun r = resolve_run(run, "run.json", shipped_configs());
  CHECK((*r.inputs)["parallel"]["layers"] == run["parallel"]["layers"]);
  CHECK(resolve_run(*r.inputs, "run.json", shipped_configs()).run.strategy == r.run.strategy);
  const RecomputedBlocks n =
      recomputed_of(r.run.strategy, r.run.model, 0, blocks_of(r.run.strategy, r.run.model, 0));
  CHECK(n.full[BlockType::layer_0] == 4);
  CHECK(n.selective[BlockType::layer_0] == 8);
  CHECK(n.resharded[BlockType::layer_0] == 6);
  CHECK(n.resharded_full[BlockType::layer_0] == 4);
  CHECK(n.resharded_selective[BlockType::layer_0] == 2);
  CHECK(n.resharded[BlockType::head] == 1);
  CHECK(n.resharded[BlockType::embedding] == 0);
}

TEST_CASE("a zero of a range refuses what it cannot stand beside") {
  const auto refuses = [](const std::string& parallel, const char* words) {
    CAPTURE(parallel);
    CHECK_THROWS_WITH_AS(run_of(run_with(parallel)), doctest::Contains(words), InputError);
  };
  const std::string range = R"("recompute": "none", "layers": [{"range": "0-3", "zero": 3}])";
  refuses(R"({"zero": 1, "zero_shard_group": 4, )" + range + "}", "parallel.layers");
  refuses(R"({"zero": 1, "offload": {"optimizer": "host"}, )" + range + "}", "parallel.layers");
  refuses(R"({"pp": 4, "vpp": 1, "schedule": "dualpipe", )" + range + "}", "parallel.");
  refuses(R"({"zero": 0, "layers": [{"range": "0-3", "zero": 3}, {"range": "4", "zero": 2}]})",
          "one zero beside the run's");
  refuses(R"({"layers": [{"range": "head", "recompute": "full"}]})", "parallel.layers");
  refuses(R"({"layers": [{"range": "0-3"}]})", "sets recompute, zero or both");
  refuses(R"({"layers": [{"range": "0-3", "zero": 4}]})", "parallel.layers[0].zero");
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
  refuses(R"([{"range": "heads", "recompute": "none"}])", "parallel.layers[0].range");
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
