// SPDX-License-Identifier: Apache-2.0
//
// A measured log of communication: how often an operation of a size ran, and how long one took.
//
// Two forms are read, told apart by their first words:
// - the summary DeepSpeed's communication logger prints (`deepspeed.comm.log_summary()`): a table
//   with the columns Comm. Op, Message Size, Count, Total Latency(ms), Avg Latency(ms), tput_avg
//   (Gbps), busbw_avg (Gbps), wherever in a training log it stands; the first one counts. Its KB is
//   1024 bytes. Its size of a gather or a reduce-scatter is the whole buffer or a rank's share of
//   it, depending on version and operation; the table does not say which.
// - CSV with the columns operation, bytes, count, us, in any order: bytes is the full buffer S
//   (network/collective.h), us the mean time of one; fields may stand in double quotes. Lines that
//   begin with # are skipped.
//
// Rows of one operation and size are joined: counts add up, times are averaged by count. Leaves out
// latency by call, stragglers and the log's own rates. Errors: InputError with file, line, found
// and allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace orrery
