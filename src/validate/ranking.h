// SPDX-License-Identifier: Apache-2.0
//
// The quality of choices by prediction: if a source measured several layouts of one model on the
// same number of GPUs with one batch, is the layout predicted fastest really the fastest?
//
// A sweep is at least four rows of one source with time, same model, node, GPUs, sequence and
// global batch, of tier A where the source has such rows; runs of it that ran out of memory stand
// beside them. The pick is the layout predicted fastest among those predicted to fit (among all
// where none is). Spearman is the rank correlation of predicted and measured times (ties share
// their ranks). Regret is the measured time of the first pick that ran over the least measured,
// minus one; the second regret takes the best of the first three. The recommended layout is chosen
// as a search does, among those that fit with a probability of 0.9 (of the surest where none
// does). Leaves out layouts that the
// source did not run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

struct JudgedRow;

struct Sweep {
  std::string source;
  std::string name;  // model, GPUs, batch
  std::int64_t rows = 0;
  double spearman = 0;
  double regret = 0;
  double regret_of_three = 0;        // of the best among the three predicted fastest
  bool picks_out_of_memory = false;  // the first pick is a run that did
  // The same of the layout that a search would recommend (explore/recommend.h).
  double regret_recommended = 0;
  bool recommends_out_of_memory = false;
};

std::vector<Sweep> sweeps_of(const std::vector<JudgedRow>& rows);

// Over sweeps of six layouts or more.
struct RegretSummary {
  std::string scope;  // the protocol; "": the shipped documents
  std::int64_t sweeps = 0;
  std::int64_t picks_out_of_memory = 0;
  double median = 0;
  double p90 = 0;
  double worst = 0;
  double recommended_median = 0;
  double recommended_p90 = 0;
  std::int64_t recommended_out_of_memory = 0;
};

RegretSummary regret_summary_of(const std::vector<Sweep>& sweeps);

}  // namespace orrery
