// SPDX-License-Identifier: Apache-2.0
#include "parallel/strategy_json.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json.h"

using namespace orrery;

namespace {

Architecture dense() {
  Architecture a;
  a.layers = 96;
  a.hidden = 12288;
  a.heads = a.kv_heads = 96;
  a.intermediate = 4 * 12288;
  return a;
}

Architecture experts() {
  Architecture a = dense();
  a.layers = 32;
  a.moe.experts = 8;
  a.moe.expert_intermediate = 14336;
  a.moe.layer_freq = 1;
  return a;
}

const RunShape kRun{1024, 2048, 3072, true, true};

StrategyRequest read(const std::string& text) {
  const Json document = parse_json(text, "run.json");
  return read_strategy(Reader(document, "run.json", "parallel"));
}

ResolvedStrategy resolve(const std::string& text, const Architecture& a = dense(),
                         const StrategyDefaults& defaults = {}) {
  return resolve_strategy(read(text), a, kRun, 1, defaults, "run.json");
}

std::string error_of(const std::string& text, const Architecture& a = dense()) {
  try {
    resolve(text, a);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

// "value (why)" of what was assumed for a key.
std::string assumed(const ResolvedStrategy& r, const std::string& key) {
  for (const Fact& a : r.assumed) {
    if (a.path == "parallel." + key) return a.value + " (" + a.why + ")";
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an empty object takes every default and says so") {
  const ResolvedStrategy r = resolve("{}");
  CHECK(r.strategy.dp == 1024);
  CHECK(r.strategy.micro_batches == 3);
  CHECK(r.strategy.schedule == ScheduleId::one_f_one_b);
  CHECK(r.recompute_open);
  CHECK(assumed(r, "dp") == "1024 (gpus/(tp·cp·pp))");
  CHECK(assumed(r, "tp") == "1 (not given)");
  CHECK(assumed(r, "schedule") == "1f1b (not given)");
  CHECK(assumed(r, "zero") == "0 (the framework's)");
}

TEST_CASE("what is given is taken and not called assumed") {
  const ResolvedStrategy r = resolve(R"({"tp": 8, "pp": 8, "vpp": 3, "cp": 1, "ep": 1, "dp": 16,
      "sequence_parallel": true, "zero": 1, "schedule": "interleaved", "recompute": "selective",
      "recompute_modules": ["core_attn", "mlp"], "order": "tp-cp-ep-dp-pp"})");
  CHECK(r.strategy.tp == 8);
  CHECK(r.strategy.vpp == 3);
  CHECK(r.strategy.micro_batches == 192);
  CHECK(r.strategy.partition == Partition{1, 1, 16});
  CHECK(r.strategy.recompute_modules == mask_of(Module::core_attn, Module::mlp));
  CHECK(!r.recompute_open);
  CHECK(r.assumed.empty());
}

TEST_CASE("dp auto is what is left of the GPUs") {
  CHECK(resolve(R"({"tp": 8, "pp": 8, "dp": "auto"})").strategy.dp == 16);
  CHECK(has(error_of(R"({"tp": 3})"), "parallel.dp: found tp·cp·pp 3, gpus 1024"));
  CHECK(has(error_of(R"({"dp": "all"})"), "parallel.dp: found \"all\""));
}

TEST_CASE("the schedule is interleaved where vpp is above 1") {
  const ResolvedStrategy r = resolve(R"({"tp": 8, "pp": 8, "vpp": 2})");
  CHECK(r.strategy.schedule == ScheduleId::interleaved);
  CHECK(has(error_of(R"({"tp": 8, "pp": 8, "vpp": 2, "schedule": "1f1b"})"),
            "parallel.schedule: found 1f1b, vpp 2; allowed: interleaved"));
}

TEST_CASE("etp is tp where legal, else 1, and the answer says which") {
  const auto etp = [](const std::string& text, const Architecture& a) {
    return assumed(resolve(text, a), "etp");
  };
  CHECK(etp(R"({"tp": 4, "ep": 8})", experts()) == "4 (tp, which is legal here)");
  Architecture odd = experts();
  odd.moe.expert_intermediate = 1001;
  CHECK(etp(R"({"tp": 4, "ep": 8})", odd) == "1 (tp does not divide moe_intermediate_size)");
  Architecture many = experts();
  many.moe.experts = 1024;
  CHECK(etp(R"({"tp": 4, "ep": 1024})", many) == "1 (ep·tp does not divide tp·cp·dp)");
  CHECK(etp(R"({"tp": 4})", dense()).empty());
}

TEST_CASE("sequence parallelism is off with tp 1, on where experts need it") {
  const ResolvedStrategy off = resolve(R"({"sequence_parallel": true})");
  CHECK(!off.strategy.sequence_parallel);
  CHECK(assumed(off, "sequence_parallel") == "false (there is nothing to split where tp is 1)");
  const ResolvedStrategy on = resolve(R"({"tp": 4})", experts());
  CHECK(on.strategy.sequence_parallel);
  CHECK(has(error_of(R"({"tp": 4, "sequence_parallel": false})", experts()),
            "parallel.sequence_parallel"));
}

TEST_CASE("zero shards over dp and cp, or within a group") {
  const auto partition = [](const std::string& text) { return resolve(text).strategy.partition; };
  CHECK(partition(R"({"tp": 8, "cp": 2, "zero": 0})") == Partition{1, 1, 1});
  CHECK(partition(R"({"tp": 8, "cp": 2, "zero": 2})") == Partition{1, 128, 128});
  CHECK(partition(R"({"zero": 3, "zero_shard_group": 8})") == Partition{8, 8, 8});
  CHECK(partition(R"({"partition": {"weights": 2, "gradients": 8, "optimizer": 1024}})") ==
        Partition{2, 8, 1024});
  CHECK(resolve("{}", dense(), {2, ContextType::p2p}).strategy.partition ==
        Partition{1, 1024, 1024});
  CHECK(has(error_of(R"({"zero": 3, "zero_shard_group": 3})"), "parallel.zero_shard_group"));
  CHECK(has(error_of(R"({"zero": 0, "zero_shard_group": 2})"), "parallel.zero_shard_group"));
  CHECK(has(error_of(R"({"zero": 1, "partition": {}})"), "parallel.partition"));
  CHECK(has(error_of(R"({"partition": {"weights": 3}})"), "parallel.partition: found weights 3"));
}

// 1024 GPUs of tp 8 and cp 2 are dp 64: ZeRO over dp·cp = 128 is a level, over 64 a partition.
TEST_CASE("a partition is asked for as a level of ZeRO where it is one") {
  const auto asked = [](const char* text) { return request_of(resolve(text).strategy); };
  const StrategyRequest level = asked(R"({"tp": 8, "cp": 2, "zero": 2})");
  CHECK(level.zero == 2);
  CHECK_FALSE(level.partition);
  const StrategyRequest own =
      asked(R"({"tp": 8, "cp": 2, "partition": {"gradients": 64, "optimizer": 64}})");
  CHECK_FALSE(own.zero);
  REQUIRE(own.partition);
  CHECK(*own.partition == Partition{1, 64, 64});
}

// Only what a strategy does is asked for, so that a run reads as somebody would write it.
TEST_CASE("what a strategy does not do is not asked for") {
  const auto asked = [](const char* text) { return request_of(resolve(text).strategy); };
  const StrategyRequest plain = asked(R"({"recompute": "none"})");
  CHECK_FALSE(plain.layer_split);
  CHECK_FALSE(plain.stage_layers);
  CHECK_FALSE(plain.recompute_modules);
  CHECK_FALSE(plain.recompute_method);
  CHECK_FALSE(plain.recompute_layers);
  CHECK_FALSE(plain.offload);
  CHECK_FALSE(plain.zeropp.hpz);
  CHECK_FALSE(plain.dynamic_cp);
  CHECK_FALSE(plain.vision_stage);
  CHECK_FALSE(plain.post_validation);
  CHECK(asked(R"({"pp": 2, "recompute": "none"})").layer_split);
  CHECK(asked(R"({"recompute": "selective"})").recompute_modules);
  CHECK_FALSE(asked(R"({"recompute": "full"})").recompute_method);
  const StrategyRequest block =
      asked(R"({"recompute": "full", "recompute_method": "block", "recompute_layers": 1})");
  CHECK(block.recompute_method == RecomputeMethod::block);
  CHECK(block.recompute_layers == 1);
  CHECK(asked(R"({"offload": {"optimizer": "host"}})").offload);
  const StrategyRequest listed = asked(R"({"pp": 2, "stage_layers": [40, 56]})");
  REQUIRE(listed.stage_layers);
  CHECK(*listed.stage_layers == std::vector<std::int64_t>{40, 56});
  CHECK_FALSE(listed.layer_split);
}

TEST_CASE("of a framework's modules those that the model has run again") {
  StrategyDefaults defaults;
  defaults.selective_modules = mask_of(Module::core_attn, Module::mlp_act, Module::moe_act);
  const auto modules = [&](const Architecture& a) {
    return resolve(R"({"recompute": "selective"})", a, defaults).strategy.recompute_modules;
  };
  CHECK(modules(dense()) == mask_of(Module::core_attn, Module::mlp_act));
  CHECK(modules(experts()) == defaults.selective_modules);
  Architecture all_experts = experts();
  all_experts.intermediate = 0;
  CHECK(modules(all_experts) == mask_of(Module::core_attn, Module::moe_act));
}

TEST_CASE("keys of recompute imply its kind and exclude each other") {
  CHECK(resolve(R"({"recompute_modules": ["mlp"]})").strategy.recompute == Recompute::selective);
  const ResolvedStrategy full = resolve(R"({"recompute_method": "block", "recompute_layers": 4})");
  CHECK(full.strategy.recompute == Recompute::full);
  CHECK(full.strategy.recompute_method == RecomputeMethod::block);
  CHECK(full.strategy.recompute_layers == 4);
  CHECK(!full.recompute_open);
  CHECK(has(error_of(R"({"recompute": "full", "recompute_modules": ["mlp"]})"),
            "parallel.recompute_modules"));
  CHECK(has(error_of(R"({"recompute": "none", "recompute_layers": 1})"),
            "parallel.recompute_layers"));
  CHECK(has(error_of(R"({"recompute_method": "block", "recompute_modules": ["mlp"]})"),
            "parallel.recompute_modules"));
}

TEST_CASE("stage_layers has one count a chunk") {
  const std::string even = R"({"tp": 8, "pp": 4, "stage_layers": [23, 25, 25, 23]})";
  const ResolvedStrategy r = resolve(even);
  CHECK(r.strategy.listed_stages);
  CHECK(r.strategy.stage_layers[1] == 25);
  CHECK(has(error_of(R"({"tp": 8, "pp": 4, "stage_layers": [48, 48]})"),
            "parallel.stage_layers: found 2 counts; allowed: 4 counts"));
  CHECK(has(error_of(R"({"tp": 8, "pp": 2, "stage_layers": [48, 47]})"),
            "parallel.stage_layers: found stage_layers of sum 95, num_hidden_layers 96"));
  CHECK(has(error_of(R"({"pp": 2, "stage_layers": [1e9, 48]})"), "parallel.stage_layers[0]"));
}

TEST_CASE("the order names every dimension once") {
  CHECK(resolve(R"({"order": "tp-cp-ep-pp-dp"})").strategy.order ==
        RankOrder{Dim::tp, Dim::cp, Dim::ep, Dim::pp, Dim::dp});
  for (const char* bad : {"tp-cp-ep-dp", "tp-tp-ep-dp-pp", "tp-cp-ep-dp-pp-dp", "tpcpepdppp", ""}) {
    CHECK(has(error_of(R"({"order": ")" + std::string(bad) + "\"}"), "parallel.order"));
  }
}

TEST_CASE("compression is an object or a name") {
  CHECK(has(error_of(R"({"compression": 3})"), "parallel.compression"));
}

TEST_CASE("unknown keys and names are errors with the nearest right one") {
  CHECK(has(error_of(R"({"tpp": 8})"), "parallel.tpp: found an unknown key"));
  CHECK(has(error_of(R"({"schedule": "1f1bb"})"), "did you mean \"1f1b\""));
  CHECK(has(error_of(R"({"offload": {"optimiser": "host"}})"), "parallel.offload.optimiser"));
  CHECK(has(error_of(R"({"tp": 0})"), "parallel.tp"));
  CHECK(has(error_of(R"({"tp": 1e300})"), "parallel.tp"));
  CHECK(has(error_of(R"({"tp": 1048576, "cp": 1048576, "pp": 1048576})"), "parallel.dp"));
}

TEST_CASE("offload is read with its fraction") {
  const Offload o =
      resolve(R"({"offload": {"optimizer": "host", "optimizer_fraction": 0.5}})").strategy.offload;
  CHECK(o.optimizer == OffloadTarget::host);
  CHECK(o.parameters == OffloadTarget::none);
  CHECK(o.optimizer_fraction == 0.5);
}

TEST_CASE("overlap and framework options are kept for the framework") {
  const StrategyRequest q = read(
      R"({"overlap": {"grad_reduce": true}, "framework_options": {"dispatcher": "alltoall"}})");
  CHECK(q.overlap.grad_reduce == true);
  CHECK_FALSE(q.overlap.tp.has_value());
  REQUIRE(q.framework_options);
  CHECK((*q.framework_options)["dispatcher"] == "alltoall");
  CHECK(has(error_of(R"({"overlap": {"grad_reduce": 1}})"), "parallel.overlap.grad_reduce"));
  CHECK(has(error_of(R"({"overlap": {"grad_reduces": true}})"), "did you mean \"grad_reduce\""));
  CHECK(has(error_of(R"({"overlap": true})"), "parallel.overlap"));
}
