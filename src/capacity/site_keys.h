// SPDX-License-Identifier: Apache-2.0
//
// The keys of documents about a site, one row each (core/keys.h): storage, checkpoints; the forms
// of all of them in a plan.
#pragma once

#include "capacity/checkpoint.h"
#include "core/provenance_keys.h"
#include "hardware/dimensions.h"

namespace orrery {

inline constexpr auto kStorageRows = keys<Storage>(
    kSourceKey, kSourcesKey, fact<&Storage::name>("name", form::text("text"), kNothing, "its name"),
    fact<&Storage::write>("write", form::quantity(kRate), kNothing,
                          "what the whole storage writes; required for times"),
    fact<&Storage::read>("read", form::quantity(kRate), otherwise("write's"),
                         "what the whole storage reads"),
    fact<&Storage::client>("client", form::quantity(kRate),
                           otherwise("of a node's network and memory"), "rate of one node"),
    fact<&Storage::capacity>("capacity", form::quantity(kBytes), kNothing, "what it holds"));
inline constexpr Keys<Storage> kStorageKeys{"storage", kStorageRows};

inline constexpr auto kCheckpointRows = keys<CheckpointPolicy>(
    fact<&CheckpointPolicy::mode>("mode", form::one_of<CheckpointMode>(), otherwise("synchronous"),
                                  "for how long training stands still"),
    fact<&CheckpointPolicy::interval>("interval", form::quantity(kSeconds),
                                      otherwise("the optimum"),
                                      "of training between two checkpoints"),
    fact<&CheckpointPolicy::overhead>("overhead", form::quantity(kSeconds, true), otherwise("0 s"),
                                      "of each: barriers, files"),
    fact<&CheckpointPolicy::bytes_per_parameter>("bytes_per_parameter",
                                                 form::number(0.01, 1000, "bytes"),
                                                 otherwise("the recipe's"), "of a checkpoint"),
    fact<&CheckpointPolicy::keep>("keep", form::whole(1, 1'000'000, "checkpoints"), otherwise("2"),
                                  "newest ones kept"),
    fact<&CheckpointPolicy::archive>("archive", form::whole(0, 1'000'000, "checkpoints"),
                                     otherwise("0"), "of the whole training, kept besides"));
inline constexpr Keys<CheckpointPolicy> kCheckpointKeys{"checkpoint", kCheckpointRows};

namespace site_forms {

inline constexpr Form kSiteItem = form::any("a name, a path or an object");

// A name, a path, an object, or a list of those in which later ones override earlier ones.
constexpr Forms of(std::string_view what, const KeyTable* keys = nullptr) {
  return either(form::document(what, keys), form::list(kSiteItem, 1));
}

}  // namespace site_forms
}  // namespace orrery
