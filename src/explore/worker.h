// SPDX-License-Identifier: Apache-2.0
//
// One worker of a search, on one thread: judges the candidates of its units, estimates those that
// may be in the answer, and tallies all of them. Units come in any order.
#pragma once

#include "explore/estimate_queue.h"
#include "explore/judge.h"
#include "explore/priced_runs.h"
#include "explore/search_inputs.h"
#include "explore/search_tally.h"

namespace orrery {

class SearchWorker {
 public:
  explicit SearchWorker(const SearchInputs& in);
  // Not copied: the parts refer to each other.
  SearchWorker(const SearchWorker&) = delete;
  SearchWorker& operator=(const SearchWorker&) = delete;
  ~SearchWorker() = default;

  void take(const Unit& unit);
  SearchTally& tally() { return tally_; }

 private:
  bool is_never_legal();

  const SearchInputs& in_;
  SearchTally tally_;
  PricedRuns runs_;
  EstimateQueue queue_;
  Judge judge_;
};

// A tally that counts nothing yet.
SearchTally empty_tally(const SearchInputs& in);

}  // namespace orrery
