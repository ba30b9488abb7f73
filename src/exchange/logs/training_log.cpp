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
#include "exchange/text_lines.h"

namespace orrery {
namespace {

using namespace training_logs;

constexpr std::size_t kWarmUp = 5;  // steps, where there are twice as many
// The first of fewer steps is far from the others at this ratio to their median [judgement].
constexpr double kFar = 1.3;

using Values = std::array<std::vector<double>, kQuantities>;

void read_fields(const std::string& line, std::string_view form, Values& values) {
  for (const Field& f : kFields) {
    if (f.form != form) continue;
    const auto x = value_in(line, f);
    if (!x) continue;
    const bool rate = f.quantity == Logged::steps;
    const Logged quantity = rate ? Logged::step : f.quantity;
    values[static_cast<std::size_t>(quantity)].push_back(rate ? 1 / *x : *x * f.scale);
  }
}

// "    optimizer ......................: (12.34, 56.78)"
void read_timer(const std::string& line, std::map<std::string, std::vector<double>>& timers) {
  const std::size_t dots = line.find(" ...");
  const std::size_t open = line.find(": (");
  if (dots == std::string::npos || open == std::string::npos || open < dots) return;
  const std::size_t comma = line.find(',', open);
  const std::size_t first = line.find_first_not_of(' ');
  if (comma == std::string::npos || first >= dots) return;
  const auto most = leading_number(std::string_view(line).substr(comma + 1));
  if (most) timers[line.substr(first, dots - first)].push_back(*most * kMilli);
}

struct SettingName {
  std::string_view name;  // as Megatron-LM lists its arguments
  std::string_view key;
};
constexpr std::array kSettings = {
    SettingName{"world_size", "cluster.gpus"},
    SettingName{"seq_length", "training.sequence_length"},
    SettingName{"global_batch_size", "training.global_batch"},
    SettingName{"micro_batch_size", "training.micro_batch"},
    SettingName{"tensor_model_parallel_size", "parallel.tp"},
    SettingName{"pipeline_model_parallel_size", "parallel.pp"},
    SettingName{"context_parallel_size", "parallel.cp"},
    SettingName{"expert_model_parallel_size", "parallel.ep"},
};

void take_setting(std::string_view key, std::string_view text,
                  std::vector<LoggedSetting>& settings) {
  const auto x = leading_number(text);
  if (!x || *x != std::floor(*x)) return;
  const LoggedSetting s{key, static_cast<std::int64_t>(*x)};
  const auto at = std::find_if(settings.begin(), settings.end(),
                               [&](const LoggedSetting& known) { return known.key == key; });
  if (at == settings.end()) {
    settings.push_back(s);
  } else {
    *at = s;
  }
}

// The batch from a step's line "global batch size:    16", or NeMo's "global_batch_size: 16".
void read_batch(std::string_view line, std::vector<LoggedSetting>& settings) {
  for (const std::string_view name : {"global batch size:", "global_batch_size:"}) {
    const std::size_t at = line.find(name);
    if (at != std::string_view::npos)
      take_setting("training.global_batch", line.substr(at + name.size()), settings);
  }
}

// "  seq_length ......................... 4096"
void read_settings(std::string_view line, std::vector<LoggedSetting>& settings) {
  const std::size_t dots = line.find(" ...");
  if (dots == std::string_view::npos) return;
  const std::size_t value = line.find_first_not_of(". ", dots);
  if (value == std::string_view::npos) return;
  const std::size_t blank = line.find_last_of(' ', dots - (dots > 0 ? 1 : 0));
  const std::size_t first = blank == std::string_view::npos || blank >= dots ? 0 : blank + 1;
  for (const SettingName& s : kSettings) {
    if (line.substr(first, dots - first) == s.name)
      take_setting(s.key, line.substr(value), settings);
  }
}

// "run-1 - iteration-time" is a column of one run.
const HistoryColumn* column_of(std::string_view title) {
  const std::size_t dash = title.rfind(" - ");
  if (dash != std::string_view::npos) title = title.substr(dash + 3);
  const auto found = std::find_if(kHistoryColumns.begin(), kHistoryColumns.end(),
                                  [&](const HistoryColumn& c) { return c.name == title; });
  return found == kHistoryColumns.end() ? nullptr : &*found;
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
  for (const double x : seconds_between(scalars)) {
    if (x > 0 && x < kMost) values[static_cast<std::size_t>(Logged::step)].push_back(x);
  }
  return "TensorBoard, by the clock of its events";
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
  const std::size_t step = first_of({"train/global_step", "trainer/global_step", "_step"});
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
  values[static_cast<std::size_t>(Logged::step)] = seconds_between(logged);
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
    return c != nullptr && (c->quantity == Logged::step || c->quantity == Logged::samples ||
                            c->quantity == Logged::tokens);
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

// tqdm's bar " 5/1000 [00:47<2:31:10,  9.05s/it", which a terminal writes over itself.
struct Bar {
  std::string total;
  double seconds = 0;  // of a step
};

std::vector<Bar> bars_in(std::string_view text) {
  std::vector<Bar> bars;
  constexpr std::string_view kSlow = "s/it";
  constexpr std::string_view kFast = "it/s";
  for (std::size_t at = text.find("it"); at != std::string_view::npos;
       at = text.find("it", at + 2)) {
    const bool slow = at >= 2 && text.substr(at - 2, kSlow.size()) == kSlow;
    const bool fast = text.substr(at, kFast.size()) == kFast;
    if (!slow && !fast) continue;
    const std::size_t end = slow ? at - 2 : at;
    const std::size_t comma = text.rfind(',', end);
    const std::size_t open = text.rfind('[', end);
    if (comma == std::string_view::npos || open == std::string_view::npos || open > comma) continue;
    const auto rate = leading_number(text.substr(comma + 1, end - comma - 1));
    const std::size_t slash = text.rfind('/', open);
    if (!rate || slash == std::string_view::npos || open - slash > 12) continue;
    bars.push_back(
        {std::string(trimmed(text.substr(slash + 1, open - slash - 1))), slow ? *rate : 1 / *rate});
  }
  return bars;
}

// Steps of the longest bar: others load weights, map samples or evaluate.
std::string read_bars(std::string_view text, Values& values) {
  std::map<std::string, std::vector<double>> by_total;
  for (const Bar& b : bars_in(text)) by_total[b.total].push_back(b.seconds);
  std::vector<double> most;
  for (auto& [total, all] : by_total) {
    if (all.size() > most.size()) most = std::move(all);
  }
  constexpr std::size_t kFewest = 3;
  if (most.size() < kFewest) return "";
  values[static_cast<std::size_t>(Logged::step)] = std::move(most);
  return "a progress bar";
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

// "1 day, 2:03:04", "0:15:19.02"; 0 where it is none.
double seconds_of_clock(std::string_view text) {
  constexpr double kSixty = 60;
  constexpr double kDay = 86'400;
  double seconds = 0;
  const std::size_t day = text.find(" day");
  const double days = day == std::string_view::npos ? 0 : leading_number(text).value_or(0);
  const std::size_t comma = day == std::string_view::npos ? day : text.find(", ", day);
  if (comma != std::string_view::npos) text.remove_prefix(comma + 2);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    seconds = seconds * kSixty + parse_number(std::string(text.substr(at, end - at))).value_or(0);
    at = end + 1;
  }
  return days * kDay + seconds;
}

std::string_view behind(std::string_view line, std::string_view marker) {
  const std::size_t at = line.find(marker);
  return at == std::string_view::npos ? "" : line.substr(at + marker.size());
}

// W&B's history as lines of JSON.
std::string read_json_history(const std::vector<std::string>& lines, Values& values) {
  std::vector<LoggedScalar> logged;
  for (const std::string& line : lines) {
    auto step = leading_number(behind(line, "\"train/global_step\":"));
    if (!step) step = leading_number(behind(line, "\"_step\":"));
    const auto seconds = leading_number(behind(line, "\"_runtime\":"));
    if (step && seconds) logged.push_back({"", static_cast<std::int64_t>(*step), *seconds, 0});
  }
  for (const double x : seconds_between(logged)) {
    values[static_cast<std::size_t>(Logged::step)].push_back(x);
  }
  return values[static_cast<std::size_t>(Logged::step)].empty() ? ""
                                                                : "W&B, by the clock of its steps";
}

// LLaMA-Factory's trainer_log.jsonl: its clock has whole seconds, so that all steps between its
// first and last line count as one.
std::string read_elapsed(const std::vector<std::string>& lines, Values& values) {
  std::vector<LoggedScalar> logged;
  for (const std::string& line : lines) {
    const auto step = leading_number(behind(line, "\"current_steps\":"));
    const std::string_view clock = behind(line, "\"elapsed_time\": \"");
    if (!step || clock.empty()) continue;
    const double seconds = seconds_of_clock(clock.substr(0, clock.find('"')));
    const bool ends = logged.size() == 2;
    if (ends) logged.pop_back();
    logged.push_back({"", static_cast<std::int64_t>(*step), seconds, 0});
  }
  for (const double x : seconds_between(logged)) {
    values[static_cast<std::size_t>(Logged::step)].push_back(x);
  }
  return values[static_cast<std::size_t>(Logged::step)].empty()
             ? ""
             : "LLaMA-Factory, by the clock of its lines";
}

// The whole run over its steps, where both are said: no rate of few digits.
void read_run_time(const std::vector<std::string>& lines, Values& values) {
  std::optional<double> seconds;
  std::optional<double> steps;
  const auto take = [](std::optional<double>& value, std::string_view text) {
    if (const auto x = leading_number(text)) value = x;
  };
  for (const std::string& line : lines) {
    take(seconds, behind(line, "'train_runtime':"));
    take(seconds, behind(line, "\"train_runtime\":"));
    take(steps, behind(line, "Total optimization steps ="));
    take(steps, behind(line, "\"global_step\":"));
  }
  if (seconds && steps) values[static_cast<std::size_t>(Logged::step)] = {*seconds / *steps};
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

// The first form of which a line says how long a step took.
std::string form_of(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    for (const Field& f : kFields) {
      const bool is_speed = f.quantity == Logged::step || f.quantity == Logged::steps ||
                            f.quantity == Logged::samples || f.quantity == Logged::tokens;
      if (is_speed && value_in(line, f)) return std::string(f.form);
    }
  }
  return "";
}

template <class T>
std::optional<T> of(const std::vector<double>& x, bool most = false) {
  if (x.empty()) return {};
  return T(most ? *std::max_element(x.begin(), x.end()) : settled_median(x));
}

}  // namespace

TrainingLog read_training_log(std::string_view text, const std::string& file) {
  std::vector<std::string> lines;
  TrainingLog log;
  Values values;
  if (is_event_file(text)) {
    log.form = read_events(text, file, values);
  } else {
    lines = written_lines(text);
    log.form = read_history(lines, file, values);
    if (log.form.empty()) log.form = form_of(lines);
    if (log.form.empty()) log.form = read_elapsed(lines, values);
    if (log.form.empty()) log.form = read_json_history(lines, values);
    if (log.form.empty()) log.form = read_bars(text, values);
  }
  std::map<std::string, std::vector<double>> timers;
  for (const std::string& line : lines) {
    read_fields(line, log.form, values);
    if (log.form == "Megatron-LM" || log.form == "NeMo") read_batch(line, log.settings);
    if (log.form != "Megatron-LM") continue;
    read_timer(line, timers);
    read_settings(line, log.settings);
  }
  if (log.form == "Hugging Face's Trainer") read_run_time(lines, values);
  const auto at = [&](Logged q) -> const std::vector<double>& {
    return values[static_cast<std::size_t>(q)];
  };
  log.step_time = of<Seconds>(at(Logged::step));
  log.samples_per_s = of<double>(at(Logged::samples));
  log.tokens_per_s_per_gpu = of<double>(at(Logged::tokens));
  log.flops_per_gpu = of<FlopsPerSecond>(at(Logged::flops));
  log.allocated = of<Bytes>(at(Logged::allocated), true);
  log.reserved = of<Bytes>(at(Logged::reserved), true);
  for (const auto& [name, times] : timers) log.timers[name] = Seconds(settled_median(times));
  for (const Logged q : {Logged::step, Logged::samples, Logged::tokens}) {
    if (at(q).size() <= log.steps) continue;
    log.steps = at(q).size();
    log.set_aside = warm_up_of(at(q));
  }
  if (log.steps == 0) {
    throw InputError(
        file, "", "no log of a training",
        "lines of Megatron-LM (\"elapsed time per iteration (ms): 12345.6\"), DeepSpeed "
        "(\"CurrSamplesPerSec=12.3\"), torchtitan (\"tps: 6,543\"), NeMo (\"train_step_timing in "
        "s: "
        "12.3\"), MLPerf, torchtune, nanotron, MaxText, LLM Foundry, NeMo Automodel, "
        "nanoGPT, llm.c, OLMo, fms-fsdp, LLaMA-Factory or Hugging Face's Trainer; a progress bar "
        "of its steps; or "
        "a CSV of W&B or an event file of TensorBoard with one of these");
  }
  return log;
}

}  // namespace orrery
