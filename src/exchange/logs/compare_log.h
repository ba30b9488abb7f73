// SPDX-License-Identifier: Apache-2.0
//
// Predicted message classes beside a measured log.
//
// A predicted class goes to the measured row of the same collective with the nearest size, within a
// tolerance; several may share a row (if a log rounds their sizes to the same text). The size of
// DeepSpeed's gathers and reduce-scatters may also be a rank's share (exchange/logs/comm_log.h);
// both readings are tried. Times are compared by message, because a log may hold any number of
// steps: error = predicted/measured − 1; the total is Σ nᵢ·predictedᵢ over Σ nᵢ·measuredᵢ with the
// log's counts. Leaves out that a log holds the caller's waiting time, which is less than the
// operation's if it runs beside compute. Errors: none.
#pragma once

#include <cstddef>
#include <vector>

#include "estimate/messages.h"
#include "exchange/logs/comm_log.h"

namespace orrery {

struct ComparedMessages {
  std::size_t measured = 0;            // row of the log
  std::vector<std::size_t> predicted;  // classes
  std::int64_t count = 0;              // predicted, in one step
  Seconds each{};                      // predicted, mean of the classes
  double steps = 0;                    // measured count over predicted
  double error = 0;
  bool is_share = false;  // the log's size is a rank's share
};

struct CommComparison {
  std::vector<ComparedMessages> matched;    // in the order of the log
  std::vector<std::size_t> only_predicted;  // classes
  std::vector<std::size_t> only_measured;   // rows
  double error = 0;                         // in all; 0 where nothing matched
};

inline constexpr double kSizeTolerance = 0.05;

CommComparison compare(const MessageLog& predicted, const CommLog& measured,
                       double size_tolerance = kSizeTolerance);

}  // namespace orrery
