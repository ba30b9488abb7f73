// SPDX-License-Identifier: Apache-2.0
#include "report/capacity_words.h"

#include <algorithm>
#include <array>

#include "capacity/chance.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/risk.h"
#include "rl/step.h"

namespace orrery {
namespace {

std::string three_digits(double x) { return fixed(x, decimals_for(x)); }

constexpr EnumArray<RankBy, std::string_view> kFirstWords = {"the cheapest", "the fastest",
                                                             "the least energy", "the fewest GPUs"};

bool pays_by(const CapacityReport& r, Payment p) {
  return std::any_of(r.answer.options.begin(), r.answer.options.end(), [&](const OptionAnswer& o) {
    return o.outcome.cost && o.outcome.bill.payment == p;
  });
}

bool pays_both_ways(const CapacityReport& r) {
  return pays_by(r, Payment::rent) && pays_by(r, Payment::purchase);
}

// Sizes between which the smallest was sought, in words.
const char* kind_of_sizes(const CapacityReport& r, const SizesTried& t) {
  const bool is_rl = std::any_of(r.answer.options.begin(), r.answer.options.end(),
                                 [](const OptionAnswer& o) { return o.rl != nullptr; });
  if (is_rl) return " by halving and doubling the run's, ";
  return t.searched ? ", the common layouts searched for each, "
                    : " that the layout and the batch allow, ";
}

std::string tried_line(const CapacityReport& r, const SizesTried& t, bool lone) {
  std::string text = lone ? "" : t.scenario + (t.model.empty() ? "" : ", " + t.model) + ": ";
  text += grouped(t.tried) + kind_of_sizes(r, t) + grouped(t.least) + " to " + grouped(t.most) +
          " GPUs";
  if (t.refused > 0) text += "; " + grouped(t.refused) + " refused";
  if (t.beyond_power > 0) {
    text += "; " + grouped(t.beyond_power) + " draw more than the power, whatever the cap";
  }
  if (t.left_out > 0)
    text +=
        "; " + grouped(t.left_out) +
        (t.left_out == 1 ? " size in between was not tried" : " sizes in between were not tried");
  return text;
}

std::string other_batch_line(const OtherBatch& b) {
  const auto gpus = std::to_string(b.gpus);
  const auto batch = std::to_string(b.global_batch);
  return "the global batch leaves smaller sizes out: at " + grouped(b.global_batch) +
         " sequences " + grouped(b.gpus) + " GPUs take " + span_text(b.wall) +
         (b.cost ? " and " + money_text(*b.cost) : "") + " (--gpus " + gpus + " --global-batch " +
         batch + ")";
}

std::string asked(const Requirement& q) {
  std::vector<std::string> parts;
  if (q.deadline) parts.push_back("within " + span_text(*q.deadline));
  if (q.budget) parts.push_back("for " + money_text(*q.budget));
  if (q.power) parts.push_back("under " + pretty(*q.power));
  return joined(parts, ", ");
}

std::string name_in(const CapacityReport& r, std::size_t i) {
  return name_with_gpus(r.answer.options[i]);
}

// A budget is held against the run's share of what is bought, whose price is more.
std::string share_note(const CapacityReport& r, const RequirementAnswer& a) {
  const std::optional<std::size_t> i = a.met.empty() ? a.nearest : a.met.front();
  if (!a.requirement.budget || !i) return "";
  const Outcome& o = r.answer.options[*i].outcome;
  if (!o.cost || !o.bill.up_front) return "";
  return "; the budget is held against " + money_text(*o.cost) + ", the run's share of " +
         money_text(*o.bill.up_front) + " bought";
}

std::string verdict_line(const CapacityReport& r, const RequirementAnswer& a) {
  const std::string question = asked(a.requirement) + ": ";
  if (!a.met.empty()) {
    if (const auto i = largest_model(r, a)) {
      const OptionAnswer& o = r.answer.options[*i];
      return question + "the largest model is " + o.model + ", " + short_count(parameters_of(o)) +
             " parameters on " + short_count(o.training.tokens) + " tokens, " + name_in(r, *i);
    }
    const std::string smallest =
        (a.requirement.wants_most() ? "largest " : "smallest ") + name_in(r, *a.smallest);
    if (a.met.front() == *a.smallest) return question + smallest;
    return question + smallest + "; the first of the list " + name_in(r, a.met.front());
  }
  if (!a.unpriced.empty()) {
    return question + "the budget is not judged, " + why_blank(r.answer.options[*a.smallest]) +
           "; smallest for the rest " + name_in(r, *a.smallest);
  }
  if (!a.nearest) {
    return question + "no option is possible" +
           (r.answer.sizes_tried.empty() ? "" : ": every size tried is refused");
  }
  return question + "no option; the nearest is " + name_in(r, *a.nearest) + ", which " +
         a.nearest_text;
}

std::string requirement_line(const CapacityReport& r, const RequirementAnswer& a) {
  return verdict_line(r, a) + share_note(r, a);
}

// A comment of the shell, where the command is that of one phase of several.
std::string of_phase(const OptionAnswer& o) {
  const std::vector<PhasePlan>& phases = o.plan->phases;
  return phases.size() > 1 ? "  # phase " + phases.front().name : "";
}

}  // namespace

namespace {

bool has_chance(const CapacityReport& r, std::size_t option) {
  const Chance c = chance_of(r.plan.requirements, r.answer.options[option]);
  return c.deadline || c.budget;
}

}  // namespace

std::string meets_text(const CapacityReport& r, std::size_t option) {
  if (r.answer.requirements.empty()) return "";
  const Standing now = standing(r.plan, r.answer.options[option]);
  if (now == Standing::misses) return "no";
  std::string text = meets_all_surely(r, option) ? "surely" : "likely";
  if (has_chance(r, option)) {
    text += " " + probability_words(chance_of(r.plan.requirements, r.answer.options[option]).all);
  }
  return now == Standing::unpriced ? text + ", no price" : text;
}

std::vector<std::string> requirement_lines(const CapacityReport& r) {
  std::vector<std::string> lines;
  for (const RequirementAnswer& a : r.answer.requirements) {
    lines.push_back(requirement_line(r, a));
  }
  return lines;
}

std::vector<std::string> tried_lines(const CapacityReport& r) {
  const bool lone = r.plan.options.size() == 1;
  std::vector<std::string> lines;
  for (const SizesTried& t : r.answer.sizes_tried) {
    if (lone || t.left_out > 0 || t.refused == t.tried) lines.push_back(tried_line(r, t, lone));
    if (t.other_batch) lines.push_back(other_batch_line(*t.other_batch));
  }
  return lines;
}

double in_days(Seconds t) { return t / kDay; }

std::string span_text(Seconds t) {
  return t < kDay ? fixed(t / kHour, 1) + " hours" : fixed(t / kDay, 1) + " days";
}

std::string span_text(const Ranged<Seconds>& t, double whole) {
  const bool is_short = t.value < kDay;
  const Seconds unit = is_short ? kHour : kDay;
  const auto text = [&](Seconds x) { return fixed(x / unit, x / unit < whole ? 1 : 0); };
  const std::string middle = text(t.value) + (is_short ? " hours" : " days");
  return t.is_exact() ? middle : middle + " (" + text(t.low) + " to " + text(t.high) + ")";
}

std::string options_heading(const CapacityReport& r) {
  const bool meets = !r.answer.ranked.empty() && meets_text(r, r.answer.ranked.front()) != "no";
  if (!r.answer.requirements.empty() && !meets)
    return "Options, the nearest to what is required first";
  const bool by_chance = !r.answer.ranked.empty() && has_chance(r, r.answer.ranked.front());
  std::string text = "Options, " +
                     std::string(by_chance ? "the surest (above 80 %, above 50 %) and then " : "") +
                     std::string(kFirstWords[r.answer.rank]) + " first";
  if (r.answer.rank != RankBy::gpus) text += " (by the upper end of its range)";
  if (r.plan.rank != r.answer.rank) text += "; none has a price to go by";
  return text;
}

std::string payment_suffix(const CapacityReport& r, const OptionAnswer& o) {
  if (!pays_both_ways(r)) return "";
  return o.outcome.bill.payment == Payment::rent ? ", rented" : ", bought";
}

std::string payment_note(const CapacityReport& r) {
  if (!pays_both_ways(r)) return "";
  return "Rent includes power, network and the site's profit. A purchase counts only parts with a "
         "price here. A bought option with a part that has no price is listed last; give the "
         "missing price, or set `pay`.";
}

std::string gpus_text(const OptionAnswer& o) {
  const std::int64_t paid = paid_gpus(o.inputs);
  return grouped(o.gpus) + (paid > o.gpus ? " (" + grouped(paid) + ")" : "");
}

std::string fit_text(const OptionAnswer& o) {
  const double p = fit_probability(o);
  return std::string(fit_words(p)) + ", " + probability_words(p);
}

std::string accuracy_text(const OptionAnswer& o) {
  if (o.rl) {
    const PhaseTime& t = o.rl->phases[RlPhase::generate];
    return "learner: " + o.run->interval.words + "; generation: " + fixed(t.low / t.value, 2) +
           " to " + fixed(t.high / t.value, 2) + " times the prediction";
  }
  if (!o.plan->achieved) return o.run->interval.words;
  const Ranged<FlopsPerSecond>& r = *o.plan->achieved;
  return "the rate is given, not predicted: " + pretty(r.value, 3) + " a GPU" +
         (r.is_exact() ? "" : " (" + pretty(r.low, 3) + " to " + pretty(r.high, 3) + ")");
}

std::vector<std::string> left_out(const OptionAnswer& o) {
  std::vector<std::string> all;
  if (o.outcome.largest.recovery.failures.si() <= 0)
    all.emplace_back("failures (--failures llama-3)");
  if (!o.outcome.largest.checkpoint.storage_known) {
    all.emplace_back("the writing of checkpoints (--storage selene)");
  }
  if (!o.outcome.energy.pue_known) {
    all.emplace_back(R"(PUE (--energy '["by-load", {"pue": 1.2}]'))");
  }
  if (!o.outcome.cost) all.emplace_back("cost (--prices market-2026 or --rent 2.5)");
  return all;
}

Section command_section(const CapacityReport& r) {
  constexpr std::size_t kMostCommands = 8;
  Section s{"Commands that show step, memory and advice of an option"};
  std::string lines;
  for (std::size_t i = 0; i < std::min(kMostCommands, r.answer.ranked.size()); ++i) {
    const std::string command = command_of(r.answer.options[r.answer.ranked[i]]);
    if (command.empty()) continue;
    lines += "  " + command + of_phase(r.answer.options[r.answer.ranked[i]]) + "\n";
  }
  if (lines.empty()) return {};
  return s.add(Verbatim{lines});
}

namespace {

// Options whose steps err alike, in the order of the list.
struct AlikeOptions {
  std::string accuracy;
  std::vector<std::size_t> options;
};

std::vector<AlikeOptions> by_accuracy(const CapacityReport& r) {
  std::vector<AlikeOptions> all;
  for (const std::size_t i : r.answer.ranked) {
    const std::string accuracy = accuracy_text(r.answer.options[i]);
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const AlikeOptions& a) { return a.accuracy == accuracy; });
    if (same == all.end()) {
      all.push_back({accuracy, {i}});
    } else {
      same->options.push_back(i);
    }
  }
  return all;
}

std::string sure_text(const CapacityReport& r, const AlikeOptions& a) {
  std::vector<std::string> names;
  std::vector<std::string> fits;
  const bool lone = a.options.size() == 1;
  for (const std::size_t i : a.options) {
    const OptionAnswer& o = r.answer.options[i];
    names.push_back(name_with_gpus(o));
    fits.push_back((lone ? "" : name_of(o) + " ") + fit_text(o));
    if (!o.outcome.cost) fits.back() += ", no cost, " + why_blank(o);
  }
  return joined(names, "; ") + ": " + a.accuracy + "; memory: " + joined(fits, "; ");
}

}  // namespace

Section sureness_section(const CapacityReport& r) {
  Section s{"How sure each is: the error of the step, and of a GPU's memory"};
  for (const AlikeOptions& a : by_accuracy(r)) s.add(Paragraph{sure_text(r, a), 4, 2});
  return s;
}

int decimals_for(double x) { return x >= 100 ? 0 : x >= 10 ? 1 : 2; }

std::string money_text(double amount, Currency c) {
  if (amount >= 1e9) return three_digits(amount / 1e9) + " G " + c.text();
  if (amount >= 1e6) return three_digits(amount / 1e6) + " M " + c.text();
  if (amount >= 1e3) return three_digits(amount / 1e3) + " k " + c.text();
  return three_digits(amount) + " " + c.text();
}

std::string money_text(const Money& m) { return money_text(m.amount(), m.currency()); }

std::string energy_text(Joules e) {
  const double kwh = e.si() / kKilowattHour.si();
  if (kwh >= 1e7) return three_digits(kwh / 1e6) + " GWh";
  if (kwh >= 1e4) return three_digits(kwh / 1e3) + " MWh";
  return three_digits(kwh) + " kWh";
}

std::string name_of(const OptionAnswer& o) {
  if (o.model.empty()) return o.scenario;
  return o.scenario.empty() ? o.model : o.scenario + ", " + o.model;
}

std::string name_with_gpus(const OptionAnswer& o) {
  return name_of(o) + " with " + grouped(o.gpus) + " GPUs";
}

std::string strategy_text(const Strategy& s) {
  std::string text;
  const auto add = [&](const char* name, std::int64_t n) {
    if (n > 1) text += std::string(text.empty() ? "" : " ") + name + " " + std::to_string(n);
  };
  add("tp", s.tp);
  add("pp", s.pp);
  add("vpp", s.vpp);
  add("cp", s.cp);
  add("ep", s.ep);
  add("dp", s.dp);
  return text.empty() ? "one GPU" : text;
}

}  // namespace orrery
