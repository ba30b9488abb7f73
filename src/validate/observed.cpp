// SPDX-License-Identifier: Apache-2.0
#include "validate/observed.h"

#include <cstdlib>

#include "core/error.h"
#include "core/json_reader.h"
#include "validate/summary.h"

namespace orrery {
namespace {

constexpr std::string_view kIteration = "elapsed time per iteration (ms):";
constexpr std::size_t kWarmUp = 5;  // iterations, where there are twice as many
constexpr double kMostSeconds = 1e7;
constexpr std::size_t kMostSteps = 1000;

Seconds time_of(Reader& r) {
  if (auto v = r.find("step_time")) return v->quantity<kSeconds>();
  Reader measured = r.at("measured");
  return Seconds(measured.at("step_time_s").number(1e-9, kMostSeconds));
}

ObservedStep read_step(Reader r) {
  ObservedStep step;
  const Reader run = r.at("run");
  if (!run.json().is_object() && !run.json().is_string()) run.fail("a name, a path or an object");
  step.run = run.json();
  const bool is_row = r.has("measured");
  step.time = time_of(r);
  if (is_row) {
    for (const std::string& key : r.keys()) r.allow(key);
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
  return {{std::nullopt, Seconds(quantile(times, 0.5))}};
}

bool looks_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '[' || text[first] == '{') &&
         text.find(kIteration) == std::string_view::npos;
}

}  // namespace

std::vector<ObservedStep> read_observed(std::string_view text, const std::string& file) {
  return looks_like_json(text) ? read_runs(text, file) : read_log(text, file);
}

}  // namespace orrery
