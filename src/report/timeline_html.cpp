// SPDX-License-Identifier: Apache-2.0
#include "report/timeline_html.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/error.h"
#include "report/perfetto.h"
#include "report/simulate_text.h"
#include "report/timeline_page.h"
#include "sim/timeline.h"

namespace orrery {
namespace {

// By SpanKind.
constexpr EnumTable<SpanKind, const char*> kSpanColours = {
    "#3b78b5", "#3f8f5b", "#3f8f5b", "#8cbf9a", "#6a5aa8", "#999999",
    "#c9a227", "#c07a2c", "#c07a2c", "#a0522d", "#7d4b8f", "#5f7f8f"};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

std::string short_number(double x) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.7g", x);
  return buffer;
}

bool is_drawn(const Span& s) {
  if (s.layer >= 0) return false;  // too many for a page
  return s.stream == Stream::compute || (s.stream == Stream::dp && s.kind != SpanKind::collectives);
}

// Sorted by their ends as well, but for what is hidden: the script looks for the first by its end.
std::string stage_data(const Simulation& s, std::size_t stage) {
  std::vector<Span> spans = spans_of_stage(s, stage);
  std::string text = "[";
  for (const Span& span : spans) {
    if (!is_drawn(span)) continue;
    const std::string label = span.node >= 0 && span.stream == Stream::compute
                                  ? pass_name(s.graph, static_cast<std::size_t>(span.node))
                                  : "";
    if (text.size() > 1) text += ",";
    text += "[" + short_number(span.begin) + "," + short_number(span.end) + "," +
            std::to_string(static_cast<int>(span.kind)) + ",\"" + label + "\"" +
            (span.beside ? ",1]" : "]");
  }
  return text + "]";
}

std::string memory_data(const MemoryCurve& curve) {
  std::string text = "[";
  for (const MemoryPoint& p : curve.points) {
    if (text.size() > 1) text += ",";
    text += "[" + short_number(p.time) + "," + short_number(p.bytes / kGiB.si()) + "]";
  }
  return text + "]";
}

std::string data(const SimulationReport& r) {
  const Simulation& s = r.simulation;
  std::string stages;
  std::string memory;
  std::size_t fullest = 0;
  for (std::size_t i = 0; i < s.plan.stages.size(); ++i) {
    stages += (i > 0 ? ",\n" : "") + stage_data(s, i);
    memory += (i > 0 ? ",\n" : "") + memory_data(s.memory[i]);
    if (s.memory[i].peak.peak > s.memory[fullest].peak.peak) fullest = i;
  }
  return "const D={step:" + short_number(s.played.times.last) +
         ",capacity:" + short_number(r.run.answer.capacity / kGiB) +
         ",fullest:" + std::to_string(fullest) + ",stages:[" + stages + "],memory:[" + memory +
         "]};\n";
}

std::string kinds() {
  std::string text = "const K=[";
  for (std::size_t i = 0; i < kCountOf<SpanKind>; ++i) {
    text += (i > 0 ? ",[\"" : "[\"") + std::string(kNamesOf<SpanKind>[i]) + "\",\"" +
            kSpanColours.values[i] + "\"]";
  }
  return text + "];\n";
}

bool is_used(const SimulationReport& r, SpanKind kind) {
  for (std::size_t i = 0; i < r.simulation.plan.stages.size(); ++i) {
    for (const Span& s : spans_of_stage(r.simulation, i)) {
      if (is_drawn(s) && s.kind == kind) return true;
    }
  }
  return false;
}

std::string legend(const SimulationReport& r) {
  std::string text = "<p class=\"legend\">";
  for (std::size_t i = 0; i < kCountOf<SpanKind>; ++i) {
    if (!is_used(r, static_cast<SpanKind>(i))) continue;
    text += "<span><i style=\"background:" + std::string(kSpanColours.values[i]) + "\"></i>" +
            std::string(kNamesOf<SpanKind>[i]) + "</span>";
  }
  return text + "<span>white: waits</span><span>thin: hidden under a pass</span></p>\n";
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
  const std::string title = escaped(r.run.resolved.model_name) + ": one training step";
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title +
         "</title>\n<style>" + kTimelineStyle + "</style></head><body>\n<h1>" + title + "</h1>\n" +
         legend(r) + "<canvas id=\"t\"></canvas><div id=\"tip\"></div>\n" +
         "<p>A row is a pipeline stage. Wheel: zoom, drag: move, double click: the whole step, "
         "click a stage: its memory.</p>\n" +
         "<noscript>The timeline is drawn by a script in this page.</noscript>\n<pre>" +
         escaped(simulation_text(r, Style{})) + "</pre>\n<script>\n" + data(r) + kinds() +
         kTimelineScript + "</script>\n</body></html>\n";
}

}  // namespace orrery
