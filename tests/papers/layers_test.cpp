// SPDX-License-Identifier: Apache-2.0
// Layers that are no plain attention: parameters, FLOPs and saved bytes against counts by hand.
#include <doctest/doctest.h>

#include "model/architecture_json.h"
#include "model/model_files.h"
#include "model/operators.h"
#include "parallel/shard.h"
#include "support/about.h"

namespace orrery {
namespace {

using testing::about;

constexpr std::int64_t kTokens = 4096;

// The layer of type 0 of a model, or another, on one rank of `d`.
ShardedBlock layer_of(const Architecture& a, const Degrees& d, std::int64_t tokens = kTokens,
                      std::size_t type = 0) {
  ListOptions options;
  options.sequence = tokens;
  ShardedBlock block;
  shard(model_operators(a, options).layers[type], d, block);
  return block;
}

Architecture model(const std::string& rest) {
  return model_of(R"({"num_hidden_layers": 4, "vocab_size": 1000, "hidden_act": "swiglu",
                      "intermediate_size": 1024, )" +
                  rest + "}")
      .architecture;
}

// Mamba-2 of width 4096: 128 heads of 64, 8 groups of state 128, chunks of 128 (Megatron-LM's).
Architecture mamba2() {
  return model(R"("hidden_size": 4096, "num_attention_heads": 32, "layer_pattern": ["recurrent"],
      "recurrent": "mamba2", "linear_num_value_heads": 128, "linear_value_head_dim": 64,
      "linear_num_key_heads": 8, "linear_key_head_dim": 128, "linear_conv_kernel_dim": 4,
      "linear_conv_bias": true, "linear_gated_norm": true, "linear_chunk_size": 128)");
}

// Qwen3-Next: 16 key and 32 value heads of 128.
Architecture delta_net() {
  return model(R"("hidden_size": 2048, "num_attention_heads": 16, "layer_pattern": ["recurrent"],
      "recurrent": "gated_delta", "linear_num_value_heads": 32, "linear_value_head_dim": 128,
      "linear_num_key_heads": 16, "linear_key_head_dim": 128, "linear_conv_kernel_dim": 4,
      "linear_gated_norm": true, "linear_chunk_size": 64)");
}

// RecurrentGemma 2B: 2560 channels, gates in blocks of 256 (transformers, recurrent_gemma).
Architecture rg_lru() {
  return model(R"("hidden_size": 2560, "num_attention_heads": 10, "layer_pattern": ["recurrent"],
      "recurrent": "rg_lru", "linear_num_value_heads": 2560, "linear_value_head_dim": 1,
      "linear_num_key_heads": 1, "linear_key_head_dim": 1, "linear_rank": 256,
      "linear_conv_kernel_dim": 4, "linear_conv_bias": true, "linear_projection_bias": true)");
}

// Zamba 2 7B: a block over layer and embedding, 7168 wide, before a Mamba-2 layer; used again.
Architecture zamba() {
  return model_of(R"({"num_hidden_layers": 2, "vocab_size": 1000, "hidden_act": "geglu",
      "intermediate_size": 14336, "hidden_size": 3584, "num_attention_heads": 32, "head_dim": 224,
      "layer_pattern": ["shared", "shared_again"], "shared_adapter_rank": 128,
      "recurrent": "mamba2", "linear_num_value_heads": 112, "linear_value_head_dim": 64,
      "linear_num_key_heads": 2, "linear_key_head_dim": 64, "linear_conv_kernel_dim": 4,
      "linear_conv_bias": true, "linear_gated_norm": true, "linear_chunk_size": 256})")
      .architecture;
}

double parameters_of(const ShardedBlock& block) {
  return static_cast<double>(parameters_held(block, false).dense);
}

struct Sums {
  double parameters = 0;
  double saved = 0;  // without what the norm before the layer keeps
  double all_to_all = 0;
  Flops run{};
  Flops reported{};
};

Sums sums_of(const ShardedBlock& block) {
  Sums s;
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const ShardedOperator& op = block.operators[i];
    if (op.name == OpName::input_norm) continue;
    s.parameters += static_cast<double>(op.parameters);
    s.saved += kept_bytes(op, 0).si();
    for (std::uint8_t e = 0; e < op.exchange_count; ++e) {
      const Exchange& x = op.exchanges[e];
      if (x.collective == Collective::all_to_all) s.all_to_all += x.buffer.si();
    }
    if (op.kind != OpKind::recurrence) continue;
    s.run += forward_flops(op.kind, op, op.pairs);
    s.reported += forward_flops(op.kind, op, op.megatron_pairs);
  }
  return s;
}

double a_token(Flops f) { return f.si() / static_cast<double>(kTokens); }

}  // namespace

// Megatron-LM, megatron/core/ssm/mamba_mixer.py and training.py; state-spaces/mamba,
// ssd_combined.py: products of a chunk once a group, states in and out, the outputs of the chunk.
TEST_CASE("a Mamba-2 layer of width 4096 counts as by hand") {
  const Sums s = sums_of(layer_of(mamba2(), Degrees{}));
  CHECK(s.parameters ==
        4096 * (2 * 8192 + 2 * 1024 + 128) + 8192 * 4096 + (8192 + 2048) * 5 + 3 * 128 + 8192);
  CHECK(s.saved == kTokens * (2.0 * 4096 + 10 * 8192 + 4 * 1024 + 2 * 128));
  CHECK(a_token(s.run) == about(4.0 * 128 * 64 * 128 + 2.0 * 128 * 64 * 128 + 2.0 * 128 * 128 * 8));
  CHECK(a_token(s.reported) == about(7.0 * 8192 * 128));
}

// flash-linear-attention, fla/ops/gated_delta_rule, chunks of 64; Megatron-LM reports 8d² a head.
TEST_CASE("a gated delta net of Qwen3-Next counts as by hand") {
  const Sums s = sums_of(layer_of(delta_net(), Degrees{}));
  CHECK(s.parameters ==
        2048 * (2 * 2048 + 2 * 4096 + 2 * 32) + 4096 * 2048 + 4 * (2 * 2048 + 4096) + 2 * 32 + 128);
  // Input; convolution's input; queries and keys normalised, and again for every value head;
  // values; the chunk's triangle; decay and strength; output, gate and gated output.
  CHECK(s.saved == kTokens * (2.0 * 2048 + 2 * 8192 + 2 * 4096 + 2 * 8192 + 2 * 4096 + 2 * 64 * 32 +
                              6 * 32 + 3 * 2 * 4096));
  CHECK(a_token(s.run) == about(32 * (6.0 * 128 * 128 + 10 * 64 * 128 + 64 * 64)));
  CHECK(a_token(s.reported) == about(32 * 8.0 * 128 * 128));
}

// state-spaces/mamba, mamba_simple.py: 2.8B's 5120 channels, state 16, a time step of rank 160.
TEST_CASE("a Mamba layer of 2.8B counts as by hand") {
  const Sums s = sums_of(layer_of(
      model(R"("hidden_size": 2560, "num_attention_heads": 32, "layer_pattern": ["recurrent"],
          "recurrent": "mamba", "linear_num_value_heads": 5120, "linear_value_head_dim": 1,
          "linear_num_key_heads": 1, "linear_key_head_dim": 16, "linear_rank": 160,
          "linear_conv_kernel_dim": 4, "linear_conv_bias": true)"),
      Degrees{}));
  const double h = 2560, w = 5120;
  CHECK(s.parameters == h * 2 * w + w * 5 + w * (160 + 32) + 160 * w + w + w * 16 + w + w * h);
  CHECK(s.saved == kTokens * 2 * (h + 4 * w + 160 + 32));
  CHECK(a_token(s.run) == about(9.0 * w * 16));
}

// flash-linear-attention, fla/layers/kda.py, and arXiv:2510.26692, equation 13: 32 heads of 128.
TEST_CASE("Kimi delta attention counts as by hand") {
  const Sums s = sums_of(layer_of(
      model(R"("hidden_size": 2304, "num_attention_heads": 32, "layer_pattern": ["recurrent"],
          "recurrent": "kimi_delta", "linear_num_value_heads": 32, "linear_value_head_dim": 128,
          "linear_num_key_heads": 32, "linear_key_head_dim": 128, "linear_rank": 128,
          "linear_conv_kernel_dim": 4, "linear_gated_norm": true, "linear_chunk_size": 64)"),
      Degrees{}));
  const double h = 2304, v = 4096, k = 4096;
  CHECK(s.parameters == h * (2 * k + v + 32) + v * h + 2 * (h * 128) + 128 * (k + v) +
                            4 * (2 * k + v) + 32 + k + 128);
  // Input; convolution's input; values, keys and queries normalised, decays in both widths; two
  // triangles; strength; the two narrow outputs; output, gate and their product.
  CHECK(s.saved == kTokens * (2 * h + 2 * (2 * k + v) + 2 * v + 2 * 2 * k + 6 * k +
                              2 * 2 * 64 * 32 + 2 * 32 + 2 * 2 * 128 + 3 * 2 * v));
  CHECK(a_token(s.reported) == about(32 * (6.0 * 128 * 128 + 3.0 * 64 * 128 + 64 * 64)));
}

// MiniMax-Text-01, arXiv:2501.08313: 64 heads of 128 over 6144, blocks of 256.
TEST_CASE("lightning attention of MiniMax-Text-01 counts as by hand") {
  const Sums s = sums_of(layer_of(
      model(R"("hidden_size": 6144, "num_attention_heads": 64, "layer_pattern": ["recurrent"],
          "recurrent": "lightning", "linear_num_value_heads": 64, "linear_value_head_dim": 128,
          "linear_num_key_heads": 64, "linear_key_head_dim": 128, "linear_gated_norm": true,
          "linear_chunk_size": 256)"),
      Degrees{}));
  const double h = 6144, wide = 64 * 128;
  CHECK(s.parameters == 5 * h * wide + wide);
  CHECK(s.saved == kTokens * 2 * (h + 6 * wide));
  CHECK(a_token(s.run) == about(64 * (4.0 * 128 * 128 + 4.0 * 256 * 128)));
  CHECK(a_token(s.reported) == about(64 * (4.0 * 128 * 128 + 2.0 * 256 * 128)));
}

// huggingface/transformers, modeling_lfm2.py: three products in one, a convolution of 3 tokens.
TEST_CASE("a gated short convolution of LFM2 counts as by hand") {
  const Sums s = sums_of(layer_of(
      model(R"("hidden_size": 2048, "num_attention_heads": 32, "layer_pattern": ["recurrent"],
          "recurrent": "short_conv", "linear_num_value_heads": 2048, "linear_value_head_dim": 1,
          "linear_num_key_heads": 1, "linear_key_head_dim": 1, "linear_conv_kernel_dim": 3)"),
      Degrees{}));
  const double h = 2048;
  CHECK(s.parameters == 3 * h * h + 3 * h + h * h);
  CHECK(s.saved == kTokens * 2 * (h + 4 * h));
  CHECK(s.run == Flops());
}

// Qwen3-Next's attention (modeling_qwen3_next.py) with gpt-oss's window and sinks.
TEST_CASE("gated attention in a window, with sinks and normalised keys, counts as by hand") {
  const std::string rest = R"("hidden_size": 2048, "num_attention_heads": 16,
      "num_key_value_heads": 2, "head_dim": 256, "attention_gate_dim": 256, "qk_norm": true,
      "attention_sinks": true, "layer_pattern": ["local_attention"], )";
  const ShardedBlock window = layer_of(model(rest + R"("sliding_window": 128)"), Degrees{});
  const double q = 16 * 256, k = 2 * 256;
  const Sums s = sums_of(window);
  CHECK(s.parameters == 2048 * (2 * q + 2 * k) + q * 2048 + 2 * 256 + 16);
  // Input; what is normalised; queries, keys, values and the rows' sums; gate and output; product.
  CHECK(s.saved ==
        kTokens * (2 * 2048 + 2 * (q + k) + 2 * (q + 2 * k) + 4 * 16 + 2 * 2 * q + 2 * q));
  const ShardedBlock chunks = layer_of(model(rest + R"("attention_chunk_size": 1024)"), Degrees{});
  const auto attention = [](const ShardedBlock& block) {
    Flops sum{};
    for (std::uint8_t i = 0; i < block.count; ++i) {
      const ShardedOperator& op = block.operators[i];
      if (op.kind == OpKind::fused_attention) sum += forward_flops(op.kind, op, op.pairs);
    }
    return sum.si();
  };
  const double each = 2.0 * 16 * (256 + 256);
  CHECK(attention(window) == about(each * (128.0 * 129 / 2 + (kTokens - 128.0) * 128)));
  CHECK(attention(chunks) == about(each * 4 * (1024.0 * 1025 / 2)));
}

// arXiv:2402.19427, section 2.4: two projections, a convolution, two gates within blocks, a decay.
TEST_CASE("a gated linear recurrence of RecurrentGemma counts as by hand") {
  const Sums s = sums_of(layer_of(rg_lru(), Degrees{}));
  const double w = 2560;
  CHECK(s.parameters == 3 * (w * w + w) + w * 5 + 2 * (w * 256 + w) + w);
  // Input; convolution's input and output; two gates; recurrence, gate, and their product.
  CHECK(s.saved == kTokens * 2 * (w + 2 * w + 2 * w + 3 * w));
}

// huggingface/transformers, modeling_zamba2.py: the second use of the block has its low-rank
// matrices and its projection, and the recurrence after it, of its own.
TEST_CASE("a block that layers share counts once and runs in each") {
  const double h = 3584, wide = 2 * h, inner = 14336;
  const double mamba =
      h * (2 * wide + 2 * 128 + 112) + (wide + 256) * 5 + 3 * 112 + wide + wide * h + h;
  const double own = h * h + 128 * (h + 2 * inner);
  const double block = 3 * wide * wide + wide * h + 3 * h * inner + wide + h;
  const ShardedBlock first = layer_of(zamba(), Degrees{});
  const ShardedBlock second = layer_of(zamba(), Degrees{}, kTokens, 1);
  CHECK(parameters_of(first) == block + own + mamba);
  CHECK(parameters_of(second) == own + mamba);
  Flops once{}, again{}, attention{};
  for (std::uint8_t i = 0; i < first.count; ++i) {
    const ShardedOperator& op = first.operators[i];
    once += forward_flops(op.kind, op, op.pairs);
    again += forward_flops(second.operators[i].kind, second.operators[i], op.pairs);
    if (op.kind == OpKind::fused_attention) attention += forward_flops(op.kind, op, op.pairs);
  }
  CHECK(once == again);
  CHECK(a_token(attention) == about(2.0 * 32 * (224 + 224) * (kTokens + 1) / 2));
  CHECK(kept_bytes(first, 0) == kept_bytes(second, 0));
}

TEST_CASE("tensor parallelism divides a recurrent layer and context parallelism sends its heads") {
  Degrees two;
  two.tp = 2;
  two.by_axis[Axis::tensor] = 2;
  const Sums whole = sums_of(layer_of(mamba2(), Degrees{}));
  const Sums half = sums_of(layer_of(mamba2(), two));
  CHECK(half.parameters * 2 == whole.parameters);
  CHECK(half.run.si() * 2 == about(whole.run.si()));

  // mamba_context_parallel.py: all of z, x, B, C and the time step before, the output after, and as
  // much backward.
  Degrees split;
  split.cp = 4;
  split.by_axis[Axis::context] = 4;
  split.by_axis[Axis::sequence] = 4;
  const double sent = sums_of(layer_of(mamba2(), split)).all_to_all;
  CHECK(sent == about(2 * 2.0 * kTokens / 4 * (3 * 8192 + 2 * 1024 + 128)));
}

TEST_CASE("more tokens and wider states are never cheaper in a recurrent layer") {
  for (Architecture a : {mamba2(), delta_net(), rg_lru(), zamba()}) {
    const Sums s = sums_of(layer_of(a, Degrees{}));
    const Sums longer = sums_of(layer_of(a, Degrees{}, 2 * kTokens));
    CHECK(longer.run.si() == about(2 * s.run.si()));
    CHECK(longer.saved == about(2 * s.saved));
    (a.recurrent.kind == RecurrentKind::rg_lru ? a.recurrent.value_heads
                                               : a.recurrent.key_head_dim) *= 2;
    const Sums wider = sums_of(layer_of(a, Degrees{}));
    CHECK(wider.run > s.run);
    CHECK(wider.saved > s.saved);
    CHECK(wider.parameters > s.parameters);
  }
}

// DeepSeek-V3.2's report, section 2: 64 heads of 128 score every earlier key for every query, and
// attention keeps 2048 of them, on the compressed keys and values.
TEST_CASE("the indexer of DeepSeek-V3.2 counts as by hand") {
  Architecture a = shipped_model("deepseek-v3").architecture;
  const ShardedBlock dense = layer_of(a, Degrees{}, 16384);
  a.indexer = {64, 128, 2048};
  const ShardedBlock sparse = layer_of(a, Degrees{}, 16384);
  CHECK(sums_of(sparse).parameters - sums_of(dense).parameters ==
        1536 * 64 * 128 + 7168 * 128 + 7168 * 64 + 2 * 128);
  const auto flops_of = [](const ShardedBlock& block, OpName name) {
    Flops sum{};
    for (std::uint8_t i = 0; i < block.count; ++i) {
      const ShardedOperator& op = block.operators[i];
      if (op.name == name) sum += forward_flops(op.kind, op, op.pairs);
    }
    return sum.si();
  };
  const double n = 16384;
  CHECK(flops_of(sparse, OpName::index_scores) == about(16384 * n * (n + 1) / 2));
  const double kept = 2048.0 * 2049 / 2 + (n - 2048) * 2048;
  CHECK(flops_of(sparse, OpName::attention) == about(2.0 * 128 * (576 + 512) * kept));
  CHECK(flops_of(dense, OpName::attention) == about(2.0 * 128 * (192 + 128) * n * (n + 1) / 2));
}

}  // namespace orrery
