// SPDX-License-Identifier: Apache-2.0
//
// The keys of a profile on communication: overlap, exchange of tokens, pipeline, networks. Each
// group is an object of the profile:
// {"kernels": {"linear_rate": 0.97}}. Errors: none here; framework_json.h refuses.
#pragma once

#include "core/keys.h"
#include "parallel/framework_forms.h"

namespace orrery {

inline constexpr auto kFrameworkOverlapRows = [] {
  using namespace framework_forms;
  using G = FrameworkOverlap;
  return keys<G>(
      fact<&G::tp_exposed>("tp_exposed", kShare, otherwise("1"),
                           "exposed share of tensor-parallel exchanges; 1: nothing is hidden"),
      fact<&G::tp_backward>("tp_backward", kSwitch, otherwise("false"),
                            "they run beside the other gradient of the same layer"),
      fact<&G::ep_exposed>("ep_exposed", kShare, otherwise("1"),
                           "exposed share of the exchanges of tokens between experts")
          .only_read_by<read_ep_exposed>()
          .documented("experts wait for their tokens: only another micro batch can hide the "
                      "exchange (arXiv:2412.19437, section 3.2.1)"),
      fact<&G::ep_exposed_interleaved>("ep_exposed_interleaved", kShare, otherwise("ep_exposed's"),
                                       "the same where chunks of other micro batches run beside")
          .documented("1F1B with chunks runs the exchange beside another micro batch's chunk "
                      "(Megatron-Core --overlap-moe-expert-parallel-comm)"),
      fact<&G::ep_paired>("ep_paired", kSwitch, otherwise("false"),
                          "without a pipeline, a forward pass runs beside the backward pass of the "
                          "micro batch before")
          .documented("Megatron-Core overlaps exchanges of experts (combined_1f1b.py)"),
      fact<&G::ep_exposed_paired>("ep_exposed_paired", kShare, otherwise("1"),
                                  "exposed share of the exchanges of experts there, the time by "
                                  "which they grow beside compute included")
          .documented("0.40 hidden, 1.3 times as long (Megatron-Bridge, card of it)"),
      fact<&G::cp>("cp", kSwitch, otherwise("true"),
                   "steps of the context-parallel ring run under attention")
          .documented("ring attention sends blocks while it computes others (arXiv:2310.01889)"),
      fact<&G::grad_reduce>("grad_reduce", kSwitch, otherwise("false"),
                            "gradients are reduced during the last backward pass"),
      fact<&G::param_gather>("param_gather", kSwitch, otherwise("false"),
                             "updated weights are gathered during the next forward pass"),
      fact<&G::dp_share>("dp_share", kShare, otherwise("0"),
                         "share of that pass that can hide the reduction or the gather"),
      fact<&G::dp_floor>("dp_floor", kShare, otherwise("0"),
                         "share exposed even when the pass is long"),
      fact<&G::slowdown>("slowdown", form::number(0, 10, "share"), otherwise("0"),
                         "share of the time lost in which compute and a collective "
                         "both run")
          .documented("collectives are kernels that take multiprocessors and bandwidth from "
                      "compute beside them (NCCL's channels)"));
}();
inline constexpr Keys<FrameworkOverlap> kFrameworkOverlapKeys{"overlap", kFrameworkOverlapRows};
template <>
struct KeysOf<FrameworkOverlap> {
  static constexpr const Keys<FrameworkOverlap>& table = kFrameworkOverlapKeys;
};

inline constexpr auto kFrameworkExpertsRows = [] {
  using namespace framework_forms;
  using G = FrameworkExperts;
  return keys<G>(
      fact<&G::dispatch_bytes>("dispatch_bytes", form::number(0, 4, "bytes"), otherwise("0"),
                               "of an element on its way to the experts, where products run in 8 "
                               "bits; 0: 16 bits")
          .documented("DeepSeek-V3 quantises activations before it dispatches them "
                      "(arXiv:2412.19437, section 3.3.3)"),
      fact<&G::dispatch_once_per_node>("dispatch_once_per_node", kSwitch, otherwise("false"),
                                       "a token for several experts of a node crosses once"),
      fact<&G::waits>("waits", form::whole(0, 10'000, "waits"), otherwise("0"),
                      "reads of counts of tokens by the host in a forward pass of a layer, each of "
                      "which waits for the device to get there"),
      fact<&G::waits_by_expert>("waits_by_expert", form::whole(0, 1000, "waits"), otherwise("0"),
                                "the same besides, for each expert of the rank"),
      fact<&G::wait>("wait", form::quantity(kSeconds, true), otherwise("0 s"),
                     "what one such read takes besides")
          .documented("a launch and the copy back take 26 us (minimind, PR 837)"));
}();
inline constexpr Keys<FrameworkExperts> kFrameworkExpertsKeys{"experts", kFrameworkExpertsRows};
template <>
struct KeysOf<FrameworkExperts> {
  static constexpr const Keys<FrameworkExperts>& table = kFrameworkExpertsKeys;
};

inline constexpr auto kFrameworkPipelineRows = [] {
  using namespace framework_forms;
  using G = FrameworkPipeline;
  return keys<G>(
      fact<&G::keeps_outputs>("keeps_outputs", kSwitch, otherwise("false"),
                              "a stage keeps what it sent until its gradient is back"),
      fact<&G::receives_apart>("receives_apart", kSwitch, otherwise("false"),
                               "every micro batch of a step has its own receive buffers")
          .documented("torch.distributed.pipelining makes receive buffers for every micro batch "
                      "beforehand (pipelining/stage.py)"),
      fact<&G::layer_split>("layer_split", form::one_of<LayerSplit>(), otherwise("even"),
                            "how layers are spread over the chunks of a pipeline"),
      fact<&G::scatter_gather>("scatter_gather", kSwitch, otherwise("false"),
                               "stages send 1/tp of an activation and gather it in the node"));
}();
inline constexpr Keys<FrameworkPipeline> kFrameworkPipelineKeys{"pipeline", kFrameworkPipelineRows};
template <>
struct KeysOf<FrameworkPipeline> {
  static constexpr const Keys<FrameworkPipeline>& table = kFrameworkPipelineKeys;
};

inline constexpr auto kFrameworkNetworkRows = [] {
  using namespace framework_forms;
  using G = FrameworkNetwork;
  return keys<G>(
      fact<&G::fabric_share>("fabric_share", kReached, otherwise("1"),
                             "share of a fabric's rate at rest that data parallelism reaches"),
      fact<&G::layer_fabric_share>("layer_fabric_share", kReached, otherwise("1"),
                                   "the same of the collectives inside layers"));
}();
inline constexpr Keys<FrameworkNetwork> kFrameworkNetworkKeys{"network", kFrameworkNetworkRows};
template <>
struct KeysOf<FrameworkNetwork> {
  static constexpr const Keys<FrameworkNetwork>& table = kFrameworkNetworkKeys;
};

}  // namespace orrery
