// SPDX-License-Identifier: Apache-2.0
//
// The part of every document about a run that is about the run itself: its header, assumptions and
// warnings, and where its constants come from. frame_json.h has the same of the JSON. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "insight/rests_on.h"

namespace orrery {

struct Cluster;
struct ResolvedRun;

// "1,024 GPUs h100-sxm5-80gb in 128 nodes dgx-h100"
std::string cluster_words(const Cluster& c);

// Model and cluster in words; where constants come from if calibrated.
Section run_subject(const ResolvedRun& r);
// The same with its strategy.
Section run_layout(const ResolvedRun& r);

// The run in words: these and strategy, batch.
Section run_header(const ResolvedRun& r);

// The assumptions and warnings of a run.
Section run_assumptions(const ResolvedRun& r);

// The same without the origins of values: open keys and warnings.
Section run_open_keys(const ResolvedRun& r);
// The same with the commonest other value of each.
Section brief_open_keys(const ResolvedRun& r);

// One line for a header; "" without a calibration.
std::string calibration_line(const ResolvedCluster& c, const std::vector<RestsOnPart>& parts);
std::string calibration_line(const ResolvedRun& r);

}  // namespace orrery
