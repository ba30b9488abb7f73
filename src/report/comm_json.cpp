// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/json.h"
#include "core/units.h"
#include "model/operators.h"
#include "report/collective.h"
#include "report/comm.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

std::string tier_name(const CommReport& r, const MessageClass& m) {
  return std::string(r.run.resolved.run.cluster.tiers[m.line.tier].name.view());
}

Json message_json(const CommReport& r, const MessageClass& m) {
  const CommLine<double>& l = m.line;
  Json j;
  j["dimension"] = dimension_name(l.dimension);
  j["collective"] = std::string(name_of(l.collective));
  j["group"] = l.ranks;
  j["message_bytes"] = m.message.si();
  j["count"] = l.count;
  j["bytes_per_message"] = l.bytes.si() / static_cast<double>(l.count);
  j["bytes_per_gpu"] = l.bytes.si();
  j["tier"] = tier_name(r, m);
  j["algorithm"] = std::string(name_of(l.algorithm));
  j["time_per_message_s"] = time_of_one(m).si();
  j["time_s"] = l.time.si();
  j["exposed_s"] = l.exposed.si();
  j["algbw"] = gb_per_s(algbw_of(m));
  j["busbw"] = gb_per_s(busbw_of(m));
  j["operators"] = operators_of(m);
  return j;
}

template <class Visit>
void for_each_kind(const CommReport& r, Visit&& visit) {
  for (std::size_t d = 0; d < kCountOf<CommDimension>; ++d) {
    for (std::size_t c = 0; c < kCollectives; ++c) {
      const auto dimension = static_cast<CommDimension>(d);
      const auto collective = static_cast<Collective>(c);
      visit(dimension, collective, messages_between(r, dimension, collective));
    }
  }
}

Json histogram_json(const CommReport& r) {
  Json list = Json::array();
  for_each_kind(r, [&](CommDimension d, Collective c, const auto& messages) {
    for (const SizeBin& bin : histogram(messages)) {
      list.push_back({{"dimension", dimension_name(d)},
                      {"collective", std::string(name_of(c))},
                      {"from_bytes", std::ldexp(1, bin.exponent)},
                      {"to_bytes", std::ldexp(1, bin.exponent + 1)},
                      {"count", bin.count},
                      {"bytes_per_gpu", bin.sent.si()}});
    }
  });
  return list;
}

Json total_json(const std::vector<const MessageClass*>& messages) {
  CommLine<double> sum;
  Bytes largest{};
  for (const MessageClass* m : messages) {
    sum.count += m->line.count;
    sum.bytes += m->line.bytes;
    sum.time += m->line.time;
    sum.exposed += m->line.exposed;
    largest = larger(largest, m->message);
  }
  return {{"count", sum.count},
          {"bytes_per_gpu", sum.bytes.si()},
          {"time_s", sum.time.si()},
          {"exposed_s", sum.exposed.si()},
          {"largest_message_bytes", largest.si()}};
}

std::string with_underscores(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

template <class Wanted>
std::vector<const MessageClass*> messages_where(const CommReport& r, Wanted&& wanted) {
  std::vector<const MessageClass*> list;
  for (const MessageClass& m : r.messages) {
    if (wanted(m.line)) list.push_back(&m);
  }
  return list;
}

}  // namespace

Json comm_totals_json(const CommReport& r) {
  const Cluster& cluster = r.run.resolved.run.cluster;
  const std::size_t node = tier_of(cluster, cluster.devices_per_node);
  Json totals = total_json(messages_where(r, [](const CommLine<double>&) { return true; }));
  const auto beyond = [&](const CommLine<double>& l) { return l.tier > node; };
  Json& outside = totals["beyond_node"];
  outside = total_json(messages_where(r, beyond));
  for (std::size_t c = 0; c < kCollectives; ++c) {
    const auto collective = static_cast<Collective>(c);
    outside[with_underscores(name_of(collective))] = total_json(messages_where(
        r, [&](const CommLine<double>& l) { return beyond(l) && l.collective == collective; }));
  }
  for (std::size_t d = 0; d < kCountOf<CommDimension>; ++d) {
    const auto dimension = static_cast<CommDimension>(d);
    totals[dimension_name(dimension)] = total_json(
        messages_where(r, [&](const CommLine<double>& l) { return l.dimension == dimension; }));
  }
  for_each_kind(r, [&](CommDimension d, Collective c, const auto& messages) {
    totals[dimension_name(d)][with_underscores(name_of(c))] = total_json(messages);
  });
  return totals;
}

Json answer_document(const CommReport& r) {
  Json j = estimate_json(r.run);
  const Run& run = r.run.resolved.run;
  const ParameterCount n = parameter_count(run.model, run.training.sequence);
  j["parameters"] = {{"total", n.total}, {"active", n.active}};
  j["gpus"] = run.cluster.gpus;
  j["micro_batches"] = run.strategy.micro_batches;
  j["totals"] = comm_totals_json(r);
  return j;
}

Json comm_json(const CommReport& r) {
  Json j;
  j["feasible"] = is_feasible(r.run);
  j["reasons"] = reasons_of(r.run);
  j["step_time_s"] = r.run.answer.step_time.si();
  j["busy_stage"] = r.run.answer.busy_stage;
  j["messages"] = Json::array();
  for (const MessageClass& m : r.messages) j["messages"].push_back(message_json(r, m));
  j["units"] = {{"algbw", "GB/s"}, {"busbw", "GB/s"}};
  j["histogram"] = histogram_json(r);
  j["totals"] = comm_totals_json(r);
  j["communication"] = communication_json(r.run);
  add_frame(r.run, j);
  return j;
}

}  // namespace orrery
