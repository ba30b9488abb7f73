// SPDX-License-Identifier: Apache-2.0
//
// The keys of a framework's profile, configs/frameworks/NAME.json, one row each (core/keys.h). The
// order of the rows is the order in which they are read. Errors: none here; framework_json.h
// refuses.
#pragma once

#include "core/provenance_keys.h"
#include "parallel/framework_json.h"
#include "parallel/strategy_keys.h"

namespace orrery {

// Values that are no plain number, name or list.
void read_name(const Reader& r, Name& out);
void read_attention(const Reader& r, Framework& out);
void read_cross_entropy(const Reader& r, Framework& out);
void read_qwz(const Reader& r, Framework& out);
void read_hpz(const Reader& r, Framework& out);
void read_qgz(const Reader& r, Framework& out);
void read_selective_modules(const Reader& r, ModuleMask& out);
void read_ep_exposed(const Reader& r, Framework& out);
void read_interval(const Reader& r, Framework& out);
void read_unfused(const Reader& r, ChainMask& out);

namespace framework_forms {

inline constexpr Form kSwitch = form::boolean();
inline constexpr Form kShare = form::number(0, 1, "share");
inline constexpr Form kReached = form::number(0.001, 1, "share");
inline constexpr Form kOverhead = form::number(0, 10, "share");
inline constexpr Form kBytesOrNone = form::quantity(kBytes, true);
inline constexpr Form kLoss = form::one_of<CrossEntropy>();
inline constexpr Form kClass = form::one_of<StackClass>();
inline constexpr Form kKernel = form::one_of<AttentionKernel>();
inline constexpr Form kModule = form::one_of<Module>();
inline constexpr Form kChain = form::one_of<Chain>();
inline constexpr Form kBits = form::whole(0, 64, "bits");
inline constexpr Form kRanks = form::whole(0, 1 << 20, "ranks");
inline constexpr Form kFactor = form::number(0.01, 100, "predicted step times");

}  // namespace framework_forms

inline constexpr auto kFrameworkRows = [] {
  using namespace framework_forms;
  using F = Framework;
  return keys<Framework>(
      fact<&F::name>("name", form::text("a name of up to 31 bytes"), kRequired, "its name")
          .only_read_by<read_name>(),
      fact<&F::stack_class>("class", kClass, otherwise("eager"),
                            "how it runs a layer: the profile of that name prices a stack of its "
                            "kind of which nothing else is known"),
      fact<&F::vendor>("vendor", form::one_of<Vendor>(), kNothing,
                       "whose devices it runs on and has its constants from; a run on a device of "
                       "another vendor warns"),
      // Kernels.
      fact<&F::attention>("attention", form::list(kKernel, 0, kCountOf<AttentionKernel>), kRequired,
                          "fused attention kernels; the first that the device has is used")
          .only_read_by<read_attention>(),
      fact<&F::cross_entropy>("cross_entropy", kLoss, otherwise("unfused"),
                              "how the loss is computed, and what it keeps")
          .only_read_by<read_cross_entropy>(),
      fact<&F::split_cross_entropy>("split_cross_entropy", kLoss, otherwise("cross_entropy's"),
                                    "the same where tp splits the vocabulary"),
      fact<&F::keeps_gathered_inputs>(
          "keeps_gathered_inputs", kSwitch, otherwise("false"),
          "inputs of split products are kept gathered, not gathered again in backward"),
      fact<&F::keeps_wide_inputs>(
          "keeps_wide_inputs", kSwitch, otherwise("false"),
          "inputs of 8-bit products are kept unquantised where tp does not split them"),
      fact<&F::keeps_narrow_weights>(
          "keeps_narrow_weights", kSwitch, otherwise("false"),
          "8- and 4-bit copies of weights are kept from micro batch to micro batch"),
      fact<&F::gate_bytes>("gate_bytes", form::number(0, 4, "bytes"), otherwise("0"),
                           "of kept inputs of activation functions; 0: as they are computed"),
      fact<&F::attention_output_bytes>(
          "attention_output_bytes", form::number(0, 4, "bytes"), otherwise("0"),
          "of attention's output, kept once; 0: as it is computed, and once more quantised"),
      fact<&F::linear_rate>("linear_rate", form::number(0.01, 1, "share"), otherwise("1"),
                            "rate of linear layers over what the device's products attain"),
      fact<&F::recompute_stops_early>("recompute_stops_early", kSwitch, otherwise("false"),
                                      "recomputation stops once the last saved tensor is back"),
      fact<&F::unfused>("unfused", form::list(kChain), otherwise("[]"),
                        "chains of elementwise operators that run one by one")
          .only_read_by<read_unfused>(),
      fact<&F::pointwise_passes>(
          "pointwise_passes", form::number(1, 10, "times"), otherwise("1"),
          "memory traffic of pointwise operators over that of fused kernels"),
      fact<&F::unpacking_passes>("unpacking_passes", form::number(1, 10, "times"), otherwise("1"),
                                 "memory traffic of kernels that unpack weights of 4 and 8 bits "
                                 "over one read and one write"),
      fact<&F::fused_accumulation>("fused_accumulation", kSwitch, otherwise("false"),
                                   "a weight gradient is added to its sum as it is computed"),
      fact<&F::keeps_16_bit_gradients>(
          "keeps_16_bit_gradients", kSwitch, otherwise("false"),
          "16-bit gradients stay beside their fp32 sum until the micro batch is done"),
      fact<&F::copies_gradients>("copies_gradients", kSwitch, otherwise("false"),
                                 "under data parallelism with nothing sharded, gradients are "
                                 "copied into buckets, which stay"),
      fact<&F::steps_on_fp32_copy>("steps_on_fp32_copy", kSwitch, otherwise("false"),
                                   "the update needs an fp32 copy of a rank's share of 16-bit "
                                   "gradients"),
      fact<&F::frees_gradients>("frees_gradients", kSwitch, otherwise("false"),
                                "gradients are freed with the step and come back one by one in "
                                "backward"),
      fact<&F::optimizer_copies>("optimizer_copies", form::number(0, 16, "copies"), otherwise("0"),
                                 "copies of a rank's weights that the update makes"),
      fact<&F::records_streams>("records_streams", kSwitch, otherwise("false"),
                                "the allocator keeps what tensor parallelism reduces until the "
                                "device gets there, however far the host is ahead"),
      fact<&F::keeps_stage_outputs>("keeps_stage_outputs", kSwitch, otherwise("false"),
                                    "a stage keeps what it sent until its gradient is back"),
      fact<&F::receives_apart>("receives_apart", kSwitch, otherwise("false"),
                               "every micro batch of a step has its own receive buffers"),
      fact<&F::reduces_at_the_end>("reduces_at_the_end", kSwitch, otherwise("false"),
                                   "where weights are kept, gradients are reduced from buffers of "
                                   "whole layers, two at once"),
      fact<&F::vocabulary_multiple>("vocabulary_multiple", form::whole(1, 1 << 20, "tokens"),
                                    otherwise("1"), "the vocabulary is padded to a multiple of it"),
      fact<&F::vocabulary_multiple_per_tp>("vocabulary_multiple_per_tp", kSwitch,
                                           otherwise("false"),
                                           "the multiple is of vocabulary_multiple · tp"),
      // Defaults of the strategy.
      fact<&F::zero>("zero", form::whole(0, 3, ""), otherwise("0"),
                     "ZeRO stage of a run that says none"),
      fact<&F::shard_group>("shard_group", kRanks, otherwise("0"),
                            "ranks that sharded states are spread over; 0: all"),
      fact<&F::zeropp>("qwz", kBits, otherwise("0"),
                       "bits in which gathered weights travel; 0: off")
          .only_read_by<read_qwz>(),
      fact<&F::zeropp>("hpz", kRanks, otherwise("0"), "ranks of the weights' second copy; 0: none")
          .only_read_by<read_hpz>(),
      fact<&F::zeropp>("qgz", kBits, otherwise("0"), "bits in which gradients are reduced; 0: off")
          .only_read_by<read_qgz>(),
      fact<&F::cp_type>("cp_type", form::one_of<ContextType>(), otherwise("p2p"),
                        "how context-parallel ranks exchange keys and values"),
      fact<&F::layer_split>("layer_split", form::one_of<LayerSplit>(), otherwise("even"),
                            "how layers are spread over the chunks of a pipeline"),
      fact<&F::selective_modules>("selective_modules", form::list(kModule), otherwise("core_attn"),
                                  "modules that selective recompute means here")
          .only_read_by<read_selective_modules>(),
      fact<&F::recomputes_one_in_n>("recomputes_one_in_n", kSwitch, otherwise("false"),
                                    "full recompute of some layers is of one layer in n, which "
                                    "Orrery keeps to where it chooses"),
      // Overlap.
      fact<&F::tp_exposed>("tp_exposed", kShare, otherwise("1"),
                           "exposed share of tensor-parallel exchanges; 1: nothing is hidden"),
      fact<&F::tp_backward_overlap>("tp_backward_overlap", kSwitch, otherwise("false"),
                                    "they run beside the other gradient of the same layer"),
      fact<&F::ep_exposed>("ep_exposed", kShare, otherwise("1"),
                           "exposed share of the exchanges of tokens between experts")
          .only_read_by<read_ep_exposed>(),
      fact<&F::ep_exposed_interleaved>("ep_exposed_interleaved", kShare, otherwise("ep_exposed's"),
                                       "the same where chunks of other micro batches run beside"),
      fact<&F::dispatch_bytes>("dispatch_bytes", form::number(0, 4, "bytes"), otherwise("0"),
                               "of an element on its way to the experts, where products run in 8 "
                               "bits; 0: 16 bits"),
      fact<&F::dispatch_once_per_node>("dispatch_once_per_node", kSwitch, otherwise("false"),
                                       "a token for several experts of a node crosses once"),
      fact<&F::fabric_share>("fabric_share", kReached, otherwise("1"),
                             "share of a fabric's rate at rest that data parallelism reaches"),
      fact<&F::layer_fabric_share>("layer_fabric_share", kReached, otherwise("1"),
                                   "the same of the collectives inside layers"),
      fact<&F::cp_overlap>("cp_overlap", kSwitch, otherwise("true"),
                           "steps of the context-parallel ring run under attention"),
      fact<&F::overlap_grad_reduce>("overlap_grad_reduce", kSwitch, otherwise("false"),
                                    "gradients are reduced during the last backward pass"),
      fact<&F::overlap_param_gather>("overlap_param_gather", kSwitch, otherwise("false"),
                                     "updated weights are gathered during the next forward pass"),
      fact<&F::dp_overlap_share>("dp_overlap_share", kShare, otherwise("0"),
                                 "share of that pass that can hide the reduction or the gather"),
      fact<&F::dp_exposed_floor>("dp_exposed_floor", kShare, otherwise("0"),
                                 "share exposed even when the pass is long"),
      fact<&F::scatter_gather>("scatter_gather", kSwitch, otherwise("false"),
                               "stages send 1/tp of an activation and gather it in the node"),
      fact<&F::keeps_gathered_weights>("keeps_gathered_weights", kSwitch, otherwise("false"),
                                       "sharded weights stay gathered from forward to backward"),
      fact<&F::keeps_gathered_embedding>("keeps_gathered_embedding", kSwitch, otherwise("false"),
                                         "of these, the embedding does, whatever layers do"),
      fact<&F::keeps_gathered_head>("keeps_gathered_head", kSwitch, otherwise("false"),
                                    "and the head with the last norm"),
      fact<&F::pipeline_keeps_weights>("pipeline_keeps_weights", kSwitch, otherwise("false"),
                                       "and with a pipeline they are gathered and reduced once a "
                                       "step"),
      fact<&F::sums_replicas_every_micro_batch>(
          "sums_replicas_every_micro_batch", kSwitch, otherwise("false"),
          "gradients sharded over a group are summed over the groups in every micro batch, not "
          "once a step"),
      fact<&F::refresh_per_rank>("refresh_per_rank", form::quantity(kSeconds, true),
                                 otherwise("0 s"),
                                 "what the gather of updated weights takes besides for each rank "
                                 "and layer: weights sent rank by rank"),
      fact<&F::backward_prefetch>("backward_prefetch", kSwitch, otherwise("true"),
                                  "weights for the next backward are gathered beside the one "
                                  "before"),
      fact<&F::gather_copies>("gather_copies", form::number(0, 64, "bytes"), otherwise("0"),
                              "bytes an element that copies of gathered weights move beside no "
                              "other work"),
      fact<&F::reduce_copies>("reduce_copies", form::number(0, 64, "bytes"), otherwise("0"),
                              "the same of gradients before they are reduced"),
      fact<&F::gather_wait>("gather_wait", form::quantity(kSeconds, true), otherwise("0 s"),
                            "what a gather waits for the host"),
      fact<&F::communication_slowdown>("communication_slowdown", form::number(0, 10, "share"),
                                       otherwise("0"),
                                       "share of the time lost in which compute and a collective "
                                       "both run"),
      fact<&F::prefetch_norm>("prefetch_norm", form::number(1, 100, "exponent"), otherwise("5"),
                              "exponent of the norm that joins compute and gathers of a layer"),
      fact<&F::gather_bytes>("gather_bytes", form::number(0, 8, "bytes"), otherwise("0"),
                             "bytes of an element of a gathered weight; 0: the recipe's"),
      fact<&F::max_live_parameters>(
          "max_live_parameters", form::whole(0, std::int64_t{1} << 40, "elements"), otherwise("0"),
          "gathered weights are freed module by module above so many; "
          "0: layer by layer"),
      fact<&F::prefetch_limit>(
          "prefetch_limit", form::whole(0, std::int64_t{1} << 40, "elements"), otherwise("0"),
          "weights gathered ahead of their use; the rest of a larger module is waited for; "
          "0: all"),
      // Level and fixed costs.
      fact<&F::stack_factor>("stack_factor", form::number(0.1, 10, "times"), otherwise("1"),
                             "measured over predicted step time of this software"),
      fact<&F::host_launch>("host_launch", form::quantity(kSeconds, true), otherwise("0 s"),
                            "time of the host to launch one kernel; a pass takes no less than its "
                            "launches; 0: not priced"),
      fact<&F::step_overhead>("step_overhead", form::quantity(kSeconds, true), otherwise("0 s"),
                              "fixed time of a step"),
      fact<&F::context>("context", kBytesOrNone, otherwise("0 B"),
                        "what the device shows as used before anything is allocated"),
      fact<&F::group_buffers>(
          "group_buffers", kBytesOrNone, otherwise("0 B"),
          "communication buffers of one process group of A100s; by channels on others"),
      fact<&F::bucket>("bucket", kBytesOrNone, otherwise("0 B"),
                       "flat buffer of gradients or gathered weights, where it is no layer"),
      fact<&F::state_overhead>("state_overhead", kOverhead, otherwise("0"),
                               "allocated beyond model states, as a share of them"),
      fact<&F::activation_overhead>("activation_overhead", kOverhead, otherwise("0"),
                                    "the same of activations: fragmentation, cached blocks"),
      fact<&F::fragments_kept>("fragments_kept", kShare, otherwise("0"),
                               "share of activation_overhead that the allocator cannot give back "
                               "when the device is full: blocks cut into parts still in use"),
      fact<&F::logits_overhead>("logits_overhead", kOverhead, otherwise("0"),
                                "cached besides at the loss, as a share of the logits"),
      fact<&F::interval_low>("interval_80", form::list(kFactor, 2, 2), kNothing,
                             "80 % interval of measured over predicted step time: low, high")
          .only_read_by<read_interval>());
}();
inline constexpr Keys<Framework> kFrameworkKeys{"", kFrameworkRows};

inline constexpr auto kProfileRows = keys<FrameworkProfile>(
    fact<&FrameworkProfile::states>("states", form::text("a recipe of `training.states`"),
                                    kRequired, "recipe of model states of a run that names none"),
    fact<&FrameworkProfile::fp16_states>("fp16_states", form::text("a recipe of `training.states`"),
                                         otherwise("states'"), "the same in fp16"),
    fact<&FrameworkProfile::dropout>("dropout", form::boolean(), kNothing,
                                     "its models train with dropout where neither run nor model "
                                     "says"),
    fact<&FrameworkProfile::inherits>("inherits", form::text("a profile"), kNothing,
                                      "takes every key it does not state from this profile"));
inline constexpr Keys<FrameworkProfile> kProfileKeys{"", kProfileRows};
template <>
struct KeysOf<FrameworkProfile> {
  static constexpr const Keys<FrameworkProfile>& table = kProfileKeys;
};

// A switch takes one of a few values, each with changes of the profile, or a count that it puts
// into a field.
namespace framework_forms {

inline constexpr std::int64_t kMostOfAnOption = 1 << 20;
inline constexpr std::int64_t kMostAtAll = std::int64_t{1} << 40;

inline constexpr Form kOverlay = form::changes(form::object(kFrameworkDocument, "framework"));
inline constexpr Form kCount = form::whole(-1, kMostAtAll, "");

inline constexpr auto kSwitchRows =
    keys<FrameworkOption>(elsewhere("default", form::text("a name of values"), kRequired,
                                    Vary::never, "value of a run that says none"),
                          elsewhere("values", form::map(kOverlay), kRequired, Vary::never,
                                    "by value: the fields of the profile that it changes"));
inline constexpr Keys<FrameworkOption> kSwitchKeys{"options", kSwitchRows};

inline constexpr auto kCountRows = keys<FrameworkOption>(
    elsewhere("field", form::text("a field of the profile"), kRequired, Vary::never,
              "what the count is put into"),
    elsewhere("lowest", kCount, kRequired, Vary::never, "least count"),
    elsewhere("highest", kCount, otherwise("1048576"), Vary::never, "greatest count"),
    elsewhere("default", kCount, kRequired, Vary::never, "count of a run that says none"));
inline constexpr Keys<FrameworkOption> kCountKeys{"options", kCountRows};

inline constexpr Forms kOptionForms = either(form::object(kSwitchKeys), form::object(kCountKeys));
inline constexpr Form kOption = form::either(kOptionForms);

}  // namespace framework_forms

inline constexpr auto kOtherProfileRows = keys<FrameworkProfile>(
    kSourceKey, kSourcesKey,
    elsewhere("notes", form::any("text"), kNothing, Vary::never, "for readers; not read"),
    elsewhere("runs", form::any("by axis of a search, a list of values"), kNothing, Vary::never,
              "values that this software can run, which a search and advice then stay within; "
              "recompute: also where a run leaves it open; zero_with_pipeline: levels of ZeRO "
              "beside a pipeline"),
    elsewhere("options", form::map(framework_forms::kOption), kNothing, Vary::never,
              "switches that a run sets by `parallel.framework_options`"));

inline constexpr auto kFrameworkDocumentRows =
    joined(kOtherProfileRows, kFrameworkRows, kProfileRows);

}  // namespace orrery
