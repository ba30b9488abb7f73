// SPDX-License-Identifier: Apache-2.0
#include "validate/observed.h"

#include "core/error.h"
#include "core/json_reader.h"
#include "validate/row_keys.h"

namespace orrery {
namespace {

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
  out.measured = read_keys(kMeasuredKeys, r);
  if (out.time.si() > 0) return;
  out.time = out.measured.step_time.value_or(Seconds());
}

std::vector<ObservedStep> read_observed(std::string_view text, const std::string& file) {
  const Json document = parse_json(text, file);
  const Reader root(document, file);
  std::vector<ObservedStep> steps;
  for (const Reader& r : root.items()) steps.push_back(read_step(r));
  if (steps.empty()) root.fail("no run", "at least one run and its step time");
  if (steps.size() > kMostSteps) root.fail("too many", std::to_string(kMostSteps) + " at most");
  return steps;
}

}  // namespace orrery
