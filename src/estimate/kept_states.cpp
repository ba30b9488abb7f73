// SPDX-License-Identifier: Apache-2.0
#include "estimate/kept_states.h"

#include <algorithm>
#include <utility>

#include "estimate/run.h"
#include "estimate/stage_contents.h"

namespace orrery {
namespace {

// Layouts of one unit of a search hold few kinds of stages; beyond these they are made anew.
constexpr std::size_t kMostKept = 64;

// All that stage_states() asks of them.
bool same_states(const StageHoldings& a, const StageHoldings& b) {
  const ShardedHoldings& own = a;
  return own == b && a.resharded == b.resharded && a.gathered_bytes == b.gathered_bytes &&
         a.updated_one_by_one == b.updated_one_by_one;
}

}  // namespace

void KeptStates::start(std::vector<Partition> shardings, std::vector<IndexRange> groups,
                       std::size_t offloads) {
  shardings_ = std::move(shardings);
  groups_ = std::move(groups);
  offloads_ = offloads;
  kept_.clear();
}

void KeptStates::find(Run& run, Workspace& w, std::size_t offload,
                      std::vector<JudgedStage>& stages) {
  stages.clear();
  if (kept_.size() > kMostKept) kept_.clear();
  for_fullest(run, w, [&](std::int64_t stage) {
    const StageContents<double>& contents = contents_of_stage<double>(run, w, stage);
    Rows& rows = of(contents.holdings)[offload];
    if (rows.states.empty()) fill(run, contents, rows);
    stages.push_back({stage, &contents, rows.states, rows.least, rows.most});
  });
}

std::vector<KeptStates::Rows>& KeptStates::of(const StageHoldings& holdings) {
  const auto kept = std::find_if(kept_.rbegin(), kept_.rend(),
                                 [&](const Kept& k) { return same_states(k.holdings, holdings); });
  if (kept != kept_.rend()) return kept->rows;
  return kept_.emplace_back(Kept{holdings, std::vector<Rows>(offloads_)}).rows;
}

void KeptStates::fill(Run& run, const StageContents<double>& contents, Rows& rows) const {
  const Partition before = run.strategy.partition;
  for (const Partition& p : shardings_) {
    run.strategy.partition = p;
    rows.states.push_back(states_of_stage<double>(run, contents));
  }
  run.strategy.partition = before;
  for (const IndexRange g : groups_) {
    const auto states = std::span(rows.states).subspan(g.begin, g.size());
    rows.least.push_back(least_of(states));
    rows.most.push_back(most_of(states));
  }
}

}  // namespace orrery
