// SPDX-License-Identifier: Apache-2.0
#include "report/timeline_html.h"

#include <array>

#include "core/error.h"
#include "document/html.h"
#include "report/perfetto.h"
#include "report/simulate.h"
#include "sim/timeline.h"

namespace orrery {
namespace {

// Colours by SpanKind. What is never in one picture, and the two kinds of backward, may share one.
constexpr EnumTable<SpanKind, std::size_t> kSpanColours = {0, 2, 2, 9, 4, 8, 3, 6, 1, 7, 5, 8};

bool is_drawn(const Span& s) {
  if (s.layer >= 0) return false;  // too many for a page
  return s.stream == Stream::compute || (s.stream == Stream::dp && s.kind != SpanKind::collectives);
}

Lane lane_of(const Simulation& s, std::size_t stage) {
  Lane lane;
  for (const Span& span : spans_of_stage(s, stage)) {
    if (!is_drawn(span)) continue;
    const bool is_pass = span.node >= 0 && span.stream == Stream::compute;
    lane.spans.push_back({span.begin, span.end, static_cast<std::size_t>(span.kind),
                          is_pass ? pass_name(s.graph, static_cast<std::size_t>(span.node)) : "",
                          span.beside});
  }
  for (const MemoryPoint& p : s.memory[stage].points) {
    lane.curve.emplace_back(p.time, p.bytes / kGiB.si());
  }
  return lane;
}

LanePlot lanes_of(const SimulationReport& r) {
  const Simulation& s = r.simulation;
  LanePlot plot{"Timeline", "stage", "memory", "GiB"};
  plot.curve_limit = r.run.answer.capacity / kGiB;
  plot.limit_name = "the device's capacity";
  plot.end = s.played.times.last;
  for (std::size_t i = 0; i < kCountOf<SpanKind>; ++i) {
    plot.kinds.push_back({std::string(kNamesOf<SpanKind>[i]), kSpanColours.values[i]});
  }
  for (std::size_t i = 0; i < s.plan.stages.size(); ++i) {
    plot.lanes.push_back(lane_of(s, i));
    if (s.memory[i].peak.peak > s.memory[plot.chosen].peak.peak) plot.chosen = i;
  }
  return plot;
}

void refuse_too_many(const SimulationReport& r) {
  const auto n = static_cast<std::int64_t>(r.simulation.graph.nodes.size());
  if (n <= kMostDrawnPasses) return;
  throw InputError("command line", "--html", std::to_string(n) + " passes",
                   "at most " + std::to_string(kMostDrawnPasses) + ", what a page can hold");
}

}  // namespace

std::string timeline_html(const SimulationReport& r) {
  refuse_too_many(r);
  AnswerDocument page = simulation_document(r);
  page.sections.insert(page.sections.begin(), Section{"", {lanes_of(r)}});
  return html_of(page);
}

}  // namespace orrery
