// SPDX-License-Identifier: Apache-2.0
#include "validate/observed.h"

#include <cstdlib>

#include "core/error.h"
#include "core/json_reader.h"
#include "validate/row_keys.h"
#include "validate/summary.h"

namespace orrery {
namespace {

constexpr std::string_view kIteration = "elapsed time per iteration (ms):";
constexpr std::size_t kWarmUp = 5;  // iterations, where there are twice as many
constexpr double kMostSeconds = 1e7;
constexpr std::size_t kMostSteps = 1000;

// Rows of published runs are read as far as they are needed.
ObservedStep read_step(const Reader& given) {
  Reader r = given;
  ObservedStep step;
  read_known(kObservedKeys, r, step);
  if (r.has("measured")) {
    for (const Key& k : kRowKeys.keys) r.allow(std::string(k.name));
  } else {
    r.at("step_time");
  }
  r.reject_unknown();
  return step;
}

std::vector<ObservedStep> read_runs(std::string_view text, const std::string& file) {
  const Json document = parse_json(text, file);
  const Reader root(document, file);
  std::vector<ObservedStep> steps;
  for (const Reader& r : root.items()) steps.push_back(read_step(r));
  if (steps.empty()) root.fail("no run", "at least one run and its step time");
  if (steps.size() > kMostSteps) root.fail("too many", std::to_string(kMostSteps) + " at most");
  return steps;
}

double number_after(std::string_view text, std::size_t at) {
  const std::string field(text.substr(at, 40));
  return std::strtod(field.c_str(), nullptr);
}

std::vector<ObservedStep> read_log(std::string_view text, const std::string& file) {
  std::vector<double> times;
  for (std::size_t at = text.find(kIteration); at != std::string_view::npos;
       at = text.find(kIteration, at + 1)) {
    const double ms = number_after(text, at + kIteration.size());
    if (ms > 0 && ms < 1e3 * kMostSeconds) times.push_back(ms / 1e3);
  }
  if (times.empty()) {
    throw InputError(file, "", "neither JSON nor a log with step times",
                     "[{\"run\": …, \"step_time\": \"12.3 s\"}], or lines with \"" +
                         std::string(kIteration) + " 12345.6\"");
  }
  if (times.size() > 2 * kWarmUp) times.erase(times.begin(), times.begin() + kWarmUp);
  return {{std::nullopt, Seconds(interpolated_quantile(times, 0.5))}};
}

bool looks_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '[' || text[first] == '{') &&
         text.find(kIteration) == std::string_view::npos;
}

// The keys of both, each once.
constexpr auto kObservedDocumentRows = [] {
  constexpr std::size_t kRows = kObservedRows.rows.size() + kRowRows.rows.size() - 2;
  std::array<Key, kRows> rows = copies_of(kNoKey, std::make_index_sequence<kRows>());
  std::size_t at = 0;
  for (const Key& k : kObservedRows.rows) rows[at++] = k;
  for (const Key& k : without_required(kRowRows).rows) {
    if (k.name != "run" && k.name != "measured") rows[at++] = k;
  }
  return rows;
}();

}  // namespace

constinit const KeyTable kObservedDocument = {"", kObservedDocumentRows};

void read_observed_run(const Reader& r, std::optional<Json>& out) {
  if (!r.json().is_object() && !r.json().is_string()) r.fail("a name, a path or an object");
  out = r.json();
}

void read_observed_measured(const Reader& r, ObservedStep& out) {
  Reader measured = r;
  if (out.time.si() > 0) return;
  std::optional<Seconds> time;
  read_step_time_s(measured.at("step_time_s"), time);
  out.time = *time;
}

std::vector<ObservedStep> read_observed(std::string_view text, const std::string& file) {
  return looks_like_json(text) ? read_runs(text, file) : read_log(text, file);
}

}  // namespace orrery
