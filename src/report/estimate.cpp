// SPDX-License-Identifier: Apache-2.0
#include "report/estimate.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "estimate/fits_at_risk.h"
#include "estimate/resolve.h"
#include "estimate/risk.h"
#include "explore/recommend.h"
#include "insight/advice.h"
#include "insight/limiter.h"
#include "insight/metrics.h"
#include "insight/run_report.h"
#include "insight/shown_bytes.h"
#include "report/buckets.h"
#include "report/frame.h"
#include "report/sites.h"

namespace orrery {
namespace {

double value(const RunReport& r, std::string_view key) {
  return find_metric(key)->value({r.resolved.run, r.answer});
}

// "87,702 to 151,412", from the interval of the step
template <class Text>
std::string range_text(const RunReport& r, std::string_view key, Text&& text) {
  const auto [low, high] = interval_80(*find_metric(key), r.resolved.run, r.answer);
  return text(low) + " to " + text(high);
}

}  // namespace

Bytes shown_bytes(const RunReport& r) { return shown_bytes(r.resolved.run, r.answer); }

Paragraph memory_line(const RunReport& r) {
  const Answer& a = r.answer;
  const bool is_filled = is_filled_by_cache(a.memory);
  const std::string device = gib_text(shown_bytes(r), 1) + " of " + gib_text(a.capacity, 1);
  if (a.reason == Reason::host_memory) {
    return labelled("host memory", verdict_of(r) + ": " + gib_text(a.host_needed, 1) + " of " +
                                       gib_text(a.host_capacity, 1) + " of a node; on the device " +
                                       device);
  }
  const std::string filled = pages(r.resolved.run, a)
                                 ? ", beside paged states, which leave when it is full"
                             : is_filled ? ", the whole device: " + filled_words(a.memory)
                                         : "";
  return labelled("memory", verdict_of(r) + ": " + device + " on the fullest stage" + filled +
                                "; probability of fitting " +
                                probability_words(fit_probability(r.resolved.run, a)));
}

namespace {

// "0.00265", "71.28", "76,833"
std::string rate_text(double x) {
  return x < 1 ? significant(x, 3) : x < 1000 ? fixed(x, 2) : grouped(x);
}

std::string offloaded(const RunReport& r) {
  const Answer& a = r.answer;
  std::vector<std::string> parts;
  if (a.host_needed > Bytes()) {
    const std::string of =
        a.host_capacity > Bytes() ? " of " + gib_text(a.host_capacity, 1) : std::string();
    parts.push_back(gib_text(a.host_needed, 1) + of + " of a node's host memory");
  }
  if (const Bytes drives = on_drives(r); drives > Bytes()) {
    parts.push_back(gib_text(drives, 1) + " on a node's drives");
  }
  return joined(parts, ", ");
}

// Reports of fp8 and fp4 trainings divide by either peak.
std::string of_wide_peak(const RunReport& r) {
  const Run& run = r.resolved.run;
  const Precision wide = storage_precision(run.training.precision);
  if (wide == run.training.precision || !has_precision(run.cluster.device, wide)) return "";
  const FlopsPerSecond peak = peak_of(run.cluster.device, wide);
  return ", " + percent(value(r, "mfu") * (r.answer.peak_rate / peak)) + " of the " +
         std::string(name_of(wide)) + " peak";
}

Paragraph utilisation(const RunReport& r) {
  const std::string convention(name_of(r.resolved.run.convention));
  const auto share = [](double x) { return percent(x); };
  const auto with_range = [&](const char* key) {
    return percent(value(r, key)) + " (" + range_text(r, key, share) + ")";
  };
  return labelled("utilisation", "MFU " + with_range("mfu") + of_wide_peak(r) + ", HFU " +
                                     with_range("hfu") + ", " + convention +
                                     " FLOPs: " + fixed(value(r, "model_tflops_per_gpu"), 1) +
                                     " model TFLOP/s/GPU of " + pretty(r.answer.peak_rate, 4));
}

std::string training_text(const PieceTime& p) {
  return short_count(p.tokens) + " tokens are " + counted(p.steps, "step") + ", " +
         seconds_text(p.time.value) + " (" + seconds_text(p.time.low) + " to " +
         seconds_text(p.time.high) + ") uninterrupted";
}

// A model that is no text decoder is fed samples.
Paragraph samples_line(const RunReport& r) {
  const double samples = value(r, "samples_per_s");
  const auto gpus = static_cast<double>(r.resolved.run.cluster.gpus);
  return labelled("speed", rate_text(samples) + " samples/s (" +
                               range_text(r, "samples_per_s", rate_text) + "), " +
                               rate_text(samples / gpus) + " samples/s/GPU, " +
                               grouped(value(r, "tokens_per_s")) + " tokens/s");
}

}  // namespace

Section headline_section(const RunReport& r) {
  Section s;
  s.add(memory_line(r));
  if (const std::string away = offloaded(r); !away.empty()) s.add(labelled("offloaded", away));
  s.add(labelled("step", step_text(r.answer) + (is_feasible(r) ? "" : ", if it had the memory")));
  if (auto line = sites_line(r)) s.add(*std::move(line));
  if (auto line = buckets_line(r)) s.add(*std::move(line));
  s.add(labelled("accuracy", r.resolved.interval.words));
  if (r.resolved.run.model.trunk.kinds > 0) {
    s.add(samples_line(r));
  } else {
    s.add(labelled("speed", grouped(value(r, "tokens_per_s")) + " tokens/s (" +
                                range_text(r, "tokens_per_s", [](double x) { return grouped(x); }) +
                                "), " + grouped(value(r, "tokens_per_s_per_gpu")) +
                                " tokens/s/GPU, " + rate_text(value(r, "samples_per_s")) +
                                " sequences/s"));
  }
  s.add(utilisation(r));
  if (auto line = training_line(r)) s.add(*std::move(line));
  return s;
}

namespace {

// Where a stack or a site has levels of its own.
bool is_of_own_steps(const RunReport& r) { return r.resolved.stack || r.resolved.site; }

// "; none on ada" of the words of an interval; "" where they have none.
std::string caveat_of(const std::string& words) {
  const std::size_t begin = words.find("; none");
  if (begin == std::string::npos) return "";
  return words.substr(begin, words.find(';', begin + 1) - begin);
}

// "16.61 s (80 % interval 13.4 s to 20.9 s, by 114 published runs)"
Paragraph brief_step(const RunReport& r) {
  const Answer& a = r.answer;
  const StepInterval& known = r.resolved.interval;
  const std::string by =
      !is_of_own_steps(r) && known.sources > 0
          ? ", by " + counted(known.rows, "published run") + caveat_of(known.words) + ")"
          : ")";
  return labelled("step", bold(pretty(a.step_time)) + " (80 % interval " +
                              pretty(a.interval_low, 3) + " to " + pretty(a.interval_high, 3) + by +
                              (is_feasible(r) ? "" : ", if it had the memory"));
}

Paragraph brief_speed(const RunReport& r) {
  if (r.resolved.run.model.trunk.kinds > 0) {
    return labelled("speed", rate_text(value(r, "samples_per_s")) + " samples/s, " +
                                 grouped(value(r, "tokens_per_s")) + " tokens/s");
  }
  return labelled("speed", grouped(value(r, "tokens_per_s")) + " tokens/s, " +
                               grouped(value(r, "tokens_per_s_per_gpu")) + " tokens/s/GPU");
}

Paragraph brief_utilisation(const RunReport& r) {
  const auto share = [](double x) { return percent(x); };
  return labelled("utilisation", "MFU " + percent(value(r, "mfu")) + " (" +
                                     range_text(r, "mfu", share) + ")" + of_wide_peak(r) + ", " +
                                     fixed(value(r, "model_tflops_per_gpu"), 1) +
                                     " model TFLOP/s/GPU");
}

}  // namespace

Section brief_headline(const RunReport& r) {
  Section s;
  const Answer& a = r.answer;
  s.add(a.reason == Reason::host_memory
            ? memory_line(r)
            : labelled("memory", verdict_of(r) + ": " + gib_text(shown_bytes(r), 1) + " of " +
                                     gib_text(a.capacity, 1) + "; probability of fitting " +
                                     probability_words(fit_probability(r.resolved.run, a))));
  if (const std::string away = offloaded(r); !away.empty()) s.add(labelled("offloaded", away));
  s.add(brief_step(r));
  if (auto line = sites_line(r)) s.add(*std::move(line));
  if (auto line = buckets_line(r)) s.add(*std::move(line));
  if (is_of_own_steps(r) || r.resolved.interval.sources == 0) {
    s.add(labelled("accuracy", r.resolved.interval.words));
  }
  s.add(brief_speed(r));
  s.add(brief_utilisation(r));
  if (auto line = training_line(r)) s.add(*std::move(line));
  return s;
}

namespace {

bool has_codec(const Answer& a) {
  const auto coded = [](const CommLine<double>& l) {
    return l.codec > Seconds() || l.uncompressed > l.bytes;
  };
  return std::any_of(a.comm.begin(), a.comm.begin() + a.comm_count, coded);
}

Table communication_table(const RunReport& r) {
  std::vector<Column> columns = {{"dimension"},     {"collective"}, {"ranks", true},
                                 {"count", true},   {"sent", true}, {"time", true},
                                 {"exposed", true}, {"over"},       {"algorithm"}};
  const bool coded = has_codec(r.answer);
  if (coded) columns.insert(columns.end(), {{"ratio", true}, {"codec", true}});
  Table table(columns, 2);
  for (std::uint8_t i = 0; i < r.answer.comm_count; ++i) {
    const CommLine<double>& l = r.answer.comm[i];
    std::vector<Cell> row = {name_of(l.dimension),
                             name_of(l.collective),
                             grouped(l.ranks),
                             grouped(l.count),
                             pretty(l.sent, 3),
                             pretty(l.time, 3),
                             l.exposed == Seconds() ? "hidden" : pretty(l.exposed, 3),
                             std::string(r.resolved.run.cluster.tiers[l.tier].name.view()),
                             name_of(l.algorithm)};
    if (coded) {
      row.emplace_back(fixed(l.uncompressed / l.bytes, 2));
      row.emplace_back(pretty(l.codec, 3));
    }
    table.add(row);
  }
  return table;
}

// ", likely (92 %)", ", unlikely (31 %)", ", does not fit"
std::string fit_effect(const Advice& a) {
  const bool is_open = fit_rank(a.fit_probability) < fit_rank(0);
  return ", " + (is_open ? fit_text(a.fit_probability) : std::string(fit_words(0.0)));
}

std::string effect_text(const RunReport& r, const Advice& a) {
  const double change = a.step_time / r.answer.step_time - 1;
  const std::string size = percent(std::abs(change), 0);
  const std::string against = (size == "0 %" ? "±" : change < 0 ? "−" : "+") + size;
  const bool of_host = r.answer.reason == Reason::host_memory && !a.fits;
  return "step " + pretty(a.step_time) + " (" + against + "), " +
         (of_host ? gib_text(a.host, 1) + " of host memory" : gib_text(a.peak, 1)) + fit_effect(a);
}

Table advice_table(const RunReport& r, const std::vector<Advice>& advice) {
  constexpr std::size_t kSetting = 24;
  constexpr std::size_t kLong = 44;  // beside an effect of 54 columns
  const bool is_long = std::any_of(advice.begin(), advice.end(), [](const Advice& a) {
    return width_of(typed(a.settings)) > kLong;
  });
  const Column change("change");
  Table table({is_long ? change.wrapped() : change.at_least(kSetting), "effect"}, 2);
  for (const Advice& a : advice) table.add({typed(a.settings), effect_text(r, a)});
  return table.untitled();
}

}  // namespace

Table metrics_row(const RunReport& r) {
  std::vector<Column> columns = {"feasible"};
  std::vector<Cell> row = {data_cell(is_feasible(r))};
  for (const Metric& m : metrics()) {
    columns.emplace_back(std::string(m.key));
    row.push_back(data_cell(m.value({r.resolved.run, r.answer})));
  }
  Table table(columns);
  table.add(row);
  return table;
}

namespace {

std::string gib_or_dot(Bytes b) { return b == Bytes() ? "·" : fixed(b / kGiB, 2); }

bool is_used(const RunReport& r, MemoryLine line) {
  for (const StageMemory<double>& s : r.stages) {
    if (s.lines[line] > Bytes()) return true;
  }
  return false;
}

bool alike(const StageMemory<double>& a, const StageMemory<double>& b) {
  return a.lines == b.lines && a.in_flight == b.in_flight;
}

std::vector<Cell> stage_row(const RunReport& r, std::size_t first, std::size_t last) {
  const StageMemory<double>& s = r.stages[first];
  const std::string name = std::to_string(first);
  std::vector<Cell> row = {first == last ? name : name + "–" + std::to_string(last)};
  row.emplace_back(fixed(s.peak / kGiB, 2));
  row.emplace_back(grouped(s.in_flight));
  for (const MemoryLine line : kAllOf<MemoryLine>) {
    if (is_used(r, line)) row.emplace_back(gib_or_dot(s[line]));
  }
  return row;
}

constexpr EnumArray<MemoryLine, const char*> kShortNames = {
    "weights", "copy",    "grads",  "optim",   "update",  "activ", "recomp",
    "logits",  "transit", "gather", "buckets", "context", "comms", "frag"};

// One row a stage; neighbours that are alike share one.
Table stage_table(const RunReport& r) {
  // The peak first, which then stands in the part of the table that a narrow screen shows first.
  std::vector<Column> columns = {{"stage", true}, {"peak", true}, {"in flight", true}};
  for (const MemoryLine line : kAllOf<MemoryLine>) {
    if (is_used(r, line)) columns.emplace_back(kShortNames[line], true);
  }
  Table table(columns, 2);
  for (std::size_t first = 0; first < r.stages.size();) {
    std::size_t last = first;
    while (last + 1 < r.stages.size() && alike(r.stages[first], r.stages[last + 1])) ++last;
    table.add(stage_row(r, first, last));
    first = last + 1;
  }
  return table;
}

// CSV: every stage, every line.
Table stage_rows(const RunReport& r) {
  std::vector<Column> columns = {"stage", "peak_gib", "in_flight"};
  for (const std::string_view name : kNamesOf<MemoryLine>) {
    columns.emplace_back(std::string(name) + "_gib");
  }
  Table table(columns);
  for (std::size_t i = 0; i < r.stages.size(); ++i) {
    const StageMemory<double>& s = r.stages[i];
    std::vector<Cell> row = {data_cell(i), data_cell(double(s.peak / kGiB)),
                             data_cell(s.in_flight)};
    for (const Bytes b : s.lines) row.push_back(data_cell(double(b / kGiB)));
    table.add(row);
  }
  return table;
}

}  // namespace

Phrase verdict_of(const RunReport& r) {
  return {is_feasible(r) ? TextStyle::green : TextStyle::red,
          std::string(fit_words(r.resolved.run, r.answer))};
}

std::optional<PieceTime> training_time(const RunReport& r) {
  const Run& run = r.resolved.run;
  if (run.training.tokens == 0) return {};
  return piece_time("", run, r.answer, static_cast<double>(run.training.tokens));
}

std::optional<Paragraph> training_line(const RunReport& r) {
  const std::optional<PieceTime> t = training_time(r);
  if (!t) return {};
  return labelled("training", training_text(*t));
}

Phrase step_text(const Answer& a) {
  return bold(pretty(a.step_time)) + " (80 % interval " + pretty(a.interval_low, 3) + " to " +
         pretty(a.interval_high, 3) + ")";
}

std::string end_words(const Answer& a) {
  if (a.end_stage == a.busy_stage) return "";
  return "; what is sent once a step, of stage " + std::to_string(a.end_stage) +
         ", which finishes last";
}

Section time_section(const RunReport& r) {
  Table bars = bar_table("part", "time");
  for (const Metric& m : metrics()) {
    if (m.group != MetricGroup::time) continue;
    const Seconds t(m.value({r.resolved.run, r.answer}));
    if (t == Seconds()) continue;
    const double share = t / r.answer.step_time;
    bars.add({std::string(m.label), pretty(t, 3), percent(share), bar_cell(share)});
  }
  return {bold("Time") + " of the busiest stage, " + std::to_string(r.answer.busy_stage), {bars}};
}

Section limit_section(const RunReport& r) {
  Section s;
  s.add(Paragraph{bold("Limit") + "  " + limiter(r.resolved.run, r.answer), 7});
  constexpr std::size_t kMostOfTight = 2;  // the answer stays within a screen
  std::vector<Advice> advice = advice_of(r);
  const bool sure = fits_at_risk(r.resolved.run, r.answer);
  if (is_feasible(r) && !sure && advice.size() > kMostOfTight) advice.resize(kMostOfTight);
  if (advice.empty()) {
    s.add(Paragraph{is_feasible(r)
                        ? "no single change of the usual knobs" +
                              std::string(r.switches ? " and the framework's switches" : "") +
                              " that fits as surely is faster by " +
                              percent(kRecommendationBand - 1, 0) +
                              ", the least that a prediction tells apart"
                        : "no change of one or two of the usual knobs makes it fit",
                    2, 2});
    return s;
  }
  s.add(Paragraph{sure ? bold("Faster") + " by one change"
                  : is_feasible(r)
                      ? bold("Surer or faster") + " by one change"
                      : bold(first_that_fits(advice) != nullptr ? "What would fit" : "Nearer")});
  s.add(advice_table(r, advice));
  return s;
}

// A change of the run as it stands that fits as surely as it asks.
static bool has_change_that_fits(const RunReport& r) {
  return first_that_fits(advice_of(r)) != nullptr;
}

static bool stands_above(const RunReport& r) {
  const std::vector<Advice> advice = advice_of(r);
  return r.remedy && std::any_of(advice.begin(), advice.end(), [&](const Advice& a) {
           return typed(a.settings) == typed(r.remedy->settings);
         });
}

Section remedy_section(const RunReport& r) {
  if (is_feasible(r)) return {};
  const bool here = r.remedy && r.remedy->gpus == r.resolved.run.cluster.gpus;
  if ((!here && has_change_that_fits(r)) || stands_above(r)) return {};
  if (!r.remedy) {
    return {{},
            {Paragraph{bold("Remedy") + "  none found; `orrery search` tries every strategy", 2}}};
  }
  const Remedy& m = *r.remedy;
  const std::string what =
      m.host > Bytes()
          ? "a change that needs " + gib_text(m.host, 1) + " of a node's host memory, where " +
                gib_text(r.resolved.run.cluster.host.memory_capacity, 1) +
                " are assumed, which nobody gave"
      : here ? "a strategy that fits on these GPUs"
             : "the search of usual layouts found none that fits on these GPUs; with " +
                   grouped(m.gpus) + " GPUs one does";
  Section s{{},
            {Paragraph{bold("Remedy") + "  " + what + ": " + pretty(m.step_time) + ", " +
                           gib_text(m.peak, 1) + ", " + fit_text(m.fit_probability),
                       2}}};
  s.add(Paragraph{"type: " + typed(m.settings), 2, 2});
  return s;
}

AnswerDocument estimate_document(const RunReport& r) {
  AnswerDocument d{r.resolved.model_name + ": one training step", {}, metrics_row(r)};
  d.sections = {run_header(r.resolved), headline_section(r), memory_section(r), time_section(r)};
  if (r.answer.comm_count > 0) {
    d.add({bold("Communication") + " of one GPU of that stage in a step" + end_words(r.answer),
           {communication_table(r)}});
  }
  d.add(limit_section(r));
  d.add(remedy_section(r));
  d.add(run_assumptions(r.resolved));
  return d;
}

Section memory_section(const RunReport& r) {
  const Answer& a = r.answer;
  const Bytes whole = a.memory.peak > a.capacity ? a.memory.peak : a.capacity;
  Table bars = bar_table("part", "memory");
  const auto add = [&](const std::string& label, Bytes b, TextStyle text_style) {
    bars.add({label, gib_text(b, 2), percent(b / a.capacity), bar_cell(b / whole, text_style)});
  };
  for (const Metric& m : metrics()) {
    if (m.group != MetricGroup::memory_line) continue;
    const Bytes b = m.value({r.resolved.run, a}) * kGiB;
    if (b > Bytes()) add(std::string(m.label), b, TextStyle::blue);
  }
  add("peak", a.memory.peak, is_feasible(r) ? TextStyle::green : TextStyle::red);
  add("capacity", a.capacity, TextStyle::dim);
  return {bold("Memory") + " of the fullest stage, " + std::to_string(a.memory_stage), {bars}};
}

AnswerDocument memory_document(const RunReport& r) {
  AnswerDocument d{r.resolved.model_name + ": memory", {}, stage_rows(r)};
  d.sections = {run_header(r.resolved),
                memory_section(r),
                {bold("Stages") + ", in GiB; in flight: micro batches held, of all chunks",
                 {stage_table(r)}}};
  d.sections.insert(d.sections.begin() + 1, {{}, {memory_line(r)}});
  if (!is_feasible(r)) d.add(limit_section(r));
  d.add(run_assumptions(r.resolved));
  return d;
}

}  // namespace orrery
