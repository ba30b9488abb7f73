// SPDX-License-Identifier: Apache-2.0
//
// The keys of a profile on model states and memory: gradients, the update, sharding, gathers,
// padding, allocator, buffers. Each group is an object of the profile:
// {"kernels": {"linear_rate": 0.97}}. Errors: none here; framework_json.h refuses.
#pragma once

#include "core/keys.h"
#include "parallel/framework_forms.h"

namespace orrery {

inline constexpr auto kFrameworkGradientsRows = [] {
  using namespace framework_forms;
  using G = FrameworkGradients;
  return keys<G>(
      fact<&G::fused_accumulation>("fused_accumulation", kSwitch, otherwise("false"),
                                   "a weight gradient is added to its sum as it is computed"),
      fact<&G::kept_in_16_bits>(
          "kept_in_16_bits", kSwitch, otherwise("false"),
          "16-bit gradients stay beside their fp32 sum until the micro batch is done"),
      fact<&G::copied_to_buckets>("copied_to_buckets", kSwitch, otherwise("false"),
                                  "under data parallelism with nothing sharded, gradients are "
                                  "copied into buckets, which stay"),
      fact<&G::freed_with_step>("freed_with_step", kSwitch, otherwise("false"),
                                "gradients are freed with the step and come back one by one in "
                                "backward"),
      fact<&G::reduced_at_end>("reduced_at_end", kSwitch, otherwise("false"),
                               "where weights are kept, gradients are reduced from buffers of "
                               "whole layers, two at once")
          .documented(
              "FSDP2 under a pipeline reduces after the last backward "
              "(torch.distributed.pipelining, _PipelineStageBase.backward_maybe_with_nosync)"),
      fact<&G::whole_until_reduced>(
          "whole_until_reduced", kSwitch, otherwise("false"),
          "gradients of sharded weights stay whole over the micro batches of a step, and are "
          "reduced once")
          .documented("FSDP under no_sync, as Accelerate accumulates gradients "
                      "(accelerate/accelerator.py, no_sync)"),
      fact<&G::replicas_every_micro_batch>(
          "replicas_every_micro_batch", kSwitch, otherwise("false"),
          "gradients sharded over a group are summed over the groups in every micro batch, not "
          "once a step"),
      fact<&G::copy_bytes>("copy_bytes", form::number(0, 64, "bytes"), otherwise("0"),
                           "the same of gradients before they are reduced")
          .documented("FSDP2 copies gradients into a flat buffer, widened to fp32 "
                      "(torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py)"));
}();
inline constexpr Keys<FrameworkGradients> kFrameworkGradientsKeys{"gradients",
                                                                  kFrameworkGradientsRows};
template <>
struct KeysOf<FrameworkGradients> {
  static constexpr const Keys<FrameworkGradients>& table = kFrameworkGradientsKeys;
};

inline constexpr auto kFrameworkUpdateRows = [] {
  using namespace framework_forms;
  using G = FrameworkUpdate;
  return keys<G>(
      fact<&G::fp32_gradients>("fp32_gradients", kSwitch, otherwise("false"),
                               "the update casts a rank's share of the gradients to fp32, from a "
                               "flat copy where they are not flat")
          .documented("DeepSpeed's ZeRO casts its share of the gradients to fp32 before it steps "
                      "(runtime/zero/stage_1_and_2.py, stage3.py)"),
      fact<&G::moment_lists>("moment_lists", form::number(0, 16, "lists"), otherwise("0"),
                             "temporaries that the update makes, each as large as one moment of "
                             "all that it updates"),
      fact<&G::sub_group>("sub_group", form::whole(0, std::int64_t{1} << 40, "elements"),
                          otherwise("0"), "under ZeRO 3: elements updated at once; 0: all")
          .documented("DeepSpeed's ZeRO 3 updates sub_group_size elements after one another "
                      "(runtime/zero/stage3.py)"),
      fact<&G::paged>("paged", kSwitch, otherwise("false"),
                      "states of the optimizer leave the device when it is full, and no allocator "
                      "counts them")
          .documented("bitsandbytes' paged optimizers keep states in managed memory "
                      "(bitsandbytes/functional.py, get_paged)"),
      fact<&G::refresh_per_rank>("refresh_per_rank", form::quantity(kSeconds, true),
                                 otherwise("0 s"),
                                 "what the gather of updated weights takes besides for each rank "
                                 "and layer: weights sent rank by rank"));
}();
inline constexpr Keys<FrameworkUpdate> kFrameworkUpdateKeys{"update", kFrameworkUpdateRows};
template <>
struct KeysOf<FrameworkUpdate> {
  static constexpr const Keys<FrameworkUpdate>& table = kFrameworkUpdateKeys;
};

inline constexpr auto kFrameworkShardingRows = [] {
  using namespace framework_forms;
  using G = FrameworkSharding;
  return keys<G>(
      fact<&G::zero>("zero", form::whole(0, 3, ""), otherwise("0"),
                     "ZeRO stage of a run that gives none"),
      fact<&G::group>("group", kRanks, otherwise("0"),
                      "ranks that sharded states are spread over; 0: all")
          .documented("MiCS shards states over groups of ranks (arXiv:2205.00119)"),
      fact<&G::within>("within", form::text("the name of a tier"), kNothing,
                       "tier whose units sharded states are spread over and not beyond, where the "
                       "cluster has it")
          .only_read_by<read_name>()
          .documented("MaxText shards over the chips of a slice and replicates over slices "
                      "(ici_fsdp_parallelism and dcn_data_parallelism of −1)"),
      fact<&G::zeropp>("qwz", kBits, otherwise("0"),
                       "bits in which gathered weights travel; 0: off")
          .only_read_by<read_qwz>()
          .documented("ZeRO++ gathers weights in 8 bits (arXiv:2306.10209)"),
      fact<&G::zeropp>("hpz", kRanks, otherwise("0"), "ranks of the weights' second copy; 0: none")
          .only_read_by<read_hpz>()
          .documented("ZeRO++ keeps a second copy of the weights in the node (arXiv:2306.10209)"),
      fact<&G::zeropp>("qgz", kBits, otherwise("0"), "bits in which gradients are reduced; 0: off")
          .only_read_by<read_qgz>()
          .documented("ZeRO++ reduces gradients in 4 bits (arXiv:2306.10209)"));
}();
inline constexpr Keys<FrameworkSharding> kFrameworkShardingKeys{"sharding", kFrameworkShardingRows};
template <>
struct KeysOf<FrameworkSharding> {
  static constexpr const Keys<FrameworkSharding>& table = kFrameworkShardingKeys;
};

inline constexpr auto kFrameworkGathersRows = [] {
  using namespace framework_forms;
  using G = FrameworkGathers;
  return keys<G>(
      fact<&G::kept>("kept", form::list(kKept), otherwise("[]"),
                     "sharded weights that stay gathered from forward to backward: of layers, "
                     "embedding, head (with the last norm); pipeline: where there is one, from "
                     "step to step, and gradients are reduced once a step")
          .only_read_by<read_kept>(),
      fact<&G::backward_prefetch>("backward_prefetch", kSwitch, otherwise("true"),
                                  "weights for the next backward are gathered beside the one "
                                  "before"),
      fact<&G::copy_bytes>("copy_bytes", form::number(0, 64, "bytes"), otherwise("0"),
                           "bytes an element that copies of gathered weights move beside no "
                           "other work")
          .documented("FSDP2 copies gathered weights out of a flat buffer "
                      "(torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py)"),
      fact<&G::flat_copies>("flat_copies", kSwitch, otherwise("false"),
                            "gathered weights are copied out of a flat buffer, and gradients into "
                            "one, which lie beside them")
          .documented("FSDP2 (torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py, "
                      "_fsdp_param_group.py)"),
      fact<&G::by_product>("by_product", kSwitch, otherwise("false"),
                           "each weight is gathered for the product that reads it, and its "
                           "gradient is reduced after its own product: one layer's weights and "
                           "one module's gradient live at once")
          .documented("GSPMD's partitioner puts a collective beside the operator that needs it "
                      "(arXiv:2105.04663, section 3); the body of lax.scan holds one layer"),
      fact<&G::host_wait>("host_wait", form::quantity(kSeconds, true), otherwise("0 s"),
                          "what a gather waits for the host"),
      fact<&G::prefetch_norm>("prefetch_norm", form::number(1, 100, "exponent"), otherwise("5"),
                              "exponent of the norm that joins compute and gathers of a layer"),
      fact<&G::element_bytes>("element_bytes", form::number(0, 8, "bytes"), otherwise("0"),
                              "bytes of an element of a gathered weight; 0: the recipe's")
          .documented("FSDP2 gathers weights in the precision of their products (torchao, "
                      "enable_fsdp_float8_all_gather)"),
      fact<&G::max_live>("max_live", form::whole(0, std::int64_t{1} << 40, "elements"),
                         otherwise("0"),
                         "gathered weights are freed module by module above so many; "
                         "0: layer by layer")
          .documented("DeepSpeed frees gathered modules only above stage3_max_live_parameters (its "
                      "JSON configuration)"),
      fact<&G::prefetch_limit>(
          "prefetch_limit", form::whole(0, std::int64_t{1} << 40, "elements"), otherwise("0"),
          "weights gathered ahead of their use; the rest of a larger module is waited for; "
          "0: all"));
}();
inline constexpr Keys<FrameworkGathers> kFrameworkGathersKeys{"gathers", kFrameworkGathersRows};
template <>
struct KeysOf<FrameworkGathers> {
  static constexpr const Keys<FrameworkGathers>& table = kFrameworkGathersKeys;
};

inline constexpr auto kFrameworkVocabularyRows = [] {
  using namespace framework_forms;
  using G = FrameworkVocabulary;
  return keys<G>(fact<&G::multiple>("multiple", form::whole(1, 1 << 20, "tokens"), otherwise("1"),
                                    "the vocabulary is padded to a multiple of it"),
                 fact<&G::multiple_per_tp>("multiple_per_tp", kSwitch, otherwise("false"),
                                           "the multiple is of vocabulary_multiple · tp"));
}();
inline constexpr Keys<FrameworkVocabulary> kFrameworkVocabularyKeys{"vocabulary",
                                                                    kFrameworkVocabularyRows};
template <>
struct KeysOf<FrameworkVocabulary> {
  static constexpr const Keys<FrameworkVocabulary>& table = kFrameworkVocabularyKeys;
};

inline constexpr auto kFrameworkAllocatorRows = [] {
  using namespace framework_forms;
  using G = FrameworkAllocator;
  return keys<G>(
      fact<&G::records_streams>("records_streams", kSwitch, otherwise("false"),
                                "the allocator keeps what tensor parallelism reduces until the "
                                "device gets there, however far the host is ahead"),
      fact<&G::state_overhead>("state_overhead", kOverhead, otherwise("0"),
                               "allocated beyond model states, as a share of them"),
      fact<&G::activation_overhead>("activation_overhead", kOverhead, otherwise("0"),
                                    "the same of activations: fragmentation, cached blocks"),
      fact<&G::fragments_kept>("fragments_kept", kShare, otherwise("0"),
                               "share of activation_overhead that the allocator cannot give back "
                               "when the device is full: blocks cut into parts still in use"));
}();
inline constexpr Keys<FrameworkAllocator> kFrameworkAllocatorKeys{"allocator",
                                                                  kFrameworkAllocatorRows};
template <>
struct KeysOf<FrameworkAllocator> {
  static constexpr const Keys<FrameworkAllocator>& table = kFrameworkAllocatorKeys;
};

inline constexpr auto kFrameworkBuffersRows = [] {
  using namespace framework_forms;
  using G = FrameworkBuffers;
  return keys<G>(
      fact<&G::context>("context", kBytesOrNone, otherwise("0 B"),
                        "what the device shows as used before anything is allocated"),
      fact<&G::group>("group", kBytesOrNone, otherwise("0 B"),
                      "communication buffers of one process group of A100s; by channels on others")
          .documented(
              "receive buffers of NCCL's channels, one set a communicator (NVIDIA/nccl init.cc)"),
      fact<&G::bucket>("bucket", kBytesOrNone, otherwise("0 B"),
                       "flat buffer of gradients or gathered weights, where it is no layer"),
      fact<&G::bucket_elements>(
          "bucket_elements", form::whole(0, std::int64_t{1} << 40, "elements"), otherwise("0"),
          "of a flat buffer in which gradients are reduced, of the size of a weight")
          .documented("reduce_bucket_size of DeepSpeed's ZeRO (runtime/zero/stage_1_and_2.py)"),
      fact<&G::bucket_pair>("bucket_pair", kSwitch, otherwise("false"),
                            "up to ZeRO 2: two such buffers, one filled while the other is reduced")
          .documented("DeepSpeed's ZeRO with overlap_comm (runtime/zero/stage_1_and_2.py)"),
      fact<&G::flat_gradients>("flat_gradients", kSwitch, otherwise("true"),
                               "up to ZeRO 2: gradients are copied into such buffers")
          .documented("contiguous_gradients of DeepSpeed's ZeRO "
                      "(runtime/zero/stage_1_and_2.py)"));
}();
inline constexpr Keys<FrameworkBuffers> kFrameworkBuffersKeys{"buffers", kFrameworkBuffersRows};
template <>
struct KeysOf<FrameworkBuffers> {
  static constexpr const Keys<FrameworkBuffers>& table = kFrameworkBuffersKeys;
};

}  // namespace orrery
