// SPDX-License-Identifier: Apache-2.0
//
// The origins of all values of a run: those it states, those its file recorded (`import` writes
// them), those that were taken when it was resolved. Errors: InputError for a malformed list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/fact.h"
#include "core/json_fwd.h"

namespace orrery {

struct ResolvedRun;

// `recorded` and `stated` of a resolved run, from its document and from `changes`, the origins of
// values that went over it: flags, a search.
void take_origins(const Json& run, const std::vector<Fact>& changes, ResolvedRun& out);

// The flag of a key of the run file; "" where it has none of its own.
std::string flag_of_key(const std::string& path);

// Everything that was not stated: recorded by the file, then taken by Orrery.
std::vector<Fact> assumed_facts(const ResolvedRun& r);

// The origin of a key of `inputs`, or that of the object or name that holds it; nullptr where the
// run has no such key.
const Fact* origin_of(const ResolvedRun& r, std::string_view path);

}  // namespace orrery
