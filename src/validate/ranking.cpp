// SPDX-License-Identifier: Apache-2.0
#include "validate/ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/json.h"
#include "estimate/risk.h"
#include "explore/recommend.h"
#include "validate/error_summary.h"
#include "validate/judge.h"

namespace orrery {
namespace {

constexpr std::size_t kFewest = 4;
constexpr std::int64_t kFewestJudged = 6;
constexpr std::size_t kFirst = 3;

struct Measurement {
  double predicted;
  double measured;  // 0: ran out of memory
  bool fits;
  const JudgedRow* row;
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

double probability_of(const Measurement& m) { return fit_probability(m.row->run, m.row->answer); }

// In the place of `rows`, which are not empty.
std::size_t recommended(const std::vector<Measurement>& rows) {
  double surest = 0;
  for (const Measurement& m : rows) surest = std::max(surest, probability_of(m));
  const double asked = std::min(surest, 1 - kDefaultRisk);
  double fastest = std::numeric_limits<double>::infinity();
  for (const Measurement& m : rows) {
    if (probability_of(m) >= asked) fastest = std::min(fastest, m.predicted);
  }
  Shortlist list;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Measurement& m = rows[i];
    if (probability_of(m) < asked || m.predicted > fastest * kRecommendationBand) continue;
    const Run& run = m.row->run;
    list.offer({{static_cast<std::int64_t>(i), 0, {}},
                run,
                m.predicted,
                fit_rank(run, m.row->answer),
                rare_count(run)});
  }
  return static_cast<std::size_t>(list.recommended().place.unit);
}

// The first recommended layout that ran, over the best.
void judge_recommended(std::vector<Measurement> rows, double best, Sweep& out) {
  std::size_t at = recommended(rows);
  out.recommends_out_of_memory = rows[at].measured == 0;
  while (rows[at].measured == 0) {
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(at));
    at = recommended(rows);
  }
  out.regret_recommended = rows[at].measured / best - 1;
}

Sweep sweep_over(const JudgedRow& first, std::vector<Measurement> rows) {
  Sweep out;
  out.source = first.row.source.group;
  out.name = sweep_name(first);
  sort_by_choice(rows);
  out.picks_out_of_memory = rows.front().measured == 0;
  const std::vector<Measurement> all = rows;
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
  judge_recommended(all, best, out);
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
      measured.push_back({r->answer.step_time.si(), out ? 0 : r->published.time.si(), fits(*r), r});
    }
    if (ran >= kFewest) sweeps.push_back(sweep_over(*members.front(), std::move(measured)));
  }
  return sweeps;
}

RegretSummary regret_summary_of(const std::vector<Sweep>& sweeps) {
  RegretSummary out;
  std::vector<double> regrets;
  std::vector<double> recommended;
  for (const Sweep& s : sweeps) {
    if (s.rows < kFewestJudged) continue;
    regrets.push_back(s.regret);
    out.picks_out_of_memory += s.picks_out_of_memory ? 1 : 0;
    recommended.push_back(s.regret_recommended);
    out.recommended_out_of_memory += s.recommends_out_of_memory ? 1 : 0;
  }
  out.sweeps = static_cast<std::int64_t>(regrets.size());
  if (regrets.empty()) return out;
  out.median = interpolated_quantile(regrets, 0.5);
  out.p90 = interpolated_quantile(regrets, 0.9);
  out.recommended_median = interpolated_quantile(recommended, 0.5);
  out.recommended_p90 = interpolated_quantile(recommended, 0.9);
  out.worst = *std::max_element(regrets.begin(), regrets.end());
  return out;
}

}  // namespace orrery
