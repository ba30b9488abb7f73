// SPDX-License-Identifier: Apache-2.0
#include "validate/ranking.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/json.h"
#include "validate/error_summary.h"

namespace orrery {
namespace {

constexpr std::size_t kFewest = 4;
constexpr std::int64_t kFewestJudged = 6;
constexpr std::size_t kFirst = 3;

struct Measurement {
  double predicted;
  double measured;  // 0: ran out of memory
  bool fits;
};

std::string sweep_name(const JudgedRow& r) {
  const Json& model = r.row.run->at("model");
  const std::string name = model.is_object() && model.contains("name")
                               ? model.at("name").get<std::string>()
                           : model.is_string() ? model.get<std::string>()
                                               : "a model";
  return name + ", " + std::to_string(r.gpus) + " GPUs, batch " +
         std::to_string(r.run.training.global_batch);
}

// All that must agree; the name alone may not say it.
std::string sweep_key(const JudgedRow& r) {
  return r.row.source.group + "\n" + sweep_name(r) + "\n" + r.node + "\n" + r.framework + "\n" +
         std::to_string(r.run.training.sequence) + "\n" + r.row.run->at("model").dump();
}

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> out;
  for (const double v : values) {
    const auto below = std::count_if(values.begin(), values.end(), [&](double x) { return x < v; });
    const auto equal = std::count(values.begin(), values.end(), v);
    out.push_back(static_cast<double>(below) + static_cast<double>(equal - 1) / 2);
  }
  return out;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double middle = static_cast<double>(a.size() - 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - middle) * (b[i] - middle);
    aa += (a[i] - middle) * (a[i] - middle);
    bb += (b[i] - middle) * (b[i] - middle);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

// In the order of picking.
void sort_by_choice(std::vector<Measurement>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Measurement& a, const Measurement& b) {
    return a.fits != b.fits ? a.fits : a.predicted < b.predicted;
  });
}

Sweep sweep_over(const JudgedRow& first, std::vector<Measurement> rows) {
  Sweep out;
  out.source = first.row.source.group;
  out.name = sweep_name(first);
  sort_by_choice(rows);
  out.picks_out_of_memory = rows.front().measured == 0;
  std::erase_if(rows, [](const Measurement& m) { return m.measured == 0; });
  std::vector<double> predicted, measured;
  for (const Measurement& m : rows) {
    predicted.push_back(m.predicted);
    measured.push_back(m.measured);
  }
  const double best = *std::min_element(measured.begin(), measured.end());
  const double of_three = *std::min_element(measured.begin(), measured.begin() + kFirst);
  out.rows = static_cast<std::int64_t>(rows.size());
  out.spearman = correlation(ranks(predicted), ranks(measured));
  out.regret = measured.front() / best - 1;
  out.regret_of_three = of_three / best - 1;
  return out;
}

bool ran_out_of_memory(const JudgedRow& r) {
  return is_estimated(r) && r.row.measured.out_of_memory && counts(r);
}

}  // namespace

std::vector<Sweep> sweeps_of(const std::vector<JudgedRow>& rows) {
  std::set<std::string> with_tier_a;
  for (const JudgedRow& r : rows) {
    if (time_error(r) && counts(r) && r.row.tier == RowTier::a) {
      with_tier_a.insert(r.row.source.group);
    }
  }
  std::map<std::string, std::vector<const JudgedRow*>> groups;
  for (const JudgedRow& r : rows) {
    const bool is_healthy =
        time_error(r) && counts(r) &&
        (r.row.tier == RowTier::a || with_tier_a.count(r.row.source.group) == 0);
    if (is_healthy || ran_out_of_memory(r)) groups[sweep_key(r)].push_back(&r);
  }
  std::vector<Sweep> sweeps;
  for (const auto& [key, members] : groups) {
    std::vector<Measurement> measured;
    std::size_t ran = 0;
    for (const JudgedRow* r : members) {
      const bool out = ran_out_of_memory(*r);
      ran += out ? 0 : 1;
      measured.push_back({r->answer.step_time.si(), out ? 0 : r->published.time.si(), fits(*r)});
    }
    if (ran >= kFewest) sweeps.push_back(sweep_over(*members.front(), std::move(measured)));
  }
  return sweeps;
}

RegretSummary regret_summary_of(const std::vector<Sweep>& sweeps) {
  RegretSummary out;
  std::vector<double> regrets;
  for (const Sweep& s : sweeps) {
    if (s.rows < kFewestJudged) continue;
    regrets.push_back(s.regret);
    out.picks_out_of_memory += s.picks_out_of_memory ? 1 : 0;
  }
  out.sweeps = static_cast<std::int64_t>(regrets.size());
  if (regrets.empty()) return out;
  out.median = quantile(regrets, 0.5);
  out.p90 = quantile(regrets, 0.9);
  out.worst = *std::max_element(regrets.begin(), regrets.end());
  return out;
}

}  // namespace orrery
