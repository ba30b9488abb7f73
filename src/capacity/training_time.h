// SPDX-License-Identifier: Apache-2.0
//
// From tokens, or a budget of FLOPs, to steps and seconds: phases one after another, each with its
// own run and, while the batch grows, its own step.
//
// The errors of step times are fully correlated, as within one stack: lows add to a low, highs to a
// high. Leaves out work between phases (loading, evaluation) and interruptions
// (capacity/goodput.h).
//
// Days of the proleptic Gregorian calendar, "2026-12-01". Leaves out time zones and leap seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capacity/ranged.h"
#include "estimate/answer.h"
#include "model/flops.h"
#include "orrery/quantity.h"

namespace orrery {

struct Run;

// The goal of the training; one of these. None: the run file's training.tokens.
struct Goal {
  double tokens = 0;
  Flops flops{};                                        // by `convention`
  FlopsConvention convention = FlopsConvention::six_n;  // the convention of published budgets
  double tokens_per_parameter = 0;  // 20 is compute-optimal (Chinchilla, arXiv:2203.15556)
};

// The first tokens of a phase, at a smaller batch.
struct RampStep {
  std::int64_t global_batch = 0;
  double tokens = 0;
};

struct PieceTime {
  std::string phase;
  std::int64_t global_batch = 0;
  std::int64_t steps = 0;
  double tokens = 0;
  Ranged<Seconds> step;
  Ranged<Seconds> time;
  Answer answer;
};

struct TrainingTime {
  std::vector<PieceTime> pieces;
  Ranged<Seconds> time;
  double tokens = 0;
  Flops model_flops{};
  // By which they are counted: the goal's where it is FLOPs, so that they are the goal's; else the
  // run's.
  FlopsConvention convention = FlopsConvention::megatron;
};

FlopsConvention convention_of(const Goal& goal, const Run& run);

// Tokens of a goal for a run; 0 if neither says.
double tokens_of(const Goal& goal, const Run& run);

// The steps for `tokens`, rounded up, and their time. `answer` is the run's.
PieceTime piece_time(const std::string& phase, const Run& run, const Answer& answer, double tokens);

// The first piece says the convention.
void add_piece(TrainingTime& t, const Goal& goal, const Run& run, PieceTime piece);

struct Date {
  std::int64_t day = 0;  // since 1970-01-01
};

// Empty if the text is no date of the years 1970 to 2199.
std::optional<Date> parse_date(std::string_view text);
std::string text_of(Date d);

// The day after a time `t` from the beginning of `start`; at most the last known day.
Date after(Date start, Seconds t);

}  // namespace orrery
