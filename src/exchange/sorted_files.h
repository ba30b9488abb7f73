// SPDX-License-Identifier: Apache-2.0
//
// The files of an import by what they are: trainings, machines, models, and what stands inside or
// around them. Errors: InputError for a file of a kind that is not read.
#pragma once

#include <vector>

#include "exchange/import_files.h"

namespace orrery {

struct TrainingFile {
  ForeignFile file;
  ForeignFormat format;
  const tools::Tool* tool = nullptr;
};

struct SortedFiles {
  std::vector<TrainingFile> training = {};
  std::vector<ForeignFile> machine = {};
  std::vector<ForeignFile> started = {};  // scripts whose words are in the YAML that they start
  std::vector<ImportedRun> parts = {};    // read on the way: a config.json, a wrapper's GPUs

  void add(const TrainingFile& f, ImportedRun part) {
    part.format = f.format;
    part.file = f.file.name;
    parts.push_back(std::move(part));
  }
};

// Files that others hold or write take their place in the job, and what their wrappers and
// launchers say its GPUs. Not where the command line says the format.
void take_inner_files(ImportJob& job, SortedFiles& out);

SortedFiles sorted_files(ImportJob& job);

}  // namespace orrery
