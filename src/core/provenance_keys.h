// SPDX-License-Identifier: Apache-2.0
//
// The keys of a document that say where its numbers come from (core/provenance.h).
#pragma once

#include "core/keys.h"
#include "core/provenance.h"

namespace orrery {

inline constexpr Key kSourceKey =
    elsewhere("source", form::any("a text, or {\"kind\", \"on\", \"source\"}"), kNothing,
              Vary::never, "the source of all its values");
inline constexpr Key kSourcesKey =
    elsewhere("sources", form::any("an object from paths to sources"), kNothing, Vary::never,
              "the source of the values below a path; the longest path wins");

}  // namespace orrery
