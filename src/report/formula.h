// SPDX-License-Identifier: Apache-2.0
//
// A recorded expression as text and a graph of named values. Equal values with equal formulas
// become one node.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/traced.h"
#include "report/explain.h"

namespace orrery {

struct ResolvedRun;

class FormulaGraph {
 public:
  explicit FormulaGraph(const Tape& tape) : tape_(tape) {}

  // Adds the value at tape node `n` under a name of its own; its index.
  std::size_t add_root(std::int32_t n, const std::string& name);

  std::vector<ExplainedNode> take() { return std::move(nodes_); }
  // By node; several where parts of a run have it alike (core/traced.h).
  const std::vector<std::vector<Label>>& labels() const { return labels_; }

 private:
  struct Text {
    std::string text;
    int binding = 0;  // how tightly its outermost operator binds
  };
  // One formula: whose it is, and what it speaks of.
  struct Scope {
    std::string owner;
    std::vector<std::size_t> children;
  };

  const Node& at(std::int32_t n) const { return tape_.nodes[static_cast<std::size_t>(n)]; }
  std::size_t named_node(std::int32_t n);
  std::size_t part_node(std::int32_t n, const std::string& owner);
  Dimension dimension_of(std::int32_t n) const;
  bool is_zero(std::int32_t n) const;
  std::size_t intern(ExplainedNode node, const Label& label);
  Text text_of(std::int32_t n, Scope& scope);
  Text whole_text(std::int32_t n, Scope& scope);
  Text reference(std::size_t node, Scope& scope);
  Text sum_text(std::int32_t n, Scope& scope);
  Text binary_text(const Node& node, Scope& scope);
  void add_terms(std::int32_t n, Scope& scope, std::vector<std::pair<std::string, int>>& terms);

  const Tape& tape_;
  std::vector<ExplainedNode> nodes_;
  std::vector<std::vector<Label>> labels_;
  std::map<std::int32_t, std::size_t> of_tape_;
  std::map<std::string, std::size_t> of_content_;
};

// The origin of a key of the run; and of an input by its label, whatever document it stands in.
std::string run_source(const ResolvedRun& r, const std::string& path);
std::string input_source(const ResolvedRun& r, const Label& label);

}  // namespace orrery
