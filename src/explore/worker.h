// SPDX-License-Identifier: Apache-2.0
//
// One worker of a search: judges the candidates of its units and keeps the results.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "estimate/links.h"
#include "explore/contenders.h"
#include "explore/front.h"
#include "explore/incumbents.h"
#include "explore/search.h"
#include "explore/sharding_tally.h"
#include "explore/unit_walk.h"

namespace orrery {

struct SearchTally {
  std::int64_t candidates = 0;
  std::array<std::int64_t, kRules + 1> rejected{};
  std::vector<std::int64_t> refused;  // by constraint
  std::int64_t infeasible = 0;
  std::int64_t too_risky = 0;
  std::int64_t feasible = 0;
  std::vector<Candidate> best;  // at most `top`, in order
  Candidate nearest;            // of those that do not fit
  Contenders contenders;
  // Estimated because nothing bounds them, and no longer in that list.
  std::int64_t unbounded = 0;
  std::int64_t unbounded_refused = 0;  // of them, which `refused` counts already
  std::vector<FamilyTally> families;
};

class SearchWorker {
 public:
  SearchWorker(const Space& space, const std::vector<Unit>& units, const FamilyIndex& index,
               const SearchOptions& options, Incumbents& incumbents, SharedFront& shared);

  void take(const Unit& unit);
  SearchTally& tally() { return tally_; }

 private:
  // All that the prices of blocks depend on (estimate/price.h).
  struct PriceKey {
    std::int64_t unit = -1;
    std::int64_t micro_batch = 0;
    bool sequence_parallel = false;
    ModuleMask modules = 0;
    bool written_out = false;
    bool zero_bubble = false;
    bool hides_experts = false;
    bool meets = false;  // ranks wait for each other's documents at every micro batch

    bool operator==(const PriceKey&) const = default;
  };

  // And all that the parts of the model depend on besides (estimate/classes.h).
  struct PartsKey {
    PriceKey price;
    ScheduleId schedule = ScheduleId::one_f_one_b;
    std::int16_t vpp = 0;
    std::int16_t split = 0;
    std::int8_t recompute = 0;
    std::int32_t recompute_layers = 0;

    bool operator==(const PartsKey&) const = default;
  };

  // And all that their costs depend on besides (estimate/stage.h).
  struct CostKey {
    std::int64_t gathered = 0;  // ranks the weights are gathered from; 0: none are filled
    std::int64_t reduced = 0;
    OffloadTarget parameters = OffloadTarget::none;
    OffloadTarget activations = OffloadTarget::none;
    bool least = false;  // no more than those of any sharding

    bool operator==(const CostKey&) const = default;
  };

  // A sharding that breaks no rule.
  struct LegalSharding {
    std::size_t number = 0;  // of the unit's shardings
    Partition partition;
    bool meets = false;
  };

  // Legal shardings that are judged together before any of them alone.
  struct ShardingGroup {
    IndexRange range;                   // of legal_
    std::vector<std::size_t> parts;     // groups that it consists of; none: each is judged alone
    std::vector<std::size_t> families;  // of its shardings, each once
  };

  // No candidate of a block has a better objective with these costs of micro batches.
  struct LeastStep {
    double objective = 0;
    bool wanted = false;  // it may count as one of the best, or in a family of the whole block
  };

  // Candidates that differ in their sharding only, and the families that all of them belong to.
  struct Block {
    Point first;
    std::vector<std::size_t>* families = nullptr;
    std::int64_t legal = 0;
    std::int64_t feasible = 0;
    Candidate nearest;
  };

  struct Swept {
    PartsKey parts;
    CostKey costs;
    SweptTimes times;
  };

  void take_base(std::size_t base);
  void take_shardings(const std::vector<Sharding>& shardings);
  void count_illegal(RuleId rule);
  void group_shardings();
  std::size_t add_group(IndexRange range, int level);
  void set_legal(std::size_t i, Point& point);
  void judge(const Unit& unit, const SearchCell& shape);
  void find_families(const Unit& unit, Point p);
  RuleId broken_rule(RulePart part) const;
  void reject(const Block& block, RuleId rule, std::int64_t candidates);
  void judge_block(const Unit& unit, Block block);
  void judge_legal(const Unit& unit, std::size_t root, Block& block);
  void judge_group(std::size_t at, FitOfAll known, Candidate& c, Block& block);
  void judge_memory(Candidate c, std::size_t i, FitOfAll fit, Block& block);
  void judge_fitting(const Candidate& c, const ShardingTally& t, const Block& block);
  std::int64_t count_legal(const ShardingGroup& group, bool fit, Block& block);
  bool fits_nowhere(const Unit& unit, const Point& point);
  bool beats_all_layouts(const Unit& unit, const Point& point);
  bool beats_all(const ShardingGroup& group, const Block& block);
  bool is_hopeless(const ShardingTally& t, const Block& block);
  bool is_hopeless_however_sharded(std::span<const std::size_t> families, const Block& block);
  LeastStep least_step_of(const Block& block) const;
  bool nobody_wants(const LeastStep& least, std::span<const std::size_t> families) const;
  bool wants_nearest(Bytes least, const ShardingGroup& group, const Block& block) const;
  bool meets() const;
  bool is_refused(int by);
  // Then nobody wants what is found.
  bool is_stopped() const { return options_.stopped && options_.stopped(); }
  void estimate_waiting(const Unit& unit);
  void estimate_in_full(const Unit& unit, Candidate c);
  Answer finished();
  PriceKey price_key(const Unit& unit, const Point& point) const;
  void fill_prices(const Unit& unit, const Point& point);
  void fill_parts(const Unit& unit, const Point& point);
  void fill_costs();
  void fill_least_costs();
  void price_as(const PriceKey& key);
  void keep_in_top(const Candidate& c);
  void forget_hopeless();

  const Space& space_;
  const FamilyIndex& index_;
  const SearchOptions& options_;
  const Conditions& conditions_;
  const bool by_memory_alone_;  // it alone decides which of the legal candidates fits
  const bool by_step_alone_;    // it alone decides which of the candidates that fit counts
  const bool best_alone_;       // only what may be the best or within its band is wanted
  Incumbents& incumbents_;
  SharedFront& shared_;
  Front front_;
  Admission admission_;
  std::size_t base_ = 0;
  Run run_;
  RunShape shape_;
  BlockCounts blocks_;  // of the model
  Workspace workspace_;
  const Answer nothing_known_{};
  Answer known_;  // of the candidate that is judged
  PartsKey filled_;
  CostKey costs_;             // of those parts
  Seconds least_pipeline_{};  // with those costs
  // Bounds of the block that is judged, if they were asked: with those costs, and with the least of
  // any sharding's.
  std::optional<LeastStep> least_so_sharded_;
  std::optional<LeastStep> least_however_sharded_;
  std::vector<Swept> swept_;
  KeptStates states_;
  std::vector<std::size_t> offload_of_states_;  // by offload, the first that is one for states
  std::vector<JudgedStage> stages_;             // of the block that is judged
  std::optional<bool> fits_nowhere_;            // the unit at hand, if that was asked
  ShardingTallies tallies_;                     // of the unit at hand, like the next
  std::vector<LegalSharding> legal_;            // of the unit at hand, like the next
  std::vector<std::pair<RuleId, std::int64_t>> illegal_;  // how many break each rule
  std::vector<ShardingGroup> groups_;
  std::vector<std::size_t> roots_;         // of them: at most those that meet, and the others
  std::int64_t most_gradient_shards_ = 1;  // of legal ones
  std::vector<std::vector<std::size_t>> of_offloads_;  // families of a shape, by offload
  // Candidates are estimated in the order of their bounds, which goes to and fro between prices.
  std::vector<std::pair<PriceKey, Prices<double>>> kept_prices_;
  std::size_t oldest_ = 0;          // of them
  FamilyIds ids_;                   // of the unit at hand
  FamilyIds estimated_ids_;         // of the one that is estimated, in the midst of that
  std::vector<Candidate> waiting_;  // of the unit at hand: they fit
  std::size_t forget_at_ = std::size_t{1} << 11;
  SearchTally tally_;
};

}  // namespace orrery
