// SPDX-License-Identifier: Apache-2.0
#include "report/limits.h"

#include <algorithm>

#include "core/json.h"
#include "core/units.h"
#include "estimate/risk.h"
#include "explore/space.h"
#include "insight/limits.h"
#include "report/frame.h"
#include "report/frame_json.h"
#include "report/mixed.h"
#include "report/strategy_words.h"

namespace orrery {
namespace {

// "32,768 tokens", "0.231 of its rate"
std::string limit_value(const Limit& l) {
  if (!l.value) return "none";
  const bool is_share = l.kind == LimitKind::network || l.kind == LimitKind::price;
  const std::string number = is_share ? significant(*l.value, 3) : grouped(*l.value);
  return number + " " + limit_row(l.kind).unit;
}

// "3,808"; "–" where it is the value itself.
std::string even_value(const Limit& l) {
  return l.even && l.even != l.value ? grouped(*l.even) : "–";
}

std::string point_layout(const LimitPoint& p) {
  return p.layout.empty() ? strategy_words(Space{}, 0, p.run.strategy) : p.layout;
}

std::string limit_layout(const Limit& l) { return l.there ? point_layout(*l.there) : ""; }

// "least device memory of h100"
std::string question_words(const Limit& l) {
  return limit_row(l.kind).question + (l.group.empty() ? "" : " of " + l.group);
}

// A group's GPUs are asked with any layout alone.
bool is_of_group_alone(const Limit& l) { return !l.group.empty() && l.kind == LimitKind::gpus; }

// "tight (62 %)"
std::string limit_fit(const Limit& l) {
  if (!l.there) return "";
  const Run& run = l.there->run;
  const Answer& answer = l.there->answer;
  return fit_text(run, answer);
}

// A second row of the same question names its layout alone.
std::string limit_question(const Limit& l) {
  const bool is_second = l.layout == LimitLayout::any && !is_of_group_alone(l);
  return is_second ? "  any layout" : question_words(l);
}

bool begins_with_need(const std::string& why) { return why.starts_with("needs "); }

// "with recompute full": what an open key takes at the value, where the run as it is takes another.
std::string settled_words(const LimitsReport& r, const Limit& l) {
  if (!l.there || l.layout == LimitLayout::any) return "";
  const Strategy& there = l.there->run.strategy;
  const Strategy& here = r.resolved.run.strategy;
  const bool same =
      there.recompute == here.recompute && there.recompute_layers == here.recompute_layers;
  if (same) return "";
  return "with recompute " + std::string(name_of(there.recompute)) +
         (there.recompute_layers > 0 ? " of " + counted(there.recompute_layers, "layer") : "");
}

std::string limit_reason(const LimitsReport& r, const Limit& l) {
  std::vector<std::string> parts;
  if (const std::string settled = settled_words(r, l); !settled.empty()) parts.push_back(settled);
  if (l.layout == LimitLayout::any && l.there) parts.push_back(limit_layout(l));
  if (!l.note.empty()) parts.push_back(l.note);
  parts.push_back((l.value && begins_with_need(l.why) ? "the next " : "") + l.why);
  return joined(parts, "; ");
}

Table limits_table(const LimitsReport& r) {
  Table table({{"limit"}, {"value"}, {"step", true}, {"peak", true}, {"fit"}, {"at 50 %", true}},
              2);
  for (const Limit& l : r.limits) {
    const bool there = l.there.has_value();
    table.add(
        {limit_question(l), limit_value(l), there ? pretty(l.there->answer.step_time, 3) : "–",
         there ? gib_text(l.there->answer.memory.peak, 1) : "–", limit_fit(l), even_value(l)});
  }
  return table;
}

// Prose below the table, so that none of its columns splits off on a narrow screen.
Section limit_reasons(const LimitsReport& r) {
  Section s{bold("What limits")};
  for (const Limit& l : r.limits) {
    const std::string reason = limit_reason(r, l);
    if (!reason.empty()) s.add(Paragraph{limit_question(l) + ": " + reason, 6, 2});
  }
  return s;
}

Table limit_rows(const LimitsReport& r) {
  Table table({{"limit"},
               {"layout"},
               {"value"},
               {"unit"},
               {"step_time_s"},
               {"peak_gib"},
               {"fit_probability"},
               {"even_value"},
               {"type"},
               {"why"}});
  for (const Limit& l : r.limits) {
    const bool there = l.there.has_value();
    table.add({std::string(name_of(l.kind)), std::string(name_of(l.layout)),
               l.value ? data_cell(*l.value) : Cell(""), limit_row(l.kind).unit,
               there ? data_cell(l.there->answer.step_time.si()) : Cell(""),
               there ? data_cell(gib(l.there->answer.memory.peak)) : Cell(""),
               there ? data_cell(fit_probability(l.there->run, l.there->answer)) : Cell(""),
               l.even ? data_cell(*l.even) : Cell(""), typed(l.settings), l.why});
  }
  return table;
}

bool is_share(LimitKind kind) { return kind == LimitKind::network || kind == LimitKind::price; }

// Counts are whole.
Json value_json(const Limit& l) {
  if (!l.value) return {};
  return is_share(l.kind) ? Json(*l.value) : Json(static_cast<std::int64_t>(*l.value));
}

void add_limit_point(const Limit& l, Json& j) {
  if (!l.there) return;
  const Run& run = l.there->run;
  const Answer& answer = l.there->answer;
  j["strategy"] = limit_layout(l);
  j["gpus"] = run.cluster.gpus;
  j["step_time_s"] = answer.step_time.si();
  j["interval_80"] = {{"step_time_s", {answer.interval_low.si(), answer.interval_high.si()}}};
  j["peak_gib"] = gib(answer.memory.peak);
  j["capacity_gib"] = gib(answer.capacity);
  j["fit_probability"] = fit_probability(run, answer);
  j["fit"] = fit_words(run, answer);
}

Json limit_json(const Limit& l) {
  Json j = {{"limit", name_of(l.kind)},
            {"question", question_words(l)},
            {"path", l.path},
            {"layout", name_of(l.layout)},
            {"value", value_json(l)},
            {"even_value", l.even ? Json(static_cast<std::int64_t>(*l.even)) : Json()},
            {"unit", limit_row(l.kind).unit},
            {"why", l.why},
            {"note", l.note},
            {"set", settings_json(l.settings)},
            {"type", typed(l.settings)}};
  if (!l.group.empty()) j["group"] = l.group;
  add_limit_point(l, j);
  return j;
}

// The rows of the first question that has an answer.
std::vector<const Limit*> limits_headline(const LimitsReport& r) {
  std::vector<const Limit*> rows;
  for (const Limit& l : r.limits) {
    if (l.value && (rows.empty() || rows[0]->path == l.path)) rows.push_back(&l);
  }
  return rows;
}

// "longest sequence: 18,074 tokens; with any layout 489,472 tokens"
std::string headline_words(const LimitsReport& r, const std::vector<const Limit*>& rows) {
  std::string text = question_words(*rows[0]);
  for (const Limit* l : rows) {
    const bool any = l->layout == LimitLayout::any;
    text += (l == rows[0] ? ": " : "; ") + std::string(any ? "with any layout " : "") +
            limit_value(*l) + ", " + limit_fit(*l);
    if (const std::string settled = settled_words(r, *l); !settled.empty()) text += " " + settled;
    if (l->even && l->even != l->value) text += ", " + grouped(*l->even) + " as likely as not";
  }
  return text;
}

Section limits_ending(const LimitsReport& r, const TypedRun& run) {
  Section s;
  const std::vector<const Limit*> rows = limits_headline(r);
  if (rows.empty()) {
    s.add(labelled("answer", "no value is within the limits; each row says why"));
    s.add(labelled("next", "orrery search " + typed_with(run)));
    return s;
  }
  s.add(labelled("answer", bold(headline_words(r, rows))));
  s.add(labelled("next", "orrery estimate " + typed_with(run, rows.back()->settings)));
  return s;
}

std::string limits_heading(const LimitsReport& r) {
  const std::string fits = ", each alone, with a probability of fitting of " +
                           percent(1 - r.resolved.risk.value_or(kDefaultRisk), 0) + " or more";
  if (!r.base) return fits;
  const bool own = r.base->run.strategy == r.resolved.run.strategy &&
                   (!r.groups || r.base->layout == layout_words(r.groups->resolved));
  return fits + "; with a slower network or less memory a step is at most " + percent(r.within, 0) +
         " longer than " + pretty(r.base->answer.step_time, 3) +
         (own ? "" : " of " + point_layout(*r.base) + " (the run's own layout does not fit)");
}

}  // namespace

AnswerDocument limits_document(const LimitsReport& r, const TypedRun& run) {
  AnswerDocument d{r.resolved.model_name + ": limits",
                   {r.groups ? mixed_header(*r.groups) : run_header(r.resolved)},
                   limit_rows(r)};
  d.add({bold("Limits") + limits_heading(r), {limits_table(r)}});
  d.add(limit_reasons(r));
  d.add(run_open_keys(r.resolved));
  d.add(limits_ending(r, run));
  return d;
}

Json limits_json(const LimitsReport& r) {
  Json j = {{"limits", json_list(r.limits, limit_json)},
            {"risk", r.resolved.risk.value_or(kDefaultRisk)},
            {"within", r.within},
            {"step_time_s", r.answer.step_time.si()},
            {"base_step_time_s", r.base ? Json(r.base->answer.step_time.si()) : Json()},
            {"fit_probability", fit_probability(r.resolved.run, r.answer)},
            {"versus", r.versus.empty() ? Json() : Json(r.versus)},
            {"warnings", r.resolved.warnings},
            {"rests_on", rests_on_json(r.resolved)},
            {"inputs", reported_inputs(r.resolved)}};
  return versioned(std::move(j));
}

}  // namespace orrery
