// SPDX-License-Identifier: Apache-2.0
#include "capacity/data_needs.h"

#include <doctest/doctest.h>

#include "capacity/bill.h"
#include "capacity/shipped_plans.h"
#include "model/operators.h"
#include "support/about.h"
#include "support/runs.h"

namespace orrery {
namespace {

using testing::answered;
using testing::shipped_config;

std::vector<SampleKind> shipped_samples() {
  const ConfigText text = *shipped_config("data", "samples");
  const Json json = parse_json(text.text, text.file);
  return read_samples(Reader(json, text.file));
}

double gigabytes_per_s(const std::string& name, double flops_per_s) {
  for (const SampleKind& k : shipped_samples()) {
    if (k.name == name) return sample_bandwidth(k, FlopsPerSecond(flops_per_s)).si() / 1e9;
  }
  return 0;
}

TEST_CASE("bandwidth of samples is what G. Lockwood's notes compute") {
  // 65 GB/s for each PFLOP/s as printed; 16 MiB over 247 Gi FLOP is 63.3.
  CHECK(gigabytes_per_s("CosmoFlow", 1e15) == testing::about(63.3).epsilon(1e-3));
  // 573 MB/s for a V100 at 130 TFLOP/s.
  CHECK(gigabytes_per_s("ResNet-50", 130e12) == testing::about(0.5734).epsilon(1e-3));
  CHECK(gigabytes_per_s("DeepCAM", 1e15) == testing::about(9.13).epsilon(1e-3));
  // 189 MB/s a V100, 1.134 GB/s a node of six (arXiv:1810.01993).
  CHECK(6 * gigabytes_per_s("Tiramisu", 20.93e12) == testing::about(1.134).epsilon(1e-2));
}

TEST_CASE("a data set is its tokens, and the storage must hold it beside the checkpoints") {
  const auto a = answered(R"({"run": "gpt3-175b-1024-a100", "goal": {"tokens": 300e9},
      "data": {"tokens_per_core_s": 10000}, "checkpoint": {"keep": 3, "archive": 7},
      "storage": {"write": "100 GB/s", "capacity": "10 TB", "client": "3 GB/s"}})");
  const OptionAnswer& o = a->answer.options[0];
  CHECK(o.data.dataset.si() == 1.2e12);  // GPT-3: 1.2 TB
  CHECK(o.data.checkpoints.si() == testing::about(10 * o.inputs.stretches[0].checkpoint.si()));
  CHECK_FALSE(o.data.storage_holds_it);
  CHECK(o.data.cores == testing::about(1536 * 2048 / o.answer.step_time.si() / 10000));
  // 8 GPUs at 143 TFLOP/s read 72 GB/s of CosmoFlow a node, and an NFS client carries 3.
  CHECK_FALSE(o.data.samples[0].clients_carry_it);
}

TEST_CASE("the Pile's 260 B tokens are 887 GB") {
  const auto a = answered(R"({"run": "gpt3-175b-1024-a100", "goal": {"tokens": 260e9},
      "data": {"corpus": "pile"}})");
  CHECK(a->answer.options[0].data.dataset.si() == testing::about(887e9).epsilon(1e-3));
}

TEST_CASE("keys and values of published models") {
  const auto gpt = answered(R"({"run": "gpt3-175b-1024-a100", "goal": {"tokens": 1e9}})");
  // 2 × 96 layers × 12,288 × 2 bytes.
  CHECK(gpt->answer.options[0].inference[0].cache_a_token.si() == 2.0 * 96 * 12288 * 2);
  const auto llama = answered(R"({"run": "llama-3-405b-16384-h100", "goal": {"tokens": 1e9}})");
  // 2 × 126 layers × 8 heads of 128 × 2 bytes.
  const InferenceNeeds& n = llama->answer.options[0].inference[2];
  CHECK(n.cache_a_token.si() == 2.0 * 126 * 8 * 128 * 2);
  CHECK(n.waste.si() == testing::about(n.cache_a_token.si() * 32 * 8));
  CHECK(n.weights.si() == testing::about(2 * 405.9e9).epsilon(1e-3));
  const auto deepseek = answered(R"({"run": "deepseek-v3-2048-h800", "goal": {"tokens": 1e9}})");
  // 61 layers × (512 + 64) × 2 bytes (arXiv:2412.19437).
  CHECK(deepseek->answer.options[0].inference[0].cache_a_token.si() == 61.0 * 576 * 2);
  const auto hybrid = answered(R"({"run": {"model": "nemotron-h-8b", "framework": "megatron-core",
      "cluster": {"node": "dgx-h100", "gpus": 8}, "training": {"sequence_length": 4096,
      "global_batch": 64}, "parallel": {}}, "goal": {"tokens": 1e9}})");
  // 4 of 52 layers attend (arXiv:2504.03624), with 8 heads of 128.
  CHECK(hybrid->answer.options[0].inference[0].cache_a_token.si() == 2.0 * 4 * 8 * 128 * 2);
}

TEST_CASE("fewer synchronisations never take longer, and never less than none") {
  const auto a = answered(R"({"run": "gpt3-175b-1024-a100"})");
  const OptionAnswer& o = a->answer.options[0];
  CHECK(o.periodic.replicas == 16);
  REQUIRE(o.periodic.at.size() == kSyncEvery.size());
  Seconds before = o.outcome.wall;
  for (const PeriodicSync& p : o.periodic.at) {
    CHECK(p.wall < before);
    before = p.wall;
  }
  const Answer& step = o.training.pieces[0].answer;
  const Seconds never = (step.step_time - step.breakdown[Term::dp_exposed]) *
                        static_cast<double>(o.training.pieces[0].steps);
  CHECK(never < before);
}

// ZeRO 3 within `group` ranks, copies of that over the rest.
std::string sharded_within(int group) {
  return R"({"run": "llama-3-8b-8-h100", "goal": {"tokens": 1e12}, "gpus": 32, "set": {
      "training.global_batch": 64, "parallel.zero_shard_group": )" +
         std::to_string(group) + "}}";
}

TEST_CASE("weights that are sharded over all ranks leave no replica to skip a synchronisation") {
  const auto all =
      answered(R"({"run": "llama-3-8b-8-h100", "goal": {"tokens": 1e12}, "gpus": 16})");
  CHECK(all->answer.options[0].periodic.ranks == 16);
  CHECK(all->answer.options[0].periodic.replicas == 1);
  CHECK(all->answer.options[0].periodic.at.empty());
}

TEST_CASE("what replicas of shard groups skip is less than all that data parallelism exposes") {
  const auto a = answered(sharded_within(8));
  const OptionAnswer& o = a->answer.options[0];
  CHECK(o.periodic.replicas == 4);
  CHECK_FALSE(o.periodic.states_go_beyond);
  REQUIRE(o.periodic.at.size() == kSyncEvery.size());
  const PieceTime& p = o.training.pieces[0];
  const Seconds exposed = p.answer.breakdown[Term::dp_exposed] * static_cast<double>(p.steps);
  const Seconds saved = o.outcome.wall - o.periodic.at.back().wall;
  CHECK(saved > Seconds());
  CHECK(saved < exposed * 0.9);
  // A replica alone is the same run on its 8 GPUs: what it exposes still is exposed.
  const auto alone =
      answered(R"({"run": "llama-3-8b-8-h100", "goal": {"tokens": 1e12}, "gpus": 8})");
  const Answer& one = alone->answer.options[0].training.pieces[0].answer;
  const Seconds kept = one.breakdown[Term::dp_exposed] * static_cast<double>(p.steps);
  CHECK(saved.si() == testing::about(((exposed - kept) * (511.0 / 512)).si()).epsilon(1e-9));
}

TEST_CASE("experts, context and sharded weights make ranks one replica") {
  Strategy s;
  s.dp = 16;
  CHECK(whole_replicas(s) == 16);
  s.partition = {1, 1, 16};
  CHECK(whole_replicas(s) == 16);
  s.partition = {8, 8, 8};
  CHECK(whole_replicas(s) == 2);
  s.cp = 4;
  CHECK(whole_replicas(s) == 8);
  s.ep = 16;
  CHECK(whole_replicas(s) == 4);
  s.partition = {64, 64, 64};
  CHECK(whole_replicas(s) == 1);
}

TEST_CASE("at the utilisation where buying pays, buying costs what renting does") {
  const auto a = answered(R"({"run": "llama-3-405b-16384-h100", "prices": ["market-2026",
      {"lifetime": {"value": "1461 d", "source": "s", "date": "2026-11"},
       "utilisation": {"value": 0.8, "source": "s", "date": "2026-11"},
       "electricity": {"value": "0.1 USD/kWh", "source": "s", "date": "2026-11"},
       "network": {"value": 0.15, "source": "s", "date": "2026-11"}, "pay": "purchase"}]})");
  const OptionAnswer& o = a->answer.options[0];
  REQUIRE(o.buying_pays_at);
  OutcomeInputs in = o.inputs;
  in.prices.utilisation = exactly(*o.buying_pays_at);
  const double bought = outcome_of(in).cost->amount();
  in.prices.payment = Payment::rent;
  CHECK(outcome_of(in).cost->amount() == testing::about(bought).epsilon(1e-9));
}

TEST_CASE("where buying pays does not depend on storage that is paid either way") {
  const auto at = [](const std::string& storage) {
    const auto a = answered(R"({"run": "llama-3-405b-16384-h100", "prices": ["market-2026",
        {"lifetime": {"value": "1461 d", "source": "s", "date": "2026-11"},
         "utilisation": {"value": 0.8, "source": "s", "date": "2026-11"},)" +
                            storage + R"( "pay": "purchase"}]})");
    return a->answer.options[0].buying_pays_at.value();
  };
  const std::string space =
      R"("storage_space": {"value": "100 USD/TB/month", "source": "s", "date": "2026-11"},)";
  CHECK(at(space) == testing::about(at("")).epsilon(1e-9));
}

TEST_CASE("a plan that never ends says what takes the time") {
  const auto reason = [](const std::string& more) {
    const auto a =
        answered(R"({"run": "gpt3-175b-1024-a100", "goal": {"tokens": 300e9},)" + more + "}");
    CHECK(a->answer.options[0].status == OptionStatus::never_ends);
    return a->answer.options[0].reason;
  };
  // λW is far beyond what a power can hold.
  CHECK(reason(R"("failures": {"classes": [{"name": "gpu", "per_gpu_hour": 0.004}],
                  "detection": "1 min", "restart": "5 min"}, "storage": {"write": "2 MB/s"},
                  "checkpoint": {"mode": "asynchronous"})")
            .find("undoes more than is trained") != std::string::npos);
  CHECK(reason(R"("failures": {"classes": [{"name": "gpu", "per_gpu_hour": 1e-4,
                  "takes_node": true}], "repair": "730 d"}, "spares": 0,
                  "storage": {"write": "100 GB/s"})")
            .find("nodes fail faster") != std::string::npos);
}

TEST_CASE("the network to buy is judged at the full batch, not at a ramp's first") {
  const auto least = [](const std::string& ramp) {
    const auto a =
        answered(R"({"run": "gpt3-175b-1024-a100", "goal": {"tokens": 300e9})" + ramp + "}");
    return a->answer.options[0].needs.least.si();
  };
  CHECK(least(R"(, "batch_ramp": [{"global_batch": 192, "tokens": 1e9}])") ==
        testing::about(least("")));
}

TEST_CASE("weights to serve include the encoder of images") {
  Architecture a = answered(R"({"run": "gpt3-175b-1024-a100"})")->answer.options[0].run->run.model;
  a.tower.layers = 2;
  a.tower.hidden = 512;
  a.tower.heads = 8;
  a.tower.intermediate = 2048;
  a.tower.patch = 588;
  const ParameterCount n = parameter_count(a, 2048);
  REQUIRE(n.tower > 0);
  CHECK(inference_needs(a, 1, 2048).weights.si() ==
        testing::about(2 * static_cast<double>(n.total + n.tower)));
}

TEST_CASE("layers of a window keep its tokens alone to serve") {
  // Gemma 3 27B: 10 layers of all 8,192 tokens and 52 of the last 1,024, 16 heads of 128 in 2 B.
  const Architecture a = testing::run_of(testing::json_of(R"({"model": "gemma-3-27b",
      "cluster": {"node": "dgx-h100", "gpus": 8},
      "training": {"sequence_length": 8192, "global_batch": 8}})"))
                             .model;
  CHECK(inference_needs(a, 1, 8192).cache.si() ==
        testing::about((10 * 8192.0 + 52 * 1024.0) * 2 * 16 * 128 * 2));
}

TEST_CASE("at its break-even rent an option costs what the best one does") {
  const auto a = answered(R"({"run": "gpt3-175b-1024-a100", "prices": "market-2026", "gpus": 512,
      "scenarios": [{"name": "a", "cluster": {"node": "dgx-a100-80gb"}},
                    {"name": "b", "cluster": {"node": "a100-80gb-4x200g"}}]})");
  REQUIRE(a->answer.break_evens.size() == 1);
  const BreakEven& b = a->answer.break_evens[0];
  OutcomeInputs in = a->answer.options[b.option].inputs;
  in.prices.rent = exactly(b.rent);
  CHECK(outcome_of(in).cost->amount() ==
        testing::about(a->answer.options[a->answer.ranked[0]].outcome.cost->amount()));
}

TEST_CASE("what fails faster than it gets on is refused with a reason") {
  const auto a = answered(R"({"run": "gpt3-175b-1024-a100", "storage": {"write": "1 GB/s"},
      "failures": {"classes": [{"name": "all", "per_gpu_hour": 1}]}})");
  CHECK(a->answer.options[0].status == OptionStatus::never_ends);
  CHECK(a->answer.ranked.empty());
}

TEST_CASE("a deadline that must surely be met looks at the upper end") {
  const auto days = [](const char* sure) {
    return answered(std::string(R"({"run": "gpt3-175b-1024-a100", "gpus": 1024,
        "require": {"deadline": "25 d", "sure": )") +
                    sure + "}}")
        ->answer.requirements[0]
        .met.size();
  };
  CHECK(days("false") == 1);
  CHECK(days("true") == 0);
}

}  // namespace
}  // namespace orrery
