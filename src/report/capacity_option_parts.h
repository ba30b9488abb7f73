// SPDX-License-Identifier: Apache-2.0
//
// Lines of one option, by what they are about; capacity_option_text.cpp puts them in order.
#pragma once

#include <string>

#include "report/capacity_report.h"

namespace orrery {

Details energy_lines(const OptionAnswer& o);
// Why a cost is left blank: "no price of h200-sxm-141gb or its node given (`prices`)".
std::string why_blank(const OptionAnswer& o);
Details cost_lines(const OptionAnswer& o);
Details rent_or_buy_line(const OptionAnswer& o);
Details data_lines(const OptionAnswer& o);
Details host_line(const OptionAnswer& o);
Details periodic_line(const OptionAnswer& o);

// Weights and keys and values by the number of sequences.
std::string serving_table(const std::vector<InferenceNeeds>& all);

// Whether an input moves a thousandth of days, money or energy.
bool is_worth_showing(const Sensitivity& s);

// Those inputs and what they move.
std::string what_matters(const OptionAnswer& o);

}  // namespace orrery
