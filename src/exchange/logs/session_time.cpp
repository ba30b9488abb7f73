// SPDX-License-Identifier: Apache-2.0
#include "exchange/logs/session_time.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "exchange/logs/log_fields.h"
#include "exchange/logs/progress_bars.h"
#include "exchange/text_lines.h"

namespace orrery::training_logs {
namespace {

// A line of a clock that starts with its session.
struct ClockLine {
  double step = 0;
  double seconds = 0;
};

std::vector<ClockLine> elapsed_lines(const std::vector<std::string>& lines) {
  std::vector<ClockLine> all;
  for (const std::string& line : lines) {
    const auto step = leading_number(behind(line, "\"current_steps\":"));
    const std::string_view clock = behind(line, "\"elapsed_time\": \"");
    if (step && !clock.empty())
      all.push_back({*step, seconds_of_clock(clock.substr(0, clock.find('"')))});
  }
  return all;
}

// Steps and seconds between lines of one session: the clock and the steps of another go back.
ClockLine done_in_sessions(const std::vector<ClockLine>& lines) {
  ClockLine done;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const double steps = lines[i].step - lines[i - 1].step;
    const double seconds = lines[i].seconds - lines[i - 1].seconds;
    // No step is done in an evaluation, whose line repeats the last one's step.
    if (steps <= 0 || seconds < 0) continue;
    done.step += steps;
    done.seconds += seconds;
  }
  return done;
}

// The last session, as the Trainer tells of it.
struct Session {
  std::optional<double> seconds;
  double evaluations = 0;            // of the seconds
  std::optional<double> last_step;   // of the run, as planned
  std::optional<double> first_step;  // that a checkpoint had done
  std::optional<double> epochs;      // of the run, as planned
  std::optional<double> epoch;       // where the session ended
};

void take(std::optional<double>& value, std::string_view text) {
  if (const auto x = leading_number(text)) value = x;
}

Session last_session(const std::vector<std::string>& lines) {
  Session s;
  double evaluations = 0;
  // A state of the Trainer has its lines in order; its results have the evaluation after training.
  const bool in_order = std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return contains(line, "\"log_history\":");
  });
  for (const std::string& line : lines) {
    if (contains(line, "***** Running training *****")) {
      s.first_step.reset();
      evaluations = 0;
    }
    evaluations += leading_number(behind(line, "'eval_runtime':")).value_or(0);
    if (in_order) evaluations += leading_number(behind(line, "\"eval_runtime\":")).value_or(0);
    for (const std::string_view runtime : {"'train_runtime':", "\"train_runtime\":"}) {
      if (!behind(line, runtime).empty()) s.evaluations = std::exchange(evaluations, 0);
      take(s.seconds, behind(line, runtime));
      take(s.epoch, behind(behind(line, runtime), "'epoch':"));
    }
    take(s.last_step, behind(line, "Total optimization steps ="));
    take(s.last_step, behind(line, "\"global_step\":"));
    take(s.first_step, behind(line, "Continuing training from global step "));
    take(s.epochs, behind(line, "Num Epochs ="));
  }
  return s;
}

// A whole run ends in its last epoch; a stream's number of epochs is a largest integer.
bool stopped_early(const Session& s) {
  constexpr double kStream = 1e9;
  return s.epochs && s.epoch && *s.epochs < kStream && *s.epoch <= *s.epochs - 1;
}

}  // namespace

std::string read_elapsed(const std::vector<std::string>& lines, std::vector<double>& steps) {
  // The clock has whole seconds: all steps count as one.
  const ClockLine done = done_in_sessions(elapsed_lines(lines));
  if (done.step <= 0 || done.seconds <= 0) return "";
  steps.push_back(done.seconds / done.step);
  return "LLaMA-Factory, by the clock of its lines";
}

void read_run_time(const std::vector<std::string>& lines, const std::string& file,
                   std::vector<double>& steps, std::vector<double>& samples_per_s) {
  const Session s = last_session(lines);
  if (!s.seconds) return;
  if (stopped_early(s)) {
    throw InputError(file, "", "a run that stopped before its last epoch",
                     "a whole run: the Trainer's rates count all of its steps");
  }
  const double training = *s.seconds - s.evaluations;
  if (training <= 0) {
    throw InputError(file, "", "evaluations as long as the run", "a run that trains as well");
  }
  for (double& step : steps) step *= training / *s.seconds;
  for (double& rate : samples_per_s) rate *= *s.seconds / training;
  const double before = s.first_step.value_or(0);
  if (s.last_step && *s.last_step > before) {
    steps = {training / (*s.last_step - before)};
  } else if (s.first_step) {
    throw InputError(file, "", "a resumed run without its number of steps",
                     "the line \"Total optimization steps = …\": the Trainer's rates count steps "
                     "of the sessions before");
  }
  if (s.first_step) samples_per_s.clear();
}

}  // namespace orrery::training_logs
