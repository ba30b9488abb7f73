// SPDX-License-Identifier: Apache-2.0
#include "validate/accuracy_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/json.h"
#include "core/key_access.h"
#include "document/words.h"
#include "estimate/run_keys.h"
#include "validate/summary.h"

namespace orrery {
namespace {

constexpr double kHeld = 0.8;  // of sources' rows, by an interval
// Weight of all sources of wider cells together: so many that no source alone sets an 80 %
// quantile.
constexpr double kWiderWeight = 4;

// Rows of which 80 % are no matter of one or two.
constexpr std::int64_t kEnoughRows = 20;

struct Weighted {
  double value;
  double weight;
};

bool is_known(const StackKind& k) { return !k.framework.empty(); }

using BySource = std::map<std::string, std::vector<double>>;  // |ln(measured/predicted)|

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

// The rows that a cell takes.
struct Asked {
  bool known = false;
  StackKind of;
};

// Cells of one quantity, the most particular first.
class Cells {
 public:
  explicit Cells(const std::vector<Residual>& residuals) : all_(residuals) {}

  std::vector<AccuracyCell> take() {
    for (const bool experts : {false, true}) add_all(experts);
    widen();
    std::stable_sort(cells_.begin(), cells_.end(),
                     [](const AccuracyCell& a, const AccuracyCell& b) {
                       return keys_given(a.of) > keys_given(b.of);
                     });
    return std::move(cells_);
  }

 private:
  // Framework before class, each with its generation first.
  static int keys_given(const StackKind& k) {
    return (is_known(k) ? 4 : 0) + (k.stack_class.empty() ? 0 : 2) + (k.generation.empty() ? 0 : 1);
  }

  void add_all(bool experts) {
    const Asked any{false, {"", "", "", experts}}, any_known{true, {"", "", "", experts}};
    const std::set<std::string> generations = seen(&StackKind::generation);
    add({any});
    for (const std::string& g : generations) add({{false, {"", "", g, experts}}, any});
    for (const std::string& c : seen(&StackKind::stack_class)) {
      const Asked of_class{false, {"", c, "", experts}};
      add({of_class, any});
      for (const std::string& g : generations) add({{false, {"", c, g, experts}}, of_class, any});
    }
    for (const std::string& f : seen(&StackKind::framework)) {
      if (f.empty()) continue;
      const Asked of_framework{true, {f, "", "", experts}};
      add({of_framework, any_known, any});
      for (const std::string& g : generations) {
        add({{true, {f, "", g, experts}}, of_framework, any_known, any});
      }
    }
  }

  std::set<std::string> seen(std::string StackKind::*what) const {
    std::set<std::string> out;
    for (const Residual& r : all_) out.insert(r.of.*what);
    return out;
  }

  BySource asked(const Asked& a) const {
    BySource out;
    for (const Residual& r : all_) {
      if (is_known(r.of) == a.known && covers(a.of, r.of)) out[r.source].push_back(std::abs(r.log));
    }
    return out;
  }

  std::int64_t most_gpus(const Asked& a) const {
    std::int64_t most = 0;
    for (const Residual& r : all_) {
      if (is_known(r.of) == a.known && covers(a.of, r.of)) most = std::max(most, r.gpus);
    }
    return most;
  }

  static void weigh(const BySource& sources, double each, std::vector<Weighted>& out) {
    for (const auto& [source, values] : sources) {
      for (const double v : values) out.push_back({v, each / static_cast<double>(values.size())});
    }
  }

  // The cell's own sources, one each; then those that wider ones add, the nearest first, also one
  // each while there is weight left.
  std::vector<Weighted> mixture(const std::vector<Asked>& ladder) const {
    BySource taken = asked(ladder.front());
    std::vector<Weighted> out;
    weigh(taken, 1, out);
    double left = kWiderWeight;
    for (std::size_t i = 1; i < ladder.size() && left > 0; ++i) {
      BySource added = asked(ladder[i]);
      for (const auto& [source, values] : taken) added.erase(source);
      if (added.empty()) continue;
      const auto n = static_cast<double>(added.size());
      weigh(added, std::min(1.0, left / n), out);
      left -= std::min(left, n);
      taken.merge(added);
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
    return out;
  }

  // Each row weighs one.
  static std::vector<Weighted> rows_of(const BySource& sources) {
    std::vector<Weighted> out;
    for (const auto& [source, values] : sources) {
      for (const double v : values) out.push_back({v, 1});
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
    return out;
  }

  // The first of the ladder is the cell, the others wider ones; below a mixture of experts stand
  // dense models. None where it has no row.
  void add(std::vector<Asked> ladder) {
    const BySource own = asked(ladder.front());
    if (own.empty()) return;
    if (ladder.front().of.mixture) ladder.push_back({false, {}});
    AccuracyCell c;
    c.of = ladder.front().of;
    c.sources = static_cast<std::int64_t>(own.size());
    for (const auto& [source, values] : own) c.rows += static_cast<std::int64_t>(values.size());
    c.gpus = most_gpus(ladder.front());
    // The widest has nobody to stand for the source not seen: the conformal quantile.
    const double level =
        ladder.size() > 1 ? kHeld : kHeld * (1 + 1 / static_cast<double>(c.sources));
    double wide = weighted_quantile(mixture(ladder), std::min(1.0, level));
    if (c.rows >= kEnoughRows) wide = std::max(wide, weighted_quantile(rows_of(own), kHeld));
    c.low = std::exp(-wide);
    c.high = std::exp(wide);
    cells_.push_back(c);
  }

  // The kinds of stack that a known framework's rows are of.
  bool is_of_class(const std::string& framework, const std::string& stack_class) const {
    return std::any_of(all_.begin(), all_.end(), [&](const Residual& r) {
      return r.of.framework == framework && r.of.stack_class == stack_class;
    });
  }

  bool knows_less(const StackKind& less, const StackKind& more) const {
    if (more.mixture && !less.mixture) return false;
    if (!less.generation.empty() && less.generation != more.generation) return false;
    if (is_known(less)) return less.framework == more.framework;
    if (less.stack_class.empty()) return true;
    return is_known(more) ? is_of_class(more.framework, less.stack_class)
                          : less.stack_class == more.stack_class;
  }

  void widen() {
    std::vector<AccuracyCell> out = cells_;
    for (AccuracyCell& c : out) {
      for (const AccuracyCell& other : cells_) {
        if (!knows_less(c.of, other.of)) continue;
        c.low = std::min(c.low, other.low);
        c.high = std::max(c.high, other.high);
      }
    }
    cells_ = std::move(out);
  }

  const std::vector<Residual>& all_;
  std::vector<AccuracyCell> cells_;
};

// Between stacks, and inside one: root mean square of medians, and what 80 % of rows keep, a source
// counting once: as a known stack where it is one.
void fill_spreads(const std::vector<Residual>& residuals, Accuracy& out) {
  std::map<std::string, std::vector<double>> stacks;
  for (const Residual& r : residuals) {
    if (is_known(r.of)) stacks[r.source].push_back(r.log);
  }
  std::map<std::string, std::vector<double>> unknown;
  for (const Residual& r : residuals) {
    if (!is_known(r.of)) unknown[r.source].push_back(r.log);
  }
  stacks.merge(unknown);
  double squares = 0;
  std::vector<Weighted> inside;
  for (const auto& [stack, logs] : stacks) {
    const double middle = interpolated_quantile(logs, 0.5);
    squares += middle * middle / static_cast<double>(stacks.size());
    for (const double x : logs) {
      inside.push_back({std::abs(x - middle), 1 / static_cast<double>(logs.size())});
    }
  }
  if (inside.empty()) return;
  std::stable_sort(inside.begin(), inside.end(),
                   [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  out.stack_spread = std::max(std::sqrt(squares), 1e-3);
  out.noise = std::max(weighted_quantile(inside, kHeld) / kNormal80, 1e-3);
}

using ByGpus = std::map<std::int64_t, std::vector<double>>;

// Squares of what ln(measured/predicted) changes by from one number of GPUs to the next of a
// series, each over the doublings between them.
std::vector<double> walks_of(const ByGpus& series) {
  std::vector<double> out;
  for (auto next = series.begin(), at = next++; next != series.end(); at = next++) {
    const double doublings =
        std::log2(static_cast<double>(next->first) / static_cast<double>(at->first));
    const double change =
        interpolated_quantile(next->second, 0.5) - interpolated_quantile(at->second, 0.5);
    out.push_back(change * change / doublings);
  }
  return out;
}

// Median over sources of a source's root mean square.
double scale_spread_of(const std::vector<Residual>& residuals) {
  std::map<std::string, std::map<std::string, ByGpus>> sources;
  for (const Residual& r : residuals) {
    const std::string name = (is_known(r.of) ? "" : "unknown, ") + r.series;
    if (r.gpus > 0) sources[r.source][name][r.gpus].push_back(r.log);
  }
  std::vector<double> spreads;
  for (const auto& [source, all] : sources) {
    double sum = 0;
    std::size_t n = 0;
    for (const auto& [name, series] : all) {
      if (series.size() < 2) continue;
      const std::vector<double> walks = walks_of(series);
      sum = std::accumulate(walks.begin(), walks.end(), sum);
      n += walks.size();
    }
    if (n > 0) spreads.push_back(std::sqrt(sum / static_cast<double>(n)));
  }
  return spreads.empty() ? 0 : interpolated_quantile(spreads, 0.5);
}

std::string rounded(double x) { return fixed(x, 4); }

std::string cells_json(const std::vector<AccuracyCell>& cells) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const AccuracyCell& c = cells[i];
    Json j = Json::object();
    if (!c.of.framework.empty()) j["framework"] = c.of.framework;
    if (!c.of.stack_class.empty()) j["class"] = c.of.stack_class;
    if (!c.of.generation.empty()) j["generation"] = c.of.generation;
    if (c.of.mixture) j["mixture"] = true;
    j["rows"] = c.rows;
    j["sources"] = c.sources;
    std::string line = j.dump();
    line.pop_back();
    text += "    " + line + ",\"low\":" + rounded(c.low) + ",\"high\":" + rounded(c.high) +
            (c.gpus > 0 ? ",\"gpus\":" + std::to_string(c.gpus) : "") + "}" +
            (i + 1 < cells.size() ? ",\n" : "\n");
  }
  return text;
}

Residual residual(const JudgedRow& r, Protocol protocol, double log_ratio) {
  StackKind of = stack_kind(r.run);
  of.framework = protocol == Protocol::known_stack ? r.framework : "";
  return {of, r.row.source.team, -log_ratio, r.gpus, series_of(r)};
}

}  // namespace

std::string series_of(const JudgedRow& r) {
  return r.row.source.group + ", " + r.framework + ", " + r.node + ", " +
         r.row.run->at(std::string(key_name<&RunRequest::model>)).dump() + ", " +
         std::string(name_of(r.run.training.precision));
}

Residual time_residual(const JudgedRow& r, Protocol protocol) {
  return residual(r, protocol, std::log1p(*time_error(r)));
}

Residual memory_residual(const JudgedRow& r, Protocol protocol) {
  Residual out = residual(r, protocol, std::log1p(*memory_error(r)));
  out.gpus = 0;  // memory of a rank does not grow with them
  return out;
}

Accuracy accuracy_from(const Residuals& residuals) {
  Accuracy out;
  fill_spreads(residuals.time, out);
  out.scale_spread = scale_spread_of(residuals.time);
  out.cells = Cells(residuals.time).take();
  out.memory = Cells(residuals.memory).take();
  return out;
}

std::string accuracy_json(const Accuracy& table) {
  const Json source = {{"kind", "fitted"},
                       {"on", Json::array({"validation/runs"})},
                       {"source",
                        "orrery validate --cross --write-accuracy: ln(measured/predicted) "
                        "of published runs whose team was left out of the fit"}};
  return "{\n  \"source\": " + source.dump() +
         ",\n  \"stack_spread\": " + rounded(table.stack_spread) +
         ",\n  \"noise\": " + rounded(table.noise) +
         ",\n  \"scale_spread\": " + rounded(table.scale_spread) + ",\n  \"cells\": [\n" +
         cells_json(table.cells) + "  ],\n  \"memory\": [\n" + cells_json(table.memory) +
         "  ]\n}\n";
}

}  // namespace orrery
