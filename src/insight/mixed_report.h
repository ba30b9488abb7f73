// SPDX-License-Identifier: Apache-2.0
//
// A run on several kinds of node with everything that is reported of it. Errors: InputError of a
// run as a document.
#pragma once

#include <string>
#include <vector>

#include "estimate/mixed_answer.h"
#include "estimate/mixed_resolve.h"
#include "insight/run_report.h"

namespace orrery {

struct MixedReport {
  ResolvedMixed resolved;
  MixedAnswer answer;
  // The same as metrics and the frame of an answer read it: all GPUs as one run with the network of
  // the busiest kind, and the memory of the fullest.
  RunReport whole;
};

MixedReport mixed_report_on(ResolvedMixed resolved);

// A run on one kind of node or on several (`whole`), for who reads only what both have.
RunReport report_on_either(const Json& run, const std::string& file, const ConfigLookup& lookup,
                           const std::vector<Fact>& changes = {});

const std::string& name_of_kind(const MixedReport& r, std::size_t kind);

// Layers of all chunks of a stage.
std::int64_t layers_of_stage(const MixedReport& r, std::int64_t stage);

// "a100 tp 8 → h100 tp 4, pp 4, dp 2, batch 1, recompute full"
std::string layout_words(const ResolvedMixed& r);

// One line for each stage that is in the way; none where the run is feasible.
std::vector<std::string> reasons_of(const MixedReport& r);

}  // namespace orrery
