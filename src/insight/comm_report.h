// SPDX-License-Identifier: Apache-2.0
//
// The messages of one GPU in a step, class by class.
//
// Classes belong to the stage of the breakdown; messages sent once a step belong to the stage that
// finishes last, as in `communication` of an estimate, whose lines sum the classes. A
// message's size is the full buffer S of its collective (network/collective.h), what nccl-tests
// calls size; algbw is S over the time of one, busbw the volume (network/volume.h) over that
// time, as nccl-tests has it, where a switch that adds up lets a GPU send less.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "estimate/messages.h"
#include "insight/run_report.h"

namespace orrery {

struct CommReport {
  RunReport run;
  MessageLog messages;
};

CommReport comm_report_on(ResolvedRun resolved);

inline std::string dimension_name(CommDimension d) { return std::string(name_of(d)); }

Seconds time_of_one(const MessageClass& m);
BytesPerSecond algbw_of(const MessageClass& m);
BytesPerSecond busbw_of(const MessageClass& m);

// Messages of at least 2^exponent bytes and of less than twice that.
struct SizeBin {
  int exponent = 0;
  std::int64_t count = 0;
  Bytes sent{};
};

// In order of size; without empty bins.
std::vector<SizeBin> histogram(const std::vector<const MessageClass*>& messages);
std::vector<const MessageClass*> messages_between(const CommReport& r, CommDimension dimension,
                                                  Collective collective);

// Names of the operators that exchange them; "" for states and stage boundaries.
std::vector<std::string> operators_of(const MessageClass& m);

}  // namespace orrery
