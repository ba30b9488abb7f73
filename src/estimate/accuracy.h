// SPDX-License-Identifier: Apache-2.0
//
// How far off an estimate is likely to be, and what that rests on: configs/accuracy.json, written
// by `orrery validate --cross --write-accuracy` from published runs whose source was left out.
//
// A cell holds the 80 % interval of ln(measured/predicted) of runs alike: a known stack (its
// framework has runs of two sources or more, each predicted without its own) by generation of
// devices, or an unknown one (priced by the profile of its class) by class and generation; dense
// models and mixtures of experts apart. The first cell of the table that a run falls into is its
// own, so the most particular ones stand first, and no cell is narrower than one of which more is
// known. Memory has cells of its own, by class.
// On more GPUs than the largest run of its cell the interval is wider: the error of one series of
// runs walks with the doublings of its GPUs. A run's own level (`stack` in the run file,
// --observed) replaces the cell: what is left is that level's own uncertainty and the noise inside
// one stack. Leaves out: the strategy. Units: none. Errors: InputError with file and path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

inline constexpr double kNormal80 = 1.2816;  // a normal variable is within this, in 80 of 100 cases

struct Run;

// A kind of run, whose published errors are taken together.
struct StackKind {
  std::string framework;    // of a cell, "": an unknown one
  std::string stack_class;  // of a cell, "": any
  std::string generation;   // of a cell, "": any
  bool mixture = false;
};

StackKind stack_kind(const Run& run);

// True if `inner` has all that `outer` asks for; a field that `outer` leaves open may be anything.
bool covers(const StackKind& outer, const StackKind& inner);

struct AccuracyCell {
  StackKind of;
  std::int64_t rows = 0;
  std::int64_t sources = 0;
  double low = 1;  // measured over predicted
  double high = 1;
  std::int64_t gpus = 0;  // of the largest run; 0: not known
};

struct Accuracy {
  double stack_spread = 0;  // of the ln of a stack's factor, one standard deviation
  double noise = 0;         // of ln(measured/predicted) inside one stack
  std::vector<AccuracyCell> cells;
  std::vector<AccuracyCell> memory;  // peak, the same way
  double scale_spread = 0;           // of its change in one doubling of a series' GPUs
};

Accuracy read_accuracy(std::string_view text, const std::string& file);

// nullptr where none takes it. On a generation that no run of its class was measured on, a known
// framework is as an unknown one.
const AccuracyCell* cell_of(const std::vector<AccuracyCell>& cells, const StackKind& kind);

// The cell as it holds on so many GPUs: its own up to its largest run, wider beyond.
AccuracyCell on_gpus(const Accuracy& table, const AccuracyCell& cell, std::int64_t gpus);

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
  // Runs on the generation of its devices, or steps of one's own, are among them.
  bool is_of_device = false;
};

StepInterval interval_of(const Accuracy& table, const Run& run);
StepInterval interval_of(const Accuracy& table, const StackLevel& level);

// The interval of measured over predicted peak memory.
StepInterval memory_interval_of(const Accuracy& table, const Run& run);

// The interval of a stack whose level is known, beside what was known of it before.
//
// Never wider than `before`: steps of one's own cannot make a run less certain. Units: none.
// Errors: none.
StepInterval interval_of(const Accuracy& table, const StackLevel& level,
                         const StepInterval& before);

}  // namespace orrery
