// SPDX-License-Identifier: Apache-2.0
#include "capacity/inference.h"

#include "model/operators.h"

namespace orrery {
namespace {

constexpr double kBytesOfElement = 2;

double kept_elements(const Architecture& a) {
  const bool latent = a.attention == AttentionKind::kLatent;
  const std::int64_t width =
      latent ? a.mla.kv_lora_rank + a.mla.qk_rope_head_dim : 2 * a.kv_heads * a.head_dim;
  return static_cast<double>(a.layers * width);
}

}  // namespace

InferenceNeeds inference_needs(const Architecture& a, std::int64_t batch, std::int64_t context) {
  InferenceNeeds n;
  n.batch = batch;
  n.context = context;
  const ParameterCount count = parameter_count(a, context);
  n.weights = Bytes(kBytesOfElement * static_cast<double>(count.total));
  n.cache_a_token = Bytes(kBytesOfElement * kept_elements(a));
  const std::int64_t blocks = (context + kCacheBlock - 1) / kCacheBlock;
  const auto sequences = static_cast<double>(batch);
  n.cache = n.cache_a_token * (sequences * static_cast<double>(blocks * kCacheBlock));
  n.waste = n.cache_a_token * (sequences * 0.5 * static_cast<double>(kCacheBlock));
  return n;
}

}  // namespace orrery
