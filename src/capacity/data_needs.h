// SPDX-License-Identifier: Apache-2.0
//
// The load of a training on the storage (samples a second, bytes of data and checkpoints), and
// memory for serving the trained model (weights by precision, keys and values by batch and
// context).
//
// A sample has bytes and costs FLOPs, so a machine reads bytes at its FLOP rate × bytes/FLOPs
// (G. Lockwood's method; 63 GB/s for each PFLOP/s of CosmoFlow). Tokenized text is read at the
// predicted tokens a second × bytes a token. The clients' limit is the rate of all nodes.
//
// Serving: a token keeps two vectors a layer of kv_heads × head size, or, with latent attention,
// one of the compressed rank and one of the rotary part (DeepSeek-V2, arXiv:2405.04434). A sliding
// window would need less; it counts as full attention here. A paged cache wastes half a block a
// sequence on average (vLLM, arXiv:2309.06180).
//
// Leaves out caches, shuffles that read twice, small-file rates, activations, the serving engine's
// own memory, and quantization's scales. Units: SI. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capacity/checkpoint.h"
#include "core/json_reader.h"
#include "model/architecture.h"
#include "orrery/quantity.h"

namespace orrery {

struct SampleKind {
  std::string name;
  Bytes bytes{};
  Flops flops{};
};

struct Corpus {
  std::string name;
  double bytes_per_token = 4;
};

// `data` of a plan: {"corpus": "pile", "tokens_per_core_s": 2e5} and the two shipped tables.
struct DataPlan {
  std::vector<SampleKind> samples;
  std::vector<Corpus> corpora;
  std::size_t corpus = 0;
  PerSecond tokens_per_core{};  // prepared by one CPU core; 0: not given
};

std::vector<SampleKind> read_samples(Reader r);
std::vector<Corpus> read_corpora(Reader r);

struct SampleRate {
  std::string name;
  BytesPerSecond all{};
  BytesPerSecond node{};
  bool clients_carry_it = true;  // if a client's rate is known
};

struct DataNeeds {
  BytesPerSecond read{};            // of tokens, by the whole run
  std::vector<SampleRate> samples;  // if it trained on these samples at this run's FLOP rate
  Bytes dataset{};
  Bytes ids{};          // the same as token ids, of 2 bytes where the vocabulary allows
  Bytes ids_of_rank{};  // of one data parallel rank, if each reads a shard of its own
  Bytes checkpoints{};  // all that are kept
  Bytes total{};
  bool storage_holds_it = true;  // if its capacity is known
  double cores = 0;              // CPU cores that prepare tokens; 0: no rate given
};

// Compute, reads and stored bytes of a run on `nodes`.
struct DataDemand {
  FlopsPerSecond rate{};  // of all GPUs, while it trains
  PerSecond tokens_read{};
  double tokens = 0;
  std::int64_t nodes = 1;
  std::int64_t vocabulary = 0;
  std::int64_t replicas = 1;  // that read sequences of their own
  Bytes checkpoint{};
};

Bytes dataset_bytes(const DataPlan& plan, double tokens);
Bytes kept_bytes(Bytes checkpoint, const CheckpointPolicy& policy);

BytesPerSecond sample_bandwidth(const SampleKind& k, FlopsPerSecond rate);

DataNeeds data_needs(const DataPlan& plan, const DataDemand& d, const Storage& storage,
                     const CheckpointPolicy& policy);

inline constexpr std::int64_t kCacheBlock = 16;  // tokens; vLLM's default (arXiv:2309.06180)

// Leaves out: heads that predict further tokens, which serving does without.
struct InferenceNeeds {
  Bytes weights{};          // of 2 bytes a parameter, without multi-token prediction
  Bytes cache_a_token{};    // of 2 bytes an element
  std::int64_t window = 0;  // of layers that keep the last tokens alone; 0: none does
  Bytes cache{};            // of the batch at its context, in whole blocks
  Bytes waste{};            // empty parts of the cache's blocks: half a block a sequence
  std::int64_t batch = 0;
  std::int64_t context = 0;
};

InferenceNeeds inference_needs(const Architecture& a, std::int64_t batch, std::int64_t context);

}  // namespace orrery
