// SPDX-License-Identifier: Apache-2.0
#include "report/simulate_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/units.h"
#include "document/table.h"
#include "document/text.h"
#include "insight/metrics.h"
#include "report/perfetto.h"
#include "report/run_header.h"

namespace orrery {
namespace {

constexpr std::size_t kRows = 8;  // at each end of a long table

std::string signed_time(Seconds t) {
  return (t < Seconds() ? "−" : "+") + pretty(t < Seconds() ? t * -1.0 : t, 3);
}

std::string saved_text(const SavedStates& saved) {
  const CheckpointCost& c = saved.cost;
  std::string text = left("checkpoint", kLabel) + pretty(c.size, 3) + ", ";
  if (c.stall > Seconds()) text += "training stands still for " + pretty(c.stall, 3) + ", ";
  return text + "safe " + pretty(c.stall + c.durable, 3) + " after the step begins\n";
}

std::string headline(const SimulationReport& r, const Style& style) {
  const Answer& a = r.run.answer;
  const Simulation& s = r.simulation;
  const std::string verdict =
      is_feasible(r.run) ? ink(style, Ink::green, "fits") : ink(style, Ink::red, "does not fit");
  std::string text = left("memory", kLabel) + verdict + ": " + gib_text(a.memory.peak, 1) + " of " +
                     gib_text(a.capacity, 1) + " on the fullest stage\n";
  text += left("step", kLabel) + ink(style, Ink::bold, pretty(a.step_time)) + " (80 % interval " +
          pretty(a.interval_low, 3) + " to " + pretty(a.interval_high, 3) + ")\n";
  text += left("estimate", kLabel) + pretty(s.closed.step_time);
  const Seconds apart = a.step_time - s.closed.step_time;
  if (std::abs(apart / a.step_time) < 1e-6) text += ", the same";
  text += "\n";
  for (const Difference& d : s.differences) {
    if (std::abs(d.time / a.step_time) < 1e-6) continue;
    text += left("", kLabel) +
            wrapped(signed_time(d.time) + " " + name_of(d.cause) + ": " + meaning_of(d.cause),
                    kLabel + 2, kLabel) +
            "\n";
  }
  if (r.saved) text += saved_text(*r.saved);
  const GpuUse& g = s.gpus;
  if (!g.slowness.empty()) {
    const auto busy = std::minmax_element(g.busy_share.begin(), g.busy_share.end());
    text += left("GPUs", kLabel) + grouped(static_cast<std::int64_t>(g.slowness.size())) + " in " +
            grouped(g.actors) + " actors of " + grouped(g.ranks_of_actor) +
            " that keep step; kernels are busy " + percent(*busy.first) + " to " +
            percent(*busy.second) + " of the step\n" + left("", kLabel) + "below: replica " +
            grouped(g.slowest_replica) + ", the last to be done\n";
  }
  text += left("played", kLabel) + grouped(static_cast<std::int64_t>(s.graph.nodes.size())) +
          " passes, " + grouped(static_cast<std::int64_t>(s.played.events)) + " events\n";
  return text;
}

std::string time_bars(const SimulationReport& r, const Style& style) {
  std::string text = "\n" + ink(style, Ink::bold, "Time") + " of the busiest stage, " +
                     std::to_string(r.run.answer.busy_stage) + "\n";
  for (const Metric& m : metrics()) {
    if (m.group != MetricGroup::time) continue;
    const Seconds t(m.value({r.run.resolved.run, r.run.answer}));
    if (t == Seconds()) continue;
    const double share = t / r.run.answer.step_time;
    text += "  " + left(std::string(m.label), kLabel - 2) + right(pretty(t, 3), 12) +
            right(percent(share), 9) + "  " + ink(style, Ink::blue, bar(share, 50)) + "\n";
  }
  return text;
}

Seconds collectives(const StageUse& s) {
  Seconds sum{};
  for (const Stream i : {Stream::tp, Stream::cp, Stream::ep, Stream::dp, Stream::copy}) {
    sum += at(s, i).exposed;
  }
  return sum;
}

std::vector<std::string> stage_row(const Simulation& s, std::size_t i) {
  const StageUse& u = s.stages[i];
  const Seconds step(s.played.times.step);
  const Seconds busy = at(u, Stream::compute).busy + collectives(u);
  return {std::to_string(i),         pretty(at(u, Stream::compute).busy, 3),
          pretty(collectives(u), 3), pretty(at(u, Stream::pp).exposed, 3),
          pretty(u.bubble, 3),       percent(busy / step),
          pretty(u.first_pass, 3),   pretty(u.finished, 4),
          pretty(u.reduced, 4)};
}

std::string stage_table(const Simulation& s, const Style& style) {
  Table table({{"stage", true},
               {"computes", true},
               {"talks", true},
               {"sends", true},
               {"bubble", true},
               {"busy", true},
               {"first pass", true},
               {"last done", true},
               {"reduced", true}});
  const std::size_t n = s.stages.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (n > 2 * kRows + 1 && i >= kRows && i + kRows < n) {
      if (i == kRows) table.add(std::vector<std::string>(9, "…"));
      continue;
    }
    table.add(stage_row(s, i));
  }
  return "\n" + ink(style, Ink::bold, "Stages") +
         ": what one GPU of each does; talks: collectives it cannot hide; sends: waits for a "
         "message"
         "\n" +
         text_of(table.indented(2), {});
}

std::vector<std::string> memory_row(const Simulation& s, std::size_t i) {
  const MemoryCurve& m = s.memory[i];
  std::vector<std::string> row = {
      std::to_string(i), gib_text(m.peak.peak, 2), pretty(m.peak_at, 4),
      m.peak_node < 0 ? "" : pass_name(s.graph, static_cast<std::size_t>(m.peak_node)),
      grouped(m.most_in_flight)};
  for (const MemoryLine l : {MemoryLine::activations, MemoryLine::logits}) {
    row.push_back(gib_text(m.peak[l], 2));
  }
  row.push_back(gib_text(m.peak[MemoryLine::recompute_working] + m.peak[MemoryLine::transient], 2));
  const bool same = std::abs(m.closed_peak / m.peak.peak - 1) < 5e-4;
  row.push_back(same ? "the same" : gib_text(m.closed_peak, 2));
  return row;
}

// What `memory` counts more than the step holds at once; "" where it is nothing.
std::string beyond_the_curve(const Simulation& s) {
  Bytes held{};
  Bytes work{};
  for (const MemoryCurve& m : s.memory) {
    held = std::max(held, m.less_held);
    work = std::max(work, m.less_at_work);
  }
  if (held <= Bytes() && work <= Bytes()) return "";
  const std::string text =
      "`memory` takes the fullest moment and the largest pass of a stage together: up to " +
      gib_text(held, 2) + " more held and " + gib_text(work, 2) + " more at work";
  return "  " + wrapped(text, 2, 2) + "\n";
}

std::string memory_over_time(const Simulation& s, const Style& style) {
  Table table({{"stage", true},
               {"peak", true},
               {"at", true},
               {"in"},
               {"in flight", true},
               {"activations", true},
               {"logits", true},
               {"at work", true},
               {"memory says", true}});
  const std::size_t n = s.memory.size();
  for (std::size_t i = 0; i < n; ++i) {
    const bool left_out = n > 2 * kRows + 1 && i >= kRows && i + kRows < n;
    if (!left_out) table.add(memory_row(s, i));
    if (left_out && i == kRows) table.add(std::vector<std::string>(9, "…"));
  }
  return "\n" + ink(style, Ink::bold, "Memory") +
         " over the step: when it peaks, in which pass, on what\n" +
         text_of(table.indented(2), {}) + beyond_the_curve(s);
}

std::string chain_text(const Simulation& s, const Style& style) {
  std::vector<ChainItem> items = s.chain;
  std::stable_sort(items.begin(), items.end(),
                   [](const ChainItem& a, const ChainItem& b) { return a.time > b.time; });
  std::string text =
      "\n" + ink(style, Ink::bold, "Critical path") + ": what sets the step, the largest first\n";
  for (std::size_t i = 0; i < items.size() && i < kRows; ++i) {
    text += "  " + left(chain_item_text(items[i]), 36) + right(grouped(items[i].count) + " ×", 10) +
            right(pretty(items[i].time, 3), 12) +
            right(percent(items[i].time / Seconds(s.played.times.step)), 9) + "\n";
  }
  if (items.size() > kRows) {
    Seconds rest{};
    for (std::size_t i = kRows; i < items.size(); ++i) rest += items[i].time;
    text += "  " + left(grouped(static_cast<std::int64_t>(items.size() - kRows)) + " more", 36) +
            right("", 10) + right(pretty(rest, 3), 12) +
            right(percent(rest / Seconds(s.played.times.step)), 9) + "\n";
  }
  return text;
}

std::string gains_text(const Simulation& s, const Style& style) {
  std::string text =
      "\n" + ink(style, Ink::bold, "Shorter step") + " if it took        10 % less      no time\n";
  for (const Gain& g : s.gains) {
    text += "  " + left(std::string(name_of(g.what)), 26) + right(signed_time(g.tenth * -1.0), 14) +
            right(signed_time(g.all * -1.0), 13) + "\n";
  }
  return text;
}

std::string link_text(const SimulationReport& r, const Style& style) {
  const std::vector<LinkUse>& links = r.simulation.played.links;
  const auto most =
      std::max_element(links.begin(), links.end(),
                       [](const LinkUse& a, const LinkUse& b) { return a.busy < b.busy; });
  if (most == links.end()) return "";
  const Tier& tier = r.run.resolved.run.cluster.tiers[most->tier];
  return "\n" + ink(style, Ink::bold, "Links") + "  the busiest that sends and reductions use is " +
         std::string(tier.name.view()) + (most->out ? " out of" : " into") + " stage " +
         std::to_string(most->stage) + ": " + percent(most->busy / r.simulation.played.times.step) +
         " of the step\n";
}

}  // namespace

std::string chain_item_text(const ChainItem& item) {
  std::string text(name_of(item.kind));
  if (item.stage >= 0) text += ", stage " + std::to_string(item.stage);
  return text;
}

std::string simulation_text(const SimulationReport& r, const Style& style) {
  return text_of(run_header(r.run.resolved), style) + "\n" + headline(r, style) +
         time_bars(r, style) + stage_table(r.simulation, style) +
         memory_over_time(r.simulation, style) + chain_text(r.simulation, style) +
         gains_text(r.simulation, style) + link_text(r, style);
}

}  // namespace orrery
