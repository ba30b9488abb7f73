// SPDX-License-Identifier: Apache-2.0
//
// Saved tensors of each kind of layer, counted by hand for one small layer of each, in bytes a
// token. tests/papers compares the GPT layer with its paper.
#include "model/operators.h"

#include <doctest/doctest.h>

#include <memory>

#include "core/modules.h"
#include "support/about.h"

using namespace orrery;

namespace {

constexpr std::int64_t kSequence = 16;
constexpr std::int64_t kBatch = 3;

ListOptions options(bool fused = true) {
  ListOptions o;
  o.sequence = kSequence;
  o.micro_batch = kBatch;
  o.fused_attention = fused;
  return o;
}

double bytes(const SavedTensor& t) {
  return static_cast<double>(t.rows.units * t.rows.unit * t.cols.units * t.cols.unit) *
         t.bytes_per_element;
}

double per_token(const Block& block, ModuleMask recomputed) {
  double sum = 0;
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const Operator& op = block.operators[i];
    for (std::uint8_t k = 0; k < op.saved_count; ++k) {
      if ((op.saved[k].dropped_by & recomputed) == 0) sum += bytes(op.saved[k]);
    }
  }
  return sum / static_cast<double>(kSequence * kBatch);
}

std::unique_ptr<ModelOperators> list_of(const Architecture& a, const ListOptions& o) {
  return std::make_unique<ModelOperators>(model_operators(a, o));
}

Block layer_of(const Architecture& a, const ListOptions& o) {
  return list_of(a, o)->layers[layer_type(a, 0)];
}

double saved_by_layer(const Architecture& a, const ListOptions& o, ModuleMask recomputed = 0) {
  return per_token(layer_of(a, o), recomputed);
}

// Grouped queries, SwiGLU, RMSNorm, RoPE, no dropout.
Architecture llama() {
  Architecture a;
  a.layers = 2;
  a.hidden = 64;
  a.heads = 8;
  a.kv_heads = 2;
  a.head_dim = 8;
  a.intermediate = 96;
  a.vocab = 1000;
  a.norm = Norm::kRmsNorm;
  a.activation = Activation::kSilu;
  a.gated = true;
  a.positions = PositionEmbedding::kRope;
  return a;
}

constexpr double kNormAndInput = 2 * 64 + 2 * 64;  // a norm's input, and its output
constexpr double kLlamaMlp = kNormAndInput + 2 * (2 * 96) + 2 * 96;
constexpr double kLlamaCore = 2 * 64 + 2 * 16 + 2 * 16 + 4 * 8 + 2 * 64;  // q, k, v, lse, output

Architecture mixture() {
  Architecture a = llama();
  a.intermediate = 0;
  a.moe.experts = 8;
  a.moe.top_k = 2;
  a.moe.expert_intermediate = 32;
  a.moe.layer_freq = 1;
  return a;
}

Architecture latent() {
  Architecture a = llama();
  a.attention = AttentionKind::kLatent;
  a.heads = a.kv_heads = 4;
  a.head_dim = 12;
  a.mla = {24, 16, 8, 4, 8};  // q rank, kv rank, nope, rope, v
  return a;
}

double saved_by_head(const Architecture& a, const ListOptions& o) {
  return per_token(list_of(a, o)->head, 0);
}

const Operator* find(const Block& block, OpName name) {
  for (std::uint8_t i = 0; i < block.count; ++i) {
    if (block.operators[i].name == name) return &block.operators[i];
  }
  return nullptr;
}

}  // namespace

TEST_CASE("a gated layer with grouped queries saves these bytes a token") {
  CHECK(saved_by_layer(llama(), options()) == kNormAndInput + kLlamaCore + kLlamaMlp);
}

TEST_CASE("unfused attention without dropout saves the probabilities, once") {
  const double scores = 2.0 * 8 * kSequence;
  CHECK(saved_by_layer(llama(), options(false)) ==
        kNormAndInput + kLlamaCore - 4 * 8 + scores + kLlamaMlp);
}

TEST_CASE("norms of queries and keys save their inputs") {
  Architecture a = llama();
  const double without = saved_by_layer(a, options());
  a.qk_norm = true;
  CHECK(saved_by_layer(a, options()) - without == 2 * 64 + 2 * 16);
}

TEST_CASE("a parallel residual normalises one input twice, and saves it once") {
  Architecture a = llama();
  const double without = saved_by_layer(a, options());
  a.parallel_residual = true;
  CHECK(saved_by_layer(a, options()) == without - 2 * 64);
}

TEST_CASE("dropout saves a mask of a byte in each residual branch") {
  Architecture a = llama();
  const double without = saved_by_layer(a, options());
  a.dropout = true;
  CHECK(saved_by_layer(a, options()) == without + 2 * 64);
}

TEST_CASE("latent attention saves latents and what the up-projections make of them") {
  const double latents =
      2 * (2 * 16) + 2 * (2 * 24);  // norm and projection input, keys and queries
  const double core = 2 * 4 * 12 + 2 * 4 * 12 + 2 * 4 * 8 + 4 * 4 + 2 * 4 * 8;
  CHECK(saved_by_layer(latent(), options()) == kNormAndInput + latents + core + kLlamaMlp);
}

TEST_CASE("recomputing the up-projections drops queries, keys and values") {
  const double whole = saved_by_layer(latent(), options());
  const double kept = saved_by_layer(latent(), options(), mask_of(Module::mla_up_proj));
  CHECK(whole - kept == 2 * 4 * 12 + 2 * 4 * 12 + 2 * 4 * 8);
}

// Inputs of both norms, q, k, v, what the output projection adds to, gate and up: 64, 64, 64, 16,
// 16, 192 of 2 bytes. The context, norms' outputs and gate times up are none of the products'.
TEST_CASE("a policy that saves products alone keeps their results and the layer's input") {
  ListOptions o = options();
  o.keeps_context = false;
  const ModuleMask rest = mask_of(Module::core_attn, Module::layernorm, Module::mlp_act);
  CHECK(saved_by_layer(llama(), o, rest) == 2 * (64 + 64 + 64 + 16 + 16 + 192));
  CHECK(saved_by_layer(llama(), o, mask_of(Module::layernorm, Module::mlp_act)) ==
        2 * (64 + 64 + 64 + 16 + 16 + 192) + 2 * 64 + 4 * 8);
  o.keeps_context = true;
  CHECK(saved_by_layer(llama(), o, rest) == 2 * (64 + 64 + 64 + 16 + 16 + 192) + 2 * 64);
}

TEST_CASE("an expert layer saves scores and its copies of every token") {
  const double router = 2 * 64 + 2 * 64 + 4 * 8;  // norm input, layer input, fp32 scores
  const double experts = 2 * (2 * 64 + 2 * (2 * 32) + 2 * 32);
  CHECK(saved_by_layer(mixture(), options()) == kNormAndInput + kLlamaCore + router + experts);
}

TEST_CASE("shared experts read what the router saved") {
  Architecture a = mixture();
  const double without = saved_by_layer(a, options());
  a.moe.shared_experts = 1;
  a.moe.shared_intermediate = 16;
  CHECK(saved_by_layer(a, options()) - without == 2 * (2 * 16) + 2 * 16);
}

TEST_CASE("a capacity factor pads the copies") {
  Architecture a = mixture();
  const double dropless = saved_by_layer(a, options());
  a.moe.capacity_factor = 1.5;
  CHECK(saved_by_layer(a, options()) - dropless == 1 * (2 * 64 + 2 * (2 * 32) + 2 * 32));
  // Without padding experts compute what reaches them, at most the capacity.
  a.moe.pads_to_capacity = false;
  CHECK(saved_by_layer(a, options()) == dropless);
  ListOptions loaded = options();
  loaded.expert_load = 4;
  const double unpadded = saved_by_layer(a, loaded);
  a.moe.pads_to_capacity = true;
  CHECK(saved_by_layer(a, loaded) == unpadded);
}

TEST_CASE("recomputing the experts' activation drops what it makes, the experts all of them") {
  const double whole = saved_by_layer(mixture(), options());
  const double without_activation = saved_by_layer(mixture(), options(), mask_of(Module::moe_act));
  CHECK(whole - without_activation == 2 * (2 * 32));
  const double without_experts = saved_by_layer(mixture(), options(), mask_of(Module::moe));
  CHECK(whole - without_experts == 4 * 8 + 2 * (2 * 64 + 2 * (2 * 32) + 2 * 32));
}

TEST_CASE("selective recompute drops its modules' tensors and no others") {
  const Architecture a = llama();
  const double whole = saved_by_layer(a, options());
  CHECK(whole - saved_by_layer(a, options(), mask_of(Module::layernorm)) == 2 * 64 + 2 * 64);
  CHECK(whole - saved_by_layer(a, options(), mask_of(Module::mlp)) == 2 * (2 * 96) + 2 * 96);
  CHECK(whole - saved_by_layer(a, options(), mask_of(Module::core_attn)) == 4 * 8);
  CHECK(whole - saved_by_layer(a, options(), mask_of(Module::moe)) == 0);
}

TEST_CASE("products in 8 bits save their inputs in 8 bits, all else as before") {
  ListOptions o = options();
  o.precision = Precision::fp8;
  // Inputs of qkv, up and down shrink to a byte, the output of fused attention is kept besides.
  const double smaller = 64 + 64 + 96;
  CHECK(saved_by_layer(llama(), o) == kNormAndInput + kLlamaCore + kLlamaMlp - smaller + 1 * 64);
}

TEST_CASE("full recompute keeps the input of the layer") {
  for (const Architecture& a : {llama(), mixture(), latent()}) {
    CHECK(bytes(layer_of(a, options()).input) == 2.0 * 64 * kSequence * kBatch);
  }
}

TEST_CASE("the head keeps 12 bytes a logit, fused 8, and its inputs") {
  ListOptions o = options();
  const double inputs = 2 * 64 + 2 * 64;
  CHECK(saved_by_head(llama(), o) == inputs + 12.0 * 1000);
  o.cross_entropy = CrossEntropy::fused;
  CHECK(saved_by_head(llama(), o) == inputs + 8.0 * 1000);
  o.vocabulary_multiple = 128;
  CHECK(saved_by_head(llama(), o) == inputs + 8.0 * 1024);
  o.cross_entropy = CrossEntropy::loss_parallel;
  CHECK(saved_by_head(llama(), o) == inputs + 16.0 * 1024);
}

TEST_CASE("gathered inputs are kept whole where the framework keeps them so") {
  ListOptions o = options();
  const auto sharded = [](const Operator& op) {
    std::int64_t n = 0;
    for (std::uint8_t i = 0; i < op.saved_count; ++i) n += op.saved[i].rows.axis == Axis::sequence;
    return n;
  };
  const Block apart = layer_of(llama(), o);
  CHECK(sharded(*find(apart, OpName::qkv)) == 1);
  CHECK(sharded(*find(apart, OpName::mlp_up)) == 1);
  o.keeps_gathered_inputs = true;
  const Block whole = layer_of(llama(), o);
  CHECK(sharded(*find(whole, OpName::qkv)) == 0);
  CHECK(sharded(*find(whole, OpName::mlp_up)) == 0);
  CHECK(saved_by_layer(llama(), o) == saved_by_layer(llama(), options()));
}

TEST_CASE("a mask leaves these pairs of queries and keys") {
  const auto pairs = [](const Architecture& a, std::int64_t s) {
    ListOptions o = options();
    o.sequence = s;
    return find(layer_of(a, o), OpName::attention)->pairs * static_cast<double>(s * s);
  };
  Architecture a = llama();
  CHECK(pairs(a, 10) == testing::about(55));  // 10·11/2
  a.sliding_window = 4;
  CHECK(pairs(a, 10) == testing::about(1 + 2 + 3 + 7 * 4));
  CHECK(pairs(a, 3) == testing::about(6));
  a.sliding_window = 0;
  a.attention_chunk_size = 4;
  CHECK(pairs(a, 10) == testing::about(10 + 10 + 3));  // chunks of 4, 4 and 2
}

TEST_CASE("every saved tensor, parameter and name fits the fixed arrays") {
  Architecture a = mixture();
  a.attention = AttentionKind::kLatent;
  a.heads = a.kv_heads = 4;
  a.head_dim = 12;
  a.mla = {24, 16, 8, 4, 8};
  a.moe.shared_experts = 1;
  a.moe.shared_intermediate = 16;
  a.mtp_layers = 1;
  a.qk_norm = true;
  a.dropout = true;
  a.embedding_norm = true;
  a.positions = PositionEmbedding::kLearned;
  for (const bool fused : {true, false}) {
    ListOptions o = options(fused);
    o.precision = Precision::fp8;
    const auto model = list_of(a, o);
    for (const Block* block : {&model->embedding, &model->layers[2], &model->head, &model->mtp}) {
      CHECK(block->count > 0);
      CHECK(block->count <= kMaxOperators);
      for (std::uint8_t i = 0; i < block->count; ++i) {
        CHECK(block->operators[i].saved_count <= kMaxSaved);
        CHECK(block->operators[i].boundary_count <= kMaxBoundaries);
        CHECK(!name_of(block->operators[i].name).empty());
      }
    }
  }
}
