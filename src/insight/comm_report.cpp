// SPDX-License-Identifier: Apache-2.0
#include "insight/comm_report.h"

#include <cmath>
#include <map>
#include <utility>

#include "model/operators.h"

namespace orrery {

CommReport comm_report_on(ResolvedRun resolved) {
  CommReport r{report_on(std::move(resolved)), {}};
  Answer same;
  r.messages = message_log(r.run.resolved.run, same);
  return r;
}

Seconds time_of_one(const MessageClass& m) {
  return m.line.time / static_cast<double>(m.line.count);
}

BytesPerSecond algbw_of(const MessageClass& m) { return m.message / time_of_one(m); }

BytesPerSecond busbw_of(const MessageClass& m) { return m.line.bytes / m.line.time; }

std::vector<SizeBin> histogram(const std::vector<const MessageClass*>& messages) {
  std::map<int, SizeBin> bins;
  for (const MessageClass* m : messages) {
    const int exponent = std::ilogb(m->message.si());
    SizeBin& bin = bins[exponent];
    bin.exponent = exponent;
    bin.count += m->line.count;
    bin.sent += m->line.sent;
  }
  std::vector<SizeBin> list;
  for (const auto& [exponent, bin] : bins) list.push_back(bin);
  return list;
}

std::vector<const MessageClass*> messages_between(const CommReport& r, CommDimension dimension,
                                                  Collective collective) {
  std::vector<const MessageClass*> list;
  for (const MessageClass& m : r.messages) {
    if (m.line.dimension == dimension && m.line.collective == collective) list.push_back(&m);
  }
  return list;
}

std::vector<std::string> operators_of(const MessageClass& m) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kExchangingOps; ++i) {
    if ((m.operators >> i & 1U) != 0) names.emplace_back(kNamesOf<OpName>[i]);
  }
  return names;
}

}  // namespace orrery
