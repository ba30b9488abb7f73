// SPDX-License-Identifier: Apache-2.0
//
// The keys of a document of configs/engines, one row each (core/keys.h). Errors: none.
#pragma once

#include "core/keys.h"
#include "core/provenance_keys.h"
#include "generate/engine.h"
#include "hardware/dimensions.h"

namespace orrery {

namespace engine_forms {
inline constexpr Form kShare = form::number(kAboveZero, 2, "of the memory bandwidth");
inline constexpr Form kTime = form::quantity(kSeconds, true);
inline constexpr Form kBytesHeld = form::quantity(kBytes, true);
inline constexpr Form kBytesMoved = form::quantity(kRate);
inline constexpr Form kMany = form::whole(1, 1 << 30, "sequences");
}  // namespace engine_forms

inline constexpr auto kEngineRateRows = keys<EngineRates>(
    fact<&EngineRates::weights>("weights", engine_forms::kShare, kRequired,
                                "reached reading the weights of products of few rows"),
    fact<&EngineRates::cache>("cache", engine_forms::kShare, kRequired,
                              "reached reading keys and values"),
    fact<&EngineRates::products>("products", form::number(kAboveZero, 2, "of large products"),
                                 kRequired, "rate of products of few rows"),
    fact<&EngineRates::kernel>("kernel", engine_forms::kTime, kRequired,
                               "the least that a kernel of a graph takes"),
    fact<&EngineRates::eager_kernel>("eager_kernel", engine_forms::kTime, kRequired,
                                     "the same of a kernel that the host launches"),
    fact<&EngineRates::exchange>("exchange", engine_forms::kTime, kRequired,
                                 "an all-reduce of the engine's own within a node, of no bytes"),
    fact<&EngineRates::token>("token", engine_forms::kTime, kRequired,
                              "the host between two tokens"),
    fact<&EngineRates::sequence>("sequence", engine_forms::kTime, kRequired,
                                 "of the host, for each running sequence"),
    fact<&EngineRates::prefill>("prefill", form::number(kAboveZero, 4, "of training's"), kRequired,
                                "rate of a prompt's products"));
inline constexpr Keys<EngineRates> kEngineRateKeys{"rates", kEngineRateRows};
template <>
struct KeysOf<EngineRates> {
  static constexpr const Keys<EngineRates>& table = kEngineRateKeys;
};

inline constexpr auto kEngineMemoryRows = keys<EngineMemory>(
    fact<&EngineMemory::share>("share", form::number(0.01, 1, "of the device"), kRequired,
                               "of the device's memory that the engine takes by itself"),
    fact<&EngineMemory::share_holds_work>(
        "share_holds_work", form::boolean(), kRequired,
        "whether the share covers activations and workspaces beside weights and cache"),
    fact<&EngineMemory::frees_windows>(
        "frees_windows", form::boolean(), otherwise("false"),
        "whether layers of a sliding window keep no tokens that left it"),
    fact<&EngineMemory::other>("other", engine_forms::kBytesHeld, kRequired,
                               "neither weights, cache nor activations"),
    fact<&EngineMemory::graphs>("graphs", engine_forms::kBytesHeld, kRequired,
                                "of captured graphs, outside the share"),
    fact<&EngineMemory::asleep>("asleep", engine_forms::kBytesHeld, kRequired,
                                "left on the device when the engine sleeps"));
inline constexpr Keys<EngineMemory> kEngineMemoryKeys{"memory", kEngineMemoryRows};
template <>
struct KeysOf<EngineMemory> {
  static constexpr const Keys<EngineMemory>& table = kEngineMemoryKeys;
};

inline constexpr auto kEngineLimitRows = keys<EngineLimits>(
    fact<&EngineLimits::running>("running", engine_forms::kMany, kRequired,
                                 "sequences that run at once"),
    fact<&EngineLimits::batched_tokens>("batched_tokens", form::whole(1, 1 << 30, "tokens"),
                                        kRequired, "of prompts in one pass"),
    fact<&EngineLimits::graph_batch>("graph_batch", engine_forms::kMany, kRequired,
                                     "the largest batch that has a graph"));
inline constexpr Keys<EngineLimits> kEngineLimitKeys{"limits", kEngineLimitRows};
template <>
struct KeysOf<EngineLimits> {
  static constexpr const Keys<EngineLimits>& table = kEngineLimitKeys;
};

inline constexpr auto kEngineHandoverRows = keys<EngineHandover>(
    fact<&EngineHandover::broadcast>("broadcast", engine_forms::kBytesMoved, kRequired,
                                     "one stream of all weights from the learner"),
    fact<&EngineHandover::p2p>("p2p", engine_forms::kBytesMoved, kRequired,
                               "into one GPU of an engine, all at once"),
    fact<&EngineHandover::colocated>(
        "colocated", engine_forms::kBytesMoved, kRequired,
        "into one GPU of an engine, from the learner's shards around it"),
    fact<&EngineHandover::host>("host", form::number(kAboveZero, 1, "of the device's host link"),
                                kRequired, "reached by the learner's states, to the host and back"),
    fact<&EngineHandover::start>("start", engine_forms::kTime, kRequired,
                                 "pause and resume of the engines"),
    fact<&EngineHandover::bucket>("bucket", engine_forms::kBytesHeld, kRequired,
                                  "of weights gathered at once"));
inline constexpr Keys<EngineHandover> kEngineHandoverKeys{"handover", kEngineHandoverRows};
template <>
struct KeysOf<EngineHandover> {
  static constexpr const Keys<EngineHandover>& table = kEngineHandoverKeys;
};

inline constexpr auto kEngineSpreadRows = keys<EngineSpread>(
    fact<&EngineSpread::low>("low", form::number(kAboveZero, 1, "of the prediction"), kRequired,
                             "tenth percentile of measured over predicted generation"),
    fact<&EngineSpread::high>("high", form::number(1, 100, "of the prediction"), kRequired,
                              "ninetieth percentile"),
    fact<&EngineSpread::handover_low>("handover_low", form::number(0, 1, "of the prediction"),
                                      kRequired, "the same of handing weights over"),
    fact<&EngineSpread::handover_high>("handover_high", form::number(1, 100, "of the prediction"),
                                       kRequired, "the same of handing weights over"));
inline constexpr Keys<EngineSpread> kEngineSpreadKeys{"spread", kEngineSpreadRows};
template <>
struct KeysOf<EngineSpread> {
  static constexpr const Keys<EngineSpread>& table = kEngineSpreadKeys;
};

inline constexpr auto kEngineRows = keys<EngineProfile>(
    kSourceKey, kSourcesKey,
    fact<&EngineProfile::name>("name", form::text("text"), kNothing, "its name"),
    fact<&EngineProfile::rates>("rates", form::object(kEngineRateKeys), kRequired,
                                "what its kernels reach"),
    fact<&EngineProfile::memory>("memory", form::object(kEngineMemoryKeys), kRequired,
                                 "what it holds on a device"),
    fact<&EngineProfile::limits>("limits", form::object(kEngineLimitKeys), kRequired,
                                 "of its batches"),
    fact<&EngineProfile::handover>("handover", form::object(kEngineHandoverKeys), kRequired,
                                   "rates of handing weights over"),
    fact<&EngineProfile::spread>("spread", form::object(kEngineSpreadKeys), kRequired,
                                 "of measured generation around the prediction"));
inline constexpr Keys<EngineProfile> kEngineKeys{"", kEngineRows, {.has_sources = true}};
template <>
struct KeysOf<EngineProfile> {
  static constexpr const Keys<EngineProfile>& table = kEngineKeys;
};

}  // namespace orrery
