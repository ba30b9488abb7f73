// SPDX-License-Identifier: Apache-2.0
//
// How well predictions choose: where a source measured several layouts of one model on as many GPUs
// with one batch, is the layout predicted fastest the fastest?
//
// A sweep is at least four rows of one source with time, same model, node, GPUs, sequence and
// global batch. Spearman is the rank correlation of predicted and measured times (ties share their
// ranks). Regret is the measured time of the layout predicted fastest over the least measured, less
// one; among the first three predicted the best is taken for the second. Leaves out what the source
// did not run.
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
