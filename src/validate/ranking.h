// SPDX-License-Identifier: Apache-2.0
//
// The quality of choices by prediction: if a source measured several layouts of one model on the
// same number of GPUs with one batch, is the layout predicted fastest really the fastest?
//
// A sweep is at least four rows of one source with time, same model, node, GPUs, sequence and
// global batch. Spearman is the rank correlation of predicted and measured times (ties share their
// ranks). Regret is the measured time of the layout predicted fastest over the least measured,
// minus one; the second regret takes the best of the first three predicted. Leaves out layouts that
// the source did not run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validate/judge.h"

namespace orrery {

struct Sweep {
  std::string source;
  std::string name;  // model, GPUs, batch
  std::int64_t rows = 0;
  double spearman = 0;
  double regret = 0;
  double regret_of_three = 0;  // of the best among the three predicted fastest
};

std::vector<Sweep> sweeps_of(const std::vector<JudgedRow>& rows);

}  // namespace orrery
