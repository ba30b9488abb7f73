// SPDX-License-Identifier: Apache-2.0
//
// The keys of a run file, one row each (core/keys.h); those of its objects are in tables of their
// own. Errors: none here; resolve.h refuses.
#pragma once

#include <optional>

#include "core/keys.h"
#include "estimate/risk.h"
#include "estimate/training_keys.h"
#include "hardware/cluster_keys.h"
#include "model/flops.h"
#include "model/model_document.h"
#include "parallel/document_tables.h"

namespace orrery {

inline constexpr const char* kDefaultFramework = "generic";

// The key of what a search of the run varies; an estimate leaves it alone.
inline constexpr const char* kSearchKey = "search";

extern const KeyTable kFactTable;        // core/fact_keys.h
extern const KeyTable kRolloutDocument;  // estimate/rl_keys.h, as the next
extern const KeyTable kPlacementDocument;
inline constexpr Form kFactForm = form::object(kFactTable);

struct RunRequest {
  Elsewhere name, assumed, stated, model, cluster, training, parallel, framework;
  std::optional<FlopsConvention> flops_convention;
  std::optional<StackLevel> stack;
  std::optional<double> risk;
  GivenJson rollout;  // estimate/rl_keys.h has their keys
  GivenJson placement;
};

inline constexpr auto kStackRows = keys<StackLevel>(
    key<&StackLevel::factor>("factor", form::number(0.1, 10, ""), kRequired, Vary::run,
                             "measured over predicted step time; scales every term of the step"),
    key<&StackLevel::spread>("spread", form::number(0, 1, ""), kRequired, Vary::run,
                             "standard deviation of its logarithm"),
    key<&StackLevel::steps>("steps", form::whole(0, 1 << 30, "steps"), otherwise("0"), Vary::run,
                            "measured steps that it rests on"));
inline constexpr Keys<StackLevel> kStackKeys{"stack", kStackRows};
template <>
struct KeysOf<StackLevel> {
  static constexpr const Keys<StackLevel>& table = kStackKeys;
};

inline constexpr auto kRunRows = keys<RunRequest>(
    key<&RunRequest::name>("name", form::any("text"), kNothing, Vary::never, "for you; not read"),
    key<&RunRequest::model>("model", form::document("model", &kModelDocument), kRequired, Vary::run,
                            "what is trained; keys of ours, or a Hugging Face config.json")
        .flagged("--model", "model: name or path (ours or Hugging Face's config.json)"),
    key<&RunRequest::cluster>("cluster", form::object(kClusterKeys), kRequired, Vary::run,
                              "what it runs on"),
    key<&RunRequest::training>("training", form::object(kTrainingKeys), kRequired, Vary::run,
                               "batch, precision and states"),
    key<&RunRequest::parallel>("parallel", form::object(kParallelDocument),
                               otherwise("all of its defaults"), Vary::run,
                               "how the run is split over GPUs"),
    key<&RunRequest::framework>("framework", form::document("framework", &kFrameworkDocument),
                                otherwise(kDefaultFramework), Vary::run, "training software")
        .flagged("--framework", "training software: name or path"),
    key<&RunRequest::flops_convention>("flops_convention", form::one_of<FlopsConvention>(),
                                       otherwise("megatron"), Vary::run,
                                       "FLOPs that utilisation counts")
        .flagged("--flops-convention"),
    key<&RunRequest::stack>("stack", form::object(kStackKeys), kNothing, Vary::run,
                            "level of your own software and site; --observed FILE sets it"),
    key<&RunRequest::risk>("risk", form::number(0.0001, kMostRisk, "probability"), otherwise("0.1"),
                           Vary::run,
                           "accepted probability that what Orrery chooses (strategies of a "
                           "search, advice, capacity) runs out of memory; 0.5: fill the device as "
                           "predicted")
        .flagged("--risk",
                 "how likely a strategy that Orrery chooses may run out of memory, at most"),
    key<&RunRequest::rollout>("rollout", form::object(kRolloutDocument),
                              otherwise("all its defaults"), Vary::run,
                              "with training.rl: what generates the answers"),
    key<&RunRequest::placement>("placement", form::object(kPlacementDocument),
                                otherwise("all its defaults"), Vary::run,
                                "with training.rl: GPUs of generator and learner, and who yields"),
    key<&RunRequest::assumed>("assumed", form::list(kFactForm), kNothing, Vary::never,
                              "origins of values that nobody stated; `import` and a report's "
                              "`inputs` list them, and estimates repeat them"),
    key<&RunRequest::stated>("stated", form::list(kFactForm), kNothing, Vary::never,
                             "places of the values that were stated"));
inline constexpr Keys<RunRequest> kRunKeys{"", kRunRows};
template <>
struct KeysOf<RunRequest> {
  static constexpr const Keys<RunRequest>& table = kRunKeys;
};
template <>
struct KeysOf<Run> : KeysOf<RunRequest> {};

}  // namespace orrery
