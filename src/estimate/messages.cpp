// SPDX-License-Identifier: Apache-2.0
#include "estimate/messages.h"

#include <algorithm>
#include <tuple>

#include "estimate/workspace.h"
#include "model/operators.h"

namespace orrery {

static_assert(kExchangingOps <= 64);  // a bit each in MessageClass::operators

namespace {

bool is_alike(const MessageClass& a, const MessageClass& b) {
  return a.line.dimension == b.line.dimension && a.line.collective == b.line.collective &&
         a.line.ranks == b.line.ranks && a.line.tier == b.line.tier &&
         a.line.algorithm == b.line.algorithm && a.message == b.message;
}

bool comes_first(const MessageClass& a, const MessageClass& b) {
  const auto key = [](const MessageClass& c) {
    return std::make_tuple(c.line.dimension, c.line.collective, -c.message.si(), c.line.ranks,
                           c.line.tier);
  };
  return key(a) < key(b);
}

}  // namespace

void note(MessageLog& log, const MessageClass& c) {
  if (c.line.count == 0 || c.line.ranks <= 1) return;
  const auto found =
      std::find_if(log.begin(), log.end(), [&](const MessageClass& m) { return is_alike(m, c); });
  if (found == log.end()) {
    log.push_back(c);
    return;
  }
  found->line.count += c.line.count;
  found->line.bytes += c.line.bytes;
  found->line.sent += c.line.sent;
  found->line.time += c.line.time;
  found->line.exposed += c.line.exposed;
  found->operators |= c.operators;
}

CommDimension dimension_of(ExchangeGroup g) {
  constexpr EnumArray<ExchangeGroup, CommDimension> all = {CommDimension::tp, CommDimension::cp,
                                                           CommDimension::ep, CommDimension::etp,
                                                           CommDimension::dp};
  return all[g];
}

MessageLog message_log(const Run& run, Answer& answer) {
  MessageLog log;
  std::vector<PricedExchange> exchanges;
  Workspace w;
  w.messages = &log;
  w.scratch.exchanges = &exchanges;
  answer = estimate<double>(run, w);
  std::stable_sort(log.begin(), log.end(), comes_first);
  return log;
}

}  // namespace orrery
