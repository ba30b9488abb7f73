// SPDX-License-Identifier: Apache-2.0
#include "report/memory_text.h"

#include "core/units.h"
#include "document/table.h"
#include "insight/metrics.h"

namespace orrery {
namespace {

std::string bar_line(const std::string& label, Bytes b, Bytes whole, const std::string& drawn) {
  return "  " + left(label, kLabel - 2) + right(gib_text(b, 2), 12) + right(percent(b / whole), 9) +
         "  " + drawn + "\n";
}

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

std::vector<std::string> stage_row(const RunReport& r, std::size_t first, std::size_t last) {
  const StageMemory<double>& s = r.stages[first];
  const std::string name = std::to_string(first);
  std::vector<std::string> row = {first == last ? name : name + "–" + std::to_string(last)};
  for (std::size_t i = 0; i < kMemoryLines; ++i) {
    if (is_used(r, i)) row.push_back(gib_or_dot(s.lines[i]));
  }
  row.push_back(fixed(s.peak / kGiB, 2));
  row.push_back(grouped(s.in_flight));
  return row;
}

std::string short_name(std::size_t line) {
  static constexpr EnumTable<MemoryLine, const char*> kShort = {
      "weights", "copy",   "grads",   "optim",   "activ", "recomp", "logits",
      "transit", "gather", "buckets", "context", "comms", "frag"};
  return kShort.values[line];
}

}  // namespace

std::string memory_bars(const RunReport& r, const Style& style) {
  const Answer& a = r.answer;
  std::string text = "\n" + ink(style, Ink::bold, "Memory") + " of the fullest stage, " +
                     std::to_string(a.memory_stage) + "\n";
  const Bytes whole = a.memory.peak > a.capacity ? a.memory.peak : a.capacity;
  for (const Metric& m : metrics()) {
    if (m.group != MetricGroup::memory_line) continue;
    const Bytes b = m.value({r.resolved.run, a}) * kGiB;
    if (b == Bytes()) continue;
    text +=
        bar_line(std::string(m.label), b, a.capacity, ink(style, Ink::blue, bar(b / whole, kBar)));
  }
  const Ink i = is_feasible(r) ? Ink::green : Ink::red;
  text +=
      bar_line("peak", a.memory.peak, a.capacity, ink(style, i, bar(a.memory.peak / whole, kBar)));
  text += bar_line("capacity", a.capacity, a.capacity,
                   ink(style, Ink::dim, bar(a.capacity / whole, kBar)));
  return text;
}

std::string memory_table(const RunReport& r, const Style& style) {
  std::vector<TableColumn> columns = {{"stage", true}};
  for (std::size_t i = 0; i < kMemoryLines; ++i) {
    if (is_used(r, i)) columns.push_back({short_name(i), true});
  }
  columns.push_back({"peak", true});
  columns.push_back({"in flight", true});
  Table table(columns);
  for (std::size_t first = 0; first < r.stages.size();) {
    std::size_t last = first;
    while (last + 1 < r.stages.size() && alike(r.stages[first], r.stages[last + 1])) ++last;
    table.add(stage_row(r, first, last));
    first = last + 1;
  }
  return "\n" + ink(style, Ink::bold, "Stages") +
         ", in GiB; in flight: micro batches held, of all chunks\n" + table.text(2);
}

std::string memory_csv(const RunReport& r) {
  std::string text = "stage,peak_gib,in_flight";
  for (const std::string_view name : kNamesOf<MemoryLine>) text += "," + std::string(name) + "_gib";
  text += "\n";
  for (std::size_t i = 0; i < r.stages.size(); ++i) {
    const StageMemory<double>& s = r.stages[i];
    text += std::to_string(i) + "," + shortest(s.peak / kGiB) + "," + std::to_string(s.in_flight);
    for (const Bytes b : s.lines) text += "," + shortest(b / kGiB);
    text += "\n";
  }
  return text;
}

}  // namespace orrery
