// SPDX-License-Identifier: Apache-2.0
#include "capacity/training_time.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "estimate/run.h"
#include "model/operators.h"

namespace orrery {
namespace {

namespace calendar = std::chrono;

constexpr calendar::year kFirstYear{1970};
constexpr calendar::year kLastYear{2199};
constexpr calendar::sys_days kLastDay{kLastYear / calendar::December / 31};

// Digits alone: no sign, no space.
std::optional<int> number_of(std::string_view digits) {
  int n = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return {};
    n = 10 * n + (c - '0');
  }
  return n;
}

}  // namespace

double tokens_of(const Goal& goal, const Run& run) {
  if (goal.tokens > 0) return goal.tokens;
  if (goal.flops > Flops()) {
    const Flops a_sequence = model_flops(run.model, goal.convention, counted(run.training, 1));
    return goal.flops / a_sequence * static_cast<double>(run.training.sequence);
  }
  if (goal.tokens_per_parameter > 0) {
    const ParameterCount n = parameter_count(run.model, run.training.sequence);
    return goal.tokens_per_parameter * static_cast<double>(n.active);
  }
  return static_cast<double>(run.training.tokens);
}

PieceTime piece_time(const std::string& phase, const Run& run, const Answer& answer,
                     double tokens) {
  PieceTime p;
  p.phase = phase;
  p.global_batch = run.training.global_batch;
  p.tokens = tokens;
  p.answer = answer;
  const auto a_step = static_cast<double>(run.training.global_batch * run.training.sequence);
  // Less than a billionth of a step is a rounding error.
  p.steps = static_cast<std::int64_t>(std::ceil(tokens / a_step * (1 - 1e-9)));
  p.step = {p.answer.step_time, p.answer.interval_low, p.answer.interval_high};
  const auto n = static_cast<double>(p.steps);
  p.time = {p.step.value * n, p.step.low * n, p.step.high * n};
  return p;
}

FlopsConvention convention_of(const Goal& goal, const Run& run) {
  return goal.flops > Flops() ? goal.convention : run.convention;
}

void add_piece(TrainingTime& t, const Goal& goal, const Run& run, PieceTime piece) {
  if (t.pieces.empty()) t.convention = convention_of(goal, run);
  t.time.value += piece.time.value;
  t.time.low += piece.time.low;
  t.time.high += piece.time.high;
  t.tokens += piece.tokens;
  const CountedStep a_step = counted(run.training, run.training.global_batch);
  t.model_flops += model_flops(run.model, t.convention, a_step) * static_cast<double>(piece.steps);
  t.pieces.push_back(std::move(piece));
}

std::optional<Date> parse_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return {};
  const auto year = number_of(text.substr(0, 4));
  const auto month = number_of(text.substr(5, 2));
  const auto day = number_of(text.substr(8, 2));
  if (!year || !month || !day) return {};
  const calendar::year_month_day date = calendar::year(*year) / *month / *day;
  if (!date.ok() || date.year() < kFirstYear || date.year() > kLastYear) return {};
  return Date{calendar::sys_days(date).time_since_epoch().count()};
}

std::string text_of(Date d) {
  const calendar::year_month_day date{calendar::sys_days(calendar::days(d.day))};
  std::array<char, 48> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return buffer.data();
}

Date after(Date start, Seconds t) {
  const double days = std::floor(t / kDay);
  const auto left = static_cast<double>(kLastDay.time_since_epoch().count() - start.day);
  return {start.day + static_cast<std::int64_t>(std::clamp(days, 0.0, left))};
}

}  // namespace orrery
