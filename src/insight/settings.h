// SPDX-License-Identifier: Apache-2.0
//
// Changes of a run file as a command line takes them, and the changes that lead from one run to
// another.
//
// Two runs as documents differ in keys (settings_between()); two resolved runs in the keys of the
// file that bring the change about (differences()). Leaves out what follows from other keys.
// Errors: none.
#pragma once

#include <string>
#include <vector>

#include "core/fact.h"
#include "core/json_fwd.h"

namespace orrery {

struct ResolvedRun;
struct Run;

// A word of a command line, in quotes where a shell would read it otherwise.
std::string quoted(const std::string& word);

// A file as it is typed: "-" for standard input.
std::string file_as_typed(const std::string& file);

// Settings as words of a command line: "--tp 4 --set parallel.recompute_modules=null".
std::string typed(const std::vector<Setting>& settings);

// A run as a command line says it: its name, and what goes over it.
struct TypedRun {
  std::string name;
  std::vector<Setting> settings;
  std::string nodes;  // "--nodes 2", where the line has it
  // Sequences of a step by a file that says those of a GPU: with other replicas they are typed, so
  // that the step stays the same one; 0: any other run.
  std::int64_t batch = 0;
};

// 3e11 as 300000000000: no decimals where there are none.
std::string typed_number(const Json& value);

// "run.json --tp 4" with more settings; one of the same key replaces that of the run.
std::string typed_with(const TypedRun& run, const std::vector<Setting>& more = {});

// Each key of `to` that `from` has otherwise or not at all, and each that only `from` has.
std::vector<Setting> settings_between(const Json& from, const Json& to);

// The keys of the run file in which two resolved runs differ; a key that follows from others is
// left out unless the file has it. `parallel_keys` are those of the file: the ones that would be
// refused beside the change go, such as modules of a recompute that is no longer selective, layers
// of one that is no longer full, and old shard groups.
std::vector<Setting> differences(const Run& from, const Run& to,
                                 const std::vector<std::string>& parallel_keys);

// Recompute that a run leaves open, as it was taken for it: beside the run's own words it gives the
// same numbers wherever it is read.
std::vector<Setting> chosen_recompute(const ResolvedRun& run);

}  // namespace orrery
