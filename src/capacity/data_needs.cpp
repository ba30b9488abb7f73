// SPDX-License-Identifier: Apache-2.0
#include "capacity/data_needs.h"

#include <algorithm>

#include "core/divide.h"
#include "core/provenance.h"
#include "model/operators.h"

namespace orrery {
namespace {

constexpr double kBytesOfElement = 2;

Bytes kept_by_layer(const Architecture& a) {
  const bool latent = a.attention == AttentionKind::kLatent;
  const std::int64_t width =
      latent ? a.mla.kv_lora_rank + a.mla.qk_rope_head_dim : 2 * a.kv_heads * a.head_dim;
  return Bytes(kBytesOfElement * static_cast<double>(width));
}

constexpr bool keeps_a_window(Mixer mixer) { return has_own_keys(mixer) && is_local(mixer); }

// Tokens in whole blocks.
double in_blocks(std::int64_t tokens) {
  return static_cast<double>(divided_up(tokens, kCacheBlock) * kCacheBlock);
}

// Megatron-LM's indexed dataset stores unsigned 16 bits up to this vocabulary, else 32
// (megatron/core/datasets/indexed_dataset.py [from memory, unverified]).
double bytes_of_id(std::int64_t vocabulary) { return vocabulary < 65500 ? 2 : 4; }

}  // namespace

std::vector<SampleKind> read_samples(Reader r) {
  check_sources(r);
  std::vector<SampleKind> kinds;
  for (Reader k : r.at("samples").items()) {
    kinds.push_back({k.at("name").text(), k.at("bytes").quantity<kBytes>(),
                     Flops(k.at("flops").number(1, 1e30))});
    k.reject_unknown();
  }
  r.reject_unknown();
  return kinds;
}

std::vector<Corpus> read_corpora(Reader r) {
  check_sources(r);
  std::vector<Corpus> corpora;
  for (Reader c : r.at("corpora").items()) {
    corpora.push_back({c.at("name").text(), c.at("bytes_per_token").number(0.1, 1e6)});
    c.reject_unknown();
  }
  r.reject_unknown();
  if (corpora.empty()) r.fail("no corpora", "at least one");
  return corpora;
}

Bytes dataset_bytes(const DataPlan& plan, double tokens) {
  return Bytes(plan.corpora[plan.corpus].bytes_per_token) * tokens;
}

Bytes kept_bytes(Bytes checkpoint, const CheckpointPolicy& policy) {
  return checkpoint * static_cast<double>(policy.keep + policy.archive);
}

BytesPerSecond sample_bandwidth(const SampleKind& k, FlopsPerSecond rate) {
  return BytesPerSecond(rate / k.flops * k.bytes);
}

DataNeeds data_needs(const DataPlan& plan, const DataDemand& d, const Storage& storage,
                     const CheckpointPolicy& policy) {
  DataNeeds n;
  const Bytes token(plan.corpora[plan.corpus].bytes_per_token);
  n.read = token * d.tokens_read;
  n.dataset = dataset_bytes(plan, d.tokens);
  n.ids = Bytes(bytes_of_id(d.vocabulary) * d.tokens);
  n.ids_of_rank = n.ids / static_cast<double>(d.replicas);
  n.checkpoints = kept_bytes(d.checkpoint, policy);
  n.total = n.dataset + n.checkpoints;
  n.storage_holds_it = storage.capacity.si() <= 0 || n.total <= storage.capacity;
  if (plan.tokens_per_core > PerSecond()) n.cores = d.tokens_read / plan.tokens_per_core;
  for (const SampleKind& k : plan.samples) {
    SampleRate r;
    r.name = k.name;
    r.all = sample_bandwidth(k, d.rate);
    r.node = r.all / static_cast<double>(d.nodes);
    r.clients_carry_it = storage.client.si() <= 0 || r.node <= storage.client;
    n.samples.push_back(r);
  }
  return n;
}

InferenceNeeds inference_needs(const Architecture& a, std::int64_t batch, std::int64_t context) {
  InferenceNeeds n;
  n.batch = batch;
  n.context = context;
  const ParameterCount count = parameter_count(a, context);
  n.weights = Bytes(kBytesOfElement * static_cast<double>(count.total + count.tower));
  const Bytes layer = kept_by_layer(a);
  const std::int64_t layers = layers_that(a, has_own_keys);
  const std::int64_t local = layers_that(a, keeps_a_window);
  n.window = local == 0 ? 0 : local_span(a);
  n.cache_a_token = layer * static_cast<double>(layers);
  const auto sequences = static_cast<double>(batch);
  const double kept = static_cast<double>(layers - local) * in_blocks(context) +
                      static_cast<double>(local) * in_blocks(std::min(context, n.window));
  n.cache = layer * (kept * sequences);
  n.waste = n.cache_a_token * (sequences * 0.5 * static_cast<double>(kCacheBlock));
  return n;
}

}  // namespace orrery
