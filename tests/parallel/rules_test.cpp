// SPDX-License-Identifier: Apache-2.0
//
// Every rule refuses what breaks it, by its own name, and what real runs do is legal.
#include "parallel/rules.h"

#include <doctest/doctest.h>

#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "model/architecture.h"
#include "parallel/strategy.h"

using namespace orrery;

namespace {

struct Case {
  Strategy s;
  Architecture a;
  RunShape run;
};

// GPT-3 175B on 1024 GPUs (Korthikanti et al. 2022, arXiv:2205.05198, table 3, with dp 16).
Case gpt3() {
  Case c;
  c.a.layers = 96;
  c.a.hidden = 12288;
  c.a.heads = c.a.kv_heads = 96;
  c.a.head_dim = 128;
  c.a.intermediate = 4 * 12288;
  c.s.tp = 8;
  c.s.pp = 8;
  c.s.dp = 16;
  c.s.micro_batches = 96;
  c.s.sequence_parallel = true;
  c.run = {1024, 2048, 1536, true, true};
  return c;
}

Case gpt3_interleaved() {
  Case c = gpt3();
  c.s.vpp = 3;
  c.s.schedule = ScheduleId::interleaved;
  return c;
}

// DeepSeek-V3 (arXiv:2412.19437): 256 routed experts of 2048, 61 layers, pp 16, ep 64, 2048 GPUs.
Case deepseek() {
  Case c;
  c.a.layers = 61;
  c.a.hidden = 7168;
  c.a.heads = c.a.kv_heads = 128;
  c.a.intermediate = 18432;
  c.a.attention = AttentionKind::kLatent;
  c.a.moe.experts = 256;
  c.a.moe.expert_intermediate = 2048;
  c.a.moe.shared_experts = 1;
  c.a.moe.shared_intermediate = 2048;
  c.a.moe.layer_freq = 1;
  c.s.pp = 16;
  c.s.ep = 64;
  c.s.dp = 128;
  c.s.micro_batches = 120;
  c.s.partition.optimizer = 128;
  c.run = {2048, 4096, 15360, true, true};
  return c;
}

RuleId broken(const Case& c) { return first_broken(c.s, c.a, c.run); }

struct Refusal {
  RuleId id;
  Case (*start)();
  std::function<void(Case&)> change;
};

const std::vector<Refusal>& refusals() {  // NOLINT(readability-function-size): a table
  static const std::vector<Refusal> all = {
      {RuleId::degrees, gpt3, [](Case& c) { c.s.cp = 0; }},
      {RuleId::world_size, gpt3, [](Case& c) { c.s.dp = 8; }},
      {RuleId::world_size, gpt3, [](Case& c) { c.s.dp = c.s.tp = c.s.pp = 1LL << 50; }},
      {RuleId::global_batch, gpt3, [](Case& c) { c.run.global_batch = 1537; }},
      {RuleId::global_batch, gpt3, [](Case& c) { c.s.micro_batch = 2; }},
      {RuleId::tp_heads, gpt3, [](Case& c) { c.a.heads = c.a.kv_heads = 90; }},
      {RuleId::tp_kv_heads, gpt3, [](Case& c) { c.a.kv_heads = 6; }},
      {RuleId::tp_hidden, gpt3, [](Case& c) { c.a.hidden = 12292; }},
      {RuleId::tp_intermediate, gpt3, [](Case& c) { c.a.intermediate = 4100; }},
      {RuleId::cp_sequence, gpt3,
       [](Case& c) {
         c.s.cp = 16;
         c.s.dp = 1;
         c.s.micro_batches = 1536;
         c.s.cp_type = ContextType::all_gather;
         c.run.sequence = 2048 + 16;
       }},
      {RuleId::sequence_parallel, gpt3, [](Case& c) { c.run.sequence = 2044; }},
      {RuleId::a2a_heads, gpt3,
       [](Case& c) {
         c.s.cp = 16;
         c.s.dp = 1;
         c.s.micro_batches = 1536;
         c.s.cp_type = ContextType::a2a;
       }},
      {RuleId::a2a_kv_heads, gpt3,
       [](Case& c) {
         c.s.cp = 4;
         c.s.dp = 4;
         c.s.micro_batches = 384;
         c.s.cp_type = ContextType::a2a;
         c.a.kv_heads = 24;  // no divisor of tp·cp 32, nor a multiple
       }},
      {RuleId::recurrent_heads, gpt3, [](Case& c) { c.a.recurrent.value_heads = 12; }},
      {RuleId::stages, gpt3_interleaved, [](Case& c) { c.s.vpp = 129; }},
      {RuleId::vpp_pipeline, gpt3_interleaved,
       [](Case& c) {
         c.s.pp = 1;
         c.s.dp = 128;
         c.s.micro_batches = 12;
       }},
      {RuleId::post_validation, gpt3, [](Case& c) { c.s.post_validation = true; }},
      {RuleId::schedule_chunks, gpt3, [](Case& c) { c.s.vpp = 3; }},
      {RuleId::interleaved_chunks, gpt3, [](Case& c) { c.s.schedule = ScheduleId::interleaved; }},
      {RuleId::two_chunks, gpt3, [](Case& c) { c.s.schedule = ScheduleId::zb_v; }},
      {RuleId::breadth_first_micro_batches, gpt3,
       [](Case& c) {
         c.s.schedule = ScheduleId::breadth_first;
         c.s.micro_batches = 7;
         c.run.global_batch = 7 * 16;
       }},
      {RuleId::dualpipe_stages, gpt3,
       [](Case& c) {
         c.s.schedule = ScheduleId::dualpipe;
         c.s.pp = 3;
         c.run.gpus = 8 * 3 * 16;
       }},
      {RuleId::dualpipe_micro_batches, gpt3,
       [](Case& c) {
         c.s.schedule = ScheduleId::dualpipe;
         c.s.micro_batches = 97;
         c.run.global_batch = 97 * 16;
       }},
      {RuleId::dualpipev_micro_batches, gpt3_interleaved,
       [](Case& c) {
         c.s.schedule = ScheduleId::dualpipev;
         c.s.vpp = 2;
         c.s.micro_batches = 15;
         c.run.global_batch = 15 * 16;
       }},
      {RuleId::schedule_steps, gpt3,
       [](Case& c) {
         c.s.micro_batches = (1 << 19) + 1;
         c.run.global_batch = c.s.micro_batches * 16;
       }},
      {RuleId::schedule_runs, gpt3, [](Case& c) { c.s.schedule_runs = c.s.micro_batches + 1; }},
      {RuleId::interleaved_micro_batches, gpt3_interleaved,
       [](Case& c) {
         c.s.micro_batches = 97;
         c.run.global_batch = 97 * 16;
       }},
      {RuleId::empty_chunk, gpt3_interleaved, [](Case& c) { c.s.vpp = 16; }},
      {RuleId::stage_layers, gpt3,
       [](Case& c) {
         c.s.listed_stages = true;
         c.s.stage_layers[0] = 95;
       }},
      {RuleId::stage_layers, gpt3,
       [](Case& c) {
         c.s.listed_stages = true;
         c.s.stage_layers[0] = 97;
         c.s.stage_layers[1] = -1;
       }},
      {RuleId::vision_stage, gpt3, [](Case& c) { c.s.vision_stage = true; }},
      {RuleId::vision_stage, gpt3,
       [](Case& c) {
         c.a.tower.layers = 4;
         c.s.vision_stage = true;
         c.s.listed_stages = true;
         c.s.stage_layers[0] = 96;
       }},
      {RuleId::shared_weights, gpt3,
       [](Case& c) {
         c.a.pattern.length = 2;
         c.a.pattern.kinds[1].mixer = Mixer::encoder_again;
       }},
      {RuleId::levels, gpt3,
       [](Case& c) {
         c.a.trunk.kinds = 1;
         c.a.trunk.layers[0].residuals.count = 1;
       }},
      {RuleId::ep_dense, gpt3, [](Case& c) { c.s.ep = 2; }},
      {RuleId::ep_dense, gpt3, [](Case& c) { c.s.etp = 8; }},
      {RuleId::ep_experts, deepseek, [](Case& c) { c.a.moe.experts = 96; }},
      {RuleId::ep_ranks, deepseek, [](Case& c) { c.s.etp = 4; }},
      {RuleId::etp_intermediate, deepseek,
       [](Case& c) {
         c.s.etp = 2;
         c.a.moe.expert_intermediate = 2047;
       }},
      {RuleId::shared_intermediate, deepseek,
       [](Case& c) {
         c.s.tp = 4;
         c.s.dp = 32;
         c.s.micro_batches = 480;
         c.s.partition.optimizer = 32;
         c.s.sequence_parallel = true;
         c.a.moe.shared_intermediate = 2050;
       }},
      {RuleId::moe_sequence_parallel, deepseek,
       [](Case& c) {
         c.s.tp = 4;
         c.s.dp = 32;
         c.s.micro_batches = 480;
         c.s.partition.optimizer = 32;
       }},
      {RuleId::expert_order, deepseek,
       [](Case& c) {
         c.s.order = {Dim::tp, Dim::cp, Dim::ep, Dim::pp, Dim::dp};
       }},
      {RuleId::sites, gpt3, [](Case& c) { c.s.sites = c.s.dp + 1; }},
      {RuleId::zero, gpt3, [](Case& c) { c.s.zero = 4; }},
      {RuleId::partition, gpt3, [](Case& c) { c.s.partition.gradients = 3; }},
      {RuleId::partition, gpt3, [](Case& c) { c.s.partition.weights = 0; }},
      {RuleId::zeropp_weights, gpt3, [](Case& c) { c.s.zeropp.qwz = 8; }},
      {RuleId::hpz_group, gpt3,
       [](Case& c) {
         c.s.partition = {c.s.dp, c.s.dp, c.s.dp};
         c.s.zeropp.hpz = 3;
       }},
      {RuleId::zeropp_gradients, gpt3,
       [](Case& c) {
         c.s.partition = {1, 1, 1};
         c.s.zeropp.qgz = 4;
       }},
      {RuleId::zeropp_bits, gpt3,
       [](Case& c) {
         c.s.partition = {c.s.dp, c.s.dp, c.s.dp};
         c.s.zeropp.qgz = 17;
       }},
      {RuleId::zeropp_compression, gpt3,
       [](Case& c) {
         c.s.partition = {c.s.dp, c.s.dp, c.s.dp};
         c.s.zeropp.qwz = 8;
         c.run.compresses_weights = true;
       }},
      {RuleId::recompute_empty, gpt3,
       [](Case& c) {
         c.s.recompute = Recompute::selective;
         c.s.recompute_modules = 0;
       }},
      {RuleId::recompute_dense_mlp, deepseek,
       [](Case& c) {
         c.a.intermediate = 0;
         c.s.recompute = Recompute::selective;
         c.s.recompute_modules = mask_of(Module::mlp);
       }},
      {RuleId::recompute_moe, gpt3,
       [](Case& c) {
         c.s.recompute = Recompute::selective;
         c.s.recompute_modules = mask_of(Module::core_attn, Module::moe_act);
       }},
      {RuleId::recompute_mla, gpt3,
       [](Case& c) {
         c.s.recompute = Recompute::selective;
         c.s.recompute_modules = mask_of(Module::mla_up_proj);
       }},
      {RuleId::recompute_layers_full, gpt3, [](Case& c) { c.s.recompute_layers = 1; }},
      {RuleId::recompute_layers_chunk, gpt3_interleaved,
       [](Case& c) {
         c.s.recompute = Recompute::full;
         c.s.recompute_layers = 5;
       }},
      {RuleId::layer_ranges, gpt3,
       [](Case& c) {
         c.s.layers.rules[0] = {0, 97, LayerKindOf::any, Recompute::full};
         c.s.layers.count = 1;
       }},
      {RuleId::layer_sharding, gpt3,
       [](Case& c) {
         c.s.layers.rules[0] = {0, 9, LayerKindOf::any, {}, std::int8_t{2}};
         c.s.layers.rules[1] = {0, kLastLayer, LayerKindOf::head, {}, std::int8_t{3}};
         c.s.layers.count = 2;
       }},
      {RuleId::offload_fraction, gpt3, [](Case& c) { c.s.offload.optimizer_fraction = 1.5; }},
      {RuleId::offload_host, gpt3,
       [](Case& c) {
         c.run.has_host_memory = false;
         c.s.offload.activations = OffloadTarget::host;
       }},
      {RuleId::offload_nvme, gpt3,
       [](Case& c) {
         c.run.has_nvme = false;
         c.s.offload.parameters = OffloadTarget::nvme;
       }},
      {RuleId::offload_tensors, gpt3,
       [](Case& c) { c.s.offload.tensors = mask_of(OffloadTensor::core_attn); }},
      {RuleId::offload_tensors_absent, gpt3,
       [](Case& c) {
         c.run.has_host_memory = true;
         c.s.offload.activations = OffloadTarget::host;
         c.s.offload.tensors = mask_of(OffloadTensor::moe_act);
       }},
      {RuleId::recompute_projections, deepseek,
       [](Case& c) {
         c.s.recompute = Recompute::selective;
         c.s.recompute_modules = mask_of(Module::qkv_proj);
       }},
  };
  return all;
}

}  // namespace

TEST_CASE("real strategies are legal") {
  CHECK(broken(gpt3()) == RuleId::none);
  CHECK(broken(gpt3_interleaved()) == RuleId::none);
  CHECK(broken(deepseek()) == RuleId::none);
}

TEST_CASE("every rule refuses what breaks it and nothing before it does") {
  std::set<RuleId> tried;
  for (const Refusal& r : refusals()) {
    Case c = r.start();
    r.change(c);
    INFO(rule_of(r.id).name);
    CHECK(broken(c) == r.id);
    tried.insert(r.id);
  }
  CHECK(tried.size() == kRules);
}

// The first of the three parts, asked one after another.
RuleId broken_in_parts(const Case& c) {
  for (const RulePart part : {RulePart::degrees, RulePart::sharding, RulePart::recompute}) {
    const RuleId id = first_broken(part, c.s, c.a, c.run);
    if (id != RuleId::none) return id;
  }
  return RuleId::none;
}

// A search asks each part once for all candidates that differ only in what the part does not ask.
TEST_CASE("the parts of the rules ask of their own part of a strategy") {
  using enum RulePart;
  std::mt19937 random(20);
  const auto draw = [&random](std::int64_t n) { return static_cast<std::int64_t>(random()) % n; };
  for (int i = 0; i < 20'000; ++i) {
    const Refusal& r = refusals()[random() % refusals().size()];
    Case c = r.start();
    r.change(c);
    INFO(rule_of(r.id).name);
    CHECK(broken_in_parts(c) == r.id);
    Case other = c;
    other.s.partition = {draw(9), draw(9), draw(9)};
    other.s.zero = draw(5);
    for (const RulePart part : {degrees, recompute}) {
      CHECK(first_broken(part, other.s, c.a, c.run) == first_broken(part, c.s, c.a, c.run));
    }
    other = c;
    other.s.recompute = static_cast<Recompute>(draw(3));
    other.s.recompute_modules = static_cast<ModuleMask>(draw(64));
    other.s.recompute_layers = draw(40) - 1;
    other.s.offload = {static_cast<OffloadTarget>(draw(3)), static_cast<OffloadTarget>(draw(3)),
                       static_cast<OffloadTarget>(draw(3)), static_cast<double>(draw(4)) / 2 - 0.5};
    for (const RulePart part : {degrees, sharding}) {
      CHECK(first_broken(part, other.s, c.a, c.run) == first_broken(part, c.s, c.a, c.run));
    }
  }
}

TEST_CASE("rules have names of their own and a path into the run file") {
  std::set<std::string_view> names;
  for (std::size_t i = 1; i <= kRules; ++i) {
    const Rule& rule = rule_of(static_cast<RuleId>(i));
    names.insert(rule.name);
    CHECK((rule.path.starts_with("parallel") || rule.path.starts_with("training")));
    CHECK(!rule.allowed.empty());
  }
  CHECK(names.size() == kRules);
}

TEST_CASE("the error says file, path, what was found and what is allowed") {
  Case c = gpt3();
  c.a.heads = c.a.kv_heads = 90;
  try {
    check(c.s, c.a, c.run, "run.json");
    FAIL("accepted");
  } catch (const InputError& e) {
    CHECK(e.code() == ErrorCode::broken_rule);
    CHECK(std::string(e.what()) ==
          "run.json: parallel.tp: found tp 8, num_attention_heads 90; allowed: tp that divides "
          "num_attention_heads");
  }
}

TEST_CASE("what Megatron-LM and others allow is not refused") {
  Case c = gpt3();
  SUBCASE("layers that do not divide evenly") { c.a.layers = 90; }
  SUBCASE("chunks of the embedding and the head alone") {
    c = gpt3_interleaved();
    c.s.vpp = 4;
    c.a.layers = 30;
  }
  SUBCASE("a stage without layers, if asked for") {
    c.s.listed_stages = true;
    c.s.stage_layers[0] = 0;
    for (std::size_t j = 1; j < 8; ++j) c.s.stage_layers[j] = j == 1 ? 18 : 13;
  }
  SUBCASE("fewer key and value heads than tp") { c.a.kv_heads = 2; }
  SUBCASE("sequence parallelism with tp 1, which does nothing") {
    c.s.tp = 1;
    c.s.dp = 128;
    c.s.micro_batches = 12;
  }
  SUBCASE("all-to-all context parallelism on half the pieces of a ring") {
    c.s.cp = 4;
    c.s.dp = 4;
    c.s.micro_batches = 384;
    c.s.cp_type = ContextType::a2a;
    c.a.heads = c.a.kv_heads = 96;
    c.run.sequence = 2048 + 32;
  }
  SUBCASE("sharded weights in a pipeline, as FSDP runs them") {
    c.s.zero = 3;
    c.s.partition = {16, 16, 16};
  }
  SUBCASE("another order of ranks for a dense model") {
    c.s.order = {Dim::tp, Dim::cp, Dim::ep, Dim::pp, Dim::dp};
  }
  CHECK(broken(c) == RuleId::none);
}
