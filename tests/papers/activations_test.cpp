// SPDX-License-Identifier: Apache-2.0
//
// Activation memory as published, from the list of saved tensors.
#include <doctest/doctest.h>

#include "estimate/run.h"
#include "memory/recipe.h"
#include "papers/golden.h"
#include "parallel/schedules/table.h"
#include "parallel/shard.h"
#include "support/gpt.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

struct Variant {
  bool tensor = true;
  bool sequence_parallel = false;
  Recompute recompute = Recompute::none;
};

Variant variant_of(const std::string& name) {
  if (name == "none") return {false, false, Recompute::none};
  if (name == "tp") return {true, false, Recompute::none};
  if (name == "tp-sp") return {true, true, Recompute::none};
  if (name == "tp-selective") return {true, false, Recompute::selective};
  if (name == "tp-sp-selective") return {true, true, Recompute::selective};
  REQUIRE(name == "full");
  return {false, false, Recompute::full};
}

Strategy strategy_of(const Variant& v, std::int64_t tp) {
  Strategy s;
  s.tp = v.tensor ? tp : 1;
  s.sequence_parallel = v.sequence_parallel;
  s.recompute = v.recompute;
  return s;
}

Bytes kept_by_layer(const ShardedBlock& layer, const Strategy& s) {
  return s.recompute == Recompute::full ? layer.input : kept_bytes(layer, recomputed_modules(s));
}

Bytes layer_activations(const Json& in, const std::string& variant) {
  const Architecture a = gpt(1, integer(in, "hidden"), integer(in, "heads"));
  const ListOptions o = unfused(integer(in, "sequence"), integer(in, "micro_batch"));
  const Strategy s = strategy_of(variant_of(variant), integer(in, "tp"));
  return kept_by_layer(sharded_layer(a, o, s), s);
}

// Layers whose activations the first stage holds at its fullest.
double layers_in_flight(const Json& in) {
  PipelineShape shape{integer(in, "pp"), integer(in, "vpp"), 4 * integer(in, "pp")};
  const ScheduleId id = shape.chunks > 1 ? ScheduleId::interleaved : ScheduleId::one_f_one_b;
  const std::int64_t held = schedule_of(id).in_flight(shape, 0);
  const std::int64_t layers_of_a_chunk = integer(in, "layers") / virtual_stages(shape);
  return static_cast<double>(held * layers_of_a_chunk);
}

// The paper's 18 bytes for the matrices of the layers of one stage.
Bytes layer_states(const Json& in) {
  const Architecture a = gpt(1, integer(in, "hidden"), integer(in, "heads"));
  Strategy s;
  s.tp = integer(in, "tp");
  const auto elements = static_cast<double>(matrix_elements(
      sharded_layer(a, unfused(integer(in, "sequence"), integer(in, "micro_batch")), s)));
  const double bytes = bytes_per_parameter(find_recipe("adam-fp32-gradients-18")->recipe);
  const auto layers = static_cast<double>(integer(in, "layers"));
  return Bytes(elements * bytes * layers / static_cast<double>(integer(in, "pp")));
}

// Megatron-LM's own formula: layer matrices and norms of 1/p of the layers, final norm, and the
// word embedding, all over t; layers in flight and the embedding's dropout mask p times.
double megatron_bytes(const Json& in) {
  const Architecture a =
      resolved(json_of(R"({"model": "gpt3-175b", "cluster": {"node": "dgx-a100-80gb", "gpus": 1024},
               "training": {"sequence_length": 2048, "global_batch": 1536},
               "parallel": {"tp": 8, "pp": 8, "recompute": "selective"}})"))
          .run.model;
  const auto t = static_cast<double>(integer(in, "tp"));
  const auto p = static_cast<double>(integer(in, "pp"));
  const ListOptions o = unfused(integer(in, "sequence"), integer(in, "micro_batch"));

  const Strategy alone;
  const ShardedBlock whole = sharded_layer(a, o, alone);
  const double norms = 2.0 * static_cast<double>(find(whole, OpName::input_norm)->parameters);
  const auto model = std::make_unique<ModelOperators>(model_operators(a, o));
  const ShardedBlock ends = sharded(model->embedding, alone);
  const auto words = static_cast<double>(find(ends, OpName::embedding)->parameters);
  const auto layers = static_cast<double>(a.layers);
  const double parameters =
      (layers * (static_cast<double>(matrix_elements(whole)) + norms) / p + words) / t;
  const double states = 6.0 + 12.0 / static_cast<double>(integer(in, "dp"));

  Strategy s = strategy_of({true, true, Recompute::selective}, integer(in, "tp"));
  s.pp = integer(in, "pp");
  const PipelineShape shape{s.pp, 1, integer(in, "micro_batches")};
  const auto held = static_cast<double>(schedule_of(s.schedule).in_flight(shape, 0));
  const double kept = kept_bytes(sharded_layer(a, o, s), recomputed_modules(s)).si();
  const double mask = kept_bytes(sharded(model->embedding, s), 0).si();
  return parameters * states + held * (layers / p * kept + mask);
}

}  // namespace

TEST_CASE("activations of one layer (Korthikanti et al., Table 2)") {
  check_golden("korthikanti-layer", 30, [](const Json& in) {
    return layer_activations(in, in.at("variant").get<std::string>()).si();
  });
}

TEST_CASE("memory of the first stage (Korthikanti et al., Figure 1)") {
  check_golden("korthikanti-fig1", 12, [](const Json& in) {
    const std::string quantity = in.at("quantity").get<std::string>();
    if (quantity == "states") return layer_states(in) / kGiB;
    return layer_activations(in, quantity) * layers_in_flight(in) / kGiB;
  });
}

TEST_CASE("activations over the tensor-parallel baseline (Korthikanti et al., Figure 7)") {
  check_golden("korthikanti-fig7", 16, [](const Json& in) {
    const Bytes bytes = layer_activations(in, in.at("quantity").get<std::string>());
    return 100.0 * (bytes / layer_activations(in, "tp"));
  });
}

TEST_CASE("states and activations of GPT-3 175B (Megatron-LM's formula)") {
  check_golden("megatron-gpt3-memory", 2, [](const Json& in) {
    return megatron_bytes(in) / kGiB.si() * in.value("scale", 1.0);
  });
}

TEST_CASE("activations of the lecture's 10B model") {
  check_golden("lecture-activations", 6, [](const Json& in) {
    const std::optional<ConfigText> file = shipped_config("models", "lecture-10b");
    REQUIRE(file);
    const Architecture a = read_model(parse_json(file->text, file->file), file->file).architecture;
    const ListOptions o = unfused(integer(in, "sequence"), integer(in, "micro_batch"));
    const Bytes layer = kept_bytes(sharded_layer(a, o, Strategy{}), 0);
    return layer * static_cast<double>(a.layers) / kGB;
  });
}

// FlashAttention (arXiv:2205.14135): 5as²b goes, 4abs bytes of log-sum-exp come.
TEST_CASE("fused attention drops the scores and keeps their log-sum-exp") {
  const Architecture a = gpt(1, 6144, 64);
  ListOptions o = unfused(2048, 4);
  const Bytes scores = kept_bytes(sharded_layer(a, o, Strategy{}), 0);
  o.fused_attention = true;
  const Bytes fused = kept_bytes(sharded_layer(a, o, Strategy{}), 0);
  const double a_s_b = 64.0 * 2048 * 4;
  CHECK((scores - fused).si() == 5 * a_s_b * 2048 - 4 * a_s_b);
}
