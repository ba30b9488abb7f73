// SPDX-License-Identifier: Apache-2.0
#include "report/formula.h"

#include <algorithm>
#include <cstring>

#include "core/provenance.h"
#include "core/units.h"
#include "estimate/origins.h"
#include "estimate/resolve.h"
#include "parallel/framework_kernel_keys.h"

namespace orrery {
namespace {

// A part longer than this gets a line of its own.
constexpr std::size_t kLongestPart = 240;

enum Binding : int { kSum = 1, kProduct = 2, kAtom = 3 };

std::string parenthesised(const std::string& text) { return "(" + text + ")"; }

bool is_named(const Node& n) { return n.kind == NodeKind::name || n.kind == NodeKind::input; }

std::string display_name(const Label& label) {
  std::string name = label.name;
  if (label.index >= 0) name += " [" + std::to_string(label.index) + "]";
  return name;
}

std::string content_of(const ExplainedNode& n) {
  std::string key = n.name + "\n" + n.formula + "\n";
  char bits[sizeof(double)];
  std::memcpy(bits, &n.value, sizeof bits);
  key.append(bits, sizeof bits);
  for (const std::size_t child : n.children) key += "," + std::to_string(child);
  return key;
}

// "cluster.tiers.bandwidth" [1] is tiers.1.bandwidth of the node.
std::string hardware_path(const Label& label) {
  const std::string name = label.name;
  const std::string tiers = "cluster.tiers.";
  if (!name.starts_with(tiers) || label.index < 0) return name;
  return "tiers." + std::to_string(label.index) + "." + name.substr(tiers.size());
}

std::string from_hardware(const ResolvedRun& r, const Label& label) {
  const std::string path = hardware_path(label);
  if (path == "cluster.gpus") return r.file;
  const std::string source = source_text(source_of(r.cluster, path));
  const bool device = path.starts_with("device.");
  const std::string document(device ? r.run.cluster.device.name.view() : r.run.cluster.node.view());
  return source.empty() ? document : document + ": " + source;
}

std::string from_framework(const ResolvedRun& r, const std::string& key) {
  const std::string name(r.run.framework.name.view());
  if (r.stack && key == key_path<&FrameworkLevel::factor>)
    return "the steps that were observed (`stack`)";
  const std::string source = source_text(document_source(*r.framework.document, key));
  return source.empty() ? name : name + ": " + source;
}

}  // namespace

std::size_t FormulaGraph::intern(ExplainedNode node, const Label& label) {
  const auto [at, is_new] = of_content_.emplace(content_of(node), nodes_.size());
  if (is_new) {
    nodes_.push_back(std::move(node));
    labels_.emplace_back();
  }
  std::vector<Label>& labels = labels_[at->second];
  const bool known = std::any_of(labels.begin(), labels.end(),
                                 [&](const Label& l) { return l.part == label.part; });
  if (!known) labels.push_back(label);
  return at->second;
}

std::size_t FormulaGraph::add_root(std::int32_t n, const std::string& name) {
  ExplainedNode node;
  node.name = name;
  node.value = at(n).value;
  Scope scope{name, {}};
  // A root that carries the name itself is not said twice.
  const bool twice = at(n).kind == NodeKind::name && name == at(n).label.name;
  node.formula = whole_text(twice ? at(n).left : n, scope).text;
  node.children = scope.children;
  nodes_.push_back(std::move(node));
  labels_.emplace_back();
  return nodes_.size() - 1;
}

std::size_t FormulaGraph::named_node(std::int32_t n) {
  if (const auto known = of_tape_.find(n); known != of_tape_.end()) return known->second;
  const Node& recorded = at(n);
  ExplainedNode node;
  node.name = display_name(recorded.label);
  node.value = recorded.value;
  node.dimension = recorded.dimension;
  if (recorded.kind == NodeKind::name) {
    Scope scope{node.name, {}};
    node.formula = whole_text(recorded.left, scope).text;
    node.children = scope.children;
  }
  return of_tape_[n] = intern(std::move(node), recorded.label);
}

std::size_t FormulaGraph::part_node(std::int32_t n, const std::string& owner) {
  if (const auto known = of_tape_.find(n); known != of_tape_.end()) return known->second;
  const std::string prefix = "part of ";
  ExplainedNode node;
  node.name = owner.starts_with(prefix) ? owner : prefix + owner;
  node.value = at(n).value;
  node.dimension = dimension_of(n);
  Scope scope{node.name, {}};
  node.formula = whole_text(n, scope).text;
  node.children = scope.children;
  return of_tape_[n] = intern(std::move(node), {});
}

// The dimension, from the names below; a number without a name is taken for a pure number.
Dimension FormulaGraph::dimension_of(std::int32_t n) const {
  const Node& node = at(n);
  if (is_named(node)) return node.dimension;
  if (node.left < 0) return kNone;
  const Dimension left = dimension_of(node.left);
  if (node.right < 0) return left;
  const Dimension right = dimension_of(node.right);
  if (node.kind == NodeKind::multiply) return left + right;
  if (node.kind == NodeKind::divide) return left - right;
  return left == kNone ? right : left;
}

// Zero because a factor is: there is nothing to explain.
bool FormulaGraph::is_zero(std::int32_t n) const {
  const Node& node = at(n);
  if (node.value != 0) return false;
  switch (node.kind) {
    case NodeKind::literal:
      return true;
    case NodeKind::multiply:
      return is_zero(node.left) || is_zero(node.right);
    case NodeKind::divide:
      return is_zero(node.left);
    case NodeKind::add:
      return is_zero(node.left) && is_zero(node.right);
    case NodeKind::input:
    case NodeKind::name:
    case NodeKind::subtract:
    case NodeKind::maximum:
    case NodeKind::minimum:
    case NodeKind::square_root:
    case NodeKind::power:
      break;
  }
  return false;
}

// Two children of one name are told apart by a number.
FormulaGraph::Text FormulaGraph::reference(std::size_t node, Scope& scope) {
  int namesakes = 0;
  for (const std::size_t child : scope.children) {
    if (child == node) break;
    if (nodes_[child].name == nodes_[node].name) ++namesakes;
  }
  if (std::find(scope.children.begin(), scope.children.end(), node) == scope.children.end()) {
    scope.children.push_back(node);
  }
  const std::string number = namesakes == 0 ? "" : " #" + std::to_string(namesakes + 1);
  return {nodes_[node].name + number, kAtom};
}

FormulaGraph::Text FormulaGraph::text_of(std::int32_t n, Scope& scope) {
  const Node& node = at(n);
  if (is_named(node)) return reference(named_node(n), scope);
  if (of_tape_.count(n) != 0) return reference(of_tape_[n], scope);
  const Scope before = scope;
  Text text = whole_text(n, scope);
  if (text.text.size() <= kLongestPart) return text;
  scope = before;
  return reference(part_node(n, scope.owner), scope);
}

FormulaGraph::Text FormulaGraph::whole_text(std::int32_t n, Scope& scope) {
  const Node& node = at(n);
  if (is_zero(n)) return {"0", kAtom};
  switch (node.kind) {
    case NodeKind::literal:
      return {node.value == kGiB.si() ? "2³⁰" : plain_number(node.value), kAtom};
    case NodeKind::input:
    case NodeKind::name:
      return reference(named_node(n), scope);
    case NodeKind::add:
      return sum_text(n, scope);
    case NodeKind::square_root:
      return {"√(" + text_of(node.left, scope).text + ")", kAtom};
    case NodeKind::subtract:
    case NodeKind::multiply:
    case NodeKind::divide:
    case NodeKind::maximum:
    case NodeKind::minimum:
    case NodeKind::power:
      break;
  }
  return binary_text(node, scope);
}

FormulaGraph::Text FormulaGraph::binary_text(const Node& node, Scope& scope) {
  const Text a = text_of(node.left, scope);
  const Text b = text_of(node.right, scope);
  const auto within = [](const Text& t, int least) {
    return t.binding < least ? parenthesised(t.text) : t.text;
  };
  switch (node.kind) {
    case NodeKind::subtract:
      return {a.text + " − " + within(b, kProduct), kSum};
    case NodeKind::multiply:
      return {within(a, kProduct) + " × " + within(b, kProduct), kProduct};
    case NodeKind::divide:
      return {within(a, kProduct) + " / " + within(b, kAtom), kProduct};
    case NodeKind::maximum:
      return {"max(" + a.text + ", " + b.text + ")", kAtom};
    case NodeKind::minimum:
      return {"min(" + a.text + ", " + b.text + ")", kAtom};
    case NodeKind::power:
      return {within(a, kAtom) + "^" + within(b, kAtom), kAtom};
    case NodeKind::literal:
    case NodeKind::input:
    case NodeKind::name:
    case NodeKind::add:
    case NodeKind::square_root:
      break;  // whole_text() writes them
  }
  return {};
}

void FormulaGraph::add_terms(std::int32_t n, Scope& scope,
                             std::vector<std::pair<std::string, int>>& terms) {
  const Node& node = at(n);
  if (node.kind == NodeKind::add && of_tape_.count(n) == 0) {
    add_terms(node.left, scope, terms);
    add_terms(node.right, scope, terms);
    return;
  }
  if (is_zero(n)) return;
  const Text t = text_of(n, scope);
  const auto same = std::find_if(terms.begin(), terms.end(),
                                 [&](const auto& term) { return term.first == t.text; });
  if (same != terms.end()) {
    ++same->second;
  } else {
    terms.emplace_back(t.text, 1);
  }
}

// Equal terms are counted: 3 × x for x + x + x.
FormulaGraph::Text FormulaGraph::sum_text(std::int32_t n, Scope& scope) {
  std::vector<std::pair<std::string, int>> terms;
  add_terms(at(n).left, scope, terms);
  add_terms(at(n).right, scope, terms);
  std::string text;
  for (const auto& [term, times] : terms) {
    text += text.empty() ? "" : " + ";
    text += times == 1 ? term : std::to_string(times) + " × " + parenthesised(term);
  }
  return {text, terms.size() == 1 ? kProduct : kSum};
}

std::string run_source(const ResolvedRun& r, const std::string& path) {
  const Fact* fact = origin_of(r, path);
  if (fact != nullptr && fact->known != Known::stated) return origin_words(*fact);
  if (path == "training.states.weights" || path == "training.states.gradients" ||
      path == "training.states.optimizer") {
    const NamedRecipe* recipe = find_recipe(r.states_name);
    if (recipe != nullptr) return std::string(recipe->source);
  }
  return fact == nullptr ? r.file : fact->where;
}

std::string input_source(const ResolvedRun& r, const Label& label) {
  const std::string name = label.name;
  if (name.starts_with("device.") || name.starts_with("cluster.")) return from_hardware(r, label);
  if (name.starts_with("framework.")) return from_framework(r, name.substr(10));
  if (name.starts_with("training.") || name.starts_with("parallel.")) return run_source(r, name);
  if (name.starts_with("model.")) return "model " + r.model_name;
  if (label.source != nullptr && *label.source != '\0') return label.source;
  return "model and strategy";
}

}  // namespace orrery
