// SPDX-License-Identifier: Apache-2.0
//
// Measurements beside their prediction: messages of a log, collectives, a training log.
// error = predicted/measured − 1.
//
// Collectives: the points of one file by collective and ranks, which sit side by side and fill
// nodes in order, alone, as nccl-tests runs them. Training logs: step time, FLOP/s and memory, and
// of Megatron's timers those that measure what a term of the breakdown predicts: forward- and
// backward-compute with what is exposed in them, the optimizer, the gradients' synchronisation, the
// pipeline's sends. A timer covers what its rank waited as well. Leaves out the scatter of a
// measurement, and timers that no term predicts: they are named. Errors: InputError where a group
// cannot be priced.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "exchange/logs/comm_log.h"
#include "exchange/logs/training_log.h"
#include "insight/causes.h"
#include "insight/collective_curve.h"
#include "insight/comm_report.h"

namespace orrery {

struct RunReport;

struct CommAgainst {
  CommReport report;
  CommLog log;
  std::string file;
  CommComparison comparison;
};

struct AgainstPoint {
  CollectivePoint predicted;
  Seconds measured{};
};

// One collective over one number of ranks.
struct AgainstCurve {
  std::string file;
  std::string source;  // "": the file does not say
  std::string role;    // whether the constants of configs/ rest on it; "" as well
  CollectiveQuestion question;
  std::vector<AgainstPoint> points;
};

double error_of(const AgainstPoint& p);

struct CurveErrors {
  std::size_t points = 0;
  double median = 0;  // of |error|, as the next two
  double p90 = 0;
  double largest = 0;
  double bias = 0;  // median of the error
};

CurveErrors errors_of(std::span<const AgainstCurve> curves);

struct AgainstLine {
  std::string name;
  std::string unit;  // "s", "FLOP/s", "B"
  double predicted = 0;
  double measured = 0;
};

// A setting that the log says and the run has otherwise.
struct OtherSetting {
  std::string_view key;
  std::int64_t log = 0;
  std::int64_t run = 0;
  bool is_derived = false;  // from the log's FLOP/s and its step
};

// Tokens of a step by the log's model FLOP/s and the run's FLOPs of a token; nothing where the log
// states no FLOP/s. Tools count FLOPs otherwise by a few tens of percent.
std::optional<std::int64_t> tokens_by_flops(const TrainingLog& log, const RunReport& r);

struct TrainingAgainst {
  std::vector<AgainstLine> lines;
  std::vector<OtherSetting> other_settings;
  std::vector<std::string> unused_timers;
  std::vector<StepCause>
      causes;  // of another step than the predicted one; none with other settings
};

// The step that a log of this run has, from its time or its samples or tokens a second.
Seconds step_of(const TrainingLog& log, const Run& run);

std::vector<OtherSetting> other_settings(const TrainingLog& log, const Run& run);
std::string words_of(const OtherSetting& s);  // "parallel.tp 4 in the log, 8 here"

TrainingAgainst against(const RunReport& r, const TrainingLog& log);

}  // namespace orrery
