// SPDX-License-Identifier: Apache-2.0
//
// A resolved run as a run file or in another tool's words: for `export` and for `print` of
// `search`.
#pragma once

#include <string>
#include <vector>

#include "engine/answer.h"
#include "engine/request.h"

namespace orrery {

struct ConfigLookup;
struct ResolvedRun;

// "run" and the formats of exchange/foreign.h.
std::vector<std::string> printed_formats();

// The value of the option `key`; "" is none. Errors: InputError for another word.
void check_printed_format(Request& request, const std::string& key, const std::string& word);

// `run` is the run file that `resolved` came from. Keys that the format lacks are listed: above
// the text, or in the warnings where the format has no comments.
CommandAnswer printed_run(const std::string& format, const ResolvedRun& resolved, const Json& run,
                          const ConfigLookup& lookup, bool json);

}  // namespace orrery
