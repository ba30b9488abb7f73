// SPDX-License-Identifier: Apache-2.0
#include "generate/decode.h"

#include <algorithm>
#include <cmath>

#include "core/divide.h"
#include "cost/memory_time.h"
#include "cost/thin_product.h"
#include "generate/counts.h"
#include "generate/engine_exchange.h"
#include "model/listed_operators.h"
#include "model/operators.h"
#include "parallel/stages.h"

namespace orrery {
namespace {

// One pass over the operators of a block; sums go to `out`, times `count` of such blocks.
class BlockPass {
 public:
  BlockPass(const Generator& g, std::int64_t batch, EnginePass& out)
      : g_(g), batch_(batch), degrees_(degrees_of(g.layout)), out_(out) {}

  void add(const Block& block, double times) {
    if (block.count == 0 || times == 0) return;
    times_ = times;
    static thread_local ShardedBlock sharded;
    shard(block, degrees_, sharded);
    for (std::uint8_t i = 0; i < sharded.count; ++i) add(sharded.operators[i]);
    add_exchanges(sharded);
  }

 private:
  void put(PassPart part, Seconds t) { out_[part] += t * times_; }

  void add(const ShardedOperator& op) {
    const bool eager = !g_.graphs || batch_ > g_.engine.limits.graph_batch;
    put(PassPart::kernels, eager ? g_.engine.rates.eager_kernel : g_.engine.rates.kernel);
    if (kOpFacts[op.kind].product) return add_product(op);
    if (op.kind == OpKind::pointwise || op.kind == OpKind::lookup) add_pass(op);
  }

  // The rows of experts are spread over those that are hit.
  ProductShape shape_of(const ShardedOperator& op) const {
    if (!kOpFacts[op.kind].grouped) return {op.rows, op.cols, op.inner, 1};
    const double tokens = as_number(batch_ * (1 + g_.drafted));
    const MixtureOfExperts& moe = g_.model.moe;
    const double share = as_number(op.groups) / as_number(moe.experts);
    const double hit = experts_hit(moe.experts, moe.top_k, tokens) * share;
    const auto groups = std::max<std::int64_t>(1, std::llround(hit));
    return {std::max<std::int64_t>(1, divided_up(op.rows, groups)), op.cols, op.inner, groups};
  }

  void add_product(const ShardedOperator& op) {
    const Precision weights =
        op.role == PrecisionRole::linear ? g_.weights : storage_precision(g_.weights);
    const EngineRates& r = g_.engine.rates;
    const ThinTime t =
        thin_product_time(shape_of(op), g_.cluster.device, weights, {r.weights, r.products});
    put(PassPart::weights, t.reading);
    put(PassPart::products, std::max(Seconds(), t.computing - t.reading));
  }

  void add_pass(const ShardedOperator& op) {
    const Bytes bytes(op.forward_bytes * as_number(op.rows) * as_number(op.cols));
    put(PassPart::passes, memory_time<double>(bytes, g_.cluster.device));
  }

  void add_exchanges(const ShardedBlock& block) {
    for (std::uint8_t i = 0; i < block.count; ++i) {
      const ShardedOperator& op = block.operators[i];
      for (std::uint8_t j = 0; j < op.exchange_count; ++j) {
        const Exchange& e = op.exchanges[j];
        if (e.pass == Pass::forward) put(PassPart::exchanges, exchange_time(g_, op, e));
      }
    }
  }

  const Generator& g_;
  std::int64_t batch_;
  Degrees degrees_;
  EnginePass& out_;
  double times_ = 1;
};

// Sequences of one attention replica that one stage works on at a time.
std::int64_t rows_of(const Generator& g, std::int64_t batch) {
  return std::max<std::int64_t>(1, divided_up(batch, g.layout.dp * g.layout.pp));
}

// Queries of all heads with the compressed keys and values, absorbed into the projections
// (arXiv:2405.04434, section 2.1.2): the one attention whose products may take longer than its
// reads.
Flops latent_flops(const Generator& g, double tokens) {
  if (g.model.attention != AttentionKind::kLatent) return {};
  const LatentAttention& m = g.model.mla;
  const double width = as_number(2 * m.kv_lora_rank + m.qk_rope_head_dim);
  return Flops(2 * as_number(divided_up(g.model.heads, g.layout.tp)) * width * tokens *
               as_number(1 + g.drafted));
}

Seconds cache_time(const Generator& g, std::int64_t rows, double context) {
  Seconds all{};
  const Device& d = g.cluster.device;
  const BytesPerSecond rate = d.memory_bandwidth * g.engine.rates.cache;
  const FlopsPerSecond products = large_product_rate(d, storage_precision(g.weights));
  for (std::size_t type = 0; type < kMaxLayerTypes; ++type) {
    const double layers = as_number(layers_of_type(g.model, type));
    if (layers == 0) continue;
    const double tokens = as_number(rows) * tokens_read(g.model, type, context);
    const Seconds reading = cache_of_layer(g, type) * tokens / rate;
    all += std::max(reading, latent_flops(g, tokens) / products) * layers;
  }
  // A state is read and written; of all stages together, as the layers above.
  const Bytes states = state_of_sequence(g) * (2 * as_number(rows) * as_number(g.layout.pp));
  return all + states / rate;
}

Seconds host_time(const Generator& g, std::int64_t batch) {
  return g.engine.rates.token + g.engine.rates.sequence * as_number(batch);
}

EnginePass fixed_time(const Generator& g, std::int64_t batch) {
  EnginePass out{};
  ListOptions options;
  options.sequence = 1 + g.drafted;
  options.micro_batch = rows_of(g, batch);
  options.precision = g.weights;
  options.cross_entropy = CrossEntropy::fused;
  const ModelOperators& list = listed_operators(g.model, options);
  BlockPass pass(g, batch, out);
  pass.add(list.embedding, 1);
  for (std::size_t type = 0; type < kMaxLayerTypes; ++type) {
    pass.add(list.layers[type], as_number(layers_of_type(g.model, type)));
  }
  pass.add(list.head, 1);
  out[PassPart::host] = host_time(g, batch);
  return out;
}

}  // namespace

Seconds sum_of(const EnginePass& t) {
  Seconds all{};
  for (const Seconds part : t) all += part;
  return all;
}

double experts_hit(std::int64_t experts, std::int64_t top_k, double tokens) {
  const double all = as_number(experts);
  return all * (1 - std::pow(1 - as_number(top_k) / all, tokens));
}

EnginePass engine_pass(const Generator& g, std::int64_t batch, double context) {
  EnginePass out = fixed_time(g, batch);
  out[PassPart::cache] += cache_time(g, rows_of(g, batch), context);
  return out;
}

EnginePasses::EnginePasses(const Generator& g) : g_(g) {}

Seconds EnginePasses::time(std::int64_t batch, double context) {
  const auto i = static_cast<std::size_t>(batch);
  if (fixed_.size() <= i) fixed_.resize(i + 1, Seconds(-1));
  if (fixed_[i] < Seconds()) fixed_[i] = sum_of(fixed_time(g_, batch));
  return fixed_[i] + cache_time(g_, rows_of(g_, batch), context);
}

}  // namespace orrery
