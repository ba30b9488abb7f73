// SPDX-License-Identifier: Apache-2.0
#include "report/explain.h"

#include <algorithm>
#include <cmath>

#include "core/json.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/estimate.h"
#include "estimate/mixed_estimate.h"
#include "estimate/mixed_links.h"
#include "estimate/resolve.h"
#include "estimate/workspace.h"
#include "hardware/cluster_keys.h"
#include "insight/limiter.h"
#include "insight/mixed_report.h"
#include "report/formula.h"
#include "report/frame.h"

namespace orrery {
namespace {

// A literal as the metric's whole recording (a term that is zero) still is a node.
std::int32_t root_of(RecordedMetric& m) {
  if (m.value.node >= 0) return m.value.node;
  Node literal;
  literal.value = m.value.value;
  m.tape.nodes.push_back(literal);
  return static_cast<std::int32_t>(m.tape.nodes.size()) - 1;
}

std::string unit_of(const ExplainedNode& n) { return unit_text(n.dimension); }

std::string bytes_text(double bytes) {
  const BinaryAmount b = binary_amount(bytes);
  return pretty_text(b.amount, kNone) + " " + b.unit;
}

std::string number_text(double x) {
  if (x == std::floor(x) && std::abs(x) < 1e15) return grouped(x);
  return pretty_text(x, kNone, 5);
}

std::string value_text(const ExplainedNode& n) {
  if (n.dimension == kBytes) return bytes_text(n.value);
  if (n.dimension == kNone) return number_text(n.value);
  return pretty_text(n.value, n.dimension);
}

// The nodes as an outline. A node has its parts once: at its first place among the levels that are
// open, else at its first of all.
class Tree {
 public:
  Tree(const Explanation& e, std::size_t depth)
      : e_(e), depth_(depth), is_open_(e.nodes.size()), has_parts_(e.nodes.size()) {}

  Outline outline() {
    const std::size_t root = e_.nodes.size() - 1;
    mark_open(root, 0);
    return part(root, 0, e_.metric, number_text(e_.value) + (e_.unit.empty() ? "" : " " + e_.unit));
  }

  bool is_cut() const { return cut_; }

 private:
  bool is_leaf(std::size_t index) const { return e_.nodes[index].formula.empty(); }

  void mark_open(std::size_t index, std::size_t level) {
    if (is_leaf(index) || is_open_[index] || level >= depth_) return;
    is_open_[index] = true;
    for (const std::size_t child : e_.nodes[index].children) mark_open(child, level + 1);
  }

  Outline part(std::size_t index, std::size_t level, const std::string& name,
               const std::string& value) {
    const ExplainedNode& n = e_.nodes[index];
    Outline o{bold(name) + "  " + value};
    if (is_leaf(index)) {
      // Where it can be seen at once, its source stands once.
      const bool again = level <= depth_ && has_parts_[index];
      has_parts_[index] = has_parts_[index] || level <= depth_;
      if (!again && !n.source.empty()) o.head += Phrase(TextStyle::dim, "  ← " + n.source);
      return o;
    }
    o.folded = level >= depth_ && !is_open_[index];
    cut_ = cut_ || o.folded;
    if (has_parts_[index] || (level >= depth_ && is_open_[index])) {
      o.same_as = id_of(index);
      return o;
    }
    has_parts_[index] = true;
    o.name = id_of(index);
    o.detail = "= " + n.formula;
    o.parts = parts_of(n, level);
    return o;
  }

  std::vector<Outline> parts_of(const ExplainedNode& n, std::size_t level) {
    std::vector<Outline> parts;
    for (std::size_t i = 0; i < n.children.size(); ++i) {
      const ExplainedNode& child = e_.nodes[n.children[i]];
      int namesakes = 1;
      for (std::size_t j = 0; j < i; ++j) namesakes += e_.nodes[n.children[j]].name == child.name;
      const std::string number = namesakes == 1 ? "" : " #" + std::to_string(namesakes);
      parts.push_back(part(n.children[i], level + 1, child.name + number, value_text(child)));
    }
    return parts;
  }

  static std::string id_of(std::size_t index) { return "part-" + std::to_string(index); }

  const Explanation& e_;
  std::size_t depth_;
  std::vector<bool> is_open_;
  std::vector<bool> has_parts_;
  bool cut_ = false;
};

bool counts_cached_blocks(const Metric& metric, const Run& run, const Answer& a) {
  Answer without = a;
  const Bytes kept = a.memory.peak - a.memory.needed;
  without.memory[MemoryLine::fragmentation] = a.memory[MemoryLine::fragmentation] - kept;
  without.memory.peak = a.memory.needed;
  without.memory.reserved = a.memory.reserved - kept;
  return metric.value({run, a}) != metric.value({run, without});
}

// The note for a number that counts the cached blocks of a full device: it is no prediction.
std::string filled_note(const Metric& metric, const Run& run) {
  const Answer a = estimate(run);
  if (!is_filled_by_cache(a.memory) || !counts_cached_blocks(metric, run, a)) return "";
  return "the device is full: " + filled_words(a.memory);
}

}  // namespace

RecordedMetric record(const Run& run, const Metric& metric) {
  RecordedMetric m;
  const Recording recording(m.tape);
  WorkspaceOf<Traced> workspace;
  const AnswerOf<Traced> answer = estimate<Traced>(run, workspace);
  m.value = metric.traced({run, answer});
  return m;
}

namespace {

// `source_of`: of an input by its labels, one for each part of the run that has it alike.
template <class SourceOf>
Explanation expanded(RecordedMetric recorded, const Metric& metric, SourceOf&& source_of) {
  const std::int32_t root = root_of(recorded);
  FormulaGraph graph(recorded.tape);
  graph.add_root(root, std::string(metric.key));
  Explanation e;
  e.metric = metric.key;
  e.unit = metric.unit;
  e.meaning = metric.meaning;
  e.value = recorded.value.value;
  const std::vector<std::vector<Label>> labels = graph.labels();
  e.nodes = graph.take();
  for (std::size_t i = 0; i < e.nodes.size(); ++i) {
    if (e.nodes[i].formula.empty()) e.nodes[i].source = source_of(labels[i]);
  }
  return e;
}

}  // namespace

Explanation explain(const ResolvedRun& r, const Metric& metric) {
  Explanation e = expanded(record(r.run, metric), metric, [&r](const std::vector<Label>& labels) {
    return input_source(r, labels.empty() ? Label{} : labels.front());
  });
  e.note = filled_note(metric, r.run);
  return e;
}

namespace {

// Hardware and framework are those of a kind of node, all else is the run's.
bool is_of_kind(const Label& label) {
  const std::string_view name = label.name;
  return name.starts_with("device.") || name.starts_with("cluster.") ||
         name.starts_with("framework.");
}

// True where the network of the kind is slowed to a link at this tier.
bool is_slowed(const MixedReport& r, const RecordedPlace& place, const Label& label) {
  const std::string_view name = label.name;
  const bool of_rate = name == "cluster.tiers.bandwidth";
  if (!place.beside || (!of_rate && name != "cluster.tiers.latency")) return false;
  const std::size_t other = *place.beside;
  const auto i = static_cast<std::size_t>(label.index);
  const Tier& own = r.resolved.run.kinds[place.kind].cluster.tiers[i];
  const Tier& slowed = run_beside(r.resolved.run, place.kind, {&other, 1}).cluster.tiers[i];
  return of_rate ? slowed.bandwidth < own.bandwidth : slowed.latency > own.latency;
}

std::string mixed_source(const MixedReport& r, const Label& label) {
  if (!is_of_kind(label) || label.part < 0) return input_source(r.whole.resolved, label);
  const RecordedPlace place = place_of_part(r.resolved.run, label.part);
  const std::string& name = r.resolved.names[place.kind];
  if (is_slowed(r, place, label)) {
    return name + " – " + r.resolved.names[*place.beside] + ": " +
           run_source(r.whole.resolved, key_path<&ClusterRequest::links>);
  }
  return name + ": " + input_source(r.resolved.kinds[place.kind], label);
}

std::string mixed_source(const MixedReport& r, const std::vector<Label>& labels) {
  if (labels.empty()) return mixed_source(r, Label{});
  std::vector<std::string> sources;
  for (const Label& label : labels) {
    std::string source = mixed_source(r, label);
    if (std::find(sources.begin(), sources.end(), source) == sources.end()) {
      sources.push_back(std::move(source));
    }
  }
  return joined(sources, "; ");
}

}  // namespace

Explanation explain(const MixedReport& r, const Metric& metric) {
  RecordedMetric m;
  {
    const Recording recording(m.tape);
    MixedWorkspaceOf<Traced> workspace;
    const MixedAnswerOf<Traced> answer = estimate_mixed<Traced>(r.resolved.run, workspace);
    m.value = metric.traced({r.whole.resolved.run, answer.answer});
  }
  Explanation e = expanded(std::move(m), metric, [&r](const std::vector<Label>& labels) {
    return mixed_source(r, labels);
  });
  e.note =
      "several kinds of node: inputs of hardware are of the kind that their term is of (stage " +
      std::to_string(r.answer.answer.busy_stage) + " on " + r.resolved.names[r.answer.busy_kind] +
      " is the busiest)";
  return e;
}

AnswerDocument explain_document(const ResolvedRun& r, const Explanation& e, std::size_t depth) {
  AnswerDocument d{e.metric, {}, Table(), ""};
  const std::string rests_on = calibration_line(r);
  if (!rests_on.empty()) d.add({"", {Paragraph{rests_on}}});
  d.add({"", {Paragraph{e.metric + ": " + e.meaning}}});
  if (!e.note.empty()) d.add({"", {Paragraph{e.note}}});
  Tree tree(e, depth);
  d.add({"", {tree.outline()}});
  if (tree.is_cut()) {
    d.add({"", {Paragraph{"… hides what lies deeper than --depth " + std::to_string(depth)}}});
  }
  return d;
}

Json explain_json(const Explanation& e) {
  Json j = {{"metric", e.metric}, {"unit", e.unit}, {"meaning", e.meaning}, {"value", e.value}};
  if (!e.note.empty()) j["note"] = e.note;
  j["root"] = e.nodes.size() - 1;
  j["nodes"] = Json::array();
  for (std::size_t i = 0; i < e.nodes.size(); ++i) {
    const ExplainedNode& n = e.nodes[i];
    Json node = {{"id", i}, {"name", n.name}, {"value", n.value}};
    node["unit"] = i + 1 == e.nodes.size() ? e.unit : unit_of(n);
    if (!n.formula.empty()) node["formula"] = n.formula;
    if (!n.children.empty()) node["children"] = n.children;
    if (!n.source.empty()) node["source"] = n.source;
    j["nodes"].push_back(std::move(node));
  }
  return j;
}

}  // namespace orrery
