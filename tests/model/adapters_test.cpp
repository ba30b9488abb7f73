// SPDX-License-Identifier: Apache-2.0
//
// Adapters beside a frozen model, counted by hand for one layer of 64 × 64 matrices.
#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

#include "model/adapter.h"
#include "model/blocks.h"
#include "model/flops.h"
#include "model/operators.h"
#include "support/about.h"
#include "support/gpt.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

// Two layers, width 64, 8 heads of 8 and 2 of keys, SwiGLU of 96, 1,000 words.
Architecture adapted_llama() {
  Architecture a = gpt(2, 64, 8, 1000);
  a.kv_heads = 2;
  a.intermediate = 96;
  a.gated = true;
  a.activation = Activation::kSilu;
  a.norm = Norm::kRmsNorm;
  a.positions = PositionEmbedding::kRope;
  a.qkv_bias = a.attention_out_bias = a.mlp_bias = a.dropout = false;
  a.tie_word_embeddings = false;
  return a;
}

Adapter on(TargetMask targets, std::int64_t rank = 4) {
  Adapter a;
  a.rank = rank;
  a.targets = targets;
  return a;
}

Block layer_with(const Adapter& adapter) {
  ListOptions o;
  o.sequence = 32;
  o.adapter = adapter;
  return model_operators(adapted_llama(), o).layers[0];
}

const Operator* named_operator(const Block& b, OpName name) {
  for (std::uint8_t i = 0; i < b.count; ++i) {
    if (b.operators[i].name == name) return &b.operators[i];
  }
  return nullptr;
}

// Bytes that all operators of that name save.
double saved_by(const Block& b, OpName name) {
  double sum = 0;
  for (std::uint8_t i = 0; i < b.count; ++i) {
    if (b.operators[i].name == name) sum += saved_bytes(b.operators[i]);
  }
  return sum;
}

std::int64_t trained(const Adapter& a) { return trained_parameters(adapted_llama(), 32, a); }

}  // namespace

TEST_CASE("an adapter has r(in + out) parameters for each of its matrices") {
  using enum AdapterTarget;
  constexpr std::int64_t kLayers = 2;
  CHECK(trained(on(mask_of(query))) == kLayers * 4 * (64 + 64));
  CHECK(trained(on(mask_of(query, value))) == kLayers * 4 * (64 + 64 + 64 + 16));
  CHECK(trained(on(mask_of(key, value))) == kLayers * 4 * (64 + 16 + 64 + 16));
  CHECK(trained(on(mask_of(qkv))) == kLayers * 4 * (64 + 64 + 32));
  CHECK(trained(on(mask_of(up, down))) == kLayers * 4 * (64 + 96 + 96 + 64));
  CHECK(trained(on(mask_of(gate_up))) == kLayers * 4 * (64 + 192));
  CHECK(trained(on(mask_of(AdapterTarget::head))) == 4 * (64 + 1000));
}

TEST_CASE("parts that train besides are counted, magnitudes of DoRA too") {
  Adapter a = on(mask_of(AdapterTarget::query));
  const std::int64_t alone = trained(a);
  a.trained = mask_of(TrainedPart::norms);
  CHECK(trained(a) == alone + 64 * 5);  // two a layer and the last
  a.trained = mask_of(TrainedPart::embedding);
  CHECK(trained(a) == alone + 64 * 1000);
  a.trained = 0;
  a.kind = AdapterKind::dora;
  CHECK(trained(a) == alone + 2 * 64);
}

TEST_CASE("a frozen product keeps no input and has no weight gradient, an adapted one reads it") {
  const Block none = layer_with(on(mask_of(AdapterTarget::down)));
  const Operator& qkv = *named_operator(none, OpName::qkv);
  CHECK(saved_bytes(qkv) == 0);
  CHECK(qkv.backward == Backward::input);
  CHECK(saved_bytes(*named_operator(none, OpName::mlp_down)) == 32 * 96 * 2);
  const Block adapted = layer_with(on(mask_of(AdapterTarget::value)));
  CHECK(saved_bytes(*named_operator(adapted, OpName::qkv)) == 32 * 64 * 2);
  CHECK(saved_bytes(*named_operator(adapted, OpName::adapter_up)) == 32 * 4 * 2);
  CHECK(saved_bytes(*named_operator(adapted, OpName::mlp_up)) == 0);
}

TEST_CASE("an adapter keeps the gathered input of a split product, which is not gathered again") {
  const auto input = [](const Block& b, OpName name) { return named_operator(b, name)->saved[0]; };
  ListOptions whole;
  whole.sequence = 32;
  const Block trained = model_operators(adapted_llama(), whole).layers[0];
  CHECK(input(trained, OpName::qkv).rows.axis == Axis::sequence);
  CHECK(named_operator(trained, OpName::qkv)->reads_input_again);
  const Block adapted = layer_with(on(mask_of(AdapterTarget::value, AdapterTarget::up)));
  for (const OpName name : {OpName::qkv, OpName::mlp_up}) {
    CHECK(input(adapted, name).rows.axis == Axis::context);
    CHECK_FALSE(named_operator(adapted, name)->reads_input_again);
  }
}

TEST_CASE("the adapter of a product that is not split keeps the shard that it reads") {
  Architecture a = adapted_llama();
  a.attention = AttentionKind::kLatent;
  a.mla = {16, 24, 8, 4, 8};
  ListOptions o;
  o.sequence = 32;
  // Queries' latent, and that of keys, read one shard; what follows reads a gathered latent.
  o.adapter = on(mask_of(AdapterTarget::query, AdapterTarget::key));
  const Block b = model_operators(a, o).layers[0];
  CHECK(named_operator(b, OpName::kv_down)->saved[0].rows.axis == Axis::sequence);
  CHECK(named_operator(b, OpName::q_up)->saved[0].rows.axis == Axis::context);
}

TEST_CASE("adapters read 16 bits where the frozen products read 8 or 4") {
  using enum AdapterTarget;
  ListOptions o;
  o.sequence = 32;
  for (const Precision precision : {Precision::fp8, Precision::nvfp4}) {
    o.precision = precision;
    o.adapter = on(mask_of(query, output, up, down));
    const Block all = model_operators(adapted_llama(), o).layers[0];
    CHECK(saved_by(all, OpName::qkv) == 32 * 64 * 2);
    CHECK(saved_by(all, OpName::attention_out) == 32 * 64 * 2);
    CHECK(saved_by(all, OpName::mlp_up) == 32 * 64 * 2);
    CHECK(saved_by(all, OpName::mlp_down) == 32 * 96 * 2);
    o.adapter = on(mask_of(query));
    const Block one = model_operators(adapted_llama(), o).layers[0];
    CHECK(saved_by(one, OpName::attention_out) == 32 * 64 * 2);
    CHECK(saved_by(one, OpName::mlp_down) == 0);
  }
}

TEST_CASE("fused attention keeps its output, which a frozen projection does not need") {
  CHECK(saved_bytes(*named_operator(layer_with(on(mask_of(AdapterTarget::up))),
                                    OpName::attention_out)) == 32 * 64 * 2);
}

TEST_CASE("adapters in fp32 cast their input, and dropout makes a copy and a mask") {
  Adapter a = on(mask_of(AdapterTarget::query, AdapterTarget::value));
  CHECK(saved_by(layer_with(a), OpName::adapter_down) == 0);
  CHECK(named_operator(layer_with(a), OpName::adapter_input)->forward_bytes == 0);
  a.precision = AdapterFormat::fp32;
  CHECK(saved_by(layer_with(a), OpName::adapter_down) == 2 * 4 * 32 * 64);
  CHECK(named_operator(layer_with(a), OpName::adapter_input)->forward_bytes == 2 + 4);
  a.dropout = true;
  CHECK(saved_by(layer_with(a), OpName::adapter_down) == 2 * 5 * 32 * 64);
  CHECK(named_operator(layer_with(a), OpName::adapter_input)->forward_bytes == 2 + 4 + 2 * 4 + 1);
}

TEST_CASE("the input that an adapter copies is not kept beside the copy") {
  Adapter a;
  const auto kept = [&](OpName name) { return saved_by(layer_with(a), name); };
  CHECK(kept(OpName::qkv) == 2 * 32 * 64);
  for (const bool drops : {false, true}) {
    a.dropout = drops;
    a.precision = drops ? AdapterFormat::half : AdapterFormat::fp32;
    CHECK(kept(OpName::qkv) == 0);
    CHECK(kept(OpName::mlp_up) == 0);
    CHECK(kept(OpName::mlp_down) == 0);
    CHECK(kept(OpName::attention_out) == 2 * 32 * 64);  // for attention's own backward
    // Three matrices read the first norm's output, one attention's, two the second norm's.
    CHECK(kept(OpName::adapter_down) == (drops ? 3 : 4) * 32 * (6 * 64 + 96));
  }
}

TEST_CASE("DoRA keeps the results of the frozen product and of the adapter") {
  Adapter a = on(mask_of(AdapterTarget::query, AdapterTarget::value));
  const auto kept = [&] { return saved_by(layer_with(a), OpName::adapter_sum); };
  CHECK(kept() == 0);
  a.kind = AdapterKind::dora;
  CHECK(kept() == 32 * (64 + 16) * (2 + 2));
  a.precision = AdapterFormat::fp32;
  CHECK(kept() == 32 * (64 + 16) * (2 + 4));
  CHECK(named_operator(layer_with(a), OpName::adapter_base) == nullptr);
  a.dropout = true;
  CHECK(kept() == 32 * (64 + 16) * (4 + 4));
}

TEST_CASE("under dropout DoRA runs the frozen product of the dropped input, no weight of it") {
  Adapter a = on(mask_of(AdapterTarget::output));
  a.kind = AdapterKind::dora;
  const std::int64_t before = trained(a);
  const auto counted = [&] {
    return model_flops(adapted_llama(), FlopsConvention::causal, {32, 1, &a, {}}).si();
  };
  const double flops = counted();
  a.dropout = true;
  const Block dropping = layer_with(a);
  const Operator& again = *named_operator(dropping, OpName::adapter_base);
  CHECK(forward_flops(again.kind, sizes_of(again, AxisDegrees{}), 1).si() == 2.0 * 32 * 64 * 64);
  CHECK(again.backward == Backward::input);
  CHECK(trained(a) == before);
  CHECK(counted() == flops);
}

TEST_CASE("DoRA computes the norm of every expert's weight") {
  Architecture a = adapted_llama();
  a.moe.experts = 8;
  a.moe.top_k = 2;
  a.moe.layer_freq = 1;
  a.moe.expert_intermediate = 32;
  ListOptions o;
  o.sequence = 32;
  AxisDegrees halves;
  halves.by_axis[Axis::expert] = halves.by_axis[Axis::expert_tensor] = 2;
  for (const AdapterTarget target : {AdapterTarget::gate_up, AdapterTarget::down}) {
    o.adapter = on(mask_of(target), 4);
    o.adapter->kind = AdapterKind::dora;
    const Block b = model_operators(a, o).layers[layer_type(a, 0)];
    const Operator& through = *named_operator(b, OpName::adapter_norm);
    const Operator& norm = *(&through + 1);
    const bool up = target == AdapterTarget::gate_up;
    const double sides = up ? 64 + 2 * 32 : 32 + 64;
    const double weight = up ? 64 * 2 * 32 : 32 * 64;
    CHECK(forward_flops(through.kind, sizes_of(through, AxisDegrees{}), 1).si() ==
          8 * 2.0 * 4 * (up ? 64 : 32) * sides);
    const OperatorSizes whole = sizes_of(norm, AxisDegrees{});
    const OperatorSizes shard = sizes_of(norm, halves);
    CHECK(static_cast<double>(whole.rows * whole.cols) == 8 * weight);
    CHECK(static_cast<double>(shard.rows * shard.cols) == 8 * weight / 4);
  }
}

TEST_CASE("each matrix has adapters of its own but where the stack fuses them") {
  using enum AdapterTarget;
  const auto downs = [](TargetMask targets) {
    const Block b = layer_with(on(targets));
    return std::count_if(b.operators.begin(), b.operators.begin() + b.count,
                         [](const Operator& op) { return op.name == OpName::adapter_down; });
  };
  CHECK(downs(mask_of(query, key, value)) == 3);
  CHECK(downs(mask_of(qkv)) == 1);
  CHECK(downs(mask_of(gate, up, down)) == 3);
  CHECK(downs(mask_of(gate_up)) == 1);
}

TEST_CASE("nothing runs backward below the lowest part that trains") {
  Adapter a;
  a.kind = AdapterKind::frozen;
  a.trained = mask_of(TrainedPart::head);
  const Block layer = layer_with(a);
  for (std::uint8_t i = 0; i < layer.count; ++i) {
    CHECK(layer.operators[i].backward == Backward::never);
    CHECK(layer.operators[i].saved_count == 0);
  }
  CHECK(trained(a) == 64 * 1000);
}

TEST_CASE("a tied head trains the embedding, so that every layer runs backward") {
  Adapter a;
  a.kind = AdapterKind::frozen;
  a.trained = mask_of(TrainedPart::head);
  Architecture tied = adapted_llama();
  tied.tie_word_embeddings = true;
  CHECK(trained_parameters(tied, 32, a) == 64 * 1000);
  ListOptions o;
  o.sequence = 32;
  o.adapter = a;
  CHECK(named_operator(model_operators(tied, o).layers[0], OpName::qkv)->backward ==
        Backward::input);
}

// bitsandbytes before 0.43.2 (its PR 1270).
TEST_CASE("a product with a packed weight keeps its input where the release does") {
  Adapter a = on(mask_of(AdapterTarget::value));
  a.base = BaseFormat::nf4;
  CHECK(saved_bytes(*named_operator(layer_with(a), OpName::mlp_up)) == 0);
  a.keeps_inputs = true;
  CHECK(saved_bytes(*named_operator(layer_with(a), OpName::mlp_up)) == 32 * 64 * 2);
  CHECK(saved_bytes(*named_operator(layer_with(a), OpName::mlp_down)) == 32 * 96 * 2);
  a.base = BaseFormat::half;
  CHECK(saved_bytes(*named_operator(layer_with(a), OpName::mlp_up)) == 0);
}

// PEFT's prepare_model_for_kbit_training.
TEST_CASE("fp32 beside packed weights widens what lies between products") {
  Adapter a = on(mask_of(AdapterTarget::value));
  a.base = BaseFormat::nf4;
  const Block narrow = layer_with(a);
  a.others = AdapterFormat::fp32;
  const Block wide = layer_with(a);
  CHECK(other_bytes(a) == 4);
  CHECK(narrow.input.bytes_per_element == 2);
  CHECK(wide.input.bytes_per_element == 4);
  CHECK(saved_by(wide, OpName::input_norm) == 2 * saved_by(narrow, OpName::input_norm));
  CHECK(saved_by(wide, OpName::attention) == saved_by(narrow, OpName::attention));
  CHECK(saved_by(wide, OpName::qkv) == saved_by(narrow, OpName::qkv));
}

TEST_CASE("packed weights take the bytes that bitsandbytes states") {
  Adapter a;
  CHECK(linear_bytes(a) == 2);
  a.base = BaseFormat::nf4;
  a.double_quantisation = false;
  CHECK(linear_bytes(a) == 0.5625);
  a.double_quantisation = true;
  CHECK(linear_bytes(a) == about(0.5159).epsilon(1e-4));
  CHECK(other_bytes(a) == 2);
}

TEST_CASE("model FLOPs leave out the gradients of frozen weights: 4N a token") {
  const Architecture a = adapted_llama();
  const Adapter adapter = on(mask_of(AdapterTarget::query), 1);
  const double whole = model_flops(a, FlopsConvention::six_n, {32, 1, nullptr, {}}).si();
  const double beside = model_flops(a, FlopsConvention::six_n, {32, 1, &adapter, {}}).si();
  CHECK(beside == about(whole * 4 / 6 + 6.0 * 32 * 2 * (64 + 64)).epsilon(1e-12));
}

TEST_CASE("weights that train have 6 FLOPs a token, those below the lowest of them 2") {
  const Architecture a = adapted_llama();
  // Queries and output 64 × 64, keys and values 64 × 16, three matrices of the MLP, two norms.
  constexpr double kLayer = 2 * 64 * 64 + 2 * 64 * 16 + 3 * 64 * 96 + 2 * 64;
  constexpr double kTable = 64 * 1000;
  Adapter part;
  part.kind = AdapterKind::frozen;
  const auto flops = [&](FlopsConvention c, PartMask trained) {
    part.trained = trained;
    return model_flops(a, c, {32, 1, &part, {}}).si() / 32;
  };
  using enum FlopsConvention;
  const double frozen = kTable + 2 * kLayer + 64;  // table, layers and the last norm
  const PartMask top = mask_of(TrainedPart::head);
  CHECK(flops(six_n, top) == about(2 * frozen + 6 * kTable).epsilon(1e-12));
  CHECK(flops(palm, top) == about(2 * frozen + 6 * kTable + 4 * 2 * 64 * 32).epsilon(1e-12));
  const auto ends = static_cast<PartMask>(top | mask_of(TrainedPart::embedding));
  CHECK(flops(six_n, ends) == about(4 * (2 * kLayer + 64) + 6 * 2 * kTable).epsilon(1e-12));
  CHECK(flops(palm, ends) - flops(six_n, ends) == about(12 * 2 * 64 * 32).epsilon(1e-12));
}

TEST_CASE("adapters of experts that a token does not reach have no FLOPs") {
  Architecture a = adapted_llama();
  a.moe.experts = 8;
  a.moe.top_k = 2;
  a.moe.layer_freq = 1;
  a.moe.expert_intermediate = 32;
  const Adapter adapter = on(mask_of(AdapterTarget::down), 4);
  const double whole = model_flops(a, FlopsConvention::six_n, {32, 1, nullptr, {}}).si();
  const double beside = model_flops(a, FlopsConvention::six_n, {32, 1, &adapter, {}}).si();
  // Two layers, each with two experts of a token.
  CHECK(beside == about(whole * 4 / 6 + 6.0 * 32 * 2 * 2 * 4 * (32 + 64)).epsilon(1e-12));
}

TEST_CASE("an adapter of the head keeps its input though nothing below it runs backward") {
  ListOptions o;
  o.sequence = 32;
  o.adapter = on(mask_of(AdapterTarget::head));
  const Block head = model_operators(adapted_llama(), o).head;
  CHECK(named_operator(head, OpName::head)->backward == Backward::never);
  CHECK(saved_by(head, OpName::head) == 32 * 64 * 2);
  CHECK(saved_by(head, OpName::final_norm) == 0);
}

TEST_CASE("keys and values of cross attention are two matrices") {
  Architecture a = gpt(2, 64, 8, 1000);
  a.pattern.kinds[0].mixer = Mixer::cross;
  a.pattern.length = 1;
  using enum AdapterTarget;
  const auto crossed = [&](TargetMask targets) { return trained_parameters(a, 32, on(targets)); };
  // Beside those of the layer's own attention: of all, four of 64 × 64 in two layers.
  CHECK(crossed(mask_of(key)) == 2 * 2 * 4 * (64 + 64));
  CHECK(crossed(mask_of(key, value)) == 4 * 2 * 4 * (64 + 64));
}
