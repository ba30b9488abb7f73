// SPDX-License-Identifier: Apache-2.0
//
// Pieces that the text and the page of a plan share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "insight/capacity_report.h"

namespace orrery {

std::string name_of(const OptionAnswer& o);         // "H100, 70B"
std::string name_with_gpus(const OptionAnswer& o);  // "H100, 70B with 512 GPUs"
std::string strategy_text(const Strategy& s);       // "tp 8 pp 8 dp 16 …"

// "surely", "likely" (by the middle of its range), "no"; "likely, no price" where a budget is asked
// and cannot be judged.
std::string meets_text(const CapacityReport& r, std::size_t option);

std::vector<std::string> requirement_lines(const CapacityReport& r);
// The sizes among which the smallest was sought: of a lone option, else where some were left out or
// all refused.
std::vector<std::string> tried_lines(const CapacityReport& r);

// "Options, the cheapest first of those that meet what is required".
std::string options_heading(const CapacityReport& r);

// ", bought" or ", rented" where a plan has both; and what to think of that.
std::string payment_suffix(const CapacityReport& r, const OptionAnswer& o);
std::string payment_note(const CapacityReport& r);

double in_days(Seconds t);
std::string span_text(Seconds t);  // "60.0 days", "7.5 hours"
// "60.1 days (55.2 to 64.9)", in hours below a day; a decimal below `whole` of the unit.
std::string span_text(const Ranged<Seconds>& t, double whole);

int decimals_for(double x);  // of three digits

std::string money_text(const Money& m);             // "12.3 M USD"
std::string money_text(double amount, Currency c);  // the same
std::string energy_text(Joules e);                  // "1,234 MWh"

// Days, energy and cost leave these out because nothing is given for them; each with its flag.
std::vector<std::string> left_out(const OptionAnswer& o);

// Why a cost is left blank: "no price of h200-sxm-141gb or its node given (`prices`)".
std::string why_blank(const OptionAnswer& o);

// The lines about an option.
void add_option_lines(Section& s, const CapacityReport& r, std::size_t option);

Table causes_table(const OptionAnswer& o);
// Days and energy under caps of a GPU's power; empty where its clock under a cap is not known.
Section power_section(const CapacityReport& r, const OptionAnswer& o);
// The plan's policies side by side; empty where it names fewer than two.
Section recovery_section(const OptionAnswer& o);
// Weights and keys and values by the number of sequences.
Section serving_section(const std::vector<InferenceNeeds>& all);
Section break_even_section(const CapacityReport& r);
// The bill of materials of an option, and those of all options whole and unrounded; empty where the
// plan does not ask for it.
Section materials_section(const OptionAnswer& o);
Table materials_rows(const CapacityReport& r);

// "36 (40)": GPUs, and those paid for where they are more.
std::string gpus_text(const OptionAnswer& o);

// "likely, 91 %".
std::string fit_text(const OptionAnswer& o);

// Names the runs that the error of the step rests on.
std::string accuracy_text(const OptionAnswer& o);

// For the first options of the list: what to type for their step and memory again.
Section command_section(const CapacityReport& r);

// The recommendation to sign: the option, days, money, how sure, what would make it fail, the
// second choice.
Section verdict_section(const CapacityReport& r);

// A paragraph for each stack and device, of all their options.
Section sureness_section(const CapacityReport& r);

}  // namespace orrery
