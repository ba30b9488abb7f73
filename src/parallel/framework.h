// SPDX-License-Identifier: Apache-2.0
//
// The choices of the training software: its kernels, overlaps, kept tensors and fixed costs of a
// step. A profile of configs/frameworks, as a plain fixed-size value.
//
// Leaves out the versions within a profile; a run's `parallel.framework_options` turn a profile's
// switches by their own names (framework_json.h). Units: SI. Errors: none here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/enum_names.h"
#include "hardware/device.h"
#include "hardware/name.h"
#include "model/chains.h"
#include "model/cross_entropy.h"
#include "orrery/quantity.h"
#include "parallel/host_work.h"
#include "parallel/strategy_choices.h"

namespace orrery {

// The kinds of training software by how they run a layer: operator by operator, compiled, or by
// kernels written for it.
enum class StackClass : std::uint8_t { eager, compiled, fused };
constexpr EnumNames<StackClass> names_of(StackClass) { return {"eager", "compiled", "fused"}; }

// Kernels, and the memory traffic of those that are not fused.
struct FrameworkKernels {
  std::uint8_t attention_count = 0;
  // The first of them that the device has is used.
  std::array<AttentionKernel, kCountOf<AttentionKernel>> attention{};
  double linear_rate = 1;       // of linear layers, over what the device's products attain
  double grouped_rate = 1;      // of experts' products besides, over what the device's attain
  ChainMask unfused = 0;        // chains of elementwise operators that run one by one
  double pointwise_passes = 1;  // memory traffic of pointwise operators over fused kernels'
  double unpacking_passes = 1;  // the same of kernels that unpack 4- and 8-bit weights
};

// Tensors saved for backward otherwise than as they are computed.
struct FrameworkSaved {
  bool gathered_inputs = false;       // of split products, rather than gathering them again
  bool wide_inputs = false;           // of 8-bit products, not quantised, where tp does not split
  bool narrow_weights = false;        // 8- and 4-bit copies, from micro batch to micro batch
  double gate_bytes = 0;              // of inputs of activation functions; 0: as computed
  double attention_output_bytes = 0;  // of attention's output, kept once; 0: as computed
};

struct FrameworkRecompute {
  bool stops_early = false;   // once the last saved tensor is back
  bool keeps_context = true;  // attention's output, where its core runs again
  ModuleMask selective = mask_of(Module::core_attn);  // what `selective` means here
  TensorMask offloaded = 0;                           // to the host where that is selective
  RecomputeMask choices = kAnyRecompute;              // what it has, by `runs.recompute`
  bool one_in_n = false;                              // and if that is of some layers, of one in n
  Recompute by_default = Recompute::none;             // where the user says nothing
  EnumArray<Recompute, double> shares{};              // of the runs of its kind, that have each
};

struct FrameworkLoss {
  CrossEntropy method = CrossEntropy::unfused;
  CrossEntropy split_method = CrossEntropy::unfused;  // where tp splits the vocabulary
  double logits_overhead = 0;                         // cached besides, as a share of the logits
};

// Gradients from the product that makes them to their reduction.
struct FrameworkGradients {
  bool fused_accumulation = false;   // a weight gradient is added to its sum as it is computed
  bool kept_in_16_bits = false;      // beside their fp32 sum, until the micro batch is done
  bool copied_to_buckets = false;    // that are not sharded, to be reduced there
  bool freed_with_step = false;      // they come back one by one in backward
  bool reduced_at_end = false;       // kept weights: from buffers of whole layers, two at once
  bool whole_until_reduced = false;  // of sharded weights, over the micro batches of a step
  // Gradients reduced in every micro batch are then summed over the replicas of their shards too.
  bool replicas_every_micro_batch = false;
  // Bytes an element that copies of a gradient to be reduced move, in the stream that computes.
  double copy_bytes = 0;
};

// The step of the optimizer.
struct FrameworkUpdate {
  double moment_lists = 0;      // temporaries of the size of one moment of all that is updated
  bool fp32_gradients = false;  // made of 16-bit gradients, each rank of its own share
  std::int64_t sub_group = 0;   // under ZeRO 3: elements that are updated at once; 0: all
  bool paged = false;           // states leave the device when it is full
  // The gather of updated weights takes this besides for each rank and layer: weights are sent rank
  // by rank.
  Seconds refresh_per_rank{};
};

// Defaults of how model states are sharded.
struct FrameworkSharding {
  std::int64_t zero = 0;
  std::int64_t group = 0;  // ranks that sharded states are spread over; 0: all
  Name within;             // tier over whose units, and no further, they are spread
  ZeroPlusPlus zeropp;
};

// Sharded weights that stay gathered from forward to backward; `pipeline`: where there is one, from
// step to step, so that they are gathered and their gradients reduced once a step.
enum class KeptGathered : std::uint8_t { layers, embedding, head, pipeline };
constexpr EnumNames<KeptGathered> names_of(KeptGathered) {
  return {"layers", "embedding", "head", "pipeline"};
}
using KeptGatheredMask = std::uint8_t;
constexpr KeptGatheredMask mask_of(KeptGathered k) {
  return static_cast<KeptGatheredMask>(1U << static_cast<unsigned>(k));
}

// Gathers of sharded weights.
struct FrameworkGathers {
  KeptGatheredMask kept = 0;
  bool backward_prefetch = true;  // weights for backward are gathered beside the pass before
  // Bytes an element that copies of a gathered weight move, in the stream that computes, and what a
  // gather waits besides for the host.
  double copy_bytes = 0;
  bool flat_copies = false;  // of gathered weights and of gradients lie beside them
  bool by_product =
      false;  // each weight is gathered for its product, its gradient reduced after it
  Seconds host_wait{};
  double prefetch_norm = 5;  // exponent of the norm that joins compute and gathers of a layer
  double element_bytes = 0;  // as a weight travels; 0: as the recipe says
  // Gathered weights are freed module by module, above this many elements. 0: layer by layer.
  std::int64_t max_live = 0;
  // Elements of weights that are gathered ahead of their use; of a larger module the rest is waited
  // for. 0: as many as there are.
  std::int64_t prefetch_limit = 0;

  constexpr bool keeps(KeptGathered k) const { return (kept & mask_of(k)) != 0; }
};

// A share exposed is of an exchange's time; 1: nothing is hidden.
struct FrameworkOverlap {
  double tp_exposed = 1;
  bool tp_backward = false;  // beside the other gradient of the same layer
  double ep_exposed = 1;
  double ep_exposed_interleaved = 1;  // where chunks of other micro batches run beside
  // Without a pipeline: a forward pass runs beside the backward pass of the micro batch before, if
  // asked for, and what is then exposed.
  bool ep_paired = false;
  double ep_exposed_paired = 1;
  bool cp = true;             // ring steps run under attention
  bool grad_reduce = false;   // gradients are reduced during the last backward
  bool param_gather = false;  // updated weights are gathered during the next forward
  double dp_share = 0;        // of that pass, what can hide the reduction or the gather
  double dp_floor = 0;        // share exposed even when the pass is long
  // Share of the time lost in which compute and collectives of kernels of their own both run.
  double slowdown = 0;
};

struct FrameworkExperts {
  double dispatch_bytes = 0;  // of an element on its way to the experts; 0: as computed
  // A token crosses once to a node with several of its experts, and goes once to each rank there.
  bool dispatch_once_per_node = false;
  // Reads of counts of tokens by the host in a forward pass of a layer, each of which waits for the
  // device to get there, and the time of one.
  std::int64_t waits = 0;
  std::int64_t waits_by_expert = 0;  // and besides for each expert of the rank
  Seconds wait{};
};

struct FrameworkPipeline {
  LayerSplit layer_split = LayerSplit::even;
  bool keeps_outputs = false;   // what a stage sent on, until its gradient is back
  bool receives_apart = false;  // every micro batch of a step has its own receive buffers
  bool scatter_gather = false;  // stages send 1/tp of an activation and gather it in the node
};

// Share of a fabric's rate at rest that training reaches.
struct FrameworkNetwork {
  double fabric_share = 1;        // by data parallelism
  double layer_fabric_share = 1;  // by the collectives inside layers
};

// The vocabulary is padded to a multiple.
struct FrameworkVocabulary {
  std::int64_t multiple = 1;
  bool multiple_per_tp = false;  // the multiple is of `multiple` · tp
};

// Memory that the allocator holds beyond the tensors that are asked of it.
struct FrameworkAllocator {
  bool records_streams = false;    // what a collective reads is kept until it has run
  double state_overhead = 0;       // beyond model states, as a share of them
  double activation_overhead = 0;  // the same of activations: fragmentation, cached blocks
  double fragments_kept = 0;       // of activation_overhead: what stays when the device is full
};

// Memory of fixed size.
struct FrameworkBuffers {
  Bytes context{};  // what the device shows as used before anything is allocated
  Bytes group{};    // communication buffers of one process group of A100s
  Bytes bucket{};   // flat buffers for gradients or gathered weights, if not a layer
  std::int64_t bucket_elements = 0;  // of a flat buffer for gradients, each of the size of a weight
  bool bucket_pair = false;          // two of them, one filled while the other is reduced
  bool flat_gradients = true;        // gradients are copied into them
};

// Launches captured once and replayed at a stroke: none, those of a layer before its experts, or
// all of a pass.
enum class GraphScope : std::uint8_t { none, partial, full };
constexpr EnumNames<GraphScope> names_of(GraphScope) { return {"none", "partial", "full"}; }

// Kernels that the host launches for one operator, by kind.
using LaunchTable = EnumArray<HostWork, double>;

struct FrameworkHost {
  Seconds launch{};  // to launch one kernel, Python included; 0: not priced
  LaunchTable forward{};
  LaunchTable backward{};
  double qkv_products = 1;      // queries, keys and values: one product, or one each
  double gate_up_products = 1;  // the gate and the other half of a gated MLP, likewise
  double containers = 0;        // modules of a layer without weights of their own
  Seconds hook{};               // of one call around a pass of whoever gathers sharded weights
  GraphScope graphs = GraphScope::none;
  Seconds graph_replay{};   // to launch a captured graph
  Seconds step_overhead{};  // fixed, once a step
};

// Measured over predicted step time of this software.
struct FrameworkLevel {
  double factor = 1;  // where every term is meant
  // 80 % interval, from docs/validation.md.
  double interval_low = 0;
  double interval_high = 0;
};

struct Framework {
  Name name;
  StackClass stack_class = StackClass::eager;
  std::optional<Vendor> vendor;  // whose devices its constants are from; nothing: of several
  ContextType cp_type = ContextType::p2p;  // default of the strategy, as those of `sharding`
  bool sequence_parallel = false;          // tensor parallelism always splits the sequence too
  FrameworkKernels kernels;
  FrameworkSaved saved;
  FrameworkRecompute recompute;
  FrameworkLoss loss;
  FrameworkGradients gradients;
  FrameworkUpdate update;
  FrameworkSharding sharding;
  FrameworkGathers gathers;
  FrameworkOverlap overlap;
  FrameworkExperts experts;
  FrameworkPipeline pipeline;
  FrameworkNetwork network;
  FrameworkVocabulary vocabulary;
  FrameworkAllocator allocator;
  FrameworkBuffers buffers;
  FrameworkHost host;
  FrameworkLevel level;
};

// n, where recompute of one layer in n takes so many layers of a chunk; 0 where no n does.
constexpr std::int64_t one_in(std::int64_t layers, std::int64_t chunk) {
  const std::int64_t n = layers > 0 ? chunk / layers : 0;
  return n > 1 && chunk / n == layers ? n : 0;
}

// True where it can recompute so many layers of a chunk in full, and keep the others.
constexpr bool has_recompute_of(const Framework& f, std::int64_t layers, std::int64_t chunk) {
  return !f.recompute.one_in_n || one_in(layers, chunk) > 0;
}

// The host reads how many tokens each expert gets before it launches what depends on it.
constexpr bool waits_for_counts(const Framework& f) {
  return f.experts.waits + f.experts.waits_by_expert > 0 && f.host.graphs != GraphScope::full;
}

constexpr bool has_recompute(const Framework& f, RecomputeChoice c) {
  return (f.recompute.choices & mask_of(c)) != 0;
}

}  // namespace orrery
