// SPDX-License-Identifier: Apache-2.0
//
// Estimates of chosen runs: volumes of context and expert parallelism, reasons, rates.
#include "estimate/estimate.h"

#include <doctest/doctest.h>

#include <string>

#include "estimate/run.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Json mixture() {
  return json_of(R"({
    "model": {"name": "moe", "num_hidden_layers": 4, "hidden_size": 1024,
              "num_attention_heads": 16, "num_key_value_heads": 4, "vocab_size": 1024,
              "hidden_act": "swiglu", "num_local_experts": 8, "num_experts_per_tok": 2,
              "moe_intermediate_size": 512},
    "cluster": {"node": "dgx-h100", "gpus": 16},
    "training": {"sequence_length": 512, "global_batch": 32, "states": "adam-mixed-16"},
    "parallel": {"recompute": "none", "zero": 0}})");
}

const CommLine<double>* line_of(const Answer& a, CommDimension d, Collective c) {
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    if (a.comm[i].dimension == d && a.comm[i].collective == c) return &a.comm[i];
  }
  return nullptr;
}

Answer answer_of(const Json& base, const std::string& change) {
  return estimate(run_of(with(base, change)));
}

}  // namespace

TEST_CASE("tokens travel to experts four times a layer and micro batch") {
  const Answer a = answer_of(mixture(), R"({"parallel": {"ep": 4}})");
  const CommLine<double>* line = line_of(a, CommDimension::ep, Collective::all_to_all);
  REQUIRE(line != nullptr);
  CHECK(line->ranks == 4);
  CHECK(line->count == 4 * 4 * 2);
  CHECK(line->bytes.si() == testing::about(4 * 4 * 2 * 0.75 * (2 * 512 * 1024 * 2.0)));
  CHECK(line_of(a, CommDimension::etp, Collective::all_gather) == nullptr);
}

TEST_CASE("experts are reduced over the ranks that hold them, the rest over all") {
  const Answer a = answer_of(mixture(), R"({"parallel": {"ep": 4}})");
  const CommLine<double>* dense = line_of(a, CommDimension::dp, Collective::all_reduce);
  const CommLine<double>* expert = line_of(a, CommDimension::edp, Collective::all_reduce);
  REQUIRE(dense != nullptr);
  REQUIRE(expert != nullptr);
  CHECK(dense->ranks == 16);
  CHECK(expert->ranks == 4);
  const double experts = 4.0 * 2 * 3 * 1024 * 512;  // 4 layers, 2 experts a rank
  CHECK(expert->bytes.si() == testing::about(2 * 0.75 * experts * 2));
  const double attention = 4.0 * (1024 * (1024 + 512) + 1024 * 1024 + 1024 * 8 + 2 * 1024);
  const double ends = 2.0 * 1024 * 1024 + 1024;
  CHECK(dense->bytes.si() == testing::about(2 * 15.0 / 16 * (attention + ends) * 2));
}

TEST_CASE("keys and values travel around the context ring") {
  const Answer a = answer_of(mixture(), R"({"parallel": {"cp": 4, "cp_type": "p2p"}})");
  const double all = 2.0 * 512 * (4 * 64 * 2);  // keys and values of the whole sequence
  const CommLine<double>* gathered = line_of(a, CommDimension::cp, Collective::all_gather);
  const CommLine<double>* reduced = line_of(a, CommDimension::cp, Collective::reduce_scatter);
  REQUIRE(gathered != nullptr);
  REQUIRE(reduced != nullptr);
  // 4 layers, 8 micro batches, forward and backward.
  CHECK(gathered->count == 4 * 8 * 2);
  CHECK(gathered->bytes.si() == testing::about(4 * 8 * 2 * 0.75 * all));
  CHECK(reduced->bytes.si() == testing::about(4 * 8 * 0.75 * all));
}

TEST_CASE("a run that does not fit says so, and by how much") {
  const Json big = with(mixture(), R"({"model": "gpt3-175b"})");
  const Answer a = answer_of(big, R"({"parallel": {"tp": 8}})");
  CHECK(a.reason == Reason::device_memory);
  CHECK(a.memory.peak > a.capacity);
  CHECK(a.step_time > Seconds());
  CHECK(answer_of(mixture(), "{}").reason == Reason::fits);
}

TEST_CASE("what is offloaded must fit the host, not what is on drives") {
  const Json big = with(mixture(), R"({"model": "mt-nlg-530b", "cluster": {"gpus": 64},
      "training": {"global_batch": 64, "micro_batch": 1},
      "parallel": {"tp": 8, "pp": 7, "dp": 1, "recompute": "full", "zero": 0,
                   "offload": {"optimizer": "host", "parameters": "host"}}})");
  const Json fits = with(big, R"({"cluster": {"gpus": 56,
      "host": {"memory_capacity": "20 TB"}, "nvme": {"read": "20 GB/s", "write": "10 GB/s"}}})");
  CHECK(estimate(run_of(fits)).reason == Reason::fits);
  const Answer small = answer_of(fits, R"({"cluster": {"host": {"memory_capacity": "500 GB"}}})");
  CHECK(small.reason == Reason::host_memory);
  CHECK(small.host_needed > small.host_capacity);
  // The optimizer on drives, the weights on the host: only the weights count.
  const Answer drives = answer_of(fits, R"({"cluster": {"host": {"memory_capacity": "500 GB"}},
      "parallel": {"offload": {"optimizer": "nvme"}}})");
  CHECK(drives.reason == Reason::fits);
}

TEST_CASE("of a rack of many hosts, those of the GPUs in use count") {
  const auto host_of = [](std::int64_t gpus) {
    Json run = json_of(R"({"model": "llama-3-8b", "cluster": {"node": "gb200-nvl72"},
        "training": {"sequence_length": 8192}, "framework": "generic",
        "parallel": {"offload": {"optimizer": "host"}}})");
    run["cluster"]["gpus"] = gpus;
    run["training"]["global_batch"] = gpus;
    return estimate(run_of(run)).host_capacity.si();
  };
  CHECK(host_of(72) == testing::about(17.28e12));
  CHECK(host_of(4) == testing::about(17.28e12 / 18));
  CHECK(host_of(6) == testing::about(17.28e12 / 9));
}

TEST_CASE("the last stage sends back to the one before it") {
  // Four stages of one node each would hide it: two stages on 4 + 4 ranks of one node, then wrap.
  const Answer a = answer_of(mixture(), R"({"cluster": {"gpus": 32},
      "training": {"global_batch": 8}, "parallel": {"tp": 4, "pp": 4, "dp": 2,
      "sequence_parallel": true, "stage_layers": [0, 0, 0, 4]}})");
  CHECK(a.busy_stage == 3);
  const CommLine<double>* sent = line_of(a, CommDimension::pp, Collective::point_to_point);
  REQUIRE(sent != nullptr);
  CHECK(sent->count == 4);
}

TEST_CASE("GPT-3 on A100 takes about as long as it took") {
  // Korthikanti et al. 2022, arXiv:2205.05198, table 5: 175B, 64 GPUs, 13.75 s an iteration.
  const Run run = run_of(json_of(R"({
    "model": "gpt3-175b", "cluster": {"node": "dgx-a100-80gb", "gpus": 64},
    "training": {"sequence_length": 2048, "global_batch": 64, "precision": "fp16",
                 "flash_attention": false},
    "parallel": {"tp": 8, "pp": 8, "vpp": 3, "sequence_parallel": true, "recompute": "selective"},
    "framework": "megatron-lm"})"));
  const Answer a = estimate(run);
  CHECK(a.step_time.si() == testing::about(13.75).epsilon(0.15));
  const double mfu = a.model_flops / (a.peak_rate * a.step_time);
  CHECK(mfu == testing::about(0.514).epsilon(0.15));
  CHECK(a.reason == Reason::fits);
}

TEST_CASE("a rank sends less in a step the fewer layers it holds") {
  const Json run = with(mixture(), R"({"parallel": {"tp": 2, "sequence_parallel": true}})");
  const Answer shallow = answer_of(run, R"({"model": {"num_hidden_layers": 2}})");
  const Answer deep = answer_of(run, R"({"model": {"num_hidden_layers": 4}})");
  for (const Collective c : {Collective::all_gather, Collective::reduce_scatter}) {
    CHECK(line_of(shallow, CommDimension::tp, c)->bytes <
          line_of(deep, CommDimension::tp, c)->bytes);
  }
}
