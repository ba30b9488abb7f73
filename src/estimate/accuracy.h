// SPDX-License-Identifier: Apache-2.0
//
// How far off an estimate is likely to be, and what that rests on: configs/accuracy.json, written
// by `orrery validate --cross --write-accuracy` from published runs that were left out of the fit.
//
// A cell holds the 80 % interval of ln(measured/predicted) of runs that share a framework, a
// generation of devices and a range of GPUs; the first cell of the table that a run falls into is
// its own, so the most particular ones stand first and the last takes all. A run's own level
// (`stack` in the run file, --observed) replaces the cell: what is left is that level's own
// uncertainty and the noise inside one stack. Leaves out: the strategy, the model. Units: none.
// Errors: InputError with file and path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct Run;

struct AccuracyCell {
  std::string framework;   // "": any
  std::string generation;  // "": any
  std::int64_t above = 0;  // GPUs
  std::int64_t up_to = 0;  // 0: any number
  std::int64_t rows = 0;
  std::int64_t sources = 0;
  double low = 1;  // measured over predicted
  double high = 1;
};

struct Accuracy {
  double stack_spread = 0;  // of the ln of a stack's factor, one standard deviation
  double noise = 0;         // of ln(measured/predicted) inside one stack
  std::vector<AccuracyCell> cells;
};

Accuracy read_accuracy(std::string_view text, const std::string& file);

// nullptr where none takes it.
const AccuracyCell* cell_of(const Accuracy& table, std::string_view framework,
                            std::string_view generation, std::int64_t gpus);

// The level of the user's own stack.
struct StackLevel {
  double factor = 1;  // measured over predicted
  double spread = 0;  // of its ln, one standard deviation
  std::int64_t steps = 0;
};

// From ln(measured/predicted) of a user's own steps, shrunk toward 1.
StackLevel stack_level(const Accuracy& table, const std::vector<double>& logs);

// The interval of a run and why, in words.
struct StepInterval {
  double low = 0.5;
  double high = 2;
  std::int64_t rows = 0;  // published runs it rests on, or measured steps of one's own
  std::int64_t sources = 0;
  std::string words = "nothing is known of its error";
};

StepInterval interval_of(const Accuracy& table, const Run& run);
StepInterval interval_of(const Accuracy& table, const StackLevel& level);

// The interval of a stack whose level is known, beside what was known of it before.
//
// Never wider than `before`: steps of one's own cannot make a run less certain. Units: none.
// Errors: none.
StepInterval interval_of(const Accuracy& table, const StackLevel& level,
                         const StepInterval& before);

}  // namespace orrery
