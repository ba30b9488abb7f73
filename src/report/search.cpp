// SPDX-License-Identifier: Apache-2.0
#include "report/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/json_path.h"
#include "core/units.h"
#include "estimate/risk.h"
#include "explore/incumbents.h"
#include "explore/space.h"
#include "insight/advice.h"
#include "insight/best_words.h"
#include "insight/limiter.h"
#include "insight/metrics.h"
#include "insight/settings.h"
#include "insight/step_power.h"
#include "report/estimate.h"
#include "report/frame.h"
#include "report/power_table.h"
#include "report/search_points.h"
#include "report/strategy_words.h"

namespace orrery {
namespace {

// Families of an axis that are shown: the winner's, and the nearest others.
constexpr std::size_t kMostOfAnAxis = 6;
constexpr std::size_t kMostRules = 6;
constexpr std::size_t kMostOfFront = 12;
constexpr std::size_t kFamily = 24;  // columns of a name
constexpr double kWorthAWord = 0.02;
// Rows of the table without --all: the recommended, the fastest, one of another kind.
constexpr std::size_t kShownBest = 3;

std::int64_t sum(const std::array<std::int64_t, kRules + 1>& rejected) {
  return std::accumulate(rejected.begin(), rejected.end(), std::int64_t{0});
}

std::string counts(const SearchAnswer& a) {
  const auto refused = std::accumulate(a.refused.begin(), a.refused.end(), std::int64_t{0});
  const std::string by_constraints =
      a.refused.empty() ? "" : grouped(refused) + " refused by constraints, ";
  return grouped(a.candidates) + " candidates: " + grouped(sum(a.rejected)) + " illegal, " +
         by_constraints + grouped(a.infeasible) + " do not fit, " + grouped(a.too_risky) +
         " fit too tightly, " + grouped(a.pruned) + " ruled out by a bound on their step, " +
         grouped(a.estimated) + " estimated";
}

std::string ties(const SearchReport& r) {
  const SearchAnswer& a = r.answer;
  if (const auto& aim = r.request.conditions.objective) {
    const double best = a.best[0].objective;
    const double last = stated_value(*aim, best + std::abs(best) * (a.tie - 1));
    const std::string upto =
        aim->expression.text() + (aim->maximize ? " >= " : " <= ") + significant(last, 4);
    if (a.ties == 1) return "none: no other strategy has " + upto;
    return grouped(a.ties) + " strategies have " + upto;
  }
  const std::string upto = pretty(a.best[0].step_time * a.tie, 3);
  if (a.ties == 1) return "none: no other strategy is within " + upto;
  return grouped(a.ties) + " strategies are within the winner's error bar (up to " + upto + ")";
}

Phrase nothing_fits(const RunReport& nearest) {
  const Run& run = nearest.resolved.run;
  const Answer& answer = nearest.answer;
  const std::string of_least = "; the strategy above needs least memory, " +
                               fixed(shown_bytes(nearest) / kGiB, 1) + " of " +
                               gib_text(answer.capacity, 1);
  if (!is_feasible(nearest)) return Phrase(TextStyle::red, "nothing fits") + of_least;
  return Phrase(TextStyle::red, "nothing fits as surely as asked") + of_least + ": " +
         fit_text(run, answer) + "; --risk accepts less";
}

// Changes of the run that a search does not make itself: offload, another optimizer.
std::vector<Setting> beyond_search(const std::vector<Setting>& settings) {
  std::vector<Setting> others;
  for (const Setting& s : settings) {
    const std::string name = path_keys(s.path).back();
    const bool is_axis = name == recompute_layers_key() ||
                         std::any_of(kAllOf<SearchAxis>.begin(), kAllOf<SearchAxis>.end(),
                                     [&](SearchAxis axis) { return key_of(axis) == name; });
    if (!is_axis) others.push_back(s);
  }
  return others;
}

std::string left_out_words(const SearchReport& r) {
  return not_tried_words(r.left_out) + ": the space is large; --set search.axes." +
         std::string(key_of(r.left_out[0].axis)) + "=free and the like try them too";
}

// "tp 1, pp 1 (all that fsdp runs)": degrees of which the framework has one value.
std::string framework_words(const SearchReport& r) {
  std::vector<std::string> parts;
  for (const SearchAxis a : {SearchAxis::tp, SearchAxis::pp, SearchAxis::cp, SearchAxis::ep}) {
    const AxisValues& axis = r.request.space.axes[a];
    if (!axis.is_free() || axis.runnable.size() != 1) continue;
    parts.push_back(std::string(key_of(a)) + " " + std::to_string(axis.runnable.front()));
  }
  if (parts.empty()) return "";
  return joined(parts, ", ") + " (all that " +
         std::string(r.request.open.resolved.run.framework.name.view()) + " runs)";
}

std::string held_words(const SearchReport& r) {
  std::vector<std::string> parts;
  for (const HeldKey& h : r.held) {
    parts.push_back(path_keys(h.path).back() + " " + (h.value.empty() ? "open" : h.value) + " (" +
                    h.by + ")");
  }
  if (const std::string all = framework_words(r); !all.empty()) parts.push_back(all);
  return (parts.empty() ? "nothing of the strategy (--keep KEY holds a key)"
                        : joined(parts, ", ")) +
         "; model, cluster, batch, length, precision, optimizer and framework";
}

// "kernels liger, compile true": switches of the profile that the search turned.
std::string turned_switches(const SearchReport& r) {
  std::vector<std::string> parts;
  for (const Setting& s : r.switches) parts.push_back(path_keys(s.path).back() + " " + s.value);
  return joined(parts, ", ");
}

std::string switch_words(const SearchReport& r) {
  const std::string layouts = counted(static_cast<std::int64_t>(r.switch_layouts), "layout");
  if (r.switches.empty())
    return "as the run has them; no other value that a search tries is faster on " + layouts;
  return turned_switches(r) + " for all strategies below, the fastest on " + layouts;
}

Section outcome(const SearchReport& r, bool all) {
  Section s;
  if (r.frees) s.add(labelled("held", held_words(r)));
  if (r.is_stopped) {
    s.add(labelled("stopped", grouped(r.answer.searched) + " of " + grouped(r.answer.to_search) +
                                  " sets of degrees are searched; below is the best so far"));
  }
  if (r.fewest_gpus > 0) {
    s.add(labelled("GPUs", grouped(r.fewest_gpus) + " are the fewest of usual sizes on which a "
                                                    "usual layout fits"));
  }
  s.add(labelled("search", counts(r.answer)));
  if (r.switch_layouts > 0) s.add(labelled("switches", switch_words(r)));
  if (!r.left_out.empty()) s.add(labelled("not tried", left_out_words(r)));
  if (all && !r.best.empty()) s.add(labelled("ties", ties(r)));
  return s;
}

std::string recompute_cell(const Strategy& s) {
  const std::string kind(name_of(s.recompute));
  return s.recompute_layers > 0 ? kind + " " + std::to_string(s.recompute_layers) : kind;
}

std::vector<Cell> best_row(const std::string& name, const RunReport& run, bool moe) {
  const Strategy& s = run.resolved.run.strategy;
  const auto n = [](std::int64_t x) { return grouped(x); };
  std::vector<Cell> row = {name, pretty(run.answer.step_time),
                           percent(find_metric("mfu")->value({run.resolved.run, run.answer})),
                           gib_text(run.answer.memory.peak, 1)};
  row.insert(row.end(),
             {n(s.tp), s.sequence_parallel ? "yes" : "no", n(s.cp), n(s.pp), n(s.vpp), n(s.dp)});
  if (moe) row.insert(row.end(), {n(s.ep), n(s.etp)});
  row.insert(row.end(), {n(s.micro_batch), n(s.zero), recompute_cell(s), name_of(s.schedule)});
  return row;
}

// "; 4.1 % more than the fastest found: bubble +80 ms; a tie"
std::string own_beside_best(const SearchReport& r) {
  const Conditions& c = r.request.conditions;
  const double best = r.best[r.fastest].found.objective;
  const double own = c.objective_of(r.own->resolved.run, r.own->answer);
  const double more = loss(own, best);
  const char* const word =
      c.objective ? (more < 0 ? " better" : " worse") : (more < 0 ? " less" : " more");
  std::string text = std::isinf(more) ? "worse" : percent(std::abs(more)) + word;
  text += " than " + the_best(c) + " found";
  if (!c.objective && !r.own_difference.empty()) text += ": " + r.own_difference;
  if (more < 0) return text;
  if (is_tie(own, best, r.answer.tie)) return text + "; a tie";
  return text + (c.objective ? "" : "; beyond the interval");
}

// "unlikely (12 %); 4.1 % more than the fastest found"
std::string own_words(const SearchReport& r) {
  std::vector<std::string> parts;
  if (!is_feasible(*r.own)) {
    const Run& run = r.own->resolved.run;
    parts.push_back(fit_text(run, r.own->answer));
  }
  if (!r.best.empty()) parts.push_back(own_beside_best(r));
  return joined(parts, "; ");
}

constexpr std::size_t kFirstOfLayout = 4;  // behind name, step, MFU and peak

std::vector<Column> best_columns(bool moe, bool has_besides) {
  std::vector<Column> columns;
  for (const char* name : {"", "step", "MFU", "peak", "tp", "sp", "cp", "pp", "vpp", "dp"}) {
    columns.push_back({name, true});
  }
  if (moe) columns.insert(columns.end(), {{"ep", true}, {"etp", true}});
  columns.insert(columns.end(), {{"batch", true}, {"ZeRO", true}, {"recompute"}, {"schedule"}});
  if (has_besides) columns.push_back({"besides"});
  return columns;
}

// Takes the columns of the layout in which all rows agree: "cp 1 · pp 1". The rest of the table
// then stays in one piece on a narrow screen.
std::string take_agreed(std::vector<Column>& columns, std::vector<std::vector<Cell>>& rows) {
  std::vector<std::string> words;
  for (std::size_t i = columns.size(); i-- > kFirstOfLayout;) {
    const std::string& first = rows[0][i].text;
    const bool agrees = std::all_of(rows.begin(), rows.end(),
                                    [&](const auto& row) { return row[i].text == first; });
    if (!agrees || first.empty()) continue;
    words.insert(words.begin(), columns[i].title + " " + first);
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(i));
    for (auto& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return joined(words, " · ");
}

std::vector<std::vector<Cell>> best_rows(const SearchReport& r, std::size_t shown, bool moe,
                                         bool has_besides) {
  const Space& space = r.request.space;
  std::vector<std::vector<Cell>> rows;
  for (std::size_t i = 0; i < shown; ++i) {
    const Found& f = r.best[i].found;
    rows.push_back(best_row(std::to_string(i + 1), r.best[i].run, moe));
    if (has_besides) rows.back().push_back(besides_words(space, f.place.base, f.strategy));
  }
  if (!r.own) return rows;
  rows.push_back(best_row("yours", *r.own, moe));
  if (has_besides) rows.back().push_back(besides_words(space, 0, r.own->resolved.run.strategy));
  return rows;
}

Section best_section(const SearchReport& r, bool all) {
  if (r.best.empty()) return {};
  const std::size_t shown = all ? r.best.size() : std::min(kShownBest, r.best.size());
  const Space& space = r.request.space;
  const bool moe = is_moe(space.bases[0].run.model);
  const bool has_besides = std::any_of(r.best.begin(), r.best.end(), [&](const auto& listed) {
    return !besides_words(space, listed.found.place.base, listed.found.strategy).empty();
  });
  std::vector<Column> columns = best_columns(moe, has_besides);
  std::vector<std::vector<Cell>> rows = best_rows(r, shown, moe, has_besides);
  const std::string agreed = rows.size() > 1 ? take_agreed(columns, rows) : "";
  Table table(columns, 2);
  for (std::vector<Cell>& row : rows) table.add(std::move(row));
  Section section = {bold("Best") + (agreed.empty() ? "" : ", all with " + agreed), {table}};
  for (std::size_t i = 0; i < shown; ++i) {
    section.add(Paragraph{std::to_string(i + 1) + "  " + r.best[i].why, 3, 3});
  }
  if (r.own) section.add(Paragraph{"yours  " + own_words(r), 5, 2});
  return section;
}

std::string aim_name(const Aim& aim) {
  return (aim.maximize ? "most " : "least ") + aim.expression.text();
}

// A long front is thinned to the points that fit, evenly from the first aim's best to its worst.
Section front_section(const SearchReport& r) {
  const std::vector<Found>& front = r.answer.front;
  const std::vector<Aim>& aims = r.request.conditions.pareto;
  if (front.empty()) return {};
  std::vector<Column> columns;
  for (const Aim& aim : aims) columns.push_back({aim_name(aim), true});
  columns.push_back({"strategy"});
  Table table(columns, 2);
  const std::size_t shown = std::min(kMostOfFront, front.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Found& f = front[shown < 2 ? i : i * (front.size() - 1) / (shown - 1)];
    std::vector<std::string> row;
    for (std::size_t a = 0; a < aims.size(); ++a) {
      row.push_back(significant(aims[a].maximize ? -f.aims[a] : f.aims[a], 4));
    }
    row.push_back(strategy_words(r.request.space, f.place.base, f.strategy));
    table.add(row);
  }
  const std::string of = shown < front.size() ? ", " + std::to_string(shown) + " of " : ", ";
  return {bold("Pareto front") + of + grouped(static_cast<std::int64_t>(front.size())) +
              " strategies none of which is beaten in all aims",
          {table}};
}

Section limit(const SearchReport& r) {
  const RunReport& run = r.best.empty() ? r.nearest[0] : r.best[0].run;
  return {{}, {Paragraph{bold("Limit") + "  " + limiter(run.resolved.run, run.answer), 7}}};
}

// The largest elasticities, and the memory that is left.
Section sensitivity(const SearchReport& r) {
  if (r.elasticities.empty()) return {};
  std::string text;
  for (const Elasticity& e : r.elasticities) {
    if (std::abs(e.value) < kWorthAWord) break;
    const std::string change = percent(std::abs(e.value) / 100, 2);
    text += (text.empty() ? "1 % more " : ", ") + std::string(e.name) +
            (e.value < 0 ? " −" : " +") + change;
  }
  const Answer& a = r.best[0].run.answer;
  text += "; memory: " + gib_text(a.capacity - a.memory.peak, 1) + " are left of " +
          gib_text(a.capacity, 1);
  return {{}, {Paragraph{bold("Sensitivity") + " of the recommended step: " + text, 2}}};
}

Section power(const SearchReport& r) {
  if (!r.power) return {};
  const StepPower& p = *r.power;
  const Cluster& c = r.best[0].run.resolved.run.cluster;
  const PowerWork work{cap_of(c), p.own, p.others, p.tokens, p.limit};
  return {bold("Power") + " of this step, limit " + pretty(p.limit, 3) + " (cluster.power_cap)",
          {power_table(work, "step", [](Seconds t) { return pretty(t, 4); })}};
}

Section refined(const SearchReport& r) {
  if (r.refined.empty()) return {};
  Table table({{"", true}, {"estimated", true}, {"simulated", true}, {"difference", true}}, 2);
  for (std::size_t i = 0; i < r.refined.size(); ++i) {
    const Refined& f = r.refined[i];
    table.add({std::to_string(i + 1), pretty(f.estimated), pretty(f.simulated),
               percent(f.simulated / f.estimated - 1, 2)});
  }
  return {bold("Simulated"), {table}};
}

// Where no table has its row.
Section own(const SearchReport& r) {
  if (!r.own_refusal.empty())
    return {bold("Yours"), {Paragraph{"illegal: " + r.own_refusal, 2, 2}}};
  if (!r.own || !r.best.empty()) return {};
  const Answer& a = r.own->answer;
  const std::string words = own_words(r);
  return {bold("Yours"),
          {Paragraph{strategy_words(r.request.space, 0, r.own->resolved.run.strategy) + ": " +
                         pretty(a.step_time) + ", " + gib_text(a.memory.peak, 1) +
                         (words.empty() ? "" : ", " + words),
                     2, 2}}};
}

std::string loss_text(const Conditions& c, const FamilyReport& f) {
  if (f.family.best.place.unit < 0) return f.reason;
  if (f.loss == 0) return loss_words(c, 0);
  const std::string size = percent(f.loss, f.loss < 0.0995 ? 1 : 0);
  const std::string worse = std::isinf(f.loss) ? "worse" : size + " worse";
  return (c.objective ? worse : "+" + size) + (f.reason.empty() ? "" : ": " + f.reason);
}

// Good strategies first, then those that do not fit, then illegal ones.
bool is_nearer(const FamilyReport* a, const FamilyReport* b) {
  const auto rank = [](const FamilyReport* f) {
    return f->family.best.place.unit >= 0 ? 0 : f->family.legal > 0 ? 1 : 2;
  };
  return rank(a) != rank(b) ? rank(a) < rank(b) : a->loss < b->loss;
}

std::vector<const FamilyReport*> shown_of(const SearchReport& r, std::size_t axis) {
  std::vector<const FamilyReport*> list;
  for (const FamilyReport& f : r.families) {
    if (f.family.axis == axis) list.push_back(&f);
  }
  std::stable_sort(list.begin(), list.end(), is_nearer);
  if (list.size() > kMostOfAnAxis) list.resize(kMostOfAnAxis);
  std::sort(list.begin(), list.end(), [](const FamilyReport* a, const FamilyReport* b) {
    return a->family.value < b->family.value;
  });
  return list;
}

Section families(const SearchReport& r) {
  const Space& space = r.request.space;
  Table table({Column("value").at_least(kFamily), Column("loses").wrapped()}, 2);
  for (std::size_t a = 0; a < kSearchAxes + space.outer.size(); ++a) {
    for (const FamilyReport* f : shown_of(r, a)) {
      table.add({axis_name(space, a) + " " + axis_text(space, a, f->family.value),
                 loss_text(r.request.conditions, *f)});
    }
  }
  if (table.empty()) return {};
  return {bold("The best with") + " each value, beside " + the_best(r.request.conditions),
          {table.untitled()}};
}

Section rules(const SearchReport& r) {
  std::vector<std::size_t> order;
  for (std::size_t i = 1; i <= kRules; ++i) {
    if (r.answer.rejected[i] > 0) order.push_back(i);
  }
  if (order.empty()) return {};
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return r.answer.rejected[a] > r.answer.rejected[b];
  });
  Table table({Column("rule").at_least(kFamily), Column("candidates", true).at_least(12),
               Column("allowed").wrapped()},
              2);
  for (std::size_t i = 0; i < std::min(kMostRules, order.size()); ++i) {
    const Rule& rule = rule_of(static_cast<RuleId>(order[i]));
    table.add(
        {std::string(rule.name), grouped(r.answer.rejected[order[i]]), std::string(rule.allowed)});
  }
  Section s{bold("Illegal") + " by the rule that says so first", {table.untitled()}};
  if (order.size() > kMostRules) {
    s.add(Paragraph{"and " + std::to_string(order.size() - kMostRules) + " more", 2, 2});
  }
  return s;
}

Table best_rows(const SearchReport& r) {
  std::vector<Column> columns = {{"rank"}};
  for (const SearchAxis a : kAllOf<SearchAxis>) columns.push_back({std::string(key_of(a))});
  columns.push_back({std::string(recompute_layers_key())});
  for (const Metric& m : metrics()) columns.push_back({std::string(m.key)});
  Table table(columns);
  for (std::size_t i = 0; i < r.best.size(); ++i) {
    const RunReport& report = r.best[i].run;
    const Run& run = report.resolved.run;
    std::vector<Cell> row = {data_cell(i + 1)};
    for (const SearchAxis axis : kAllOf<SearchAxis>) {
      row.push_back(data_cell(text_of(axis, value_of(run.strategy, axis))));
    }
    row.push_back(data_cell(run.strategy.recompute_layers));
    for (const Metric& m : metrics()) row.push_back(data_cell(m.value({run, report.answer})));
    table.add(row);
  }
  return table;
}

std::string title_of(const SearchReport& r) {
  return "Strategies for " + r.request.open.resolved.model.name + " on " +
         grouped(r.request.space.bases[0].run.cluster.gpus) + " GPUs";
}

// "recommended tp 8, dp 2: 1.99 s, 60.8 GiB, fits (99 %); the fastest found is 1.95 s"
std::string winner_words(const SearchReport& r) {
  const RunReport& run = r.best[0].run;
  const double p = fit_probability(run.resolved.run, run.answer);
  std::string text =
      strategy_words(r.request.space, r.best[0].found.place.base, r.best[0].found.strategy) +
      (r.switches.empty() ? "" : " with " + turned_switches(r)) + ": " +
      pretty(run.answer.step_time, 3) + ", " + gib_text(run.answer.memory.peak, 1) + ", " +
      fit_text(p);
  return text + "; " + r.best[0].why;
}

// With what would fit beside the strategy that needs least, else on more GPUs.
std::string next_where_nothing_fits(const RunReport& nearest, const TypedRun& run) {
  const std::vector<Advice> advice = advice_of(nearest);
  const Advice* fits = first_that_fits(advice);
  const std::vector<Setting> others =
      fits == nullptr ? std::vector<Setting>() : beyond_search(fits->settings);
  return others.empty() ? typed_with(run) + " --fewest" : typed_with(run, others);
}

Section ending(const SearchReport& r, const TypedRun& run, bool all) {
  Section s;
  if (r.best.empty()) {
    s.add(labelled("answer", nothing_fits(r.nearest[0])));
    s.add(labelled("next", "orrery search " + next_where_nothing_fits(r.nearest[0], run)));
  } else {
    s.add(labelled("answer", bold(winner_words(r))));
    if (auto line = training_line(r.best[0].run)) s.add(*std::move(line));
    s.add(labelled("next", "orrery search " + typed_with(run) + " --print run -o best.json"));
  }
  if (!all)
    s.add(labelled(
        "all tables",
        "--all: further rows, ties, what limits, what each value loses, rules that refuse"));
  return s;
}

}  // namespace

AnswerDocument search_document(const SearchReport& r, const TypedRun& run, bool all) {
  AnswerDocument d{title_of(r), {}, best_rows(r)};
  const ResolvedRun& shown = (r.best.empty() ? r.nearest[0] : r.best[0].run).resolved;
  d.sections = {all || r.best.empty() ? run_header(shown) : run_subject(shown), outcome(r, all),
                best_section(r, all)};
  if (r.best.empty()) d.add(limit_section(r.nearest[0]));
  if (r.heat && !r.best.empty()) d.add({}).add(search_points(r)).add(search_pairs(r));
  for (const auto& more : {front_section, refined, own, power}) d.add(more(r));
  if (all) {
    for (const auto& more : {limit, sensitivity, families, rules}) d.add(more(r));
  }
  d.add(ending(r, run, all));
  return d;
}

}  // namespace orrery
