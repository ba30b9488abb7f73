// SPDX-License-Identifier: Apache-2.0
//
// Candidates that fit and wait for a full estimate: the most promising first, because the rest may
// then not need one. Each ends in the tally, in the shared incumbents and on the Pareto front.
//
// Invariant: at most kMostWaiting wait, so that a large unit takes no more memory than a small one.
// A candidate is dropped only where it cannot be in the answer (Admission).
#pragma once

#include <vector>

#include "explore/contenders.h"
#include "explore/priced_runs.h"
#include "explore/search_inputs.h"
#include "explore/search_tally.h"

namespace orrery {

class EstimateQueue {
 public:
  EstimateQueue(const SearchInputs& in, PricedRuns& runs, SearchTally& tally);

  void push(const Candidate& c) { waiting_.push_back(c); }
  bool is_full() const { return waiting_.size() >= kMostWaiting; }
  // Estimates those that wait; what the runs hold is another candidate's afterwards.
  void drain();
  // After the last candidate of a unit.
  void finish_unit();

 private:
  static constexpr std::size_t kMostWaiting = 1024;

  void estimate_in_full(Candidate c);
  void add_to_families(const Candidate& c);
  void offer_to_front(Candidate c, const Answer& a);
  bool is_to_keep(const Contender& c, const AimValues& aims);
  void forget_hopeless();

  const SearchInputs& in_;
  PricedRuns& runs_;
  SearchTally& tally_;
  Front front_;
  Admission admission_;
  FamilyIds ids_;
  std::vector<Candidate> waiting_;
  std::size_t forget_at_ = std::size_t{1} << 11;  // contenders
};

}  // namespace orrery
