// SPDX-License-Identifier: Apache-2.0
//
// A step of reinforcement learning: phases that add up, memory by phase, a hand-over by hand.
#include "rl/step.h"

#include <doctest/doctest.h>

#include "core/divide.h"
#include "core/json.h"
#include "generate/drafts.h"
#include "rl/handover.h"
#include "rl/packing.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Json rl_run() {
  return json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
      "framework": "megatron-core",
      "training": {"rl": {"algorithm": "grpo", "prompts": 64, "group": 8, "prompt_length": 200,
                          "response": {"mean": 800, "cap": 2048}, "packed_tokens": 8192}},
      "parallel": {"tp": 2, "recompute": "full"},
      "rollout": {"engine": "vllm", "tp": 1, "memory_share": 0.5},
      "placement": {"offload_weights": true, "offload_optimizer": true}})");
}

ResolvedRun learner_of(const Json& run) { return resolve_with_rl(run, "test", shipped_configs()); }

RlStep step_of(const Json& run) { return rl_step(learner_of(run)); }

double at(const RlStep& s, RlPhase p) { return s.phases[p].value.si(); }

std::string refusal(const Json& run) {
  try {
    learner_of(run);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the phases of a colocated step add up to it") {
  const RlStep s = step_of(rl_run());
  REQUIRE(s.fits);
  double sum = 0;
  for (const RlPhase p : kAllOf<RlPhase>) sum += at(s, p);
  CHECK(s.step.value.si() == about(sum));
  CHECK(at(s, RlPhase::generate) > 0);
  CHECK(at(s, RlPhase::reference) == about(at(s, RlPhase::old_log_probs)));
  CHECK(at(s, RlPhase::values) == 0);
  CHECK(s.step.low < s.step.value);
  CHECK(s.step.value < s.step.high);
}

TEST_CASE("each phase follows its key") {
  const RlStep base = step_of(rl_run());
  Json run = rl_run();
  run["training"]["rl"]["epochs"] = 2;
  CHECK(at(step_of(run), RlPhase::update) == about(2 * at(base, RlPhase::update)));
  run = rl_run();
  run["training"]["rl"]["reference"] = false;
  CHECK(at(step_of(run), RlPhase::reference) == 0);
  run = rl_run();
  run["training"]["rl"]["old_log_probs"] = false;
  CHECK(at(step_of(run), RlPhase::old_log_probs) == 0);
  run = rl_run();
  run["training"]["rl"]["reward"] = {{"time", "3 s"}};
  CHECK(at(step_of(run), RlPhase::reward) == about(3));
  run["training"]["rl"]["reward"]["kind"] = "model";
  CHECK(at(step_of(run), RlPhase::reward) == about(3 + at(base, RlPhase::old_log_probs)));
  run = rl_run();
  run["training"]["rl"]["algorithm"] = "ppo";
  CHECK(at(step_of(run), RlPhase::update) == about(2 * at(base, RlPhase::update)));
  CHECK(at(step_of(run), RlPhase::values) == about(at(base, RlPhase::old_log_probs)));
  run = rl_run();
  run["training"]["rl"]["dropped"] = 0.5;
  const RlStep dropped = step_of(run);
  CHECK(dropped.rollout.answers == 2 * base.rollout.answers);
  CHECK(at(dropped, RlPhase::update) == about(at(base, RlPhase::update)));
}

TEST_CASE("generation follows the keys of the engine") {
  const double base = at(step_of(rl_run()), RlPhase::generate);
  const auto with = [](const char* key, const Json& value) {
    Json run = rl_run();
    run["rollout"][key] = value;
    return at(step_of(run), RlPhase::generate);
  };
  CHECK(with("graphs", false) > 1.2 * base);
  CHECK(with("graph_batch", 8) > 1.1 * base);
  CHECK(with("max_running", 8) > 1.2 * base);
  CHECK(with("precision", "fp8") < base);
  CHECK(with("cache_precision", "fp8") < base);
  CHECK(with("tokens_per_pass", 2) < 0.7 * base);
  CHECK(with("shared_prefixes", false) > base);
  CHECK(with("memory_share", 0.25) > base);
}

TEST_CASE("a longer answer at the cap holds the step") {
  Json run = rl_run();
  const double base = at(step_of(run), RlPhase::generate);
  run["training"]["rl"]["response"]["at_cap"] = 0.05;
  CHECK(at(step_of(run), RlPhase::generate) > base);
  run = rl_run();
  run["training"]["rl"]["agent"] = {{"turns", 4}, {"tool", "5 s"}};
  CHECK(at(step_of(run), RlPhase::generate) > base + 3);
}

TEST_CASE("dpo generates nothing") {
  Json run = rl_run();
  run["training"]["rl"]["algorithm"] = "dpo";
  const RlStep s = step_of(run);
  CHECK(at(s, RlPhase::generate) == 0);
  CHECK(at(s, RlPhase::handover) == 0);
  CHECK(at(s, RlPhase::reference) > 0);
  CHECK(s.samples == 128);
}

TEST_CASE("a hand-over moves all weights once, or a share into each GPU") {
  // Llama 3 8B: 8,030,261,248 parameters of 2 B.
  constexpr double kBytesOfAll = 2 * 8030261248.0;
  Json run = rl_run();
  run["placement"] = {{"kind", "split"}, {"rollout_gpus", 4}};
  run["rollout"]["tp"] = 2;
  const RlRun rl = *learner_of(run).rl;
  const EngineHandover& h = rl.generator.engine.handover;
  const Run learner = learner_of(run).run;
  CHECK(handover_time(learner, rl).si() == about(h.start.si() + kBytesOfAll / h.broadcast.si()));
  run["placement"]["transfer"] = "p2p";
  const RlRun p2p = *learner_of(run).rl;
  const Bytes share = weights_of_gpu(p2p.generator);
  CHECK(share.si() == about(kBytesOfAll / 2).epsilon(0.001));
  CHECK(handover_time(learner, p2p).si() == about(h.start.si() + (share / h.p2p).si()));
}

TEST_CASE("a hand-over takes no less than the slower side's link") {
  // 25 Gb/s at 0.7 into a node of two A100: 16.06 GB in 7.34 s. Into each of the two a half.
  constexpr double kBytesOfAll = 2 * 8030261248.0;
  constexpr double kLink = 0.7 * 3.125e9;
  Json run = rl_run();
  run["cluster"] = {{"node", "a100-pcie-80gb-2x"}, {"gpus", 8}};
  run["placement"] = {{"kind", "split"}, {"rollout_gpus", 4}};
  run["rollout"]["tp"] = 1;
  const auto time = [&] {
    const ResolvedRun r = learner_of(run);
    return (handover_time(r.run, *r.rl) - r.rl->generator.engine.handover.start).si();
  };
  CHECK(time() == about(kBytesOfAll / kLink));
  run["placement"]["transfer"] = "p2p";
  CHECK(time() == about(kBytesOfAll / (kLink / 2)));
  // The learner on faster nodes: the generator's links hold.
  run["placement"]["transfer"] = "broadcast";
  run["rollout"]["node"] = "a100-pcie-80gb-2x";
  run["cluster"]["node"] = "dgx-h100";
  CHECK(time() == about(kBytesOfAll / kLink));
  // Colocated, shards of stages stand on other nodes; replicas have a copy on each.
  run = rl_run();
  run["cluster"] = {{"node", "a100-pcie-80gb-2x"}, {"gpus", 4}};
  run["parallel"] = {{"tp", 2}, {"pp", 2}, {"recompute", "full"}};
  CHECK(time() == about(kBytesOfAll / kLink));
  run["parallel"] = {{"tp", 2}, {"recompute", "full"}};
  CHECK(time() < 5);
}

TEST_CASE("states yield over the host link, weights of an engine at its full rate") {
  Json run = rl_run();
  const ResolvedRun level_2 = learner_of(run);
  run["placement"]["sleep_level"] = 1;
  const ResolvedRun level_1 = learner_of(run);
  StageMemory<double> held;
  held[MemoryLine::weights] = Bytes(8e9);
  held[MemoryLine::optimizer] = Bytes(12e9);
  // 55 GB/s of an H100, 0.054 of it by states; 16.06 GB of the engine.
  CHECK(sleep_time(*level_2.rl, held).si() == about(20e9 / (55e9 * 0.054)));
  const Seconds more = sleep_time(*level_1.rl, held) - sleep_time(*level_2.rl, held);
  CHECK(more.si() == about(2 * 8030261248.0 / 55e9));
  // A GB200's link carries more.
  run["cluster"] = {{"node", "gb200-nvl72"}, {"gpus", 8}};
  CHECK(sleep_time(*learner_of(run).rl, held) < sleep_time(*level_1.rl, held) * 0.5);
}

TEST_CASE("packs count by the tokens that they hold") {
  // 512 sequences of 1,000 tokens over 4 replicas: 128,000 each, 16 packs of up to 8,192: 8,000,
  // rounded up to rows of 64.
  const ResolvedRun r = learner_of(rl_run());
  CHECK(tokens_of_fullest_replica(512, 1000, 2248, 4) == 128000);
  CHECK(tokens_of_fullest_replica(8, 1000, 2248, 8) == 2248);
  CHECK(micro_batches_for(128000, 8192) == 16);
  CHECK(scored_micro_batches(r.run, *r.rl) == 16);
  CHECK(learner_of_scoring(r.run, *r.rl).training.sequence == 8000);
  CHECK(learner_of_update(r.run, *r.rl).training.sequence == 8000);
  // Eight updates of 64: 16,000 tokens a replica, two packs of 8,000 still; 64 of 8: one pack of
  // 2,000; of 128 with 4 each replica has one, and the slowest the longest.
  Json run = rl_run();
  run["training"]["rl"]["mini_batches"] = 8;
  const ResolvedRun eight = learner_of(run);
  CHECK(eight.run.strategy.micro_batches == 2);
  CHECK(learner_of_update(eight.run, *eight.rl).training.sequence == 8000);
  run["training"]["rl"]["mini_batches"] = 64;
  const ResolvedRun many = learner_of(run);
  CHECK(learner_of_update(many.run, *many.rl).training.sequence == 2000);
  CHECK(many.run.training.sequence == 8192);
  run["training"]["rl"]["mini_batches"] = 128;
  const ResolvedRun most = learner_of(run);
  CHECK(most.rl->longest_of_update > 1200);
  CHECK(learner_of_update(most.run, *most.rl).training.sequence ==
        rounded_up(most.rl->longest_of_update, std::int64_t{4}));
}

TEST_CASE("a scoring pass goes over the step once, whatever the mini batches") {
  for (const bool packs : {true, false}) {
    Json run = rl_run();
    if (!packs) run["training"]["rl"].erase("packed_tokens");
    const double once = at(step_of(run), RlPhase::old_log_probs);
    run["training"]["rl"]["mini_batches"] = 64;
    CHECK(at(step_of(run), RlPhase::old_log_probs) == about(once));
    CHECK(at(step_of(run), RlPhase::reference) == about(once));
  }
}

// Half the tokens in packs of the same limit take about half the time.
TEST_CASE("half the tokens of a pack take about half its forward pass") {
  Json run = rl_run();
  run["training"]["rl"]["prompts"] = 4;
  const RlStep full = step_of(run);
  run["training"]["rl"]["group"] = 4;
  const RlStep half = step_of(run);
  const double share = at(half, RlPhase::old_log_probs) / at(full, RlPhase::old_log_probs);
  CHECK(share > 0.45);
  CHECK(share < 0.65);
}

TEST_CASE("on GPUs of their own the phases are a queue") {
  Json run = rl_run();
  run["placement"] = {{"kind", "split"}, {"rollout_gpus", 4}};
  const RlStep split = step_of(run);
  run["placement"]["kind"] = "async";
  const RlStep async = step_of(run);
  CHECK(at(split, RlPhase::generate) == about(at(async, RlPhase::generate)));
  CHECK(split.step.value.si() == about(split.queue.period.si()));
  CHECK(async.step.value < split.step.value);
  CHECK(async.memory[RlMoment::generate].learner == Bytes());
  CHECK(async.memory[RlMoment::update].engine == Bytes());
  // The learner's states and a bucket; the engine's weights are on other GPUs.
  const MomentMemory& handover = async.memory[RlMoment::handover];
  CHECK(handover.happens);
  CHECK(handover.engine == learner_of(run).rl->generator.engine.handover.bucket);
  CHECK(handover.learner.si() > 0);
  run["placement"]["partial"] = true;
  CHECK(at(step_of(run), RlPhase::generate) < at(async, RlPhase::generate));
}

TEST_CASE("a critic holds its states in every phase") {
  // On one of 4 learners with ZeRO 3, 16 B of 8,030,261,248 parameters: 32.1 GB more.
  Json run = rl_run();
  run["framework"] = "deepspeed";
  run["parallel"] = {{"zero", 3}, {"recompute", "full"}};
  run["placement"] = {{"kind", "split"}, {"rollout_gpus", 4}};
  const RlStep alone = step_of(run);
  run["training"]["rl"]["algorithm"] = "ppo";
  const RlStep both = step_of(run);
  for (const RlMoment m : {RlMoment::log_probs, RlMoment::update, RlMoment::handover}) {
    const Bytes more = both.memory[m].learner - alone.memory[m].learner;
    CHECK(more.si() == about(16 * 8030261248.0 / 4).epsilon(0.02));
  }
  CHECK(both.memory[RlMoment::generate].learner == Bytes());
}

TEST_CASE("gradients are freed, not copied, where the learner yields") {
  const RlStep s = step_of(rl_run());
  CHECK(at(s, RlPhase::sleep) == about(at(s, RlPhase::wake)));
  // Weights and optimizer of a rank alone: 2 + 12/dp B of 8.03 B parameters over tp 2, dp 4.
  const EngineHandover& h = learner_of(rl_run()).rl->generator.engine.handover;
  const double bytes = at(s, RlPhase::sleep) * h.host * 55e9;
  CHECK(bytes > 8030261248.0 / 2 * (2 + 12 / 4.0));
  CHECK(bytes < 8030261248.0 / 2 * (2 + 12 / 4.0 + 4) + 8030261248.0 * 2);
}

TEST_CASE("memory by phase follows what yields") {
  const RlStep away = step_of(rl_run());
  Json run = rl_run();
  run["placement"] = Json::object();
  const RlStep stays = step_of(run);
  using enum RlMoment;
  CHECK(stays.memory[generate].learner > away.memory[generate].learner);
  CHECK(stays.memory[log_probs].learner > away.memory[log_probs].learner);
  CHECK(stays.memory[update].learner == away.memory[update].learner);
  run["placement"]["sleep_level"] = 0;
  CHECK(step_of(run).memory[update].engine > stays.memory[update].engine);
  run["placement"] = {{"staged_wake", false}};
  CHECK(step_of(run).memory[handover].engine > stays.memory[handover].engine);
  run["placement"] = {{"offload_reference", true}};
  CHECK(step_of(run).memory[update].reference == Bytes());
  run = rl_run();
  run["training"]["rl"]["chunked_log_probs"] = true;
  CHECK(step_of(run).memory[log_probs].logits.si() == about(1024.0 * 128256 / 2 * 6));
}

TEST_CASE("logits of a scoring pass are those of the public case") {
  // NVIDIA-NeMo/RL#3005: 4 sequences of 4,096 tokens, vocabulary 151,936: 9.27 GiB in 32 bits, and
  // half as much in 16.
  Json run = rl_run();
  run["model"] = "qwen3-30b-a3b";
  run["parallel"] = {{"ep", 8}, {"recompute", "full"}};
  run["training"]["rl"].erase("packed_tokens");
  run["training"]["sequence_length"] = 4096;
  run["training"]["micro_batch"] = 4;
  const RlStep s = step_of(run);
  CHECK((s.memory[RlMoment::log_probs].logits / kGiB) == about(9.27 * 1.5).epsilon(0.002));
}

// Beside 6 bytes of a logit a 32-bit copy and a 32-bit softmax; in the loss these two alone are
// added.
TEST_CASE("entropy holds a copy of the logits and their softmax") {
  Json run = rl_run();
  const double logits = 8192.0 * 128256 / 2;
  const RlStep none = step_of(run);
  CHECK(none.memory[RlMoment::log_probs].logits.si() == about(logits * 6));
  CHECK(none.memory[RlMoment::update].logits == Bytes());
  run["training"]["rl"]["entropy"] = "scored";
  const RlStep scored = step_of(run);
  CHECK(scored.memory[RlMoment::log_probs].logits.si() == about(logits * 14));
  CHECK(scored.memory[RlMoment::update].logits == Bytes());
  run["training"]["rl"]["entropy"] = "learned";
  CHECK(step_of(run).memory[RlMoment::update].logits.si() == about(logits * 8));
  run["training"]["rl"]["chunked_log_probs"] = true;
  CHECK(step_of(run).memory[RlMoment::log_probs].logits.si() == about(1024.0 * 128256 / 2 * 14));
}

TEST_CASE("a share that leaves no room names the phase and a change that fits") {
  Json run = rl_run();
  run["rollout"]["memory_share"] = 0.9;
  run["placement"] = Json::object();
  const RlStep s = step_of(run);
  CHECK(!s.fits);
  REQUIRE(!s.reasons.empty());
  CHECK(s.reasons.front().starts_with("generate: "));
  REQUIRE(!s.remedy.empty());
  CHECK(s.remedy[0].path == "rollout.memory_share");
}

// Logits of 32 sequences of 2,248 tokens fill the update.
TEST_CASE("an update that does not fit names smaller micro batches") {
  Json run = rl_run();
  run["training"]["rl"].erase("packed_tokens");
  run["training"]["micro_batch"] = 32;
  const RlStep s = step_of(run);
  CHECK(!s.memory[RlMoment::update].fits());
  REQUIRE(!s.remedy.empty());
  CHECK(s.remedy[0].path == "training.micro_batch");
}

TEST_CASE("what nobody can guess is asked for by its flag") {
  Json run = rl_run();
  run["training"]["rl"].erase("response");
  CHECK(refusal(run).find("--response-mean") != std::string::npos);
  run = rl_run();
  run["training"]["rl"].erase("prompts");
  CHECK(refusal(run).find("--prompts") != std::string::npos);
  run = rl_run();
  run["training"]["rl"].erase("prompt_length");
  CHECK(refusal(run).find("--prompt-length") != std::string::npos);
  run = rl_run();
  run["training"]["rl"]["group"] = 1;
  CHECK(refusal(run).find("--group") != std::string::npos);
  run = rl_run();
  run["rollout"]["tp"] = 3;
  CHECK(refusal(run).find("rollout.tp") != std::string::npos);
  run = rl_run();
  run["training"]["rl"]["response"]["mean"] = 3000;
  CHECK(refusal(run).find("cap of 2048") != std::string::npos);
}

TEST_CASE("other commands refuse a run with training.rl") {
  CHECK_THROWS_AS(resolve_run(rl_run(), "test", shipped_configs()), InputError);
}

TEST_CASE("the inputs of an answer, read again, give the same step") {
  const ResolvedRun first = learner_of(rl_run());
  const ResolvedRun again = learner_of(*first.inputs);
  CHECK(rl_step(first).step.value == rl_step(again).step.value);
  CHECK(*first.inputs == *again.inputs);
}

TEST_CASE("an acceptance says the tokens of a pass") {
  // Four drafts at 0.8: 1 + 0.8 + 0.64 + 0.512 + 0.4096.
  CHECK(tokens_of_pass(0.8, 4) == about(3.3616));
  CHECK(tokens_of_pass(1, 4) == 5);
  CHECK(tokens_of_pass(0.5, 0) == 1);
  Json run = rl_run();
  run["rollout"]["acceptance"] = 0.8;
  CHECK(refusal(run).find("rollout.drafted") != std::string::npos);
  run["rollout"]["drafted"] = 4;
  CHECK(learner_of(run).rl->generator.tokens_a_pass == about(3.3616));
  run["rollout"]["tokens_per_pass"] = 2;
  CHECK(refusal(run).find("one of them") != std::string::npos);
}

TEST_CASE("a key that another placement reads alone is warned of") {
  const auto warnings = [](const Json& run) {
    std::string all;
    for (const std::string& line : learner_of(run).warnings) all += line + "\n";
    return all;
  };
  Json run = rl_run();
  CHECK(warnings(run).find("placement") == std::string::npos);
  run["placement"]["transfer"] = "p2p";
  CHECK(warnings(run).find("placement.transfer has no effect") != std::string::npos);
  run["placement"] = {{"kind", "async"}, {"rollout_gpus", 4}, {"sleep_level", 1}};
  CHECK(warnings(run).find("placement.sleep_level has no effect") != std::string::npos);
}
