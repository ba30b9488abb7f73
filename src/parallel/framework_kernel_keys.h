// SPDX-License-Identifier: Apache-2.0
//
// The keys of a profile on what a step computes and keeps: kernels, saved tensors, recomputation,
// loss, the host, the level. Each group is an object of the profile:
// {"kernels": {"linear_rate": 0.97}}. Errors: none here; framework_json.h refuses.
#pragma once

#include "core/keys.h"
#include "parallel/framework_forms.h"

namespace orrery {

inline constexpr auto kFrameworkKernelsRows = [] {
  using namespace framework_forms;
  using G = FrameworkKernels;
  return keys<G>(
      fact<&G::attention>("attention", form::list(kKernel, 0, kCountOf<AttentionKernel>), kNothing,
                          "fused attention kernels; the first that is made for the device is used, "
                          "else the first that it has. A profile has it, or inherits it")
          .only_read_by<read_attention>(),
      fact<&G::linear_rate>("linear_rate", form::number(0.01, 1, "share"), otherwise("1"),
                            "rate of linear layers over what the device's products attain"),
      fact<&G::grouped_rate>("grouped_rate", form::number(0.01, 1, "share"), otherwise("1"),
                             "rate of experts' products over what the device's grouped products "
                             "attain")
          .documented("libraries of grouped products differ (VeOmni, pull request 460)"),
      fact<&G::unfused>("unfused", form::list(kChain), otherwise("[]"),
                        "chains of elementwise operators that run one by one")
          .only_read_by<read_unfused>(),
      fact<&G::pointwise_passes>(
          "pointwise_passes", form::number(1, 10, "times"), otherwise("1"),
          "memory traffic of pointwise operators over that of fused kernels"),
      fact<&G::unpacking_passes>("unpacking_passes", form::number(1, 10, "times"), otherwise("1"),
                                 "memory traffic of kernels that unpack weights of 4 and 8 bits "
                                 "over one read and one write")
          .documented("weights of 4 and 8 bits are unpacked by a kernel of their own "
                      "(bitsandbytes, dequantize_4bit)"));
}();
inline constexpr Keys<FrameworkKernels> kFrameworkKernelsKeys{"kernels", kFrameworkKernelsRows};
template <>
struct KeysOf<FrameworkKernels> {
  static constexpr const Keys<FrameworkKernels>& table = kFrameworkKernelsKeys;
};

inline constexpr auto kFrameworkSavedRows = [] {
  using namespace framework_forms;
  using G = FrameworkSaved;
  return keys<G>(
      fact<&G::gathered_inputs>(
          "gathered_inputs", kSwitch, otherwise("false"),
          "inputs of split products are kept gathered, not gathered again in backward")
          .documented("a DTensor linear layer saves the gathered input it computed with "
                      "(torch/distributed/tensor/parallel/style.py)"),
      fact<&G::wide_inputs>(
          "wide_inputs", kSwitch, otherwise("false"),
          "inputs of 8-bit products are kept unquantised where tp does not split them")
          .documented("torchao's float8 linear layer saves its input before the cast "
                      "(torchao/float8/float8_linear.py)"),
      fact<&G::narrow_weights>(
          "narrow_weights", kSwitch, otherwise("false"),
          "8- and 4-bit copies of weights are kept from micro batch to micro batch")
          .documented("Transformer Engine casts a weight in the first micro batch and keeps the "
                      "copies (module/linear.py, is_first_microbatch)"),
      fact<&G::gate_bytes>("gate_bytes", form::number(0, 4, "bytes"), otherwise("0"),
                           "of kept inputs of activation functions; 0: as they are computed")
          .documented(
              "DeepSeek-V3 caches SwiGLU's inputs in FP8 (arXiv:2412.19437, section 3.3.3)"),
      fact<&G::attention_output_bytes>(
          "attention_output_bytes", form::number(0, 4, "bytes"), otherwise("0"),
          "of attention's output, kept once; 0: as it is computed, and once more quantised")
          .documented(
              "DeepSeek-V3 keeps attention's output in 12 bits (arXiv:2412.19437, section 3.3.3)"));
}();
inline constexpr Keys<FrameworkSaved> kFrameworkSavedKeys{"saved", kFrameworkSavedRows};
template <>
struct KeysOf<FrameworkSaved> {
  static constexpr const Keys<FrameworkSaved>& table = kFrameworkSavedKeys;
};

inline constexpr auto kFrameworkRecomputeRows = [] {
  using namespace framework_forms;
  using G = FrameworkRecompute;
  return keys<G>(fact<&G::stops_early>("stops_early", kSwitch, otherwise("false"),
                                       "recomputation stops once the last saved tensor is back"),
                 fact<&G::keeps_context>("keeps_context", kSwitch, otherwise("true"),
                                         "attention's output is kept where core_attn runs again")
                     .documented("a checkpoint of PyTorch keeps what its function returns; "
                                 "jax.checkpoint keeps what its policy names "
                                 "(jax/_src/ad_checkpoint.py, save_only_these_names)"),
                 fact<&G::selective>("selective", form::list(kModule), otherwise("core_attn"),
                                     "modules that selective recompute means here")
                     .only_read_by<read_selective_modules>()
                     .documented("per-operator checkpointing keeps every second product "
                                 "(torchtitan, activation_checkpoint)"),
                 fact<&G::offloaded>("offloaded", form::list(kTensor), kNothing,
                                     "activations that it moves to the host where recompute is "
                                     "selective")
                     .only_read_by<read_offloaded>()
                     .documented("a policy offloads what it names (MaxText, remat_policy "
                                 "qkv_proj_offloaded)"),
                 fact<&G::one_in_n>("one_in_n", kSwitch, otherwise("false"),
                                    "full recompute of some layers is of one layer in n, which "
                                    "Orrery keeps to where it chooses")
                     .documented("activation_checkpoint.selective_ac_option n checkpoints every "
                                 "n-th layer (torchtitan)"),
                 fact<&G::by_default>("default", form::one_of<Recompute>(), otherwise("none"),
                                      "what it recomputes where a run does not say")
                     .documented("activation_checkpoint.mode is selective by itself (torchtitan)"),
                 fact<&G::shares>("shares", form::map(kShare, kNamesOf<Recompute>), kNothing,
                                  "how many runs of its kind have each recompute; widens the "
                                  "interval of a run that leaves it open"));
}();
inline constexpr Keys<FrameworkRecompute> kFrameworkRecomputeKeys{"recompute",
                                                                  kFrameworkRecomputeRows};
template <>
struct KeysOf<FrameworkRecompute> {
  static constexpr const Keys<FrameworkRecompute>& table = kFrameworkRecomputeKeys;
};

inline constexpr auto kFrameworkLossRows = [] {
  using namespace framework_forms;
  using G = FrameworkLoss;
  return keys<G>(fact<&G::method>("method", kLoss, otherwise("unfused"),
                                  "how the loss is computed, and what it keeps")
                     .only_read_by<read_loss_method>(),
                 fact<&G::split_method>("split_method", kLoss, otherwise("method's"),
                                        "the same where tp splits the vocabulary")
                     .documented("with tensor parallelism the loss runs on split logits "
                                 "(torch/distributed/tensor/parallel/loss.py)"),
                 fact<&G::logits_overhead>("logits_overhead", kOverhead, otherwise("0"),
                                           "cached besides at the loss, as a share of the logits")
                     .documented("freed 16-bit logits do not hold the fp32 tensors of backward: "
                                 "blocks of the caching allocator (torch.cuda memory management)"));
}();
inline constexpr Keys<FrameworkLoss> kFrameworkLossKeys{"loss", kFrameworkLossRows};
template <>
struct KeysOf<FrameworkLoss> {
  static constexpr const Keys<FrameworkLoss>& table = kFrameworkLossKeys;
};

inline constexpr auto kFrameworkHostRows = [] {
  using namespace framework_forms;
  using G = FrameworkHost;
  return keys<G>(
      fact<&G::launch>("launch", form::quantity(kSeconds, true), otherwise("0 s"),
                       "time of the host to launch one kernel; a pass takes no less than its "
                       "launches; 0: not priced"),
      fact<&G::forward>("forward", form::map(kLaunches, kNamesOf<HostWork>), kNothing,
                        "kernels launched forward for one operator of each kind"),
      fact<&G::backward>("backward", form::map(kLaunches, kNamesOf<HostWork>), kNothing,
                         "kernels launched backward for one operator of each kind"),
      fact<&G::qkv_products>("qkv_products", form::number(1, 3, "products"), otherwise("1"),
                             "products that queries, keys and values are"),
      fact<&G::gate_up_products>("gate_up_products", form::number(1, 2, "products"), otherwise("1"),
                                 "products that the halves of a gated MLP are"),
      fact<&G::containers>("containers", form::number(0, 1000, "modules"), otherwise("0"),
                           "modules of a layer that hold others, where hooks are called as well")
          .documented("ZeRO-3 hooks every module (DeepSpeed runtime/zero/parameter_offload.py)"),
      fact<&G::hook>("hook", form::quantity(kSeconds, true), otherwise("0 s"),
                     "time of the host for one call around a pass where sharded weights are "
                     "gathered: before and after it, and to reduce gradients")
          .documented("FSDP2 takes its host 71 to 105 us a gather (gabrieldemarmiesse)"),
      fact<&G::graphs>("graphs", form::one_of<GraphScope>(), otherwise("none"),
                       "launches captured in a CUDA graph: none, of a layer before its experts, "
                       "or all")
          .documented("a captured graph is one launch (CUDA Programming Guide, graphs)"),
      fact<&G::graph_replay>("graph_replay", form::quantity(kSeconds, true), otherwise("0 s"),
                             "time of the host to launch a captured graph")
          .documented("a replay takes 44 us (meta-pytorch/tritonbench, PR 1017)"),
      fact<&G::step_overhead>("step_overhead", form::quantity(kSeconds, true), otherwise("0 s"),
                              "fixed time of a step"));
}();
inline constexpr Keys<FrameworkHost> kFrameworkHostKeys{"host", kFrameworkHostRows};
template <>
struct KeysOf<FrameworkHost> {
  static constexpr const Keys<FrameworkHost>& table = kFrameworkHostKeys;
};

inline constexpr auto kFrameworkLevelRows = [] {
  using namespace framework_forms;
  using G = FrameworkLevel;
  return keys<G>(
      fact<&G::factor>("factor", form::number(0.1, 10, "times"), otherwise("1"),
                       "measured over predicted step time of this software")
          .documented("a level that somebody measured on a stack of their own (docs/calibrate.md)"),
      fact<&G::interval_low>("interval_80", form::list(kFactor, 2, 2), kNothing,
                             "80 % interval of measured over predicted step time: low, high")
          .only_read_by<read_interval>()
          .documented("an interval of somebody's own measurements (docs/calibrate.md)"));
}();
inline constexpr Keys<FrameworkLevel> kFrameworkLevelKeys{"level", kFrameworkLevelRows};
template <>
struct KeysOf<FrameworkLevel> {
  static constexpr const Keys<FrameworkLevel>& table = kFrameworkLevelKeys;
};

}  // namespace orrery
