// SPDX-License-Identifier: Apache-2.0
#include "report/perfetto.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "parallel/placement.h"
#include "sim/disturb.h"
#include "sim/timeline.h"

namespace orrery {
namespace {

[[noreturn]] void refuse_ranks(const std::string& found, std::int64_t world) {
  throw InputError("command line", "--trace-ranks", found,
                   "ranks 0 to " + std::to_string(world - 1) + " as 0,8,16-23, or all");
}

std::int64_t read_rank(const std::string& text, const std::string& all, std::int64_t world) {
  std::int64_t n = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || n < 0 || n >= world) refuse_ranks("\"" + all + "\"", world);
  return n;
}

void refuse_too_many(const SimulationReport& r, std::int64_t ranks) {
  const auto passes = static_cast<std::int64_t>(r.simulation.graph.nodes.size());
  std::int64_t fetches = 0;  // of a pass, at most
  for (const CellFetches& f : r.simulation.fetches) {
    const std::size_t most = std::max(f.forward.size(), f.backward.size());
    fetches = std::max(fetches, static_cast<std::int64_t>(most));
  }
  const std::int64_t each = (6 + fetches) * passes / r.simulation.plan.shape.stages + 40;
  if (ranks <= kMostTraceEvents / each) return;
  throw InputError(
      "command line", "--trace-ranks",
      std::to_string(ranks) + " ranks of about " + std::to_string(each) + " events each",
      "at most " + std::to_string(std::max<std::int64_t>(kMostTraceEvents / each, 0)) +
          " ranks of this step, what a viewer can open");
}

struct LevelChange {
  Seconds time{};
  double change = 0;
};

class Writer {
 public:
  explicit Writer(const SimulationReport& r) : r_(r), s_(r.simulation) {}

  std::string write(const std::vector<std::int64_t>& ranks) {
    text_ = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
    for (const std::int64_t rank : ranks) by_stage(rank).push_back(rank);
    for (const std::int64_t rank : ranks) write_rank(rank);
    text_ += "\n]}\n";
    return std::move(text_);
  }

 private:
  std::vector<std::int64_t>& by_stage(std::int64_t rank) {
    ranks_of_stage_.resize(s_.plan.stages.size());
    return ranks_of_stage_[static_cast<std::size_t>(stage_of(rank))];
  }

  std::int64_t stage_of(std::int64_t rank) const {
    return place_of_rank(r_.run.resolved.run.strategy, rank).stage;
  }

  void event(const std::string& body) {
    text_ += first_ ? "\n{" : ",\n{";
    first_ = false;
    text_ += body + "}";
  }

  // Microseconds, of whole nanoseconds: slices that abut do so after rounding too.
  static std::string at(Seconds time) { return microseconds(nanoseconds(time)); }

  static long long nanoseconds(Seconds time) { return std::llround(time.si() * 1e9); }

  static std::string microseconds(long long nanoseconds) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%lld.%03lld", nanoseconds / 1000, nanoseconds % 1000);
    return buffer;
  }

  // A number with three decimals.
  static std::string decimals(double thousandths) {
    return microseconds(std::llround(thousandths));
  }

  static std::string length(Seconds begin, Seconds end) {
    return microseconds(nanoseconds(end) - nanoseconds(begin));
  }

  static std::string place(std::int64_t rank, std::size_t track) {
    return "\"pid\":" + std::to_string(rank) + ",\"tid\":" + std::to_string(track);
  }

  void name(const char* what, std::int64_t rank, std::size_t track, const std::string& name) {
    event("\"ph\":\"M\",\"name\":\"" + std::string(what) + "\"," + place(rank, track) +
          ",\"args\":{\"name\":\"" + name + "\"}");
  }

  void write_rank(std::int64_t rank) {
    const std::int64_t stage = stage_of(rank);
    name("process_name", rank, 0,
         "rank " + std::to_string(rank) + " (stage " + std::to_string(stage) + ")");
    event("\"ph\":\"M\",\"name\":\"process_sort_index\"," + place(rank, 0) +
          ",\"args\":{\"sort_index\":" + std::to_string(rank) + "}");
    free_at_.assign(2 * kCountOf<Stream>, Seconds());
    tracks_named_.assign(2 * kCountOf<Stream>, false);
    link_.clear();
    for (const Span& span : spans_of_stage(s_, static_cast<std::size_t>(stage))) slice(rank, span);
    write_memory(rank, static_cast<std::size_t>(stage));
    write_links(rank);
  }

  // Slices of one track must not cross: sends that do, data parallelism's collectives in passes,
  // and a checkpoint's copy go to a second one.
  std::size_t track_of(std::int64_t rank, const Span& span) {
    auto track = static_cast<std::size_t>(span.stream);
    const bool back = span.stream == Stream::pp && !span.forward;
    const bool in_pass = span.stream == Stream::dp && span.kind == SpanKind::collectives;
    if (back || in_pass || span.kind == SpanKind::save) track += kCountOf<Stream>;
    if (!tracks_named_[track]) {
      tracks_named_[track] = true;
      name("thread_name", rank, track,
           std::string(name_of(span.stream)) + (back                        ? " back"
                                                : in_pass                   ? " in passes"
                                                : track >= kCountOf<Stream> ? " checkpoint"
                                                                            : ""));
    }
    return track;
  }

  void slice(std::int64_t rank, const Span& span) {
    const std::size_t track = track_of(rank, span);
    const Seconds begin = std::max(span.begin, free_at_[track]);
    const Seconds end = std::max(begin, span.end);
    free_at_[track] = end;
    event("\"ph\":\"X\",\"cat\":\"" +
          std::string(span.stream == Stream::compute ? "kernel" : "comm") + "\",\"name\":\"" +
          label(span) + "\"," + place(rank, track) + ",\"ts\":" + at(begin) +
          ",\"dur\":" + length(begin, end) + ",\"args\":{" + arguments(span) + "}");
    if (span.kind == SpanKind::send) send_arrow(rank, span, track);
    if (span.share > 0) {
      link_.push_back({span.begin, span.share});
      link_.push_back({span.end, -span.share});
    }
  }

  std::string label(const Span& span) const {
    if (span.stream == Stream::compute && span.node >= 0) {
      return pass_name(s_.graph, static_cast<std::size_t>(span.node));
    }
    std::string text(name_of(span.kind));
    if (span.kind == SpanKind::collectives) {
      text = std::string(name_of(span.stream)) + " " + text;
    }
    return span.node >= 0 && !span.beside
               ? text + " " + pass_name(s_.graph, static_cast<std::size_t>(span.node))
               : text;
  }

  std::string arguments(const Span& span) const {
    std::string text = "\"stream\":\"" + std::string(name_of(span.stream)) + "\"";
    if (span.node < 0) return text;
    const auto n = static_cast<std::size_t>(span.node);
    const PassSlot& slot = slot_of(s_.graph, n);
    const std::size_t chunk = slot.cell / s_.plan.stages.size();
    text += ",\"micro_batch\":" + std::to_string(s_.graph.micro_batch[n]) +
            ",\"chunk\":" + std::to_string(chunk);
    if (span.layer >= 0) return text + ",\"layer\":" + std::to_string(span.layer);
    if (span.beside) text += ",\"hidden\":true";
    return text;
  }

  // From the end of the pass to the pass that waited for it, on the rank's own counterpart.
  void send_arrow(std::int64_t rank, const Span& span, std::size_t track) {
    if (span.needed_by < 0) return;
    const auto to = static_cast<std::size_t>(span.needed_by);
    const std::int64_t peer = peer_of(rank, s_.graph.nodes[to].stage);
    if (peer < 0) return;
    const std::string id = std::to_string(next_flow_++);
    event("\"ph\":\"s\",\"cat\":\"send\",\"name\":\"send\",\"id\":" + id + "," +
          place(rank, track) + ",\"ts\":" + at(span.begin));
    event("\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"send\",\"name\":\"send\",\"id\":" + id + "," +
          place(peer, 0) + ",\"ts\":" + at(s_.played.times.pass_begin[to]));
  }

  // The rank of that stage which stands as this one does in its own, if it is traced.
  std::int64_t peer_of(std::int64_t rank, std::int64_t stage) const {
    const std::int64_t peer = rank_in_stage(r_.run.resolved.run.strategy, rank, stage);
    const std::vector<std::int64_t>& there = ranks_of_stage_[static_cast<std::size_t>(stage)];
    return std::find(there.begin(), there.end(), peer) == there.end() ? -1 : peer;
  }

  void write_memory(std::int64_t rank, std::size_t stage) {
    for (const MemoryPoint& p : s_.memory[stage].points) {
      event("\"ph\":\"C\",\"name\":\"memory GiB\"," + place(rank, 0) + ",\"ts\":" + at(p.time) +
            ",\"args\":{\"GiB\":" + decimals(p.bytes / kGiB * 1e-6 * 1e9) + "}");
    }
  }

  // Use of the link out of the rank's unit, each flow as even as it is on average.
  void write_links(std::int64_t rank) {
    std::stable_sort(link_.begin(), link_.end(),
                     [](const LevelChange& a, const LevelChange& b) { return a.time < b.time; });
    double use = 0;
    for (std::size_t i = 0; i < link_.size(); ++i) {
      use += link_[i].change;
      if (i + 1 < link_.size() && link_[i + 1].time == link_[i].time) continue;
      event("\"ph\":\"C\",\"name\":\"link out %\"," + place(rank, 0) +
            ",\"ts\":" + at(link_[i].time) +
            ",\"args\":{\"%\":" + decimals(std::clamp(use, 0.0, 1.0) * 1e-4 * 1e9) + "}");
    }
  }

  const SimulationReport& r_;
  const Simulation& s_;
  std::string text_;
  bool first_ = true;
  std::int64_t next_flow_ = 1;
  std::vector<Seconds> free_at_;
  std::vector<bool> tracks_named_;
  std::vector<LevelChange> link_;
  std::vector<std::vector<std::int64_t>> ranks_of_stage_;
};

}  // namespace

std::string pass_name(const PassGraph& graph, std::size_t node) {
  const PassSlot& s = slot_of(graph, node);
  const auto stages = static_cast<std::size_t>(graph.shape.stages);
  const auto part = [&](const char* letter, std::size_t cell, std::int32_t micro_batch) {
    const std::string chunk =
        graph.shape.chunks > 1 ? "." + std::to_string(cell / stages) : std::string();
    return letter + std::to_string(micro_batch) + chunk;
  };
  switch (s.kind) {
    case StepKind::forward:
      return part("F", s.cell, graph.micro_batch[node]);
    case StepKind::backward:
      return part("B", s.cell, graph.micro_batch[node]);
    case StepKind::input_gradient:
      return part("I", s.cell, graph.micro_batch[node]);
    case StepKind::weight_gradient:
      return part("W", s.cell, graph.micro_batch[node]);
    case StepKind::pair:
      return part("F", s.cell, graph.micro_batch[node]) +
             part("B", s.backward_cell, graph.backward_micro_batch[node]);
  }
  return "";
}

std::vector<std::int64_t> trace_ranks(const SimulationReport& r, const std::string& text) {
  const Strategy& s = r.run.resolved.run.strategy;
  const std::int64_t world = world_size(s);
  std::vector<std::int64_t> ranks;
  if (text.empty()) {
    for (std::int64_t i = 0; i < s.pp; ++i) ranks.push_back(rank_in_stage(s, 0, i));
  } else if (text == "all") {
    refuse_too_many(r, world);
    for (std::int64_t i = 0; i < world; ++i) ranks.push_back(i);
  }
  for (std::size_t from = 0; from < text.size() && text != "all";) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string item = text.substr(from, comma - from);
    const std::size_t dash = item.find('-');
    const std::int64_t first = read_rank(item.substr(0, dash), text, world);
    const std::int64_t last =
        dash == std::string::npos ? first : read_rank(item.substr(dash + 1), text, world);
    if (last < first) refuse_ranks("\"" + text + "\"", world);
    refuse_too_many(r, static_cast<std::int64_t>(ranks.size()) + last - first + 1);
    for (std::int64_t i = first; i <= last; ++i) ranks.push_back(i);
    from = comma + 1;
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  refuse_too_many(r, static_cast<std::int64_t>(ranks.size()));
  return ranks;
}

std::string perfetto_trace(const SimulationReport& r, const std::vector<std::int64_t>& ranks) {
  return Writer(r).write(ranks);
}

}  // namespace orrery
