// SPDX-License-Identifier: Apache-2.0
#include "report/comm_text.h"

#include <algorithm>
#include <array>

#include "core/units.h"
#include "document/table.h"
#include "document/text.h"
#include "insight/comm_report.h"
#include "report/run_header.h"

namespace orrery {
namespace {

constexpr std::size_t kHistogramBar = 24;

std::string exposed_text(Seconds exposed) {
  return exposed == Seconds() ? "hidden" : pretty(exposed, 3);
}

std::string message_table(const CommReport& r) {
  Table table({{""},
               {"collective"},
               {"ranks", true},
               {"size", true},
               {"count", true},
               {"sent", true},
               {"each", true},
               {"time", true},
               {"exposed", true},
               {"algbw", true},
               {"busbw", true},
               {"over"},
               {"by"}});
  for (const MessageClass& m : r.messages) {
    const CommLine<double>& l = m.line;
    table.add({dimension_name(l.dimension), std::string(name_of(l.collective)), grouped(l.ranks),
               pretty(m.message, 3), grouped(l.count), pretty(l.bytes, 3),
               pretty(time_of_one(m), 3), pretty(l.time, 3), exposed_text(l.exposed),
               pretty(algbw_of(m), 3), pretty(busbw_of(m), 3),
               std::string(r.run.resolved.run.cluster.tiers[l.tier].name.view()),
               std::string(name_of(l.algorithm))});
  }
  return text_of(table.indented(2), {});
}

struct Total {
  std::int64_t count = 0;
  Bytes sent{};
  Seconds time{};
  Seconds exposed{};
};

void add(Total& t, const CommLine<double>& l) {
  t.count += l.count;
  t.sent += l.bytes;
  t.time += l.time;
  t.exposed += l.exposed;
}

std::string share_of_step(const CommReport& r, Seconds t) {
  return percent(t / r.run.answer.step_time);
}

std::string dimension_table(const CommReport& r) {
  std::array<Total, kCountOf<CommDimension>> totals{};
  Total all;
  for (const MessageClass& m : r.messages) {
    add(totals[static_cast<std::size_t>(m.line.dimension)], m.line);
    add(all, m.line);
  }
  Table table({{""},
               {"messages", true},
               {"sent", true},
               {"time", true},
               {"exposed", true},
               {"of the step", true}});
  const auto row = [&](const std::string& name, const Total& t) {
    table.add({name, grouped(t.count), pretty(t.sent, 3), pretty(t.time, 3),
               exposed_text(t.exposed), share_of_step(r, t.exposed)});
  };
  for (std::size_t d = 0; d < totals.size(); ++d) {
    if (totals[d].count > 0) row(std::string(kNamesOf<CommDimension>[d]), totals[d]);
  }
  row("all", all);
  return text_of(table.indented(2), {});
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

std::string size_table(const CommReport& r) {
  std::vector<const MessageClass*> all;
  for (const MessageClass& m : r.messages) all.push_back(&m);
  const std::vector<SizeBin> bins = histogram(all);
  std::int64_t count = 0;
  Bytes sent{};
  for (const SizeBin& bin : bins) {
    count += bin.count;
    sent += bin.sent;
  }
  Table table({{"from", true},
               {"messages", true},
               {"", true},
               {""},
               {"sent", true},
               {"", true},
               {""},
               {"of"}});
  for (const SizeBin& bin : bins) {
    const double of_count = static_cast<double>(bin.count) / static_cast<double>(count);
    const double of_sent = bin.sent / sent;
    table.add({power_of_two_text(bin.exponent), grouped(bin.count), percent(of_count),
               left(bar(of_count, kHistogramBar), kHistogramBar), pretty(bin.sent, 3),
               percent(of_sent), left(bar(of_sent, kHistogramBar), kHistogramBar),
               kinds_in(r, bin)});
  }
  return text_of(table.indented(2), {});
}

}  // namespace

std::string power_of_two_text(int exponent) {
  static constexpr std::array<const char*, 7> kUnits = {"B",   "KiB", "MiB", "GiB",
                                                        "TiB", "PiB", "EiB"};
  if (exponent < 0) return plain_number(std::ldexp(1, exponent)) + " B";
  const int unit = std::min(exponent / 10, 6);
  return grouped(std::ldexp(1, exponent - 10 * unit)) + " " +
         kUnits[static_cast<std::size_t>(unit)];
}

std::string comm_text(const CommReport& r, const Style& style) {
  const Answer& a = r.run.answer;
  std::string text = text_of(run_header(r.run.resolved), style) + "\n";
  if (r.messages.empty()) return text + "One GPU of stage 0 sends nothing in a step.\n";
  text += ink(style, Ink::bold, "Messages") + " of one GPU of stage " +
          std::to_string(a.busy_stage) + " in a step of " + pretty(a.step_time) + "\n" +
          message_table(r) + "\n" + ink(style, Ink::bold, "By dimension") + "\n" +
          dimension_table(r) + "\n" + ink(style, Ink::bold, "By size") +
          ", up to twice as large as it says\n" + size_table(r) + "\n" +
          wrapped(
              "size: the full buffer, as nccl-tests counts it; sent: put on the wire by one "
              "GPU, all messages together; each: time of one; algbw: size over that time; "
              "busbw: bytes on the wire over it; exposed: not covered by compute.",
              0) +
          "\n";
  return text;
}

}  // namespace orrery
