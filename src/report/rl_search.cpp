// SPDX-License-Identifier: Apache-2.0
#include "report/rl_search.h"

#include <numeric>

#include "core/json.h"
#include "core/units.h"
#include "document/words.h"
#include "insight/rl_search_report.h"
#include "insight/settings.h"
#include "report/frame.h"
#include "report/frame_json.h"
#include "report/money_json.h"
#include "report/rl.h"
#include "report/rl_words.h"

namespace orrery {
namespace {

const RlRun& rl_of(const RlFoundStep& f) { return *f.learner.rl; }

std::string gpu_words(const RlRun& rl) {
  const RlPlacement& p = rl.placement;
  if (p.kind == PlacementKind::colocated) return grouped(rl.all_gpus);
  return grouped(p.rollout_gpus) + " + " + grouped(learner_gpus(rl));
}

std::string cost_cell(const Money& m) {
  return significant(m.amount(), 3) + " " + m.currency().text();
}

std::string hour_words(const MoneyPerSecond& rent) {
  return fixed((rent * kHour).amount(), 2) + " " + rent.currency().text() + " a GPU-hour";
}

std::string placement_cell(const RlRun& rl) {
  const RlPlacement& p = rl.placement;
  std::string text(name_of(p.kind));
  if (p.kind == PlacementKind::async) text += " " + grouped(p.staleness);
  std::string offloaded;
  const auto add = [&](bool on, const char* what) {
    if (on) offloaded += (offloaded.empty() ? "" : " + ") + std::string(what);
  };
  add(p.offload_weights, "weights");
  add(p.offload_optimizer, "optimizer");
  add(p.offload_reference, "reference");
  return offloaded.empty() ? text : text + ", off: " + offloaded;
}

void add_row(const RlSearchReport& r, const std::string& name, const RlFoundStep& f, Table& t) {
  const RlRun& rl = rl_of(f);
  const PhaseTime& generate = f.step.phases[RlPhase::generate];
  const PhaseTime& update = f.step.phases[RlPhase::update];
  std::vector<Cell> row = {name, pretty(f.step.step.value, 3) + (f.step.fits ? "" : " (no)")};
  if (const auto cost = cost_of(r, f)) row.push_back(cost_cell(*cost));
  for (Cell c : {Cell(pretty(generate.value, 3)), Cell(pretty(update.value, 3)),
                 Cell(percent(fullest_share(f.step.memory), 0)), Cell(placement_cell(rl)),
                 Cell(gpu_words(rl)),
                 Cell(layout_words(rl.generator.layout) + ", " + percent(rl.work.share, 0)),
                 Cell(learner_words(f.learner.run.strategy))}) {
    row.push_back(std::move(c));
  }
  t.add(row);
}

Section best_section(const RlSearchReport& r) {
  std::vector<Column> columns = {{"", true}, {"step", true}};
  if (r.prices) columns.push_back({"cost", true});
  for (const char* number : {"generate", "update", "memory"}) columns.push_back({number, true});
  for (const char* words : {"placement", "GPUs", "engine", "learner"}) columns.push_back({words});
  Table t(columns, 2);
  for (std::size_t i = 0; i < r.best.size(); ++i) add_row(r, std::to_string(i + 1), r.best[i], t);
  for (const RlFoundStep& f : r.of_kind) add_row(r, "·", f, t);
  if (r.own) add_row(r, "yours", *r.own, t);
  Section s{bold("Best") + ", GPUs that generate + that learn", {t}};
  if (!r.of_kind.empty()) {
    const std::string best = r.cheapest ? "cheapest" : "fastest";
    s.add(Paragraph{"·  the " + best + " of another placement", 3, 3});
  }
  if (r.beyond_framework) {
    s.add(Paragraph{"nothing fits with the tp, cp and pp that framework " +
                        std::string(r.best.front().learner.run.framework.name.view()) +
                        " is known to run: these go beyond",
                    3, 3});
  }
  if (r.other_algorithm) {
    s.add(
        Paragraph{"async trains on answers of older weights, another algorithm: --placement async "
                  "searches it alone",
                  3, 3});
  }
  if (!r.own_refusal.empty()) s.add(Paragraph{"yours is refused: " + r.own_refusal, 3, 3});
  if (r.own && !r.own->step.fits) s.add(Paragraph{"yours does not fit", 3, 3});
  return s;
}

std::string key_without_object(const std::string& path) { return path.substr(path.find('.') + 1); }

std::string held_words(const RlSearchReport& r) {
  std::string text;
  for (const HeldKey& h : r.held) {
    text += (text.empty() ? "" : ", ") + key_without_object(h.path) + " " +
            (h.value.empty() ? "open" : h.value) + " (" + h.by + ")";
  }
  if (text.empty()) text = "nothing of placement, engine and strategy (--keep KEY holds a key)";
  return text + "; model, cluster, algorithm, lengths, batch, precision and framework";
}

std::string count_words(const RlSearchReport& r) {
  const RlSearchAnswer& a = r.answer;
  return grouped(a.placements) + " placements: " + grouped(r.choices) +
         " choices of placement, split, engine and share (" + grouped(r.rollouts) +
         " rollouts played), " + grouped(a.learner_candidates) + " layouts of the learner (" +
         grouped(a.learner_candidates - a.rejected[0]) + " illegal)";
}

double aim_of(const RlSearchReport& r, const RlFoundStep& f) {
  const auto cost = r.cheapest ? cost_of(r, f) : std::nullopt;
  return cost ? cost->amount() : f.step.step.value.si();
}

std::string winner_words(const RlSearchReport& r) {
  const RlFoundStep& f = r.best.front();
  const auto cost = cost_of(r, f);
  std::string text = "step " + pretty(f.step.step.value, 3) +
                     (cost ? ", " + cost_cell(*cost) + " a step" : "") + ", " +
                     placement_cell(rl_of(f)) + ", " + gpu_words(rl_of(f)) + " GPUs";
  if (!r.own || !r.own->step.fits) return text;
  const double change = aim_of(r, f) / aim_of(r, *r.own) - 1;
  return text + " (" + signed_percent(change) + " of your " + (r.cheapest ? "cost" : "step") + ")";
}

std::string source_words(const PricedGpus& p) {
  std::string text;
  for (const Assumption& a : p.sources) {
    text += "; " + a.what + ": " + a.value + ", " + a.source +
            (a.date.empty() ? "" : " (" + a.date + ")");
  }
  return text;
}

void add_aims(const RlSearchReport& r, Section& s) {
  for (const std::string& text : r.where) s.add(labelled("where", text));
  if (!r.prices) return;
  const GpuRents& rents = r.prices->rents;
  s.add(labelled("rent", hour_words(rents.learner) + " to learn, " + hour_words(rents.generator) +
                             " to generate" + source_words(*r.prices)));
}

Section outcome(const RlSearchReport& r) {
  Section s;
  s.add(labelled("held", held_words(r)));
  s.add(labelled("search", count_words(r)));
  add_aims(r, s);
  if (r.answer.is_stopped) s.add(labelled("stopped", "below is the best so far"));
  if (r.best.empty()) {
    const std::string why = r.where.empty() ? "nothing fits as surely as asked"
                                            : "nothing that fits meets what --where asks";
    s.add(labelled("answer", Phrase(TextStyle::red, why) +
                                 ": no placement of the space (--risk accepts less)"));
  }
  return s;
}

// Once with less sureness; then the run alone, which names what would fit.
std::string next_without_answer(const RlSearchReport& r, const TypedRun& run) {
  return r.less_sure.empty() ? "orrery estimate " + typed_with(run)
                             : "orrery search " + typed_with(run, r.less_sure);
}

Section ending(const RlSearchReport& r, const TypedRun& run) {
  Section s;
  if (r.best.empty()) {
    s.add(labelled("next", next_without_answer(r, run)));
    return s;
  }
  s.add(labelled("answer", bold(winner_words(r))));
  s.add(labelled("changes", typed(r.best.front().settings)));
  s.add(labelled("next", "orrery estimate " + typed_with(run, r.best.front().settings)));
  return s;
}

// CSV: a row each.
Table rows(const RlSearchReport& r) {
  Table t({{"rank"},
           {"step_time_s"},
           {"cost"},
           {"placement"},
           {"rollout_gpus"},
           {"staleness"},
           {"engine_tp"},
           {"engine_dp"},
           {"engine_ep"},
           {"memory_share"},
           {"tp"},
           {"cp"},
           {"pp"},
           {"dp"},
           {"ep"},
           {"micro_batch"},
           {"recompute"}});
  for (std::size_t i = 0; i < r.best.size(); ++i) {
    const RlRun& rl = rl_of(r.best[i]);
    const EngineLayout& l = rl.generator.layout;
    const Strategy& s = r.best[i].learner.run.strategy;
    const auto cost = cost_of(r, r.best[i]);
    t.add({data_cell(i + 1), data_cell(r.best[i].step.step.value.si()),
           cost ? data_cell(cost->amount()) : Cell(""),
           data_cell(std::string(name_of(rl.placement.kind))), data_cell(rl.placement.rollout_gpus),
           data_cell(rl.placement.staleness), data_cell(l.tp), data_cell(l.dp), data_cell(l.ep),
           data_cell(rl.work.share), data_cell(s.tp), data_cell(s.cp), data_cell(s.pp),
           data_cell(s.dp), data_cell(s.ep), data_cell(s.micro_batch),
           data_cell(std::string(name_of(s.recompute)))});
  }
  return t;
}

Json found_json(const RlSearchReport& r, const RlFoundStep& f) {
  Json phases = Json::object();
  for (const RlPhase p : kAllOf<RlPhase>) {
    phases[std::string(name_of(p))] = f.step.phases[p].value.si();
  }
  return {{"feasible", f.step.fits},
          {"step_time_s", f.step.step.value.si()},
          {"cost", json_or_null(cost_of(r, f), [](const Money& m) { return m.amount(); })},
          {"placement", name_of(rl_of(f).placement.kind)},
          {"rollout_gpus", rl_of(f).placement.rollout_gpus},
          {"fullest_share", fullest_share(f.step.memory)},
          {"phases_s", phases},
          {"set", settings_json(f.settings)},
          {"type", typed(f.settings)},
          {"run", *f.run}};
}

Json prices_json(const PricedGpus& p) {
  return {{"currency", p.rents.learner.currency().text()},
          {"learner_gpu_hour", (p.rents.learner * kHour).amount()},
          {"generator_gpu_hour", (p.rents.generator * kHour).amount()},
          {"sources", assumptions_json(p.sources)}};
}

}  // namespace

AnswerDocument rl_search_document(const RlSearchReport& r, const TypedRun& run) {
  const RlFoundStep* first = !r.best.empty() ? &r.best.front() : r.own ? &*r.own : nullptr;
  AnswerDocument d{"Placements of a step of reinforcement learning", {}, rows(r)};
  if (first != nullptr) d.sections.push_back(run_header(first->learner));
  d.sections.push_back(outcome(r));
  if (!r.best.empty()) d.add(best_section(r));
  d.add(ending(r, run));
  return d;
}

Json rl_search_json(const RlSearchReport& r) {
  Json j = {{"feasible", !r.best.empty()},
            {"placements", r.answer.placements},
            {"choices", r.choices},
            {"rollouts", r.rollouts},
            {"learner_candidates", r.answer.learner_candidates},
            {"learner_illegal", r.answer.learner_candidates - r.answer.rejected[0]}};
  j["held"] = json_list(r.held, [](const HeldKey& h) -> Json {
    return {{"path", h.path}, {"value", h.value}, {"by", h.by}};
  });
  const auto found = [&](const RlFoundStep& f) { return found_json(r, f); };
  j["minimized"] = r.cheapest ? "cost" : "step_time_s";
  j["where"] = r.where;
  j["prices"] = json_or_null(r.prices, prices_json);
  j["best"] = json_list(r.best, found);
  j["of_placement"] = json_list(r.of_kind, found);
  j["own"] = json_or_null(r.own, found);
  j["beyond_framework"] = r.beyond_framework;
  j["other_algorithm"] = r.other_algorithm;
  if (!r.own_refusal.empty()) j["own_refusal"] = r.own_refusal;
  return versioned(std::move(j));
}

}  // namespace orrery
