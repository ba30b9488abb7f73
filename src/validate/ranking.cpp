// SPDX-License-Identifier: Apache-2.0
#include "validate/ranking.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/json.h"

namespace orrery {
namespace {

constexpr std::size_t kFewest = 4;
constexpr std::size_t kFirst = 3;

struct Measurement {
  double predicted;
  double measured;
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

Sweep sweep_over(const JudgedRow& first, std::vector<Measurement> rows) {
  std::vector<double> predicted, measured;
  for (const Measurement& m : rows) {
    predicted.push_back(m.predicted);
    measured.push_back(m.measured);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Measurement& a, const Measurement& b) {
    return a.predicted < b.predicted;
  });
  const double best = *std::min_element(measured.begin(), measured.end());
  double of_three = rows.front().measured;
  for (std::size_t i = 0; i < kFirst; ++i) of_three = std::min(of_three, rows[i].measured);
  return {first.row.source.group,
          sweep_name(first),
          static_cast<std::int64_t>(rows.size()),
          correlation(ranks(predicted), ranks(measured)),
          rows.front().measured / best - 1,
          of_three / best - 1};
}

}  // namespace

std::vector<Sweep> sweeps_of(const std::vector<JudgedRow>& rows) {
  std::map<std::string, std::vector<const JudgedRow*>> groups;
  for (const JudgedRow& r : rows) {
    if (time_error(r) && counts(r)) groups[sweep_key(r)].push_back(&r);
  }
  std::vector<Sweep> sweeps;
  for (const auto& [key, members] : groups) {
    if (members.size() < kFewest) continue;
    std::vector<Measurement> measured;
    for (const JudgedRow* r : members) {
      measured.push_back({r->answer.step_time.si(), r->published.time.si()});
    }
    sweeps.push_back(sweep_over(*members.front(), std::move(measured)));
  }
  return sweeps;
}

}  // namespace orrery
