// SPDX-License-Identifier: Apache-2.0
#include "report/rl_compare.h"

#include <algorithm>

#include "core/json.h"
#include "core/units.h"
#include "document/words.h"
#include "insight/rl_compare.h"
#include "report/frame_json.h"

namespace orrery {
namespace {

std::string number_words(const RlNumber& n, double value) {
  if (n.is_time) return pretty(Seconds(value), 3);
  return n.kind == RlNumberKind::memory ? fixed(value, 2) + " GiB" : significant(value, 4);
}

std::string change_words(const RlNumber& n, double from, double to) {
  if (n.is_time) {
    const std::string sign = to < from ? "-" : "+";
    return sign + pretty(Seconds(to < from ? from - to : to - from), 3);
  }
  return from != 0 ? signed_percent(to / from - 1) : "";
}

Table numbers_table(const RlComparison& c) {
  std::vector<Column> columns = {{"number"}};
  for (const NamedRlRun& r : c.runs) columns.push_back({r.name, true});
  if (c.runs.size() == 2) columns.push_back({"change", true});
  Table t(columns, 2);
  for (const RlChangedNumber& n : c.numbers) {
    std::vector<Cell> row = {n.number->key};
    for (const double v : n.values) row.push_back(number_words(*n.number, v));
    if (c.runs.size() == 2) row.push_back(change_words(*n.number, n.values[0], n.values[1]));
    t.add(row);
  }
  return t;
}

std::string alone_words(const RlComparison& c, const RlChangedKey& k) {
  if (!k.step) return "not alone: " + k.why_not;
  const double change = *k.step / c.runs[0].report.step.step.value - 1;
  return pretty(*k.step, 3) + " (" + signed_percent(change) + ")" +
         (k.fits ? "" : ", does not fit");
}

Table keys_table(const RlComparison& c) {
  Table t({{"run"}, {"key"}, {"from"}, {"to"}, {"step with it alone"}}, 2);
  for (const RlChangedKey& k : c.keys) {
    t.add({c.runs[k.run].name, k.setting.path, k.from.empty() ? "·" : k.from,
           k.setting.value == "null" ? "·" : k.setting.value, alone_words(c, k)});
  }
  return t;
}

// The phase that makes most of the difference between two steps.
std::string verdict(const RlComparison& c) {
  const RlStep& a = c.runs[0].report.step;
  const RlStep& b = c.runs[1].report.step;
  RlPhase most = RlPhase::generate;
  const auto change = [&](RlPhase p) { return b.phases[p].value - a.phases[p].value; };
  const auto size = [&](RlPhase p) { return std::abs(change(p).si()); };
  for (const RlPhase p : kAllOf<RlPhase>) {
    if (size(p) > size(most)) most = p;
  }
  const double ratio = b.step.value / a.step.value;
  return c.runs[1].name + " takes " + significant(ratio, 3) + " times the step of " +
         c.runs[0].name + "; the phase that differs most is " + std::string(name_of(most)) + ", " +
         (change(most) < Seconds() ? "-" : "+") + pretty(Seconds(size(most)), 3);
}

Table rows(const RlComparison& c) {
  std::vector<Column> columns = {{"number"}};
  for (const NamedRlRun& r : c.runs) columns.push_back({r.name});
  Table t(columns);
  for (const RlNumber& n : rl_numbers()) {
    std::vector<Cell> row = {n.key};
    for (const NamedRlRun& r : c.runs) {
      row.push_back(data_cell(n.value(*r.report.learner.resolved.rl, r.report.step)));
    }
    t.add(row);
  }
  return t;
}

}  // namespace

AnswerDocument rl_comparison_document(const RlComparison& c) {
  AnswerDocument d{"Steps of reinforcement learning side by side", {}, rows(c)};
  d.add({bold("Numbers") + " that differ", {numbers_table(c)}});
  if (!c.keys.empty()) {
    d.add({bold("Keys") + " that differ, and what each does alone to " + c.runs[0].name,
           {keys_table(c)}});
  }
  Section end;
  end.add(labelled("answer", bold(verdict(c))));
  d.add(end);
  return d;
}

Json rl_comparison_json(const RlComparison& c) {
  Json j;
  j["runs"] = json_list(c.runs, [](const NamedRlRun& r) -> Json {
    Json numbers = Json::object();
    for (const RlNumber& n : rl_numbers()) {
      numbers[n.key] = n.value(*r.report.learner.resolved.rl, r.report.step);
    }
    return {{"name", r.name}, {"feasible", r.report.step.fits}, {"numbers", numbers}};
  });
  j["keys"] = json_list(c.keys, [&](const RlChangedKey& k) -> Json {
    Json one = {{"run", c.runs[k.run].name},
                {"key", k.setting.path},
                {"from", k.from},
                {"to", k.setting.value}};
    if (k.step) one["step_time_s"] = k.step->si();
    if (!k.why_not.empty()) one["why_not"] = k.why_not;
    return one;
  });
  j["answer"] = verdict(c);
  return versioned(std::move(j));
}

}  // namespace orrery
