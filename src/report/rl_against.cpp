// SPDX-License-Identifier: Apache-2.0
#include "report/rl_against.h"

#include <cmath>
#include <optional>

#include "core/json.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/rl_keys.h"
#include "exchange/logs/rl_log.h"
#include "insight/rl_report.h"
#include "insight/settings.h"
#include "report/frame_json.h"

namespace orrery {
namespace {

constexpr double kWorthSaying = 0.1;

Seconds predicted(const LoggedPhase& p, const RlReport& r) {
  if (p.covers.empty()) return r.step.step.value;
  Seconds sum{};
  for (const RlPhase phase : p.covers) sum += r.step.phases[phase].value;
  return sum;
}

std::optional<double> ratio(const LoggedPhase& p, const RlReport* r) {
  if (r == nullptr || predicted(p, *r) == Seconds()) return {};
  return p.median / predicted(p, *r);
}

Table phase_table(const RlLog& log, const RlReport* r) {
  std::vector<Column> columns = {{"logged"}, {"time", true}};
  if (r != nullptr)
    columns.insert(columns.end(), {{"predicted", true}, {"logged/predicted", true}});
  Table t(columns, 2);
  for (const LoggedPhase& p : log.phases) {
    std::vector<Cell> row = {p.name, pretty(p.median, 3)};
    if (r != nullptr) {
      const auto off = ratio(p, r);
      row.push_back(off ? pretty(predicted(p, *r), 3) : "·");
      row.push_back(off ? fixed(*off, 2) : "·");
    }
    t.add(row);
  }
  return t;
}

// Lengths that the run has otherwise than its log.
std::vector<Setting> lengths_of_log(const RlLog& log, const RlReport& r) {
  const RlRun& rl = *r.learner.resolved.rl;
  std::vector<Setting> out;
  const auto differs = [](double a, double b) { return std::abs(a / b - 1) > kWorthSaying / 2; };
  if (log.answer && differs(*log.answer, mean_of(rl.work.lengths))) {
    out.push_back({key_path<&ResponseRequest::mean>, std::to_string(std::llround(*log.answer))});
  }
  if (log.prompt && differs(*log.prompt, static_cast<double>(rl.work.prompt_length))) {
    out.push_back({key_path<&RlRequest::prompt_length>, std::to_string(std::llround(*log.prompt))});
  }
  if (log.at_cap && *log.at_cap > 0.01 && std::abs(*log.at_cap - rl.work.lengths.at_cap) > 0.01)
    out.push_back({key_path<&ResponseRequest::at_cap>, significant(*log.at_cap, 2)});
  return out;
}

void add_lengths(const RlLog& log, const RlReport& r, std::vector<std::string>& out) {
  const std::vector<Setting> lengths = lengths_of_log(log, r);
  if (!lengths.empty())
    out.push_back("the log's lengths are others than the run's; type: " + typed(lengths));
}

// "the step takes 1.57 times what is predicted; most of it in timing_s/gen"
std::string answer_words(const RlLog& log, const RlReport& r) {
  const LoggedPhase* step = log.step();
  if (!r.step.fits) return "the run as it is given does not fit: its other keys are to be checked";
  const auto off = step == nullptr ? std::nullopt : ratio(*step, &r);
  if (!off) return "the log names no step to set beside the prediction";
  const bool alike = std::abs(*off - 1) < kWorthSaying;
  return "the step takes " + fixed(*off, 2) + " times what is predicted" +
         (alike                             ? ": as predicted"
          : !lengths_of_log(log, r).empty() ? " of other lengths"
                                            : "");
}

// The phase that makes most of the difference.
void add_worst(const RlLog& log, const RlReport& r, std::vector<std::string>& out) {
  const LoggedPhase* worst = nullptr;
  const auto off = [&](const LoggedPhase& p) {
    return std::abs((p.median - predicted(p, r)).si());
  };
  for (const LoggedPhase& p : log.phases) {
    if (p.covers.empty() || predicted(p, r) == Seconds()) continue;
    if (worst == nullptr || off(p) > off(*worst)) worst = &p;
  }
  if (worst == nullptr || std::abs(*ratio(*worst, &r) - 1) < kWorthSaying) return;
  out.push_back(worst->name + " is furthest from its prediction: " + pretty(worst->median, 3) +
                " against " + pretty(predicted(*worst, r), 3));
}

// The share of the step that no phase names.
void add_rest(const RlLog& log, std::vector<std::string>& out) {
  const LoggedPhase* step = log.step();
  if (step == nullptr) return;
  Seconds sum{};
  for (const LoggedPhase& p : log.phases) {
    if (!p.covers.empty()) sum += p.median;
  }
  const double rest = 1 - sum / step->median;
  if (sum == Seconds() || rest < kWorthSaying) return;
  out.push_back("no phase of the log names " + percent(rest, 0) +
                " of its step: switching, hand-over, validation or checkpoints");
}

std::vector<std::string> findings(const RlLog& log, const RlReport* r) {
  std::vector<std::string> out;
  if (r != nullptr) {
    add_lengths(log, *r, out);
    add_worst(log, *r, out);
  }
  add_rest(log, out);
  return out;
}

}  // namespace

AnswerDocument rl_against_document(const RlLog& log, const std::string& file, const RlReport* r,
                                   const TypedRun& run) {
  AnswerDocument d{"A log of reinforcement learning", {}, phase_table(log, r)};
  Section head;
  head.add(labelled("log", file + ": " + log.form + ", " +
                               counted(static_cast<std::int64_t>(log.steps), "step") +
                               ", medians without the first"));
  if (log.answer) {
    head.add(labelled("answers", grouped(std::round(*log.answer)) + " tokens in the mean" +
                                     (log.at_cap ? ", " + percent(*log.at_cap, 0) + " cut" : "")));
  }
  d.add(head);
  d.add({bold("Phases"), {phase_table(log, r)}});
  Section end;
  for (const std::string& line : findings(log, r)) end.add(Paragraph{line, 4, 2});
  d.add(end);
  Section ending;
  if (r == nullptr) {
    ending.add(labelled(
        "next", "orrery diagnose " + file_as_typed(file) + " --run RUN, a run with training.rl"));
  } else {
    const std::vector<Setting> lengths = lengths_of_log(log, *r);
    ending.add(labelled("answer", answer_words(log, *r)));
    ending.add(labelled("next", lengths.empty() ? "orrery estimate " + typed_with(run) + " --all"
                                                : "orrery diagnose " + file_as_typed(file) + " " +
                                                      typed_with(run, lengths)));
  }
  d.add(ending);
  return d;
}

Json rl_against_json(const RlLog& log, const RlReport* r) {
  Json j = {{"form", log.form}, {"steps", log.steps}};
  j["phases"] = json_list(log.phases, [&](const LoggedPhase& p) -> Json {
    Json one = {{"name", p.name}, {"time_s", p.median.si()}};
    one["phases"] = json_list(p.covers, [](RlPhase phase) { return Json(name_of(phase)); });
    if (r != nullptr) one["predicted_s"] = predicted(p, *r).si();
    if (const auto off = ratio(p, r)) one["ratio"] = *off;
    return one;
  });
  if (log.answer) j["response_mean"] = *log.answer;
  if (log.prompt) j["prompt_length"] = *log.prompt;
  if (log.at_cap) j["at_cap"] = *log.at_cap;
  j["findings"] = findings(log, r);
  return versioned(std::move(j));
}

}  // namespace orrery
