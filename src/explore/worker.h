// SPDX-License-Identifier: Apache-2.0
//
// One worker of a search: judges the candidates of the units it is given and keeps what it found.
#pragma once

#include <optional>
#include <vector>

#include "explore/incumbents.h"
#include "explore/search.h"

namespace orrery {

// What is kept of a candidate that was looked at.
struct Candidate {
  std::int64_t unit = -1;
  Point point;
  double bound = 0;      // the objective is no less
  double objective = 0;  // less is better
  Seconds step{};
  std::int32_t refused_by = -1;  // a constraint on the answer
  Bytes peak{};
};

// Faster, then smaller, then first.
bool is_before(const Candidate& a, const Candidate& b);
bool needs_less(const Candidate& a, const Candidate& b);

struct FamilyTally {
  std::int64_t candidates = 0;
  std::int64_t legal = 0;
  std::int64_t feasible = 0;
  std::array<std::int64_t, kRules + 1> rejected{};
  Candidate best;
  Candidate nearest;
};

struct SearchTally {
  std::int64_t candidates = 0;
  std::array<std::int64_t, kRules + 1> rejected{};
  std::vector<std::int64_t> refused;  // by constraint on strategy or memory
  std::int64_t infeasible = 0;
  std::int64_t feasible = 0;
  std::vector<Candidate> best;       // at most `top`, in order
  Candidate nearest;                 // of those that do not fit
  std::vector<Candidate> estimated;  // that may count in the end
  std::vector<FamilyTally> families;
};

class SearchWorker {
 public:
  SearchWorker(const Space& space, const std::vector<Unit>& units, const FamilyIndex& index,
               const SearchOptions& options, Incumbents& incumbents);

  void take(const Unit& unit);
  SearchTally& tally() { return tally_; }

 private:
  struct PriceKey {
    std::int64_t unit = -1;
    std::int64_t micro_batch = 0;
    bool sequence_parallel = false;
    bool selective = false;

    bool operator==(const PriceKey&) const = default;
  };

  void judge(const Unit& unit, const SearchCell& cell);
  void judge_memory(const Unit& unit, const Point& point);
  void judge_fitting(const Unit& unit, Candidate c, const Answer& a);
  bool is_refused(Known known, const Answer& a);
  double bound();
  void estimate_in_full(const Unit& unit, Candidate c);
  void fill(const Unit& unit, const Point& point);
  bool may_count(const Candidate& c) const;
  void keep_in_top(const Candidate& c);
  void forget_hopeless();

  template <class Visit>
  void for_families(const Unit& unit, const Point& point, Visit&& visit);

  const Space& space_;
  const std::vector<Unit>& units_;
  const FamilyIndex& index_;
  const SearchOptions& options_;
  Incumbents& incumbents_;
  Run run_;
  RunShape shape_;
  Workspace workspace_;
  const Answer nothing_known_{};
  PriceKey priced_;
  std::vector<Candidate> waiting_;  // of the unit at hand: they fit
  std::size_t forget_at_ = std::size_t{1} << 16;
  SearchTally tally_;
};

// Whether a candidate is among those that the final answer may speak of.
bool may_count(const Incumbents& incumbents, const FamilyIndex& index, bool families,
               const std::vector<Unit>& units, const Candidate& c);

}  // namespace orrery
