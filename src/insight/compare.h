// SPDX-License-Identifier: Apache-2.0
//
// Two or more runs side by side: the numbers that differ, sorted by effect, the keys that differ,
// and what each key does alone.
//
// Effects are on the first run. "Alone" is the first run with one key of another run in it and
// nothing else, its own defaults taken anew; keys that go together (tp and sequence_parallel) may
// be illegal alone, and the effects of several need not add up: what is left over is theirs
// together. A key that both runs leave to its default follows from others and is not tried.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "insight/metrics.h"
#include "insight/run_report.h"

namespace orrery {

struct NamedRun {
  std::string name;
  RunReport report;
};

struct ChangedTerm {
  const Metric* metric = nullptr;
  std::vector<double> values;  // by run
};

struct ChangedKey {
  std::size_t run = 0;  // the one it is taken from
  std::string path;
  Json from;  // null: absent
  Json to;
  bool follows = false;  // a default in both runs, which another key changes
  bool possible = false;
  std::string why_not;
  Seconds step{};  // of the first run with this key alone
  Bytes peak{};
};

struct Comparison {
  std::vector<NamedRun> runs;
  std::vector<ChangedTerm> time;     // parts of the step, largest effect first
  std::vector<ChangedTerm> memory;   // lines of memory, the same
  std::vector<ChangedTerm> numbers;  // speed, all of them
  std::vector<ChangedKey> keys;      // by run, largest effect first
};

Comparison compare(std::vector<NamedRun> runs, const ConfigLookup& lookup);

}  // namespace orrery
