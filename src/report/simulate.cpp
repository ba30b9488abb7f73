// SPDX-License-Identifier: Apache-2.0
#include "report/simulate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/units.h"
#include "report/estimate.h"
#include "report/frame.h"
#include "report/perfetto.h"
#include "report/stage_times.h"

namespace orrery {
namespace {

constexpr std::size_t kRows = 8;  // at each end of a long table
constexpr std::size_t kSlowNamed = 4;
constexpr double kSame = 1e-6;  // of the step: less is no difference

std::string saved_text(const SavedStates& saved) {
  const CheckpointCost& c = saved.cost;
  std::string text = pretty(c.size, 3) + ", ";
  if (c.stall > Seconds()) text += "training stands still for " + pretty(c.stall, 3) + ", ";
  return text + "safe " + pretty(c.stall + c.durable, 3) + " after the step begins";
}

// The step of the closed form, and the differences of the simulation from it.
void add_differences(const SimulationReport& r, Section& s) {
  const Answer& a = r.run.answer;
  const Seconds closed = r.simulation.closed.step_time;
  const bool same = std::abs((a.step_time - closed) / a.step_time) < kSame;
  s.add(labelled("estimate", pretty(closed) + (same ? ", the same" : "")));
  for (const Difference& d : r.simulation.differences) {
    if (std::abs(d.time / a.step_time) < kSame) continue;
    s.add(Paragraph{signed_seconds(d.time) + " " + name_of(d.cause) + ": " + meaning_of(d.cause),
                    kLabel + 2, kLabel});
  }
}

// "GPU 17 takes 1.30 times as long: node 2, stage 0, replica 2".
std::string slow_gpu_text(const Run& run, std::int64_t rank, double slowness) {
  const RankPlace at = place_of_rank(run.strategy, rank);
  return "GPU " + grouped(rank) + " takes " + fixed(slowness, 2) + " times as long: node " +
         grouped(node_of(run.cluster, rank)) + ", stage " + grouped(at.stage) + ", replica " +
         grouped(at.replica);
}

// The slowest first.
void add_slow_gpus(const Run& run, const GpuUse& g, Section& s) {
  std::vector<std::size_t> slow;
  for (std::size_t i = 0; i < g.slowness.size(); ++i) {
    if (g.slowness[i] > 1) slow.push_back(i);
  }
  std::stable_sort(slow.begin(), slow.end(),
                   [&g](std::size_t a, std::size_t b) { return g.slowness[a] > g.slowness[b]; });
  for (std::size_t i = 0; i < std::min(slow.size(), kSlowNamed); ++i) {
    s.add(Paragraph{slow_gpu_text(run, static_cast<std::int64_t>(slow[i]), g.slowness[slow[i]]),
                    kLabel + 2, kLabel});
  }
  if (slow.size() <= kSlowNamed) return;
  s.add(Paragraph{grouped(static_cast<std::int64_t>(slow.size() - kSlowNamed)) + " more are slow",
                  kLabel + 2, kLabel});
}

// "1 group of 8 GPUs in lockstep"
std::string lockstep_words(const GpuUse& g) {
  return counted(g.actors, "group") + " of " + counted(g.ranks_of_actor, "GPU") + " in lockstep";
}

void add_gpus(const Run& run, const GpuUse& g, Section& s) {
  if (g.slowness.empty()) return;
  const auto busy = std::minmax_element(g.busy_share.begin(), g.busy_share.end());
  s.add(labelled("GPUs", grouped(static_cast<std::int64_t>(g.slowness.size())) + ", simulated as " +
                             lockstep_words(g) + "; kernels are busy " + percent(*busy.first) +
                             " to " + percent(*busy.second) + " of the step"));
  add_slow_gpus(run, g, s);
  s.add(Paragraph{
      "the tables below are of replica " + grouped(g.slowest_replica) + ", which finishes last",
      kLabel + 2, kLabel});
}

Section headline(const SimulationReport& r) {
  const Answer& a = r.run.answer;
  Section s;
  s.add(memory_line(r.run));
  s.add(labelled("step", step_text(a)));
  add_differences(r, s);
  if (r.saved) s.add(labelled("checkpoint", saved_text(*r.saved)));
  add_gpus(r.simulation.run, r.simulation.gpus, s);
  s.add(labelled("simulated",
                 grouped(static_cast<std::int64_t>(r.simulation.graph.nodes.size())) + " passes, " +
                     grouped(static_cast<std::int64_t>(r.simulation.played.events)) + " events"));
  return s;
}

Seconds collectives(const StageUse& s) {
  Seconds sum{};
  for (const Stream i : {Stream::tp, Stream::cp, Stream::ep, Stream::dp, Stream::copy}) {
    sum += s.streams[i].exposed;
  }
  return sum;
}

bool has_slow_mates(const Simulation& s) {
  return std::any_of(s.stages.begin(), s.stages.end(),
                     [](const StageUse& u) { return u.mates > Seconds(); });
}

std::vector<Cell> stage_use_row(const Simulation& s, std::size_t i) {
  const StageUse& u = s.stages[i];
  const Seconds step = s.played.times.step;
  const Seconds busy = u.streams[Stream::compute].busy + collectives(u);
  std::vector<Cell> row = {std::to_string(i), pretty(u.streams[Stream::compute].busy, 3),
                           pretty(collectives(u), 3)};
  if (has_slow_mates(s)) row.emplace_back(pretty(u.mates, 3));
  for (const std::string& cell :
       {pretty(u.streams[Stream::pp].exposed, 3), pretty(u.bubble, 3), percent(busy / step),
        pretty(u.first_pass, 3), pretty(u.finished, 4), pretty(u.reduced, 4)}) {
    row.emplace_back(cell);
  }
  return row;
}

std::vector<Cell> memory_curve_row(const Simulation& s, std::size_t i) {
  const MemoryCurve& m = s.memory[i];
  std::vector<Cell> row = {
      std::to_string(i), gib_text(m.peak.peak, 2), pretty(m.peak_at, 4),
      m.peak_node < 0 ? "" : pass_name(s.graph, static_cast<std::size_t>(m.peak_node)),
      grouped(m.most_in_flight)};
  for (const MemoryLine l : {MemoryLine::activations, MemoryLine::logits}) {
    row.emplace_back(gib_text(m.peak[l], 2));
  }
  row.emplace_back(
      gib_text(m.peak[MemoryLine::recompute_working] + m.peak[MemoryLine::transient], 2));
  const bool same = std::abs(m.closed_peak / m.peak.peak - 1) < 5e-4;
  row.emplace_back(same ? "the same" : gib_text(m.closed_peak, 2));
  return row;
}

// Prints the first and the last of many stages.
template <class RowOf>
Table table_of_stages(const Simulation& s, std::size_t n, const std::vector<Column>& columns,
                      RowOf&& row_of) {
  Table table(columns, 2);
  for (std::size_t i = 0; i < n; ++i) {
    const bool left_out = n > 2 * kRows + 1 && i >= kRows && i + kRows < n;
    if (!left_out) table.add(row_of(s, i));
    if (left_out && i == kRows) table.add(std::vector<Cell>(columns.size(), "…"));
  }
  return table;
}

Section stage_section(const Simulation& s) {
  const bool peers = has_slow_mates(s);
  std::vector<Column> columns;
  for (const char* name : {"stage", "computes", "exposed", "peers", "messages", "bubble", "busy",
                           "first pass", "last done", "reduced"}) {
    if (peers || name != std::string_view("peers")) columns.push_back({name, true});
  }
  return {bold("Stages") +
              ": what one GPU of each does; exposed: collectives it cannot hide; messages: waits "
              "for them" +
              (peers ? "; peers: waits for slower GPUs of its group" : ""),
          {table_of_stages(s, s.stages.size(), columns, stage_use_row)}};
}

// The part of `memory` that the step never holds at once; "" where there is none.
std::string beyond_the_curve(const Simulation& s) {
  Bytes held{};
  Bytes work{};
  for (const MemoryCurve& m : s.memory) {
    held = std::max(held, m.less_held);
    work = std::max(work, m.less_at_work);
  }
  if (held <= Bytes() && work <= Bytes()) return "";
  return "`memory` takes the fullest moment and the largest pass of a stage together: up to " +
         gib_text(held, 2) + " more held and " + gib_text(work, 2) + " more at work";
}

Section memory_over_time(const Simulation& s) {
  Section section{bold("Memory") +
                      " over the step: the peak, when and in which pass; `memory` is what `orrery "
                      "memory` prints",
                  {table_of_stages(s, s.memory.size(),
                                   {{"stage", true},
                                    {"peak", true},
                                    {"at", true},
                                    {"in"},
                                    {"in flight", true},
                                    {"activations", true},
                                    {"logits", true},
                                    {"at work", true},
                                    {"`memory`", true}},
                                   memory_curve_row)}};
  const std::string beyond = beyond_the_curve(s);
  if (!beyond.empty()) section.add(Paragraph{beyond, 2, 2});
  return section;
}

Section chain_section(const Simulation& s) {
  std::vector<ChainItem> items = s.chain;
  std::stable_sort(items.begin(), items.end(),
                   [](const ChainItem& a, const ChainItem& b) { return a.time > b.time; });
  constexpr std::size_t kWhat = 36;
  Table table({Column("link").at_least(kWhat), Column("count", true).at_least(8),
               Column("time", true).at_least(10), Column("share", true).at_least(7)},
              2);
  const auto add = [&](const std::string& what, const std::string& count, Seconds t) {
    table.add({what, count, pretty(t, 3), percent(t / s.played.times.step)});
  };
  Seconds rest{};
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i < kRows) {
      add(chain_item_text(items[i]), grouped(items[i].count) + " ×", items[i].time);
    } else {
      rest += items[i].time;
    }
  }
  if (items.size() > kRows) {
    add(grouped(static_cast<std::int64_t>(items.size() - kRows)) + " more", "", rest);
  }
  return {bold("Critical path") + ": what sets the step, the largest first", {table.untitled()}};
}

Section link_section(const SimulationReport& r) {
  const std::vector<LinkUse>& links = r.simulation.played.links;
  const auto most =
      std::max_element(links.begin(), links.end(),
                       [](const LinkUse& a, const LinkUse& b) { return a.busy < b.busy; });
  if (most == links.end()) return {};
  const Tier& tier = r.run.resolved.run.cluster.tiers[most->tier];
  return {"",
          {Paragraph{bold("Links") + "  the busiest that sends and reductions use is " +
                         std::string(tier.name.view()) + (most->out ? " out of" : " into") +
                         " stage " + std::to_string(most->stage) + ": " +
                         percent(most->busy / r.simulation.played.times.step) + " of the step",
                     7}}};
}

// CSV: a row a GPU where all are played.
Table gpu_rows(const SimulationReport& r) {
  Table table({"rank", "node", "stage", "replica", "slowness", "busy_share"});
  const GpuUse& g = r.simulation.gpus;
  const Run& run = r.run.resolved.run;
  for (std::size_t i = 0; i < g.slowness.size(); ++i) {
    const auto rank = static_cast<std::int64_t>(i);
    const RankPlace at = place_of_rank(run.strategy, rank);
    table.add({data_cell(rank), data_cell(node_of(run.cluster, rank)), data_cell(at.stage),
               data_cell(at.replica), data_cell(g.slowness[i]), data_cell(g.busy_share[i])});
  }
  return table;
}

Table stage_use_rows(const SimulationReport& r) {
  std::vector<Column> columns = {"stage"};
  for (const StageTime& t : kStageTimes) columns.emplace_back(std::string(t.key));
  for (const std::string_view name : kNamesOf<Stream>) {
    columns.emplace_back(std::string(name) + "_busy_s");
    columns.emplace_back(std::string(name) + "_exposed_s");
  }
  Table table(columns);
  for (std::size_t i = 0; i < r.simulation.stages.size(); ++i) {
    const StageUse& s = r.simulation.stages[i];
    std::vector<Cell> row = {data_cell(i)};
    for (const StageTime& t : kStageTimes) row.push_back(data_cell((s.*t.time).si()));
    for (const StreamUse& u : s.streams) {
      row.push_back(data_cell(u.busy.si()));
      row.push_back(data_cell(u.exposed.si()));
    }
    table.add(row);
  }
  return table;
}

}  // namespace

std::string chain_item_text(const ChainItem& item) {
  std::string text(name_of(item.kind));
  if (item.stage >= 0) text += ", stage " + std::to_string(item.stage);
  return text;
}

Table gains_table(const Simulation& s) {
  Table table({Column("if it took", "what").at_least(26),
               Column("10 % less", "gain_if_10_percent_less_s", true).at_least(12),
               Column("no time", "gain_if_free_s", true).at_least(11)},
              2);
  for (const Gain& g : s.gains) {
    table.add({name_of(g.what),
               {signed_seconds(g.tenth * -1.0), g.tenth.si()},
               {signed_seconds(g.all * -1.0), g.all.si()}});
  }
  return table;
}

// Slow parts, random speeds and jitter leave gains as they are without them.
std::string gains_title(const Simulation& s) {
  return s.gpus.slowness.empty() ? "Shorter step" : "Shorter step, with equal GPUs and links";
}

AnswerDocument simulation_document(const SimulationReport& r) {
  const Simulation& s = r.simulation;
  return {r.run.resolved.model_name + ": one training step",
          {run_header(r.run.resolved),
           headline(r),
           time_section(r.run),
           stage_section(s),
           memory_over_time(s),
           chain_section(s),
           {bold(gains_title(s)), {gains_table(s)}},
           link_section(r)},
          s.gpus.slowness.empty() ? stage_use_rows(r) : gpu_rows(r),
          ""};
}

}  // namespace orrery
