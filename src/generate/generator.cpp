// SPDX-License-Identifier: Apache-2.0
#include "generate/generator.h"

#include <algorithm>

#include "core/divide.h"
#include "generate/batcher.h"
#include "generate/counts.h"
#include "model/listed_operators.h"
#include "model/operators.h"

namespace orrery {
namespace {

// A recurrence keeps its state in 32 bits (vLLM's mamba_ssm_cache_dtype float32; Qwen3-Next: 48
// layers × 48 heads × 128 × 128 × 4 B = 151 MB a sequence, radixark/miles
// docs/models/qwen/qwen3-8.md @31f1ca96).
constexpr double kStateBytes = 4;

// Numbers that a token leaves in a layer, on one of tp GPUs: heads that are fewer than GPUs are
// held more than once. The latent of MLA is whole on each (arXiv:2405.04434, section 2.1).
std::int64_t cached_numbers(const Architecture& a, Mixer mixer, std::int64_t tp) {
  if (!has_own_keys(mixer)) return 0;
  if (a.attention == AttentionKind::kLatent) return a.mla.kv_lora_rank + a.mla.qk_rope_head_dim;
  const std::int64_t width = a.head_dim + (a.keys_are_values ? 0 : value_head_dim(a));
  return divided_up(a.kv_heads, tp) * width;
}

double share_of_stage(const Generator& g) { return 1.0 / static_cast<double>(g.layout.pp); }

Bytes weights_of_block(const Block& block, const Degrees& d, Precision linear) {
  static thread_local ShardedBlock sharded;
  shard(block, d, sharded);
  double bytes = 0;
  for (std::uint8_t i = 0; i < sharded.count; ++i) {
    const ShardedOperator& op = sharded.operators[i];
    if (op.tied) continue;
    const Precision p = op.role == PrecisionRole::linear ? linear : storage_precision(linear);
    bytes += static_cast<double>(op.parameters) * element_bytes(p);
  }
  return Bytes(bytes);
}

Bytes weights_by(const Generator& g, const Degrees& d) {
  ListOptions options;
  options.sequence = 1;
  const ModelOperators& list = listed_operators(g.model, options);
  Bytes all =
      weights_of_block(list.embedding, d, g.weights) + weights_of_block(list.head, d, g.weights);
  for (std::size_t type = 0; type < kMaxLayerTypes; ++type) {
    if (list.layers[type].count == 0) continue;
    all += weights_of_block(list.layers[type], d, g.weights) *
           static_cast<double>(layers_of_type(g.model, type));
  }
  return all;
}

}  // namespace

Degrees degrees_of(const EngineLayout& l) {
  Degrees d;
  d.tp = l.tp;
  d.ep = l.ep;
  d.etp = l.ep > 1 ? 1 : l.tp;
  d.by_axis = {1, l.tp, 1, 1, d.ep, d.etp, l.tp};
  d.gathered[Axis::routed] = d.etp;
  return d;
}

Bytes weights_of_gpu(const Generator& g) {
  return weights_by(g, degrees_of(g.layout)) * share_of_stage(g);
}

Bytes weights_of_model(const Generator& g) { return weights_by(g, Degrees{}); }

Bytes cache_of_layer(const Generator& g, std::size_t type) {
  const Mixer mixer = layer_kind(g.model, type).mixer;
  return Bytes(static_cast<double>(cached_numbers(g.model, mixer, g.layout.tp)) *
               element_bytes(g.cache));
}

Bytes cache_of_token(const Generator& g) {
  Bytes all{};
  for (std::size_t type = 0; type < kMaxLayerTypes; ++type) {
    all += cache_of_layer(g, type) * static_cast<double>(layers_of_type(g.model, type));
  }
  return all * share_of_stage(g);
}

CacheWindow window_of(const Generator& g) {
  const Architecture& a = g.model;
  if (!g.engine.memory.frees_windows) return {};
  Bytes all{}, local{};
  for (std::size_t type = 0; type < kMaxLayerTypes; ++type) {
    const Bytes layers = cache_of_layer(g, type) * static_cast<double>(layers_of_type(a, type));
    all += layers;
    if (is_local(layer_kind(a, type).mixer)) local += layers;
  }
  if (local == Bytes()) return {};
  return {local / all, static_cast<double>(local_span(a))};
}

Bytes state_of_sequence(const Generator& g) {
  const Recurrent& r = g.model.recurrent;
  const double of_layer = static_cast<double>(divided_up(r.value_heads, g.layout.tp)) *
                          static_cast<double>(r.key_head_dim * r.value_head_dim) * kStateBytes;
  return Bytes(of_layer * static_cast<double>(layers_that(g.model, recurs))) * share_of_stage(g);
}

double tokens_read(const Architecture& a, std::size_t type, double context) {
  const Mixer mixer = layer_kind(a, type).mixer;
  double most = context;
  if (is_local(mixer)) {
    most = static_cast<double>(local_span(a));
  } else if (a.indexer.heads > 0 && mixer != Mixer::all_keys) {
    most = static_cast<double>(a.indexer.top_k);
  }
  return std::min(context, most);
}

}  // namespace orrery
