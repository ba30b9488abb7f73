// SPDX-License-Identifier: Apache-2.0
//
// The order over all stages of a schedule that is written out: a topological order of its steps, or
// the step at which it can go on no longer.
//
// Stages take turns, one step each, so that neighbours in the order seldom depend on one another
// (a sweep of it is fast). Allocates; costs O(steps) where stages seldom wait. Errors: none; a
// Deadlock is an answer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "parallel/schedules/schedule.h"

namespace orrery {

// A stage that waits for what never comes: its step at `position`, and a result it lacks.
struct Deadlock {
  std::int64_t stage = 0;
  std::int64_t position = 0;
  Result missing;
};

// Results as they come about.
class ResultsDone {
 public:
  ResultsDone(ChunkLayout layout, const PipelineShape& shape);

  bool has(const Result& r) const { return done_[index(r)]; }
  void add(const Result& r) { done_[index(r)] = true; }

 private:
  std::size_t index(const Result& r) const {
    return static_cast<std::size_t>((r.micro_batch * parts_ + r.part) * 2 + (r.forward ? 1 : 0));
  }

  std::int64_t parts_;
  std::vector<bool> done_;
};

// The inputs that a step lacks.
std::optional<Result> missing_of(ChunkLayout layout, const PipelineShape& shape,
                                 const ResultsDone& done, std::int64_t stage, const Step& step);

// Calls visit(stage, Step) for every step, each after all it needs, until all are done or no stage
// can go on: then that is returned. In a turn only results of earlier turns count.
template <class Visit>
std::optional<Deadlock> walk_programs(ChunkLayout layout, const PipelineShape& shape,
                                      const Programs& programs, Visit&& visit) {
  ResultsDone done(layout, shape);
  std::vector<std::size_t> next(programs.size(), 0);
  std::vector<Result> of_this_turn;
  std::optional<Deadlock> stuck;
  bool moved = true;
  while (moved) {
    moved = false;
    stuck.reset();
    of_this_turn.clear();
    for (std::size_t i = 0; i < programs.size(); ++i) {
      if (next[i] == programs[i].size()) continue;
      const auto stage = static_cast<std::int64_t>(i);
      const Step& step = programs[i][next[i]];
      const std::optional<Result> missing = missing_of(layout, shape, done, stage, step);
      if (missing) {
        if (!stuck) stuck = Deadlock{stage, static_cast<std::int64_t>(next[i]), *missing};
        continue;
      }
      visit(stage, step);
      for_each_result(layout, shape, stage, step,
                      [&](const Result& r) { of_this_turn.push_back(r); });
      ++next[i];
      moved = true;
    }
    for (const Result& r : of_this_turn) done.add(r);
  }
  return stuck;
}

}  // namespace orrery
