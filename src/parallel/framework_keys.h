// SPDX-License-Identifier: Apache-2.0
//
// The keys of a framework's profile, configs/frameworks/NAME.json, one row each (core/keys.h). The
// order of the rows is the order in which they are read. Errors: none here; framework_json.h
// refuses.
#pragma once

#include "core/provenance_keys.h"
#include "parallel/document_tables.h"
#include "parallel/framework_forms.h"
#include "parallel/framework_json.h"
#include "parallel/framework_kernel_keys.h"
#include "parallel/framework_overlap_keys.h"
#include "parallel/framework_state_keys.h"

namespace orrery {

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
      fact<&F::cp_type>("cp_type", form::one_of<ContextType>(), otherwise("p2p"),
                        "how context-parallel ranks exchange keys and values"),
      fact<&F::sequence_parallel>("sequence_parallel", kSwitch, otherwise("false"),
                                  "tensor parallelism splits the sequence too where the run does "
                                  "not say")
          .documented("torchtitan's plan of a decoder layer shards the sequence outside of "
                      "attention and MLP (models/llama3/infra/parallelize.py)"),
      fact<&F::kernels>("kernels", form::object(kFrameworkKernelsKeys), kRequired,
                        "its kernels, and the memory traffic of those that are not fused"),
      fact<&F::saved>("saved", form::object(kFrameworkSavedKeys), kNothing,
                      "tensors saved for backward otherwise than as they are computed"),
      fact<&F::recompute>("recompute", form::object(kFrameworkRecomputeKeys), kNothing,
                          "how it recomputes"),
      fact<&F::loss>("loss", form::object(kFrameworkLossKeys), kNothing,
                     "how the loss is computed"),
      fact<&F::gradients>("gradients", form::object(kFrameworkGradientsKeys), kNothing,
                          "gradients from the product that makes them to their reduction"),
      fact<&F::update>("update", form::object(kFrameworkUpdateKeys), kNothing,
                       "the step of the optimizer"),
      fact<&F::sharding>("sharding", form::object(kFrameworkShardingKeys), kNothing,
                         "defaults of how model states are sharded"),
      fact<&F::gathers>("gathers", form::object(kFrameworkGathersKeys), kNothing,
                        "gathers of sharded weights"),
      fact<&F::overlap>("overlap", form::object(kFrameworkOverlapKeys), kNothing,
                        "what runs beside compute"),
      fact<&F::experts>("experts", form::object(kFrameworkExpertsKeys), kNothing,
                        "exchange of tokens between experts"),
      fact<&F::pipeline>("pipeline", form::object(kFrameworkPipelineKeys), kNothing,
                         "stages of a pipeline"),
      fact<&F::network>("network", form::object(kFrameworkNetworkKeys), kNothing,
                        "rates of networks in training"),
      fact<&F::vocabulary>("vocabulary", form::object(kFrameworkVocabularyKeys), kNothing,
                           "padding of the vocabulary"),
      fact<&F::allocator>("allocator", form::object(kFrameworkAllocatorKeys), kNothing,
                          "what the allocator holds beyond the tensors that are asked of it"),
      fact<&F::buffers>("buffers", form::object(kFrameworkBuffersKeys), kNothing,
                        "memory of fixed size"),
      fact<&F::host>("host", form::object(kFrameworkHostKeys), kNothing, "the host's time"),
      fact<&F::level>("level", form::object(kFrameworkLevelKeys), kNothing,
                      "measured over predicted step time of this software"));
}();
inline constexpr Keys<Framework> kFrameworkKeys{"", kFrameworkRows};
template <>
struct KeysOf<Framework> {
  static constexpr const Keys<Framework>& table = kFrameworkKeys;
};

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

inline constexpr auto kSwitchRows = keys<FrameworkOption>(
    elsewhere("default", form::text("a name of values"), kRequired, Vary::never,
              "value of a run that gives none"),
    elsewhere("values", form::map(kOverlay), kRequired, Vary::never,
              "by value: the fields of the profile that it changes"),
    elsewhere("searched", form::boolean(), otherwise("true"), Vary::never,
              "a search and the advice try its values; false where it changes "
              "what is trained, or is no choice of the user's"));
inline constexpr Keys<FrameworkOption> kSwitchKeys{"options", kSwitchRows};

inline constexpr auto kCountRows = keys<FrameworkOption>(
    elsewhere("field", form::text("a field of the profile"), kRequired, Vary::never,
              "what the count is put into"),
    elsewhere("lowest", kCount, kRequired, Vary::never, "least count"),
    elsewhere("highest", kCount, otherwise("1048576"), Vary::never, "greatest count"),
    elsewhere("default", kCount, kRequired, Vary::never, "count of a run that gives none"));
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
