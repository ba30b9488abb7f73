// SPDX-License-Identifier: Apache-2.0
//
// A capacity plan and its answer for a person, for programs, for a spreadsheet.
//
// Days and money carry the range that the inputs' ranges give (capacity/sensitivity.h): ranges of
// 80 % where the step's interval is the widest. JSON is in SI units, days, hours and the plan's
// currency, each in its key; what no price or rate was given for is null.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capacity/capacity.h"
#include "core/json.h"
#include "document/words.h"

namespace orrery {

// What is said of an option, line by line: what it is about, and what is so.
struct DetailLine {
  std::string label;
  std::string text;
};

struct Details {
  std::vector<DetailLine> lines;

  Details& operator+=(const Details& more) {
    lines.insert(lines.end(), more.lines.begin(), more.lines.end());
    return *this;
  }
  friend Details operator+(Details a, const Details& b) { return a += b; }
};

struct CapacityReport {
  CapacityPlan plan;
  CapacityAnswer answer;
};

// Whether every requirement is met by some option, or, without any, some option fits.
bool is_answered(const CapacityReport& r);

// Whether an option meets all that is required at the upper end of its days and cost too.
bool meets_all_surely(const CapacityReport& r, std::size_t option);

// "surely", "likely" (by the middle of its range), "no"; "likely, no price" where a budget is asked
// and cannot be judged.
std::string meets_text(const CapacityReport& r, std::size_t option);

// The first of the list, or the nearest to a requirement that none meets; nothing where none fits.
std::optional<std::size_t> best_option(const CapacityReport& r);

std::string capacity_text(const CapacityReport& r, const Style& style);
Json capacity_json(const CapacityReport& r);
std::string capacity_csv(const CapacityReport& r);   // a row for each option
std::string capacity_html(const CapacityReport& r);  // one page, no script, for print too

// --- pieces that text and page share

std::vector<std::string> requirement_lines(const CapacityReport& r);
// The sizes among which the smallest was sought: of a lone option, else where some were left out or
// all refused.
std::vector<std::string> tried_lines(const CapacityReport& r);
Details option_details(const CapacityReport& r, std::size_t option);
std::string option_tables(const CapacityReport& r, std::size_t option);
std::string option_reasons(const CapacityReport& r, std::size_t option);
Details capacity_line(const std::string& label, const std::string& text);
std::string details_text(const Details& details);

// Parts of an option's time, of its training without stops: they sum to its goodput's total.
struct TimeCause {
  const char* name = "";
  double share = 0;
};
std::vector<TimeCause> time_causes(const OptionAnswer& o);

// "Options, the cheapest first of those that meet what is required".
std::string options_heading(const CapacityReport& r);

// "the cheapest".
std::string_view first_word(RankBy by);

// ", bought" or ", rented" where a plan has both; and what to think of that.
std::string payment_suffix(const CapacityReport& r, const OptionAnswer& o);
std::string payment_note(const CapacityReport& r);

double in_days(Seconds t);
std::string span_text(Seconds t);  // "60.0 days", "7.5 hours"
double mfu_of(const Answer& a);

std::string money_text(const Money& m);             // "12.3 M USD"
std::string money_text(double amount, Currency c);  // the same
std::string range_text(const Ranged<double>& r, double unit,
                       int decimals);          // "25.5 (23.4 to 27.8)"
std::string energy_text(Joules e);             // "1,234 MWh"
std::string name_of(const OptionAnswer& o);    // "H100, 70B"
std::string strategy_text(const Strategy& s);  // "tp 8 pp 8 dp 16 …"

}  // namespace orrery
