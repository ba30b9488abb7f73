// SPDX-License-Identifier: Apache-2.0
#include "report/timeline.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/units.h"
#include "document/html.h"
#include "report/perfetto.h"
#include "report/simulate.h"
#include "sim/timeline.h"

namespace orrery {
namespace {

// Colours by SpanKind. Kinds that never share a picture, and the two of backward, may share one.
constexpr EnumArray<SpanKind, std::size_t> kSpanColours = {0, 2, 2, 9, 4, 8, 3, 6, 1, 7, 5, 8};

bool is_drawn(const Span& s) {
  if (s.layer >= 0) return false;  // too many for a page
  return s.stream == Stream::compute || s.stream == Stream::dp;
}

Lane lane_of(const Simulation& s, std::size_t stage) {
  Lane lane;
  for (const Span& span : spans_of_stage(s, stage)) {
    if (!is_drawn(span)) continue;
    const bool is_pass = span.node >= 0 && span.stream == Stream::compute;
    lane.spans.push_back({span.begin.si(), span.end.si(), static_cast<std::size_t>(span.kind),
                          is_pass ? pass_name(s.graph, static_cast<std::size_t>(span.node)) : "",
                          span.beside || span.kind == SpanKind::collectives});
  }
  for (const MemoryPoint& p : s.memory[stage].points) {
    lane.curve.emplace_back(p.time.si(), p.bytes / kGiB);
  }
  return lane;
}

LanePlot lanes_of(const SimulationReport& r) {
  const Simulation& s = r.simulation;
  LanePlot plot{"Timeline", "stage", "memory", "GiB"};
  plot.curve_limit = r.run.answer.capacity / kGiB;
  plot.limit_name = "the device's capacity";
  plot.end = s.played.times.last.si();
  for (const SpanKind k : kAllOf<SpanKind>) {
    plot.kinds.push_back({std::string(name_of(k)), kSpanColours[k]});
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

constexpr std::size_t kMostStages = 64;

// A stretch of the step over a number of columns.
struct Window {
  Seconds from{};
  Seconds column{};
  std::size_t columns = 0;
};

struct Glyph {
  char sign = '.';
  TextStyle text_style = TextStyle::dim;
};

Glyph glyph_of(const PassGraph& graph, const Span& span) {
  if (span.node < 0) {
    const bool gathers = span.kind == SpanKind::gather;
    return {span.kind == SpanKind::update ? 'u' : gathers ? '<' : '>', TextStyle::yellow};
  }
  const std::int32_t digit = graph.micro_batch[static_cast<std::size_t>(span.node)] % 10;
  switch (span.kind) {
    case SpanKind::forward:
    case SpanKind::pair:
      return {static_cast<char>('0' + digit), TextStyle::blue};
    case SpanKind::weight_gradient:
      return {'w', TextStyle::dim};
    case SpanKind::backward:
    case SpanKind::input_gradient:
    case SpanKind::collectives:
    case SpanKind::send:
    case SpanKind::gather:
    case SpanKind::reduce:
    case SpanKind::shared_gradients:
    case SpanKind::update:
    case SpanKind::save:
      break;
  }
  return {static_cast<char>('a' + digit), TextStyle::green};
}

bool is_shown(const Span& span) {
  return span.stream == Stream::compute || (span.node < 0 && span.stream == Stream::dp);
}

// In every column what lasts longest there.
std::vector<Glyph> line_of(const PassGraph& graph, const std::vector<Span>& spans,
                           const Window& w) {
  std::vector<Glyph> line(w.columns);
  std::vector<Seconds> longest(w.columns, w.column / 2);
  for (const Span& span : spans) {
    if (!is_shown(span)) continue;
    const double first = (span.begin - w.from) / w.column;
    const double last = (span.end - w.from) / w.column;
    if (last <= 0 || first >= static_cast<double>(w.columns)) continue;
    const auto from = static_cast<std::size_t>(std::max(first, 0.0));
    for (std::size_t c = from; c < w.columns && static_cast<double>(c) < last; ++c) {
      const Seconds begin = w.from + static_cast<double>(c) * w.column;
      const Seconds here = std::min(span.end, begin + w.column) - std::max(span.begin, begin);
      if (here < longest[c]) continue;
      longest[c] = here;
      line[c] = glyph_of(graph, span);
    }
  }
  return line;
}

Phrase drawn(const std::vector<Glyph>& line) {
  Phrase text;
  for (const Glyph& g : line) {
    text += Phrase(g.text_style, g.sign == '.' ? std::string("·") : std::string(1, g.sign));
  }
  return text;
}

Seconds shortest_pass(const Simulation& s) {
  Seconds least = s.played.times.step;
  for (std::size_t n = 0; n < s.graph.nodes.size(); ++n) {
    least = std::min(least, s.played.times.pass_end[n] - s.played.times.pass_begin[n]);
  }
  return std::max(least, s.played.times.step * 1e-6);
}

std::vector<Window> windows_of(const Simulation& s, std::size_t most) {
  const Seconds step = s.played.times.last;
  const double columns = step / shortest_pass(s);
  if (columns <= 2 * static_cast<double>(most)) {
    return {{Seconds(), step / static_cast<double>(most), most}};
  }
  const Seconds column = shortest_pass(s);
  const std::size_t half = most / 2 - 1;
  return {{Seconds(), column, half}, {step - column * static_cast<double>(half), column, half}};
}

}  // namespace

std::string timeline_html(const SimulationReport& r) {
  refuse_too_many(r);
  AnswerDocument page = simulation_document(r);
  page.sections.insert(page.sections.begin(), Section{"", {lanes_of(r)}});
  return html_of(page);
}

Section timeline_picture(const SimulationReport& r, std::size_t width) {
  constexpr std::size_t kBeside = 12;  // columns of the stage's number and of the gap
  const Simulation& s = r.simulation;
  const std::vector<Window> windows = windows_of(s, width - kBeside);
  Phrase lines;
  const std::size_t stages = std::min(s.plan.stages.size(), kMostStages);
  for (std::size_t i = 0; i < stages; ++i) {
    const std::vector<Span> spans = spans_of_stage(s, i);
    lines += right(std::to_string(i), 6) + "  ";
    for (std::size_t k = 0; k < windows.size(); ++k) {
      lines += (k > 0 ? " … " : "") + drawn(line_of(s.graph, spans, windows[k]));
    }
    lines += "\n";
  }
  const std::string more = stages < s.plan.stages.size()
                               ? "the first " + std::to_string(stages) + " stages; "
                               : std::string();
  return {bold("Schedule") + ": a column is " + pretty(windows[0].column, 3) +
              (windows.size() > 1 ? ", the beginning and the end" : ""),
          {Verbatim{lines},
           Paragraph{more + "0-9 forward and a-j backward of a micro batch by its last digit, < "
                            "gathers, > reduces, · waits",
                     2, 2}}};
}

}  // namespace orrery
