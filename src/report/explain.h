// SPDX-License-Identifier: Apache-2.0
//
// One number of an answer, expanded: every named value with its formula and its children, down to
// the inputs and where they come from.
//
// The tree is what the chain's own formulas recorded while they computed the number
// (core/traced.h); nothing here computes. Equal subtrees are one node. Leaves out of the
// recording the choice of stage and of algorithm, and FLOPs, which enter as inputs. Errors: none.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/json_fwd.h"
#include "core/traced.h"
#include "document/document.h"
#include "insight/metrics.h"

namespace orrery {

struct MixedReport;  // insight/mixed_report.h
struct ResolvedRun;
struct Run;

struct ExplainedNode {
  std::string name;
  double value = 0;  // SI
  Dimension dimension;
  std::string formula;  // in the names of the children; "" for an input
  std::string source;   // of an input
  std::vector<std::size_t> children;
};

struct Explanation {
  std::string metric;
  std::string unit;
  std::string meaning;
  std::string note;                  // what the number is not, "" for nothing
  double value = 0;                  // in `unit`
  std::vector<ExplainedNode> nodes;  // children before parents; the last is the metric
};

// The recording of one metric of an estimate.
struct RecordedMetric {
  Tape tape;
  Traced value;
};

RecordedMetric record(const Run& run, const Metric& metric);

Explanation explain(const ResolvedRun& r, const Metric& metric);

// The same of a run on several kinds of node. An input that several kinds have alike names all of
// their sources.
Explanation explain(const MixedReport& r, const Metric& metric);

// `depth` levels below the metric.
AnswerDocument explain_document(const ResolvedRun& r, const Explanation& e, std::size_t depth);
Json explain_json(const Explanation& e);

}  // namespace orrery
