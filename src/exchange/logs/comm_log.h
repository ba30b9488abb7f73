// SPDX-License-Identifier: Apache-2.0
//
// A measured log of communication, and the predicted message classes beside it.
//
// Two forms are read, distinguished by their first words:
// - the summary DeepSpeed's communication logger prints (DeepSpeed's own function
//   `deepspeed.comm.log_summary()`): a table with the columns Comm. Op, Message Size, Count, Total
//   Latency(ms), Avg Latency(ms), tput_avg (Gbps), busbw_avg (Gbps), wherever in a training log it
//   stands; the first one counts. Its KB is 1024 bytes. Its size of a gather or a reduce-scatter is
//   the whole buffer or a rank's share of it, depending on version and operation; the table does
//   not say which.
// - CSV with the columns operation, bytes, count, us, in any order: bytes is the full buffer S
//   (network/collective.h), us the mean time of one; fields may stand in double quotes. Lines that
//   begin with # are skipped.
// Rows of one operation and size are joined: counts add up, times are averaged by count.
//
// A predicted class goes to the measured row of the same collective with the nearest size, within a
// tolerance; several may share a row (if a log rounds their sizes to the same text). DeepSpeed's
// sizes are tried as the whole buffer and as a share. Times are compared by message, because a log
// may hold any number of steps: error = predicted/measured − 1; the total is Σ nᵢ·predictedᵢ over
// Σ nᵢ·measuredᵢ with the log's counts.
//
// Leaves out latency by call, stragglers, the log's own rates, and that a log holds the caller's
// waiting time, which is less than the operation's if it runs beside compute. Units: SI after
// reading. Errors: InputError with file, line, found and allowed; comparing gives none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/messages.h"
#include "exchange/text_lines.h"
#include "network/collective.h"
#include "orrery/quantity.h"

namespace orrery {

enum class CommLogForm : std::uint8_t { deepspeed, csv };

struct LoggedMessages {
  std::string operation;                 // as written
  std::optional<Collective> collective;  // nothing: an operation that is not predicted
  Bytes size{};
  std::int64_t count = 0;
  Seconds each{};        // mean time of one
  std::size_t line = 0;  // of the log
};

struct CommLog {
  CommLogForm form = CommLogForm::csv;
  std::vector<LoggedMessages> rows;
};

CommLog read_comm_log(std::string_view text, const std::string& file);

// The predicted collective of an operation; empty if a known one has none. An unknown one is
// refused.
std::optional<Collective> known_operation(const LinePlace& place, const std::string& operation);

CommLog read_deepspeed_log(const std::vector<std::string_view>& lines, std::size_t header,
                           const std::string& file);
CommLog read_csv_log(const std::vector<std::string_view>& lines, std::size_t header,
                     const std::string& file);

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
