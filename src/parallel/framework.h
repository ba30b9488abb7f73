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
#include "parallel/strategy.h"

namespace orrery {

// The kinds of training software by how they run a layer: operator by operator, compiled, or by
// kernels written for it.
enum class StackClass : std::uint8_t { eager, compiled, fused };
constexpr EnumNames<StackClass> names_of(StackClass) { return {"eager", "compiled", "fused"}; }

struct Framework {
  Name name;
  StackClass stack_class = StackClass::eager;
  std::optional<Vendor> vendor;  // whose devices its constants are from; nothing: of several

  // Kernels. The first attention kernel that the device has is used.
  std::uint8_t attention_count = 0;
  std::array<AttentionKernel, kCountOf<AttentionKernel>> attention{};
  CrossEntropy cross_entropy = CrossEntropy::unfused;
  CrossEntropy split_cross_entropy = CrossEntropy::unfused;  // where tp splits the vocabulary
  bool keeps_gathered_inputs = false;   // of split products, rather than gathering them again
  bool keeps_wide_inputs = false;       // of 8-bit products, not quantised, where tp does not split
  bool keeps_narrow_weights = false;    // 8- and 4-bit copies, from micro batch to micro batch
  double gate_bytes = 0;                // of kept inputs of activation functions; 0: as computed
  double attention_output_bytes = 0;    // of attention's output, kept once; 0: as computed
  double linear_rate = 1;               // of linear layers, over what the device's products attain
  bool recompute_stops_early = false;   // once the last saved tensor is back
  ChainMask unfused = 0;                // chains of elementwise operators that run one by one
  double pointwise_passes = 1;          // memory traffic of pointwise operators over fused kernels'
  double unpacking_passes = 1;          // the same of kernels that unpack 4- and 8-bit weights
  bool fused_accumulation = false;      // a weight gradient is added to its sum as it is computed
  bool keeps_16_bit_gradients = false;  // beside their fp32 sum, until the micro batch is done
  bool copies_gradients = false;        // that are not sharded, into buckets to be reduced
  bool steps_on_fp32_copy = false;      // of 16-bit gradients, each rank of its own share
  bool frees_gradients = false;         // with the step; they come back one by one in backward
  double optimizer_copies = 0;          // of this rank's weights, while the update runs
  bool records_streams = false;      // the allocator keeps what a collective reads until it has run
  bool keeps_stage_outputs = false;  // what a stage sent on, until its gradient is back
  bool receives_apart = false;       // every micro batch of a step has its own receive buffers
  bool reduces_at_the_end = false;   // kept weights: from buffers of whole layers, two at once
  std::int64_t vocabulary_multiple = 1;
  bool vocabulary_multiple_per_tp = false;  // the multiple is of vocabulary_multiple · tp

  // Defaults of the strategy.
  std::int64_t zero = 0;
  std::int64_t shard_group = 0;  // ranks that sharded states are spread over; 0: all
  ZeroPlusPlus zeropp;
  ContextType cp_type = ContextType::p2p;
  LayerSplit layer_split = LayerSplit::even;
  ModuleMask selective_modules = mask_of(Module::core_attn);  // what `selective` means here
  RecomputeMask recomputes = kAnyRecompute;                   // what it has, by `runs.recompute`
  bool recomputes_one_in_n = false;  // and if that is of some layers, of one in n

  // Overlap. A share exposed is of an exchange's time; 1: nothing is hidden.
  double tp_exposed = 1;
  bool tp_backward_overlap = false;  // beside the other gradient of the same layer
  double ep_exposed = 1;
  double ep_exposed_interleaved = 1;  // where chunks of other micro batches run beside
  double dispatch_bytes = 0;          // of an element on its way to the experts; 0: as computed
  // A token crosses once to a node with several of its experts, and goes once to each rank there.
  bool dispatch_once_per_node = false;
  bool cp_overlap = true;             // ring steps run under attention
  bool overlap_grad_reduce = false;   // gradients are reduced during the last backward
  bool overlap_param_gather = false;  // updated weights are gathered during the next forward
  // Share of a fabric's rate at rest that training reaches: data parallelism, and the collectives
  // inside layers.
  double fabric_share = 1;
  double layer_fabric_share = 1;
  double dp_overlap_share = 0;  // of that pass, what can hide the reduction or the gather
  double dp_exposed_floor = 0;  // share exposed even when the pass is long
  bool scatter_gather = false;  // stages send 1/tp of an activation and gather it in the node
  bool keeps_gathered_weights = false;    // with sharded weights: from forward to backward
  bool keeps_gathered_embedding = false;  // of these, what stands before the layers
  bool keeps_gathered_head = false;       // and the head
  bool pipeline_keeps_weights = false;    // and with a pipeline: gathered and reduced once a step
  // Gradients reduced in every micro batch are then summed over the replicas of their shards too.
  bool sums_replicas_every_micro_batch = false;
  // The gather of updated weights takes this besides for each rank and layer: weights are sent rank
  // by rank.
  Seconds refresh_per_rank{};
  bool backward_prefetch = true;  // weights for backward are gathered beside the pass before
  // Bytes that copies of a gathered weight, and of a gradient to be reduced, move an element, in
  // the stream that computes; and what a gather waits besides for the host.
  double gather_copies = 0;
  double reduce_copies = 0;
  Seconds gather_wait{};
  // Share of the time lost in which compute and collectives of kernels of their own both run.
  double communication_slowdown = 0;
  double prefetch_norm = 5;  // exponent of the norm that joins compute and gathers of a layer
  double gather_bytes = 0;   // an element of a gathered weight; 0: as the recipe says
  // Gathered weights are freed module by module, above this many elements. 0: layer by layer.
  std::int64_t max_live_parameters = 0;
  // Elements of weights that are gathered ahead of their use; of a larger module the rest is waited
  // for. 0: as many as there are.
  std::int64_t prefetch_limit = 0;

  // Level: measured over predicted step time of this software, where every term is meant.
  double stack_factor = 1;

  // The host's time to launch one kernel, Python included; 0: not priced.
  Seconds host_launch{};

  // Fixed costs.
  Seconds step_overhead{};
  Bytes context{};                 // what the device shows as used before anything is allocated
  Bytes group_buffers{};           // communication buffers of one process group of A100s
  Bytes bucket{};                  // flat buffers for gradients or gathered weights, if not a layer
  double state_overhead = 0;       // allocated beyond model states, as a share of them
  double activation_overhead = 0;  // the same of activations: fragmentation, cached blocks
  double fragments_kept = 0;       // of activation_overhead: what stays when the device is full
  double logits_overhead = 0;      // cached besides at the loss, as a share of the logits

  // 80 % interval of measured over predicted step time, from docs/validation.md.
  double interval_low = 0;
  double interval_high = 0;
};

// n, where recompute of one layer in n takes so many layers of a chunk; 0 where no n does.
constexpr std::int64_t one_in(std::int64_t layers, std::int64_t chunk) {
  const std::int64_t n = layers > 0 ? chunk / layers : 0;
  return n > 1 && chunk / n == layers ? n : 0;
}

// True where it can recompute so many layers of a chunk in full, and keep the others.
constexpr bool has_recompute_of(const Framework& f, std::int64_t layers, std::int64_t chunk) {
  return !f.recomputes_one_in_n || one_in(layers, chunk) > 0;
}

constexpr bool has_recompute(const Framework& f, RecomputeChoice c) {
  return (f.recomputes & mask_of(c)) != 0;
}

}  // namespace orrery
