// SPDX-License-Identifier: Apache-2.0
#include "report/mixed_purchase.h"

#include "capacity/mixed_purchase.h"
#include "core/json.h"
#include "core/units.h"
#include "document/words.h"
#include "report/capacity_words.h"
#include "report/frame.h"
#include "report/frame_json.h"
#include "report/mixed_search.h"

namespace orrery {
namespace {

std::string rent_text(const std::optional<Money>& m) { return m ? money_text(*m) : "–"; }

Table purchase_table(const MixedPurchase& p) {
  Table t({{"GPUs of " + p.group, true},
           {"in all", true},
           {"step", true},
           {"time", true},
           {"rent of " + p.group, true},
           {"rent of all", true},
           {"placement"}},
          2);
  for (const PurchaseRow& row : p.rows) {
    const MixedTraining& one = row.training;
    if (!one.best) {
      t.add({grouped(row.gpus), grouped(row.all), "nothing fits", "–", "–", "–", ""});
      continue;
    }
    t.add({grouped(row.gpus), grouped(row.all), pretty(one.best->step), span_text(one.time.value),
           rent_text(one.grown_rent), rent_text(one.rent), groups_words(*one.best)});
  }
  return t;
}

// Days that one GPU of a node more takes off, and what the whole training costs more or less.
Table more_table(const MixedPurchase& p) {
  Table t({{"one node more of"},
           {"GPUs", true},
           {"time", true},
           {"days less, a GPU", true},
           {"rent of all, by"}},
          2);
  for (const NodeMore& m : p.more) {
    const MixedTraining& one = m.training;
    if (!one.best || !p.own.best) {
      t.add({m.group, grouped(m.gpus), "nothing fits", "–", "–"});
      continue;
    }
    const double less = in_days(p.own.time.value - one.time.value) / static_cast<double>(m.gpus);
    t.add({m.group, grouped(m.gpus), span_text(one.time.value), significant(less, 3),
           one.rent && p.own.rent ? money_text(*one.rent - *p.own.rent) : "–"});
  }
  return t;
}

Json money_json(const std::optional<Money>& m) {
  if (!m) return {};
  return {{"amount", m->amount()}, {"currency", m->currency().text()}};
}

Json training_json(const MixedTraining& t) {
  if (!t.best) return {{"fits", false}};
  return {{"fits", true},
          {"step_time_s", t.best->step.si()},
          {"time_s", t.time.value.si()},
          {"interval_80", {{"time_s", {t.time.low.si(), t.time.high.si()}}}},
          {"rent", money_json(t.rent)},
          {"grown_rent", money_json(t.grown_rent)},
          {"groups", t.best->groups},
          {"run", *t.best->run}};
}

}  // namespace

AnswerDocument mixed_purchase_document(const MixedPurchase& p) {
  AnswerDocument d{"GPUs of " + p.group + " beside those that are there", {}, purchase_table(p)};
  d.add({bold("Numbers of " + p.group) + ", each with its fastest placement, for " +
             short_count(p.tokens) + " tokens",
         {purchase_table(p)}});
  d.add({bold("One node more") + " of each kind beside the run's own numbers", {more_table(p)}});
  if (!p.without_rent.empty()) {
    d.add(
        {"", {Paragraph{"no rent of " + joined(p.without_rent, ", ") + " (--rent, --prices)", 2}}});
  }
  d.add({"",
         {Paragraph{"left out: interruptions, checkpoints, power, storage, networks, what leaves a "
                    "site and hardware "
                    "that is bought",
                    2}}});
  return d;
}

Json mixed_purchase_json(const MixedPurchase& p) {
  const auto row = [](const PurchaseRow& r) {
    Json j = {{"gpus", r.gpus}, {"all_gpus", r.all}};
    j.update(training_json(r.training));
    return j;
  };
  const auto more = [](const NodeMore& m) {
    Json j = {{"group", m.group}, {"gpus", m.gpus}};
    j.update(training_json(m.training));
    return j;
  };
  return versioned({{"group", p.group},
                    {"tokens", p.tokens},
                    {"rows", json_list(p.rows, row)},
                    {"own", training_json(p.own)},
                    {"one_more", json_list(p.more, more)},
                    {"without_rent", p.without_rent}});
}

}  // namespace orrery
