// SPDX-License-Identifier: Apache-2.0
#include "report/mixed_search.h"

#include "core/json.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/risk.h"
#include "explore/mixed_search.h"
#include "insight/settings.h"
#include "report/frame.h"
#include "report/frame_json.h"

namespace orrery {

std::string groups_words(const MixedFound& f) {
  std::string text;
  for (std::size_t i = 0; i < f.groups.size(); ++i) {
    text += (i == 0           ? ""
             : f.holds_stages ? " → "
                              : " ‖ ") +
            f.groups[i] + " tp " + grouped(f.tp[i]);
    if (f.idle[i] > 0) text += " (" + grouped(f.idle[i]) + " GPUs idle)";
  }
  return text;
}

namespace {

std::string layers_words(const MixedFound& f) {
  if (f.pp == 1) return "all";
  std::vector<std::string> layers;
  for (const std::int64_t n : f.layers) layers.push_back(grouped(n));
  return joined_runs(layers, ", ");
}

Table best_table(const MixedSearchResult& r) {
  Table t({{"step", true},
           {"groups"},
           {"pp", true},
           {"dp", true},
           {"micro batch", true},
           {"recompute"},
           {"layers"},
           {"fits"}},
          2);
  for (const MixedFound& f : r.best) {
    t.add({pretty(f.step), groups_words(f), grouped(f.pp), grouped(f.dp), grouped(f.micro_batch),
           f.recompute, layers_words(f), probability_words(f.fit_probability)});
  }
  return t;
}

// The gain of a node more of each kind, in the share of a step, and of one of its GPUs.
Table marginals_table(const MixedSearchResult& r) {
  Table t(
      {{"one node more of"}, {"GPUs", true}, {"step", true}, {"shorter by", true}, {"a GPU", true}},
      2);
  for (const MixedMarginal& m : r.marginals) {
    if (!m.step || r.best.empty()) {
      t.add({m.group, grouped(m.gpus), "nothing fits", "–", "–"});
      continue;
    }
    const double gain = 1 - *m.step / r.best.front().step;
    t.add({m.group, grouped(m.gpus), pretty(*m.step), percent(gain, 2),
           percent(gain / static_cast<double>(m.gpus), 3)});
  }
  return t;
}

Json marginal_json(const MixedMarginal& m) {
  return {
      {"group", m.group}, {"gpus", m.gpus}, {"step_time_s", m.step ? Json(m.step->si()) : Json()}};
}

Json placement_json(const MixedFound& f) {
  return {{"step_time_s", f.step.si()},
          {"groups", f.groups},
          {"tp", f.tp},
          {"idle_gpus", f.idle},
          {"groups_hold", f.holds_stages ? "stages" : "replicas"},
          {"pp", f.pp},
          {"dp", f.dp},
          {"micro_batch", f.micro_batch},
          {"recompute", f.recompute},
          {"layers", f.layers},
          {"fit_probability", f.fit_probability},
          {"fullest", f.fullest},
          {"run", *f.run}};
}

// "a tp 2 → b tp 1: 3.21 s, fits (97 %)"
std::string winner_words(const MixedFound& f) {
  return groups_words(f) + ": " + pretty(f.step, 3) + ", " + fit_text(f.fit_probability) +
         ", the fastest";
}

Section ending(const MixedSearchResult& r, const TypedRun& run) {
  Section s;
  if (r.best.empty()) {
    s.add(labelled("answer", Phrase(TextStyle::red, "nothing fits as surely as asked") +
                                 " (--risk accepts less)"));
    s.add(labelled("next", "orrery limits " + typed_with(run)));
    return s;
  }
  s.add(labelled("answer", bold(winner_words(r.best.front()))));
  s.add(labelled("next", "orrery search " + typed_with(run) +
                             " --json, whose best[0].run is a run file for `orrery estimate`"));
  return s;
}

}  // namespace

AnswerDocument mixed_search_document(const MixedSearchResult& r, const TypedRun& run) {
  AnswerDocument d{"Placements on several kinds of node", {}, best_table(r)};
  Section s;
  s.add(Paragraph{grouped(r.families) + " families of placements, " + grouped(r.opened) +
                      " opened: no other can be faster; of them " + grouped(r.candidates) +
                      " placements, " + grouped(r.refused) + " refused by a rule, " +
                      grouped(r.unfit) + " do not fit",
                  2});
  d.sections = {s};
  if (!r.best.empty()) {
    d.add({bold("Fastest") + ", layers balanced", {best_table(r)}});
    if (!r.marginals.empty()) {
      d.add({bold("One node more") + " of each kind, searched anew", {marginals_table(r)}});
    }
  }
  d.add(ending(r, run));
  return d;
}

Json mixed_search_json(const MixedSearchResult& r) {
  Json j = {{"families", r.families},
            {"opened", r.opened},
            {"candidates", r.candidates},
            {"rejected", {{"rules", r.refused}, {"memory", r.unfit}}},
            {"best", json_list(r.best, placement_json)}};
  if (!r.marginals.empty()) j["marginals"] = json_list(r.marginals, marginal_json);
  return versioned(std::move(j));
}

}  // namespace orrery
