// SPDX-License-Identifier: Apache-2.0
//
// The keys of a fact (core/fact.h) in the lists `assumed` and `stated` of a run file. Errors: none
// here; the reader of the list refuses.
#pragma once

#include "core/fact.h"
#include "core/keys.h"

namespace orrery {

inline constexpr auto kFactRows = keys<Fact>(
    key<&Fact::path>("path", form::text("a key"), kRequired, Vary::never, "of the run file"),
    key<&Fact::value>("value", form::text("a value"), kNothing, Vary::never,
                      "as it was when this was written; of another value nothing is said"),
    key<&Fact::why>("why", form::text("text"), kNothing, Vary::never, "why that value"),
    key<&Fact::known>("known", form::one_of<Known>(), otherwise("default"), Vary::never,
                      "who or what gave the value"),
    key<&Fact::where>("where", form::text("text"), kNothing, Vary::never,
                      "file and line, flag, or tool and release"));
inline constexpr Keys<Fact> kFactKeys{"assumed[]", kFactRows};
template <>
struct KeysOf<Fact> {
  static constexpr const Keys<Fact>& table = kFactKeys;
};

}  // namespace orrery
