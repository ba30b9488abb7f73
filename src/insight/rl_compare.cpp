// SPDX-License-Identifier: Apache-2.0
#include "insight/rl_compare.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/json_text.h"
#include "rl/resolve_learner.h"

namespace orrery {
namespace {

double effect(const RlChangedNumber& n) {
  double most = 0;
  for (const double v : n.values) most = std::max(most, std::abs(v - n.values[0]));
  return most;
}

void add_numbers(RlComparison& c) {
  for (const RlNumber& n : rl_numbers()) {
    RlChangedNumber changed{&n, {}};
    for (const NamedRlRun& r : c.runs) {
      changed.values.push_back(n.value(*r.report.learner.resolved.rl, r.report.step));
    }
    if (effect(changed) > 0) c.numbers.push_back(changed);
  }
  std::stable_sort(c.numbers.begin(), c.numbers.end(),
                   [](const RlChangedNumber& a, const RlChangedNumber& b) {
                     if (a.number->kind != b.number->kind) return a.number->kind < b.number->kind;
                     return a.number->is_time && b.number->is_time && effect(a) > effect(b);
                   });
}

void try_alone(const NamedRlRun& first, const ConfigLookup& lookup, RlChangedKey& key) {
  Json run = *first.run;
  key.setting.value == "null"
      ? erase_at(run, key.setting.path)
      : static_cast<void>(set_at(run, key.setting.path, json_or_text(key.setting.value)));
  try {
    const RlStep step = rl_step_alone(resolve_learner(run, first.name, lookup));
    key.step = step.step.value;
    key.fits = step.fits;
  } catch (const InputError& e) {
    key.why_not = e.what();
  }
}

void add_keys(RlComparison& c, std::size_t i, const ConfigLookup& lookup) {
  const NamedRlRun& first = c.runs.front();
  std::vector<RlChangedKey> keys;
  for (const Setting& s : settings_between(*first.run, *c.runs[i].run)) {
    if (s.path == "name") continue;
    const Json& from = value_at(*first.run, s.path);
    keys.push_back({i, s, from.is_null() ? "" : bare_text(from), {}, true, {}});
    try_alone(first, lookup, keys.back());
  }
  const Seconds base = first.report.step.step.value;
  const auto change = [&](const RlChangedKey& k) {
    return k.step ? std::abs((*k.step - base).si()) : -1.0;
  };
  std::stable_sort(keys.begin(), keys.end(), [&](const RlChangedKey& a, const RlChangedKey& b) {
    return change(a) > change(b);
  });
  c.keys.insert(c.keys.end(), keys.begin(), keys.end());
}

}  // namespace

RlComparison compare_rl(std::vector<NamedRlRun> runs, const ConfigLookup& lookup) {
  RlComparison c;
  c.runs = std::move(runs);
  add_numbers(c);
  for (std::size_t i = 1; i < c.runs.size(); ++i) add_keys(c, i, lookup);
  return c;
}

}  // namespace orrery
