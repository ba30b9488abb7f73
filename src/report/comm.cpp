// SPDX-License-Identifier: Apache-2.0
#include "report/comm.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/units.h"
#include "model/operators.h"
#include "report/collective.h"
#include "report/estimate.h"
#include "report/frame.h"
#include "report/frame_json.h"
#include "report/sites.h"

namespace orrery {
namespace {

constexpr std::size_t kHistogramBar = 24;

std::string exposed_text(Seconds exposed) {
  return exposed == Seconds() ? "hidden" : pretty(exposed, 3);
}

// For people sizes and times; for programs the same unrounded, with what of a message is not shown.
Table message_table(const CommReport& r) {
  using enum Audience;
  Table table({{"", "dimension"},
               {"collective", "collective"},
               {"ranks", "ranks", true},
               {"size", "message_bytes", true},
               {"count", "count", true},
               Column("bytes_per_message").only(programs),
               {"sent", "bytes_per_gpu", true},
               Column("tier").only(programs),
               Column("algorithm").only(programs),
               {"each", "time_per_message_s", true},
               {"time", "time_s", true},
               {"exposed", "exposed_s", true},
               {"algbw", "algbw_gb_per_s", true},
               {"busbw", "busbw_gb_per_s", true},
               Column("over").only(people),
               Column("by").only(people),
               Column("operators").only(programs)},
              2);
  for (const MessageClass& m : r.messages) {
    const CommLine<double>& l = m.line;
    const std::string tier(r.run.resolved.run.cluster.tiers[l.tier].name.view());
    const std::string algorithm(name_of(l.algorithm));
    const Seconds each = time_of_one(m);
    table.add({dimension_name(l.dimension), name_of(l.collective), Cell(grouped(l.ranks), l.ranks),
               Cell(pretty(m.message, 3), m.message.si()), Cell(grouped(l.count), l.count),
               data_cell(l.sent.si() / static_cast<double>(l.count)),
               Cell(pretty(l.sent, 3), l.sent.si()), tier, algorithm,
               Cell(pretty(each, 3), each.si()), Cell(pretty(l.time, 3), l.time.si()),
               Cell(exposed_text(l.exposed), l.exposed.si()),
               Cell(pretty(algbw_of(m), 3), gb_per_s(algbw_of(m))),
               Cell(pretty(busbw_of(m), 3), gb_per_s(busbw_of(m))), tier, algorithm,
               data_cell(joined(operators_of(m), "; "))});
  }
  return table;
}

// Sums over messages.
struct Total {
  std::int64_t count = 0;
  Bytes sent{};
  Seconds time{};
  Seconds exposed{};
  Bytes largest{};  // message
};

template <class Wanted>
Total total_where(const CommReport& r, Wanted&& wanted) {
  Total t;
  for (const MessageClass& m : r.messages) {
    if (!wanted(m.line)) continue;
    t.count += m.line.count;
    t.sent += m.line.sent;
    t.time += m.line.time;
    t.exposed += m.line.exposed;
    t.largest = larger(t.largest, m.message);
  }
  return t;
}

Total total_of(const CommReport& r) {
  return total_where(r, [](const CommLine<double>&) { return true; });
}

Total total_of(const CommReport& r, CommDimension d) {
  return total_where(r, [d](const CommLine<double>& l) { return l.dimension == d; });
}

std::string share_of_step(const CommReport& r, Seconds t) {
  return percent(t / r.run.answer.step_time);
}

Table dimension_table(const CommReport& r) {
  Table table({{""},
               {"messages", true},
               {"sent", true},
               {"time", true},
               {"exposed", true},
               {"of the step", true}},
              2);
  const auto row = [&](const std::string& name, const Total& t) {
    table.add({name, grouped(t.count), pretty(t.sent, 3), pretty(t.time, 3),
               exposed_text(t.exposed), share_of_step(r, t.exposed)});
  };
  for (const CommDimension d : kAllOf<CommDimension>) {
    const Total t = total_of(r, d);
    if (t.count > 0) row(dimension_name(d), t);
  }
  row("all", total_of(r));
  return table;
}

std::string kinds_in(const CommReport& r, const SizeBin& bin) {
  std::vector<std::string> kinds;
  for (const MessageClass& m : r.messages) {
    const std::string kind =
        dimension_name(m.line.dimension) + " " + std::string(name_of(m.line.collective));
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
    if (histogram({&m})[0].exponent == bin.exponent) kinds.push_back(kind);
  }
  return joined(kinds, ", ");
}

Table size_table(const CommReport& r) {
  std::vector<const MessageClass*> all;
  for (const MessageClass& m : r.messages) all.push_back(&m);
  const std::vector<SizeBin> bins = histogram(all);
  std::int64_t count = 0;
  Bytes sent{};
  for (const SizeBin& bin : bins) {
    count += bin.count;
    sent += bin.sent;
  }
  const Column bar = Column("").at_least(kHistogramBar);
  Table table({{"from", true},
               {"messages", true},
               {"", true},
               bar,
               {"sent", true},
               {"", true},
               bar,
               Column("of").wrapped()},
              2);
  for (const SizeBin& bin : bins) {
    const double of_count = static_cast<double>(bin.count) / static_cast<double>(count);
    const double of_sent = bin.sent / sent;
    table.add({power_of_two_text(bin.exponent), grouped(bin.count), percent(of_count),
               bar_cell(of_count, TextStyle::plain), pretty(bin.sent, 3), percent(of_sent),
               bar_cell(of_sent, TextStyle::plain), kinds_in(r, bin)});
  }
  return table;
}

std::string tier_name(const CommReport& r, const MessageClass& m) {
  return std::string(r.run.resolved.run.cluster.tiers[m.line.tier].name.view());
}

Json message_json(const CommReport& r, const MessageClass& m) {
  const CommLine<double>& l = m.line;
  Json j;
  j["dimension"] = dimension_name(l.dimension);
  j["collective"] = name_of(l.collective);
  j["group"] = l.ranks;
  j["message_bytes"] = m.message.si();
  j["count"] = l.count;
  j["bytes_per_message"] = l.sent.si() / static_cast<double>(l.count);
  j["bytes_per_gpu"] = l.sent.si();
  j["tier"] = tier_name(r, m);
  j["algorithm"] = name_of(l.algorithm);
  j["time_per_message_s"] = time_of_one(m).si();
  j["time_s"] = l.time.si();
  j["exposed_s"] = l.exposed.si();
  j["algbw"] = gb_per_s(algbw_of(m));
  j["busbw"] = gb_per_s(busbw_of(m));
  j["operators"] = operators_of(m);
  return j;
}

template <class Visit>
void for_each_kind(Visit&& visit) {
  for (const CommDimension d : kAllOf<CommDimension>) {
    for (const Collective c : kAllOf<Collective>) visit(d, c);
  }
}

Json histogram_json(const CommReport& r) {
  Json list = Json::array();
  for_each_kind([&](CommDimension d, Collective c) {
    for (const SizeBin& bin : histogram(messages_between(r, d, c))) {
      list.push_back({{"dimension", dimension_name(d)},
                      {"collective", name_of(c)},
                      {"from_bytes", std::ldexp(1, bin.exponent)},
                      {"to_bytes", std::ldexp(1, bin.exponent + 1)},
                      {"count", bin.count},
                      {"bytes_per_gpu", bin.sent.si()}});
    }
  });
  return list;
}

Json total_json(const Total& t) {
  return {{"count", t.count},
          {"bytes_per_gpu", t.sent.si()},
          {"time_s", t.time.si()},
          {"exposed_s", t.exposed.si()},
          {"largest_message_bytes", t.largest.si()}};
}

std::string with_underscores(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

}  // namespace

std::string power_of_two_text(int exponent) {
  const BinaryAmount b = binary_amount(std::ldexp(1, exponent));
  return (b.amount < 1 ? plain_number(b.amount) : grouped(b.amount)) + " " + b.unit;
}

AnswerDocument comm_document(const CommReport& r) {
  const Answer& a = r.run.answer;
  const Table messages = message_table(r);
  AnswerDocument d{r.run.resolved.model_name + ": messages of a step",
                   {run_header(r.run.resolved)},
                   messages,
                   ""};
  if (r.messages.empty()) {
    d.add({"", {Paragraph{"One GPU of stage 0 sends nothing in a step."}}});
    return d;
  }
  d.add({bold("Messages") + " of one GPU of stage " + std::to_string(a.busy_stage) +
             " in a step of " + pretty(a.step_time) + end_words(a),
         {messages}});
  d.add({bold("By dimension"), {dimension_table(r)}});
  if (auto line = sites_line(r.run)) d.add({"", {*std::move(line)}});
  d.add({bold("By size") + ": from this size up to twice it", {size_table(r)}});
  d.add({"",
         {Paragraph{"size: the full buffer, as nccl-tests counts it; sent: put on the wire by one "
                    "GPU, all messages together; each: time of one; algbw: size over that time; "
                    "busbw: as nccl-tests has it, a ring's bytes over it; exposed: not covered by "
                    "compute."}}});
  return d;
}

Json comm_totals_json(const CommReport& r) {
  const Cluster& cluster = r.run.resolved.run.cluster;
  const std::size_t node = tier_of(cluster, cluster.devices_per_node);
  Json totals = total_json(total_of(r));
  const auto beyond = [&](const CommLine<double>& l) { return l.tier > node; };
  Json& outside = totals["beyond_node"];
  outside = total_json(total_where(r, beyond));
  for (const Collective c : kAllOf<Collective>) {
    outside[with_underscores(name_of(c))] = total_json(
        total_where(r, [&](const CommLine<double>& l) { return beyond(l) && l.collective == c; }));
  }
  for (const CommDimension d : kAllOf<CommDimension>)
    totals[dimension_name(d)] = total_json(total_of(r, d));
  for_each_kind([&](CommDimension d, Collective c) {
    totals[dimension_name(d)][with_underscores(name_of(c))] = total_json(total_where(
        r, [&](const CommLine<double>& l) { return l.dimension == d && l.collective == c; }));
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
  j["end_stage"] = r.run.answer.end_stage;
  j["messages"] = json_list(r.messages, [&](const MessageClass& m) { return message_json(r, m); });
  j["units"] = {{"algbw", "GB/s"}, {"busbw", "GB/s"}};
  j["histogram"] = histogram_json(r);
  j["totals"] = comm_totals_json(r);
  j["communication"] = communication_json(r.run);
  if (Json sites = sites_json(r.run); !sites.is_null()) j["sites"] = std::move(sites);
  add_frame(r.run, j);
  return j;
}

}  // namespace orrery
