// SPDX-License-Identifier: Apache-2.0
#include "validate/accuracy_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/json.h"
#include "document/words.h"
#include "validate/summary.h"

namespace orrery {
namespace {

constexpr double kNormal80 = 1.2816;
constexpr double kWiderWeight = 5;  // of the wider cell in the mixture: as 25 rows of one source

struct Range {
  std::int64_t above;
  std::int64_t up_to;
};
constexpr std::array<Range, 3> kRanges = {{{0, 64}, {64, 512}, {512, 0}}};

struct Weighted {
  double value;
  double weight;
};

using Members = std::vector<const Residual*>;

bool takes(const AccuracyCell& c, const Residual& r) {
  return (c.framework.empty() || c.framework == r.framework) &&
         (c.generation.empty() || c.generation == r.generation) && r.gpus > c.above &&
         (c.up_to == 0 || r.gpus <= c.up_to);
}

Members members_of(const AccuracyCell& c, const std::vector<Residual>& all) {
  Members out;
  for (const Residual& r : all) {
    if (takes(c, r)) out.push_back(&r);
  }
  return out;
}

std::vector<Weighted> mixture(const Members& members, const std::vector<Weighted>& wider) {
  std::map<std::string, double> rows;
  for (const Residual* r : members) rows[r->source] += 1;
  std::vector<Weighted> out;
  for (const Residual* r : members) {
    out.push_back({std::abs(r->log), 1 / std::sqrt(rows[r->source])});
  }
  double sum = 0;
  for (const Weighted& w : wider) sum += w.weight;
  for (const Weighted& w : wider) out.push_back({w.value, w.weight / sum * kWiderWeight});
  std::stable_sort(out.begin(), out.end(),
                   [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  return out;
}

// A weighted quantile of sorted values; each value stands at the middle of its weight.
double weighted_quantile(const std::vector<Weighted>& sorted, double q) {
  double sum = 0;
  for (const Weighted& w : sorted) sum += w.weight;
  double passed = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double middle = passed + sorted[i].weight / 2;
    if (middle >= q * sum) {
      if (i == 0) return sorted[0].value;
      const double before = passed - sorted[i - 1].weight / 2;
      const double part = (q * sum - before) / (middle - before);
      return sorted[i - 1].value + part * (sorted[i].value - sorted[i - 1].value);
    }
    passed += sorted[i].weight;
  }
  return sorted.back().value;
}

class AccuracyTable {
 public:
  explicit AccuracyTable(const std::vector<Residual>& residuals) : all_(residuals) {}

  std::vector<AccuracyCell> cells() {
    const std::vector<Weighted> any = mixture(members_of({}, all_), {});
    for (const auto& [framework, generation] : stacks()) add_stack(framework, generation, any);
    for (const auto& [framework, unused] : seen(&Residual::framework)) {
      add({framework, "", 0, 0}, any);
    }
    for (const auto& [generation, unused] : seen(&Residual::generation)) {
      add({"", generation, 0, 0}, any);
    }
    add({}, {});
    return std::move(cells_);
  }

 private:
  std::set<std::pair<std::string, std::string>> stacks() const {
    std::set<std::pair<std::string, std::string>> out;
    for (const Residual& r : all_) out.insert({r.framework, r.generation});
    return out;
  }

  std::map<std::string, int> seen(std::string Residual::*what) const {
    std::map<std::string, int> out;
    for (const Residual& r : all_) out[r.*what] = 1;
    return out;
  }

  void add_stack(const std::string& framework, const std::string& generation,
                 const std::vector<Weighted>& any) {
    const AccuracyCell both{framework, generation, 0, 0};
    const std::vector<Weighted> wider = mixture(members_of(both, all_), any);
    for (const Range& range : kRanges) {
      add({framework, generation, range.above, range.up_to}, wider);
    }
    add(both, any);
  }

  void add(AccuracyCell c, const std::vector<Weighted>& wider) {
    const Members members = members_of(c, all_);
    if (members.empty()) return;
    const std::vector<Weighted> values = mixture(members, wider);
    std::set<std::string> sources;
    for (const Residual* r : members) sources.insert(r->source);
    c.rows = static_cast<std::int64_t>(members.size());
    c.sources = static_cast<std::int64_t>(sources.size());
    const double wide = weighted_quantile(values, 0.8);
    c.low = std::exp(-wide);
    c.high = std::exp(wide);
    cells_.push_back(c);
  }

  const std::vector<Residual>& all_;
  std::vector<AccuracyCell> cells_;
};

// Between stacks, and inside one: root mean square of medians, and what 80 % of rows keep.
void fill_spreads(const std::vector<Residual>& residuals, Accuracy& out) {
  std::map<std::string, std::vector<double>> stacks;
  for (const Residual& r : residuals) stacks[r.source + ", " + r.framework].push_back(r.log);
  double squares = 0;
  std::vector<double> inside;
  for (const auto& [stack, logs] : stacks) {
    const double middle = quantile(logs, 0.5);
    squares += middle * middle / static_cast<double>(stacks.size());
    for (const double x : logs) inside.push_back(std::abs(x - middle));
  }
  out.stack_spread = std::max(std::sqrt(squares), 1e-3);
  out.noise = std::max(quantile(inside, 0.8) / kNormal80, 1e-3);
}

std::string rounded(double x) { return fixed(x, 4); }

}  // namespace

Residual residual_of(const JudgedRow& r, double log_ratio) {
  const Device& d = r.run.cluster.device;
  return {std::string(r.run.framework.name.view()), std::string(name_of(d.generation)),
          r.row.source.group, r.gpus, -log_ratio};
}

Accuracy accuracy_from(const std::vector<Residual>& residuals) {
  Accuracy out;
  if (residuals.empty()) return out;
  fill_spreads(residuals, out);
  out.cells = AccuracyTable(residuals).cells();
  return out;
}

std::string accuracy_json(const Accuracy& table) {
  const Json source = {{"kind", "fitted"},
                       {"on", Json::array({"validation/runs"})},
                       {"source",
                        "orrery validate --cross --write-accuracy: ln(measured/predicted) "
                        "of published runs whose source was left out of the fit"}};
  std::string text = "{\n  \"source\": " + source.dump() +
                     ",\n  \"stack_spread\": " + rounded(table.stack_spread) +
                     ",\n  \"noise\": " + rounded(table.noise) + ",\n  \"cells\": [\n";
  for (std::size_t i = 0; i < table.cells.size(); ++i) {
    const AccuracyCell& c = table.cells[i];
    Json j = Json::object();
    if (!c.framework.empty()) j["framework"] = c.framework;
    if (!c.generation.empty()) j["generation"] = c.generation;
    if (c.above > 0) j["above"] = c.above;
    if (c.up_to > 0) j["up_to"] = c.up_to;
    j["rows"] = c.rows;
    j["sources"] = c.sources;
    std::string line = j.dump();
    line.pop_back();
    text += "    " + line + ",\"low\":" + rounded(c.low) + ",\"high\":" + rounded(c.high) + "}" +
            (i + 1 < table.cells.size() ? ",\n" : "\n");
  }
  return text + "  ]\n}\n";
}

}  // namespace orrery
