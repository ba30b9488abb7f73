// SPDX-License-Identifier: Apache-2.0
#include "validate/summary.h"

#include <functional>
#include <map>
#include <set>
#include <utility>

#include "validate/judge.h"

namespace orrery {
namespace {

std::string tier_of(const JudgedRow& r) { return std::string(name_of(r.row.tier)); }

// The rows on which a factor and an efficiency are fitted.
std::string campaign_of(const JudgedRow& r) { return r.row.source.group + "/" + tier_of(r); }

// Seconds one constant is taken to: FLOPs executed at the full dense peak.
Seconds ideal_time(const JudgedRow& r) { return r.answer.hardware_flops / r.answer.peak_rate; }

using Ratio = double (*)(const JudgedRow&);

double predicted_ratio(const JudgedRow& r) { return r.answer.step_time / r.published.time; }
double ideal_ratio(const JudgedRow& r) { return ideal_time(r) / r.published.time; }

// The median ratio of every campaign.
std::map<std::string, double> factors_of(const std::vector<JudgedRow>& rows, Ratio ratio) {
  std::map<std::string, std::vector<double>> ratios;
  for (const JudgedRow& r : rows) {
    if (time_error(r)) ratios[campaign_of(r)].push_back(ratio(r));
  }
  std::map<std::string, double> factors;
  for (auto& [campaign, values] : ratios) factors[campaign] = interpolated_quantile(values, 0.5);
  return factors;
}

bool has_experts(const JudgedRow& r) { return is_estimated(r) && is_moe(r.run.model); }
bool is_no_decoder(const JudgedRow& r) { return is_estimated(r) && r.run.model.trunk.kinds > 0; }

bool is_of_other_makers(const JudgedRow& r) {
  if (!is_estimated(r)) return false;
  const std::string_view device = r.run.cluster.device.name.view();
  for (const std::string_view family : {"tpu", "trainium", "gaudi"}) {
    if (device.substr(0, family.size()) == family) return true;
  }
  return false;
}

constexpr std::int64_t kFewTokens = 1024;  // of a micro batch

bool has_few_tokens(const JudgedRow& r) {
  return is_estimated(r) && counts(r) &&
         r.run.training.sequence * r.run.strategy.micro_batch <= kFewTokens &&
         r.run.model.trunk.kinds == 0;
}

bool in_interval(const JudgedRow& r) {
  return !(r.published.time < r.answer.interval_low) &&
         !(r.published.time > r.answer.interval_high);
}

class Table {
 public:
  explicit Table(const std::vector<JudgedRow>& rows)
      : rows_(rows),
        factors_(factors_of(rows, predicted_ratio)),
        constants_(factors_of(rows, ideal_ratio)) {}

  using Holds = std::function<bool(const JudgedRow&)>;

  void add_time(const std::string& scope, const Holds& holds) {
    Summary s;
    s.scope = scope;
    std::vector<double> errors, one_factor, one_constant;
    double inside = 0;
    for (const JudgedRow& r : rows_) {
      if (!holds(r)) continue;
      ++s.rows;
      if (!is_estimated(r)) ++s.refused;
      if (!time_error(r)) continue;
      errors.push_back(*time_error(r));
      one_factor.push_back(predicted_ratio(r) / factors_.at(campaign_of(r)) - 1);
      one_constant.push_back(ideal_ratio(r) / constants_.at(campaign_of(r)) - 1);
      inside += in_interval(r) ? 1 : 0;
    }
    if (s.rows == 0) return;
    s.error = summarise(errors);
    s.one_factor = summarise(one_factor);
    s.one_constant = summarise(one_constant);
    s.in_interval = errors.empty() ? 0 : inside / static_cast<double>(s.error.count);
    summaries_.push_back(s);
  }

  void add_memory(const std::string& scope, const Holds& holds) {
    Summary s;
    s.scope = scope;
    s.quantity = Judged::memory;
    std::vector<double> errors;
    for (const JudgedRow& r : rows_) {
      if (!r.row.measured.peak_memory || !holds(r)) continue;
      ++s.rows;
      if (!is_estimated(r)) ++s.refused;
      if (memory_error(r)) errors.push_back(*memory_error(r));
    }
    if (s.rows == 0) return;
    s.error = summarise(errors);
    summaries_.push_back(s);
  }

  // One scope for each value of `name` and tier, in order of name.
  void add_time_by(const std::string& what,
                   const std::function<std::string(const JudgedRow&)>& name) {
    std::map<std::pair<std::string, RowTier>, int> seen;
    for (const JudgedRow& r : rows_) {
      if (counts(r)) seen[{name(r), r.row.tier}] = 1;
    }
    for (const auto& [key, unused] : seen) {
      const auto& [value, tier] = key;
      const std::string letter(name_of(tier));
      add_time(what + " " + value + ", tier " + letter,
               [&, v = value, t = tier](const JudgedRow& r) {
                 return counts(r) && name(r) == v && r.row.tier == t;
               });
    }
  }

  // Each source counts once, however many rows it has: by tier, and by its rows of tier A or, where
  // it has none, of tier B.
  void add_mean_over_sources() {
    const std::set<std::string> a = sources_of(RowTier::a), b = sources_of(RowTier::b);
    add_mean("mean over sources", [&](const JudgedRow& r) {
      return r.row.tier == (a.count(r.row.source.group) > 0 ? RowTier::a : RowTier::b);
    });
    for (const RowTier tier : {RowTier::a, RowTier::b}) {
      add_mean("mean over sources, tier " + std::string(name_of(tier)),
               [=](const JudgedRow& r) { return r.row.tier == tier; });
    }
    const auto add_kind = [&](const char* scope, bool (*is_of)(const JudgedRow&)) {
      add_mean(scope, [&, is_of](const JudgedRow& r) {
        const RowTier tier = a.count(r.row.source.group) > 0 ? RowTier::a : RowTier::b;
        return is_of(r) && r.row.tier == tier;
      });
    };
    add_kind("mixtures, mean over sources", has_experts);
    add_kind("diffusion and vision, mean over sources", is_no_decoder);
    add_kind("TPU, Trainium and Gaudi, mean over sources", is_of_other_makers);
  }

  std::set<std::string> sources_of(RowTier tier) const {
    std::set<std::string> sources;
    for (const JudgedRow& r : rows_) {
      if (counts(r) && r.row.tier == tier && time_error(r)) sources.insert(r.row.source.group);
    }
    return sources;
  }

  std::vector<Summary> take() { return std::move(summaries_); }

 private:
  void add_mean(const std::string& scope, const Holds& holds) {
    std::set<std::string> sources;
    for (const JudgedRow& r : rows_) {
      if (counts(r) && time_error(r) && holds(r)) sources.insert(r.row.source.group);
    }
    if (sources.size() < 2) return;
    const std::size_t before = summaries_.size();
    for (const std::string& source : sources) {
      add_time("", [&](const JudgedRow& r) {
        return counts(r) && holds(r) && r.row.source.group == source;
      });
    }
    Summary mean;
    mean.scope = scope;
    const double n = static_cast<double>(summaries_.size() - before);
    for (std::size_t i = before; i < summaries_.size(); ++i) {
      mean.rows += summaries_[i].rows;
      mean.refused += summaries_[i].refused;
      mean.in_interval += summaries_[i].in_interval / n;
      add_share(mean.error, summaries_[i].error, n);
      add_share(mean.one_factor, summaries_[i].one_factor, n);
      add_share(mean.one_constant, summaries_[i].one_constant, n);
    }
    summaries_.resize(before);
    summaries_.push_back(mean);
  }

  static void add_share(ErrorSummary& to, const ErrorSummary& from, double n) {
    to.count += from.count;
    to.median += from.median / n;
    to.p90 += from.p90 / n;
    to.mean += from.mean / n;
    to.bias += from.bias / n;
    to.within_10 += from.within_10 / n;
  }

  const std::vector<JudgedRow>& rows_;
  std::map<std::string, double> factors_;
  std::map<std::string, double> constants_;
  std::vector<Summary> summaries_;
};

void add_overall(Table& t) {
  const auto plain = [](const JudgedRow& r) { return counts(r); };
  t.add_time("all", plain);
  for (const RowTier tier : {RowTier::a, RowTier::b}) {
    t.add_time("tier " + std::string(name_of(tier)),
               [=](const JudgedRow& r) { return plain(r) && r.row.tier == tier; });
  }
  t.add_time("nothing unknown",
             [=](const JudgedRow& r) { return plain(r) && r.row.unknown.empty(); });
  t.add_time("something unknown",
             [=](const JudgedRow& r) { return plain(r) && !r.row.unknown.empty(); });
  t.add_time("up to 1,024 tokens a micro batch", has_few_tokens);
  t.add_time("global batch assumed", [](const JudgedRow& r) { return !r.assumed.empty(); });
  t.add_time("repeats of other rows", [](const JudgedRow& r) { return !r.row.repeats.empty(); });
}

void add_memory(Table& t, const std::vector<JudgedRow>& rows) {
  t.add_memory("memory", [](const JudgedRow&) { return true; });
  std::map<std::pair<std::string, MemoryKind>, int> seen;
  for (const JudgedRow& r : rows) seen[{r.row.source.group, r.row.measured.memory_kind}] = 1;
  for (const MemoryKind kind : kAllOf<MemoryKind>) {
    const std::string name = "memory " + std::string(name_of(kind));
    t.add_memory(name, [=](const JudgedRow& r) { return r.row.measured.memory_kind == kind; });
    for (const auto& [key, unused] : seen) {
      if (key.second != kind) continue;
      t.add_memory(name + ", source " + key.first, [=, group = key.first](const JudgedRow& r) {
        return r.row.measured.memory_kind == kind && r.row.source.group == group;
      });
    }
  }
}

std::string size_of(const JudgedRow& r) {
  if (!is_estimated(r)) return "unknown";
  for (const std::int64_t most : {8, 64, 256, 1024}) {
    if (r.gpus <= most) return "up to " + std::to_string(most);
  }
  return "above 1024";
}

std::string strategy_of(const JudgedRow& r) {
  if (!is_estimated(r)) return "unknown";
  const Strategy& s = r.run.strategy;
  if (s.ep > 1) return "with experts";
  if (s.zero == 3) return s.tp > 1 ? "sharded weights, tp" : "sharded weights";
  if (s.pp > 1) return s.tp > 1 ? "tp, pp" : "pp";
  return s.tp > 1 ? "tp" : "dp alone";
}

}  // namespace

std::vector<Summary> summaries_of(const std::vector<JudgedRow>& rows) {
  Table t(rows);
  add_overall(t);
  t.add_mean_over_sources();
  t.add_time_by("source", [](const JudgedRow& r) { return r.row.source.group; });
  t.add_time_by("node", [](const JudgedRow& r) { return r.node; });
  t.add_time_by("framework", [](const JudgedRow& r) { return r.framework; });
  t.add_time_by("GPUs", size_of);
  t.add_time_by("strategy", strategy_of);
  add_memory(t, rows);
  return t.take();
}

FitSummary fit_summary_of(const std::vector<JudgedRow>& rows) {
  FitSummary s;
  for (const JudgedRow& r : rows) {
    if (!is_estimated(r) || !counts(r)) continue;
    const bool refused = !fits(r);
    if (r.row.measured.out_of_memory) {
      ++s.out_of_memory;
      s.out_of_memory_seen += refused ? 1 : 0;
    } else {
      ++s.ran;
      s.ran_but_refused += refused ? 1 : 0;
    }
  }
  return s;
}

}  // namespace orrery
