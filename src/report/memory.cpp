// SPDX-License-Identifier: Apache-2.0
#include "report/memory.h"

#include "core/units.h"
#include "insight/metrics.h"
#include "report/estimate.h"
#include "report/run_header.h"

namespace orrery {
namespace {

std::string gib_or_dot(Bytes b) { return b == Bytes() ? "·" : fixed(b / kGiB, 2); }

bool is_used(const RunReport& r, std::size_t line) {
  for (const StageMemory<double>& s : r.stages) {
    if (s.lines[line] > Bytes()) return true;
  }
  return false;
}

bool alike(const StageMemory<double>& a, const StageMemory<double>& b) {
  return a.lines == b.lines && a.in_flight == b.in_flight;
}

std::vector<Cell> stage_row(const RunReport& r, std::size_t first, std::size_t last) {
  const StageMemory<double>& s = r.stages[first];
  const std::string name = std::to_string(first);
  std::vector<Cell> row = {first == last ? name : name + "–" + std::to_string(last)};
  for (std::size_t i = 0; i < kMemoryLines; ++i) {
    if (is_used(r, i)) row.emplace_back(gib_or_dot(s.lines[i]));
  }
  row.emplace_back(fixed(s.peak / kGiB, 2));
  row.emplace_back(grouped(s.in_flight));
  return row;
}

std::string short_name(std::size_t line) {
  static constexpr EnumTable<MemoryLine, const char*> kShort = {
      "weights", "copy",   "grads",   "optim",   "activ", "recomp", "logits",
      "transit", "gather", "buckets", "context", "comms", "frag"};
  return kShort.values[line];
}

// One row a stage; neighbours that are alike share one.
Table stage_table(const RunReport& r) {
  std::vector<Column> columns = {{"stage", true}};
  for (std::size_t i = 0; i < kMemoryLines; ++i) {
    if (is_used(r, i)) columns.emplace_back(short_name(i), true);
  }
  columns.emplace_back("peak", true);
  columns.emplace_back("in flight", true);
  Table table(columns, 2);
  for (std::size_t first = 0; first < r.stages.size();) {
    std::size_t last = first;
    while (last + 1 < r.stages.size() && alike(r.stages[first], r.stages[last + 1])) ++last;
    table.add(stage_row(r, first, last));
    first = last + 1;
  }
  return table;
}

// CSV: every stage, every line.
Table stage_rows(const RunReport& r) {
  std::vector<Column> columns = {"stage", "peak_gib", "in_flight"};
  for (const std::string_view name : kNamesOf<MemoryLine>) {
    columns.emplace_back(std::string(name) + "_gib");
  }
  Table table(columns);
  for (std::size_t i = 0; i < r.stages.size(); ++i) {
    const StageMemory<double>& s = r.stages[i];
    std::vector<Cell> row = {data_cell(i), data_cell(double(s.peak / kGiB)),
                             data_cell(s.in_flight)};
    for (const Bytes b : s.lines) row.push_back(data_cell(double(b / kGiB)));
    table.add(row);
  }
  return table;
}

}  // namespace

Section memory_section(const RunReport& r) {
  const Answer& a = r.answer;
  const Bytes whole = a.memory.peak > a.capacity ? a.memory.peak : a.capacity;
  Table bars = bar_table("part", "memory");
  const auto add = [&](const std::string& label, Bytes b, Ink ink) {
    bars.add({label, gib_text(b, 2), percent(b / a.capacity), bar_cell(b / whole, ink)});
  };
  for (const Metric& m : metrics()) {
    if (m.group != MetricGroup::memory_line) continue;
    const Bytes b = m.value({r.resolved.run, a}) * kGiB;
    if (b > Bytes()) add(std::string(m.label), b, Ink::blue);
  }
  add("peak", a.memory.peak, is_feasible(r) ? Ink::green : Ink::red);
  add("capacity", a.capacity, Ink::dim);
  return {bold("Memory") + " of the fullest stage, " + std::to_string(a.memory_stage), {bars}};
}

AnswerDocument memory_document(const RunReport& r) {
  AnswerDocument d{r.resolved.model_name + ": memory", {}, stage_rows(r)};
  d.sections = {run_header(r.resolved),
                memory_section(r),
                {bold("Stages") + ", in GiB; in flight: micro batches held, of all chunks",
                 {stage_table(r)}}};
  if (!is_feasible(r)) d.add(limit_section(r));
  d.add(run_assumptions(r.resolved));
  return d;
}

}  // namespace orrery
