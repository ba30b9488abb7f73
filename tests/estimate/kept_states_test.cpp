// SPDX-License-Identifier: Apache-2.0
//
// A search judges the shardings of a block by the least and the most of their states, and one of
// them by states made before: both must say what each sharding alone says.
#include "estimate/kept_states.h"

#include <doctest/doctest.h>

#include <array>
#include <random>

#include "estimate/classes.h"
#include "estimate/fits_at_risk.h"
#include "estimate/links.h"
#include "estimate/risk.h"
#include "support/runs.h"

namespace orrery {
namespace {

using testing::run_of;

constexpr const char* kGpt = R"({
  "model": "gpt3-175b", "cluster": {"node": "dgx-a100-80gb", "gpus": 512},
  "training": {"sequence_length": 2048, "global_batch": 256}, "framework": "megatron-lm",
  "parallel": {"tp": 4, "pp": 4, "vpp": 2, "schedule": "interleaved"}})";
constexpr const char* kMixtral = R"({
  "model": "mixtral-8x7b", "cluster": {"node": "dgx-h100", "gpus": 64},
  "training": {"sequence_length": 4096, "global_batch": 256}, "framework": "megatron-core",
  "parallel": {"tp": 2, "pp": 2, "ep": 4, "zero": 1}})";
constexpr const char* kFsdp = R"({
  "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 32},
  "training": {"sequence_length": 8192, "global_batch": 64}, "framework": "torchtitan"})";
constexpr const char* kDeepspeed = R"({
  "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 32},
  "training": {"sequence_length": 8192, "global_batch": 64}, "framework": "deepspeed"})";

// Every weights ≤ gradients ≤ optimizer, as of three levels, and a few that no ZeRO has.
std::vector<Partition> shardings_of(std::int64_t replicas) {
  std::vector<Partition> list;
  for (std::int64_t o = 1; o <= replicas; o *= 2) {
    for (std::int64_t g = 1; g <= replicas; g *= 4) {
      for (std::int64_t w = 1; w <= g; w *= 2) list.push_back({w, g, o});
    }
  }
  return list;
}

struct Tried {
  int none = 0;
  int all = 0;
  int unknown = 0;
};

class Blocks {
 public:
  explicit Blocks(const char* text) : run_(run_of(testing::json_of(text))) {
    run_.memory_risk.share = 0.9;
    shardings_ = shardings_of(run_.strategy.dp * run_.strategy.cp);
  }

  void try_one(std::mt19937& random, Tried& tried) {
    Strategy& s = run_.strategy;
    const auto draw = [&random](unsigned n) { return random() % n; };
    s.micro_batch = 1 << draw(3);
    s.micro_batches = run_.training.global_batch / (s.dp * s.micro_batch);
    s.recompute = static_cast<Recompute>(draw(3));
    s.offload = {static_cast<OffloadTarget>(draw(2)), static_cast<OffloadTarget>(draw(2)),
                 static_cast<OffloadTarget>(draw(2)), draw(2) == 0 ? 1.0 : 0.5};
    if (s.micro_batches == 0 || !is_legal(run_)) return;
    const double of_peak = 0.05 + 0.05 * static_cast<double>(draw(30));
    run_.cluster.device.memory_capacity = Bytes(80e9);
    run_.cluster.device.memory_capacity = memory_alone(shardings_[0]).memory.peak * of_peak;
    check_block(tried);
  }

 private:
  Answer memory_alone(const Partition& p) {
    Run run = run_;
    run.strategy.partition = p;
    Workspace w;
    price<double>(run, w.scratch, w.prices);
    fill_parts<double>(run, w);
    Answer a;
    answer_memory(run, w, a);
    return a;
  }

  void check_block(Tried& tried) {
    Workspace w;
    price<double>(run_, w.scratch, w.prices);
    fill_parts<double>(run_, w);
    KeptStates kept;
    const std::size_t half = shardings_.size() / 2;
    kept.start(shardings_, {{0, shardings_.size()}, {0, half}, {half, shardings_.size()}}, 1);
    std::vector<JudgedStage> stages;
    kept.find(run_, w, 0, stages);
    const MemoryOfAll all = memory_of_all(run_, stages, 0);
    const std::array halves = {memory_of_all(run_, stages, 1), memory_of_all(run_, stages, 2)};
    for (std::size_t k = 0; k < shardings_.size(); ++k) {
      const Answer alone = memory_alone(shardings_[k]);
      run_.strategy.partition = shardings_[k];
      Answer kept_one;
      answer_memory(run_, stages, k, kept_one);
      CHECK(kept_one.reason == alone.reason);
      CHECK(kept_one.memory.lines == alone.memory.lines);
      CHECK(kept_one.memory.needed == alone.memory.needed);
      CHECK(kept_one.host_needed == alone.host_needed);
      for (const MemoryOfAll& m : {all, halves[k < half ? 0 : 1]}) {
        CHECK(alone.memory.peak >= m.least);
        if (m.fit == FitOfAll::none_fits) CHECK(alone.reason != Reason::fits);
        if (m.fit == FitOfAll::all_fit) CHECK(fits_at_risk(run_, alone));
      }
    }
    ++(all.fit == FitOfAll::none_fits ? tried.none
       : all.fit == FitOfAll::all_fit ? tried.all
                                      : tried.unknown);
  }

  Run run_;
  std::vector<Partition> shardings_;
};

TEST_CASE("the least and the most of states tell of every sharding what it tells alone") {
  std::mt19937 random(20);
  Tried tried;
  for (const char* text : {kGpt, kMixtral, kFsdp, kDeepspeed}) {
    CAPTURE(text);
    Blocks blocks(text);
    for (int i = 0; i < 150; ++i) blocks.try_one(random, tried);
  }
  CHECK(tried.none > 20);
  CHECK(tried.all > 20);
  CHECK(tried.unknown > 20);
}

}  // namespace
}  // namespace orrery
