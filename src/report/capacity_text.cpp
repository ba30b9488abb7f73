// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/units.h"
#include "document/table.h"
#include "document/text.h"
#include "report/capacity_option_parts.h"

namespace orrery {
namespace {

std::vector<std::string> table_row(const CapacityReport& r, std::size_t i) {
  const OptionAnswer& o = r.answer.options[i];
  const bool front =
      std::find(r.answer.front.begin(), r.answer.front.end(), i) != r.answer.front.end();
  return {name_of(o),
          grouped(o.gpus),
          percent(mfu_of(o.answer)),
          fixed(o.outcome.wall / kDay, 1),
          fixed(o.range.wall.low / kDay, 1) + "–" + fixed(o.range.wall.high / kDay, 1),
          percent(o.outcome.goodput.ratio()),
          o.outcome.cost ? money_text(*o.outcome.cost) + payment_suffix(r, o) : "–",
          pretty(o.outcome.energy.peak, 3),
          energy_text(o.outcome.energy.facility),
          meets_text(r, i),
          front ? "*" : ""};
}

std::string options_table(const CapacityReport& r) {
  Table table({{"option"},
               {"GPUs", true},
               {"MFU", true},
               {"days", true},
               {"range", true},
               {"effective", true},
               {"cost", true},
               {"peak", true},
               {"energy", true},
               {"meets"},
               {"front"}});
  for (const std::size_t i : r.answer.ranked) table.add(table_row(r, i));
  return table.empty() ? "" : text_of(table.indented(2), {});
}

std::string refused_lines(const CapacityReport& r) {
  std::string text;
  for (const OptionAnswer& o : r.answer.options) {
    if (o.status == OptionStatus::fits) continue;
    text += "  " +
            wrapped(name_of(o) + ", " + grouped(o.gpus) +
                        " GPUs: " + std::string(name_of(o.status)) + ": " + o.reason,
                    4, 2) +
            "\n";
  }
  return text.empty() ? "" : "\nNot possible\n" + text;
}

std::string asked(const Requirement& q) {
  std::vector<std::string> parts;
  if (q.deadline) parts.push_back("within " + span_text(*q.deadline));
  if (q.budget) parts.push_back("for " + money_text(*q.budget));
  if (q.power) parts.push_back("under " + pretty(*q.power));
  return joined(parts, ", ");
}

std::string option_name(const CapacityReport& r, std::size_t i) {
  const OptionAnswer& o = r.answer.options[i];
  return name_of(o) + " with " + grouped(o.gpus) + " GPUs";
}

std::string requirement_line(const CapacityReport& r, const RequirementAnswer& a) {
  const std::string question = asked(a.requirement) + ": ";
  if (!a.met.empty()) {
    const std::string smallest = "smallest " + option_name(r, *a.smallest);
    if (a.met.front() == *a.smallest) return question + smallest;
    return question + smallest + "; " + std::string(first_word(r.answer.rank)) + " " +
           option_name(r, a.met.front());
  }
  if (!a.unpriced.empty()) {
    return question + "the budget is not judged, " + why_blank(r.answer.options[*a.smallest]) +
           "; smallest for the rest " + option_name(r, *a.smallest);
  }
  if (!a.nearest) {
    return question + "no option is possible" +
           (r.answer.sizes_tried.empty() ? "" : ": every size tried is refused");
  }
  return question + "no option; the nearest is " + option_name(r, *a.nearest) + ", which " +
         a.nearest_text;
}

std::string break_even_text(const CapacityReport& r) {
  std::string text;
  for (const BreakEven& b : r.answer.break_evens) {
    text += "  " + left(option_name(r, b.option), 42) +
            right(fixed((b.rent * kHour).amount(), 2), 9) + " " + b.rent.currency().text() +
            " a GPU-hour\n";
  }
  return text.empty() ? ""
                      : "\nRent at which each would cost as much as the first of the list\n" + text;
}

}  // namespace

bool meets_all_surely(const CapacityReport& r, std::size_t option) {
  return std::all_of(r.answer.requirements.begin(), r.answer.requirements.end(),
                     [&](const RequirementAnswer& a) {
                       Requirement q = a.requirement;
                       q.sure = true;
                       return standing(q, r.answer.options[option]) != Standing::misses;
                     });
}

std::string meets_text(const CapacityReport& r, std::size_t option) {
  if (r.answer.requirements.empty()) return "";
  const Standing now = standing(r.plan, r.answer.options[option]);
  if (now == Standing::misses) return "no";
  const std::string text = meets_all_surely(r, option) ? "surely" : "likely";
  return now == Standing::unpriced ? text + ", no price" : text;
}

std::optional<std::size_t> best_option(const CapacityReport& r) {
  if (r.answer.ranked.empty()) return {};
  const std::size_t first = r.answer.ranked.front();
  if (standing(r.plan, r.answer.options[first]) != Standing::misses) return first;
  for (const RequirementAnswer& a : r.answer.requirements) {
    if (a.nearest) return a.nearest;
  }
  return first;
}

std::vector<std::string> requirement_lines(const CapacityReport& r) {
  std::vector<std::string> lines;
  for (const RequirementAnswer& a : r.answer.requirements) {
    lines.push_back(requirement_line(r, a));
  }
  return lines;
}

bool is_answered(const CapacityReport& r) {
  if (r.answer.requirements.empty()) return !r.answer.ranked.empty();
  return std::all_of(r.answer.requirements.begin(), r.answer.requirements.end(),
                     [](const RequirementAnswer& a) { return !a.met.empty(); });
}

std::string capacity_text(const CapacityReport& r, const Style& style) {
  std::string text;
  if (!r.plan.name.empty()) text += ink(style, Ink::bold, r.plan.name) + "\n\n";
  for (const std::string& required : requirement_lines(r)) {
    text += details_text(capacity_line("required", required));
  }
  for (const std::string& tried : tried_lines(r)) {
    text += details_text(capacity_line("sizes tried", tried));
  }
  const bool several = r.answer.options.size() > 1;
  if (several && !r.answer.ranked.empty()) {
    text += std::string(r.answer.requirements.empty() ? "" : "\n") + options_heading(r) + "\n" +
            options_table(r);
    if (const std::string note = payment_note(r); !note.empty()) {
      text += "  " + wrapped(note, 2, 2) + "\n";
    }
  }
  text += refused_lines(r);
  const std::optional<std::size_t> best = best_option(r);
  if (!best) return text;
  if (several) {
    text += "\n" + ink(style, Ink::bold, option_name(r, *best)) + "\n";
  } else if (!r.answer.requirements.empty()) {
    text += "\n";
  }
  return text + details_text(option_details(r, *best)) + option_tables(r, *best) +
         break_even_text(r) + option_reasons(r, *best);
}

}  // namespace orrery
