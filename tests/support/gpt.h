// SPDX-License-Identifier: Apache-2.0
//
// The GPT of the papers (LayerNorm, biases, GELU, dropout, learned positions, tied embedding), and
// sums over its sharded operators.
#pragma once

#include <cstdint>
#include <memory>

#include "model/operators.h"
#include "parallel/shard.h"
#include "parallel/strategy.h"

namespace orrery::testing {

inline Architecture gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                        std::int64_t vocab = 51200) {
  Architecture a;
  a.layers = layers;
  a.hidden = hidden;
  a.heads = heads;
  a.kv_heads = heads;
  a.head_dim = hidden / heads;
  a.intermediate = 4 * hidden;
  a.vocab = vocab;
  a.qkv_bias = a.attention_out_bias = a.mlp_bias = true;
  a.dropout = true;
  a.tie_word_embeddings = true;
  return a;
}

// Attention as before FlashAttention, 16 bits.
inline ListOptions unfused(std::int64_t sequence, std::int64_t micro_batch) {
  ListOptions o;
  o.sequence = sequence;
  o.micro_batch = micro_batch;
  o.precision = Precision::fp16;
  o.fused_attention = false;
  return o;
}

inline ShardedBlock sharded(const Block& block, const Strategy& s) {
  ShardedBlock out;
  shard(block, degrees_of(s), out);
  return out;
}

inline ShardedBlock sharded_layer(const Architecture& a, const ListOptions& o, const Strategy& s,
                                  std::int64_t layer = 0) {
  const auto model = std::make_unique<ModelOperators>(model_operators(a, o));
  return sharded(model->layers[layer_type(a, layer)], s);
}

inline const ShardedOperator* find(const ShardedBlock& block, OpName name) {
  for (std::uint8_t i = 0; i < block.count; ++i) {
    if (block.operators[i].name == name) return &block.operators[i];
  }
  return nullptr;
}

inline bool has_matrix(const ShardedOperator& op) {
  return op.has_weight && op.kind == OpKind::product;
}

// Elements of the weight matrices, without biases and norms.
inline std::int64_t matrix_elements(const ShardedBlock& block) {
  std::int64_t n = 0;
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const ShardedOperator& op = block.operators[i];
    if (has_matrix(op)) n += op.inner * op.cols;
  }
  return n;
}

}  // namespace orrery::testing
