// SPDX-License-Identifier: Apache-2.0
#include "generate/prefill.h"

#include <algorithm>

#include "core/divide.h"
#include "cost/operator_time.h"
#include "cost/thin_product.h"
#include "generate/decode.h"
#include "generate/engine_exchange.h"
#include "model/listed_operators.h"
#include "model/operators.h"

namespace orrery {
namespace {

KernelChoice kernels_of(const Generator& g) {
  KernelChoice k;
  k.linear = multiplied_in(g.cluster.device, g.weights);
  k.wide = storage_precision(g.weights);
  for (const AttentionKernel kernel : kAllOf<AttentionKernel>) {
    if (!is_available(curve_of(g.cluster.device, kernel))) continue;
    k.attention = kernel;
    break;
  }
  return k;
}

class PromptPass {
 public:
  PromptPass(const Generator& g, std::int64_t prompts, std::int64_t length)
      : g_(g),
        kernels_(kernels_of(g)),
        degrees_(degrees_of(g.layout)),
        list_(listed_operators(g.model, options_of(kernels_, prompts, length))) {}

  Seconds layers() {
    Seconds all{};
    for (std::int64_t i = 0; i < g_.model.layers; ++i) {
      Seconds& known = of_type_[layer_type(g_.model, i)];
      if (known == Seconds()) known = block(list_.layers[layer_type(g_.model, i)]);
      all += known;
    }
    return all + block(list_.embedding);
  }

 private:
  static ListOptions options_of(const KernelChoice& kernels, std::int64_t prompts,
                                std::int64_t length) {
    ListOptions options;
    options.sequence = length;
    options.micro_batch = prompts;
    options.precision = kernels.linear;
    options.cross_entropy = CrossEntropy::fused;
    return options;
  }

  Seconds block(const Block& b) {
    static thread_local ShardedBlock sharded;
    shard(b, degrees_, sharded);
    Seconds computing{};
    Seconds exchanges{};
    for (std::uint8_t i = 0; i < sharded.count; ++i) {
      const ShardedOperator& op = sharded.operators[i];
      const Seconds t = operator_time<double>(op, g_.cluster.device, kernels_).forward;
      computing += std::max(t, g_.engine.rates.kernel);
      exchanges += exchanges_of(op);
    }
    return computing / g_.engine.rates.prefill + exchanges;
  }

  Seconds exchanges_of(const ShardedOperator& op) const {
    Seconds all{};
    for (std::uint8_t j = 0; j < op.exchange_count; ++j) {
      const Exchange& e = op.exchanges[j];
      if (e.pass == Pass::forward) all += exchange_time(g_, op, e);
    }
    return all;
  }

  const Generator& g_;
  KernelChoice kernels_;
  Degrees degrees_;
  const ModelOperators& list_;
  std::array<Seconds, kMaxLayerTypes> of_type_{};
};

}  // namespace

Seconds prefill_time(const Generator& g, std::int64_t prompts, std::int64_t length) {
  if (prompts == 0 || length == 0) return {};
  const std::int64_t space = std::max<std::int64_t>(1, g.engine.limits.batched_tokens / length);
  const std::int64_t of_replica = divided_up(prompts, g.layout.dp);
  const std::int64_t in_pass = std::min(of_replica, space);
  const double passes = static_cast<double>(of_replica) / static_cast<double>(in_pass);
  return (PromptPass(g, in_pass, length).layers() + g.engine.rates.token) * passes;
}

}  // namespace orrery
