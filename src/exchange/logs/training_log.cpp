// SPDX-License-Identifier: Apache-2.0
#include "exchange/logs/training_log.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "calibrate/scatter.h"
#include "core/error.h"
#include "core/units.h"
#include "exchange/logs/event_file.h"
#include "exchange/logs/log_fields.h"
#include "exchange/logs/log_settings.h"
#include "exchange/logs/progress_bars.h"
#include "exchange/logs/session_time.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

using namespace training_logs;

constexpr std::size_t kWarmUp = 5;  // steps, where there are twice as many
// The first of fewer steps is far from the others at this ratio to their median [judgement].
constexpr double kFar = 1.3;

using Values = std::array<std::vector<double>, kQuantities>;

// `again`: another rank prints the step once more, whose memory counts alone.
void read_fields(const std::string& line, std::string_view form, bool again, Values& values) {
  for (const Field& f : kFields) {
    const bool memory = f.quantity == Logged::allocated || f.quantity == Logged::reserved;
    if (f.form != form || (again && !memory)) continue;
    const auto x = value_in(line, f);
    if (!x) continue;
    const bool rate = f.quantity == Logged::steps;
    const Logged quantity = rate ? Logged::step : f.quantity;
    values[static_cast<std::size_t>(quantity)].push_back(rate ? 1 / *x : *x * f.scale);
  }
}

// "    optimizer ......................: (12.34, 56.78)", behind the name of a rank or a host or
// not. A timer's name has no blank.
void read_timer(const std::string& line, std::map<std::string, std::vector<double>>& timers) {
  const std::size_t dots = line.find(" ...");
  const std::size_t open = line.find(": (");
  if (dots == std::string::npos || open == std::string::npos || open < dots) return;
  const std::size_t comma = line.find(',', open);
  const std::size_t blank = line.rfind(' ', dots == 0 ? 0 : dots - 1);
  const std::size_t first = blank == std::string::npos ? 0 : blank + 1;
  if (comma == std::string::npos || first >= dots) return;
  const auto most = leading_number(std::string_view(line).substr(comma + 1));
  if (most) timers[line.substr(first, dots - first)].push_back(*most * kMilli);
}

// "run-1 - iteration-time" is a column of one run.
const HistoryColumn* column_of(std::string_view title) {
  const std::size_t dash = title.rfind(" - ");
  if (dash != std::string_view::npos) title = title.substr(dash + 3);
  const auto found = std::find_if(kHistoryColumns.begin(), kHistoryColumns.end(),
                                  [&](const HistoryColumn& c) { return c.name == title; });
  return found == kHistoryColumns.end() ? nullptr : &*found;
}

// Tags of Megatron-LM ("lm loss vs samples") and DeepSpeed ("Train/Samples/lr") [from memory] whose
// step is a number of samples.
bool counts_samples(std::string_view tag) {
  return contains(tag, "vs samples") || contains(tag, "Train/Samples/");
}

// Seconds of a step between two events of one tag, whatever was done in them: the middle one
// counts, so that checkpoints and evaluations do not.
std::vector<double> seconds_between(const std::vector<LoggedScalar>& scalars) {
  std::map<std::string_view, LoggedScalar> last;
  std::map<std::string_view, std::vector<double>> seconds;
  for (const LoggedScalar& s : scalars) {
    const auto old = last.find(s.tag);
    if (old != last.end() && s.step > old->second.step && s.wall_time > old->second.wall_time) {
      seconds[s.tag].push_back((s.wall_time - old->second.wall_time) /
                               static_cast<double>(s.step - old->second.step));
    }
    last[s.tag] = s;
  }
  std::vector<double> most;
  for (auto& [tag, all] : seconds) {
    if (all.size() > most.size()) most = std::move(all);
  }
  return most;
}

// Steps, or samples a second where it is those that the clock's steps count.
void take_clock(const std::vector<LoggedScalar>& logged, bool of_samples, Values& values) {
  constexpr double kMost = 1e15;
  std::vector<double>& out =
      values[static_cast<std::size_t>(of_samples ? Logged::samples : Logged::step)];
  for (const double x : seconds_between(logged)) {
    if (x > 1 / kMost && x < kMost) out.push_back(of_samples ? 1 / x : x);
  }
}

// Scalars by the tools' tags, or by the clock where no tag says a step's time.
std::string read_events(std::string_view bytes, const std::string& file, Values& values) {
  const std::vector<LoggedScalar> scalars = read_event_file(bytes, file);
  constexpr double kMost = 1e15;
  for (const LoggedScalar& s : scalars) {
    const HistoryColumn* c = column_of(s.tag);
    if (c != nullptr && s.value > 0 && s.value < kMost)
      values[static_cast<std::size_t>(c->quantity)].push_back(s.value * c->scale);
  }
  const auto none = [&](Logged q) { return values[static_cast<std::size_t>(q)].empty(); };
  if (!none(Logged::step) || !none(Logged::samples) || !none(Logged::tokens)) return "TensorBoard";
  std::vector<LoggedScalar> by_step;
  std::vector<LoggedScalar> by_sample;
  for (const LoggedScalar& s : scalars) (counts_samples(s.tag) ? by_sample : by_step).push_back(s);
  take_clock(by_step, false, values);
  if (!none(Logged::step)) return "TensorBoard, by the clock of its events";
  take_clock(by_sample, true, values);
  return "TensorBoard, by the clock of its events and the samples that they count";
}

// A history whose columns say when a step was logged, and no step's time.
bool read_clock(const std::vector<std::string>& lines, Values& values) {
  const std::vector<std::string_view> titles = fields_of(lines.front(), ',');
  const auto first_of = [&](std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      const auto at = std::find(titles.begin(), titles.end(), name);
      if (at != titles.end()) return static_cast<std::size_t>(at - titles.begin());
    }
    return titles.size();
  };
  // "_step" counts what was logged, unless a tool says what it counts.
  const std::size_t step = first_of({"train/global_step", "trainer/global_step", "global_step",
                                     "iter", "iteration", "step", "_step"});
  const std::size_t clock = first_of({"_runtime", "_timestamp"});
  if (std::max(step, clock) == titles.size()) return false;
  std::vector<LoggedScalar> logged;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string_view> fields = fields_of(lines[i], ',');
    if (fields.size() <= std::max(step, clock)) continue;
    const auto at = leading_number(fields[step]);
    const auto seconds = leading_number(fields[clock]);
    if (at && seconds) logged.push_back({"_step", static_cast<std::int64_t>(*at), *seconds, 0});
  }
  take_clock(logged, std::any_of(titles.begin(), titles.end(), counts_samples), values);
  return true;
}

// "a - iteration-time", "b - iteration-time": a chart of two runs, whose steps must not mix.
void check_one_run(std::string_view header, const std::string& file) {
  std::map<const HistoryColumn*, std::string_view> runs;
  for (const std::string_view title : fields_of(header, ',')) {
    const HistoryColumn* column = column_of(title);
    if (column == nullptr) continue;
    const std::string_view run = title.substr(0, title.size() - column->name.size());
    const auto [at, fresh] = runs.emplace(column, run);
    if (fresh || at->second == run) continue;
    throw InputError(file, "line 1",
                     "two runs, \"" + std::string(at->second) + "\" and \"" + std::string(run) +
                         "\" before \"" + std::string(column->name) + "\"",
                     "the history of one");
  }
}

// The form, where the text is such a history, and its values then.
std::string read_history(const std::vector<std::string>& lines, const std::string& file,
                         Values& values) {
  if (lines.empty() || lines.front().find(',') == std::string::npos) return "";
  std::vector<const HistoryColumn*> columns;
  for (const std::string_view title : fields_of(lines.front(), ',')) {
    columns.push_back(column_of(title));
  }
  const bool speed = std::any_of(columns.begin(), columns.end(), [](const HistoryColumn* c) {
    return c != nullptr && is_speed(c->quantity);
  });
  if (!speed && read_clock(lines, values)) return "W&B, by the clock of its steps";
  if (std::all_of(columns.begin(), columns.end(),
                  [](const HistoryColumn* c) { return c == nullptr; })) {
    return "";
  }
  check_one_run(lines.front(), file);
  if (!speed) {
    throw InputError(file, "line 1", "a history of W&B without a step's time",
                     "a column of it (iteration-time, train_step_timing, throughput(tps), …), or "
                     "_runtime beside _step");
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string_view> fields = fields_of(lines[i], ',');
    for (std::size_t k = 0; k < std::min(fields.size(), columns.size()); ++k) {
      const auto x = columns[k] == nullptr ? std::nullopt : leading_number(fields[k]);
      if (x)
        values[static_cast<std::size_t>(columns[k]->quantity)].push_back(*x * columns[k]->scale);
    }
  }
  return "W&B";
}

std::string read_bars(std::string_view text, Values& values) {
  std::vector<double>& steps = values[static_cast<std::size_t>(Logged::step)];
  steps = bar_steps(text);
  return steps.empty() ? "" : "a progress bar";
}

// Lines without colours; a bar that a terminal writes over itself holds several.
std::vector<std::string> written_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : lines_of(text)) {
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find('\r', at), line.size());
      lines.push_back(without_colours(line.substr(at, end - at)));
      at = end + 1;
    }
  }
  return lines;
}

// W&B's history as lines of JSON.
std::string read_json_history(const std::vector<std::string>& lines, Values& values) {
  constexpr std::array<std::string_view, 5> kSteps = {
      "\"train/global_step\":", "\"global_step\":", "\"iter\":", "\"iteration\":", "\"_step\":"};
  std::vector<LoggedScalar> logged;
  bool of_samples = false;
  for (const std::string& line : lines) {
    std::optional<double> step;
    for (std::size_t i = 0; i < kSteps.size() && !step; ++i) {
      step = leading_number(behind(line, kSteps[i]));
    }
    of_samples = of_samples || counts_samples(line);
    const auto seconds = leading_number(behind(line, "\"_runtime\":"));
    if (step && seconds) logged.push_back({"", static_cast<std::int64_t>(*step), *seconds, 0});
  }
  take_clock(logged, of_samples, values);
  const Logged quantity = of_samples ? Logged::samples : Logged::step;
  return values[static_cast<std::size_t>(quantity)].empty() ? "" : "W&B, by the clock of its steps";
}

// Steps to leave out. In a short log the first one, if it is far from the others (it compiles).
std::size_t warm_up_of(const std::vector<double>& x) {
  if (x.size() > 2 * kWarmUp) return kWarmUp;
  if (x.size() < 2) return 0;
  const double others = median_of({x.begin() + 1, x.end()});
  return x[0] > others * kFar || x[0] * kFar < others ? 1 : 0;
}

double settled_median(std::vector<double> x) {
  x.erase(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(warm_up_of(x)));
  return median_of(std::move(x));
}

constexpr std::size_t kFewSteps = 4;

// The median of the second half over that of the first, where no value of one half is among the
// other's and they are far apart.
std::optional<double> moved(std::vector<double> x) {
  x.erase(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(warm_up_of(x)));
  if (x.size() < kFewSteps) return {};
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  const auto [least_before, most_before] = std::minmax_element(x.begin(), middle);
  const auto [least_after, most_after] = std::minmax_element(middle, x.end());
  if (*least_after <= *most_before && *least_before <= *most_after) return {};
  const double ratio = median_of({middle, x.end()}) / median_of({x.begin(), middle});
  return ratio > kFar || ratio * kFar < 1 ? std::optional(ratio) : std::nullopt;
}

// The first form of which a line says how long a step took.
std::string form_of(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    for (const Field& f : kFields) {
      if (is_speed(f.quantity) && value_in(line, f)) return std::string(f.form);
    }
  }
  return "";
}

template <class T>
std::optional<T> of(const std::vector<double>& x, bool most = false) {
  if (x.empty()) return {};
  return T(most ? *std::max_element(x.begin(), x.end()) : settled_median(x));
}

// The number of the step that a line of Megatron-LM or torchtitan tells of.
std::optional<double> number_of_step(std::string_view line, std::string_view form) {
  if (form == "Megatron-LM") return leading_number(behind(line, " iteration "));
  return form == "torchtitan" ? leading_number(behind(line, "step:")) : std::nullopt;
}

// Steps of the last batch, and the timers below them; those of a ramp before it are left out.
void read_lines(const std::vector<std::string>& lines, TrainingLog& log, Values& values,
                std::map<std::string, std::vector<double>>& timers) {
  std::int64_t last = 0;
  for (const std::string& line : lines) {
    if (const std::int64_t batch = step_batch(line).value; batch > 0) last = batch;
  }
  bool counts = true;
  std::optional<double> latest;
  for (const std::string& line : lines) {
    const std::optional<double> number = number_of_step(line, log.form);
    const bool again = number && number == latest;
    if (number) latest = number;
    if (const std::int64_t batch = step_batch(line).value; batch > 0) {
      counts = batch == last;
      if (!counts && !again) ++log.other_batch;
    }
    if (!counts) continue;
    read_fields(line, log.form, again, values);
    if (log.form == "Megatron-LM") read_timer(line, timers);
  }
}

}  // namespace

TrainingLog read_training_log(std::string_view text, const std::string& file) {
  std::vector<std::string> lines;
  TrainingLog log;
  Values values;
  std::vector<double>& of_step = values[static_cast<std::size_t>(Logged::step)];
  if (is_event_file(text)) {
    log.form = read_events(text, file, values);
  } else {
    text = without_byte_order(text);
    log.nccl = read_nccl_setup(text);
    lines = written_lines(text);
    log.form = read_history(lines, file, values);
    if (log.form.empty()) log.form = form_of(lines);
    if (log.form.empty()) log.form = read_elapsed(lines, of_step);
    if (log.form.empty()) log.form = read_json_history(lines, values);
    if (log.form.empty()) log.form = read_bars(text, values);
  }
  log.settings = settings_in(lines);
  std::map<std::string, std::vector<double>> timers;
  read_lines(lines, log, values, timers);
  if (log.form == "Hugging Face's Trainer") {
    read_run_time(lines, file, of_step, values[static_cast<std::size_t>(Logged::samples)]);
  }
  const auto at = [&](Logged q) -> const std::vector<double>& {
    return values[static_cast<std::size_t>(q)];
  };
  log.step_time = of<Seconds>(at(Logged::step));
  log.samples_per_s = of<double>(at(Logged::samples));
  log.tokens_per_s_per_gpu = of<double>(at(Logged::tokens));
  log.flops_per_gpu = of<FlopsPerSecond>(at(Logged::flops));
  log.hardware_flops_per_gpu = of<FlopsPerSecond>(at(Logged::hardware_flops));
  log.allocated = of<Bytes>(at(Logged::allocated), true);
  log.reserved = of<Bytes>(at(Logged::reserved), true);
  log.mfu = of<double>(at(Logged::mfu));
  log.data_time = of<Seconds>(at(Logged::data));
  log.retries = of<double>(at(Logged::retries), true);
  for (const auto& [name, times] : timers) log.timers[name] = Seconds(settled_median(times));
  for (const Logged q : {Logged::step, Logged::samples, Logged::tokens}) {
    if (at(q).size() <= log.steps) continue;
    log.steps = at(q).size();
    log.set_aside = warm_up_of(at(q));
    log.slowed = moved(at(q));
    if (log.slowed && q != Logged::step) *log.slowed = 1 / *log.slowed;
  }
  if (log.steps == 0) {
    throw InputError(
        file, "", "no log of a training",
        "lines of Megatron-LM (\"elapsed time per iteration (ms): 12345.6\"), DeepSpeed "
        "(\"CurrSamplesPerSec=12.3\"), torchtitan (\"tps: 6,543\"), NeMo (\"train_step_timing in "
        "s: "
        "12.3\"), MLPerf, torchtune, nanotron, MaxText, LLM Foundry, NeMo Automodel, "
        "nanoGPT, llm.c, OLMo, fms-fsdp, LLaMA-Factory, timm, open_clip, MMEngine, Keras or "
        "Hugging Face's Trainer; a progress bar "
        "of its steps; or "
        "a CSV of W&B or an event file of TensorBoard with one of these");
  }
  return log;
}

}  // namespace orrery
