// SPDX-License-Identifier: Apache-2.0
//
// A capacity plan with its answer, and what the answer comes to: which option is the one to look
// at, whether it meets what is required, where its time goes.
//
// Days and money carry the range that the inputs' ranges give (capacity/outcome.h): ranges of
// 80 % where the step's interval is the widest. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capacity/capacity.h"

namespace orrery {

struct CapacityReport {
  CapacityPlan plan;
  CapacityAnswer answer;
};

// Whether every requirement is met by some option, or, without any, some option fits.
bool is_answered(const CapacityReport& r);

// Whether an option meets all that is required at the upper end of its days and cost too.
bool meets_all_surely(const CapacityReport& r, std::size_t option);

// The first of the list, or the nearest to a requirement that none meets; nothing where none fits.
std::optional<std::size_t> best_option(const CapacityReport& r);

// The option with the most parameters that meets a requirement of a plan with several models.
std::optional<std::size_t> largest_model(const CapacityReport& r, const RequirementAnswer& a);
double parameters_of(const OptionAnswer& o);

// Parts of an option's time, of its training without interruptions: they sum to its goodput's
// total.
struct TimeCause {
  const char* name = "";
  double share = 0;
};
std::vector<TimeCause> time_causes(const OptionAnswer& o);

// Failures of a class, and the days of detection, restart and lost work that they cost.
struct ClassCost {
  const FailureClass* of = nullptr;
  double failures = 0;
  double days = 0;
};
std::vector<ClassCost> class_costs(const OptionAnswer& o);

// An amount of money by what it pays for.
struct UnitCosts {
  double million_tokens = 0;
  double eflop = 0;  // 10¹⁸ model FLOPs, by TrainingTime::convention
  double gpu_hour = 0;
};
UnitCosts unit_costs_of(const OptionAnswer& o, double amount);

// Tokens for the energy of the facility, and for a day and the power that it draws at most.
struct TokenYield {
  double a_kwh = 0;
  double a_day_and_mw = 0;
};
TokenYield token_yield(const OptionAnswer& o);

// Whether an input moves a thousandth of days, money or energy.
bool is_worth_showing(const Sensitivity& s);

double mfu_of(const Answer& a);

// True if a node's host memory, where its size is known, holds its part of a checkpoint that is
// written beside training, besides what is offloaded.
bool host_holds_checkpoint(const OptionAnswer& o);

// The command line that gives the step and the memory of an option's first phase again, at its full
// batch: the run that the option was made from, and each key that the option has otherwise. ""
// where the rate is given, which no estimate has.
std::string command_of(const OptionAnswer& o);

}  // namespace orrery
