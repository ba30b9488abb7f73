// SPDX-License-Identifier: Apache-2.0
#include "insight/limits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/divide.h"
#include "core/error.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/estimate.h"
#include "estimate/fits_at_risk.h"
#include "estimate/mixed_layout.h"
#include "estimate/mixed_memory.h"
#include "estimate/risk.h"
#include "estimate/run_keys.h"
#include "hardware/cluster_keys.h"
#include "hardware/cluster_links.h"
#include "insight/group_limits.h"
#include "insight/limit_search.h"
#include "insight/limit_trial.h"
#include "insight/remedy.h"
#include "insight/settings.h"
#include "model/operators.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr const char* kSequencePath = key_path<&TrainingRequest::sequence_length>;
constexpr const char* kMicroBatchPath = key_path<&TrainingRequest::micro_batch>;
constexpr const char* kGlobalBatchPath = key_path<&TrainingRequest::global_batch>;
constexpr const char* kGpusPath = key_path<&ClusterRequest::gpus>;
constexpr const char* kDpPath = key_path<&StrategyRequest::dp>;
constexpr const char* kNodePath = key_path<&ClusterRequest::node>;
// Keys of the model's and the device's documents, which a run file may hold.
constexpr const char* kLayersPath = "model.num_hidden_layers";
constexpr const char* kWidthPath = "model.hidden_size";
constexpr const char* kHeadsPath = "model.num_attention_heads";
constexpr const char* kKvHeadsPath = "model.num_key_value_heads";
constexpr const char* kHeadDimPath = "model.head_dim";
constexpr const char* kIntermediatePath = "model.intermediate_size";
constexpr const char* kMemoryPath = "cluster.device.memory_capacity";
constexpr const char* kTiersPath = "cluster.tiers";

constexpr std::array kLimitRows = {
    LimitKindRow{LimitKind::sequence_length, "longest sequence", kSequencePath, "tokens", true,
                 true},
    LimitKindRow{LimitKind::micro_batch, "largest micro batch", kMicroBatchPath, "sequences", false,
                 true},
    LimitKindRow{LimitKind::gpus, "fewest GPUs", kGpusPath, "GPUs", true, true},
    LimitKindRow{LimitKind::layers, "most layers", kLayersPath, "layers", true, true},
    LimitKindRow{LimitKind::width, "widest model", kWidthPath, "hidden size", true, true},
    LimitKindRow{LimitKind::network, "slowest network", kTiersPath, "of its rate", false, false},
    LimitKindRow{LimitKind::memory, "least device memory", kMemoryPath, "GiB", true, true},
    LimitKindRow{LimitKind::price, "highest price", kNodePath, "of this price", true, false},
};

constexpr std::int64_t kMostTokens = std::int64_t{1} << 30;  // as the key allows
constexpr std::int64_t kFirstTokens = 8192;                  // where the search of lengths begins
constexpr std::int64_t kSearchedTokens = 1024;               // the step where layouts are searched
constexpr std::int64_t kMostMicroBatch = std::int64_t{1} << 20;
constexpr std::int64_t kMostLayers = 4096;
constexpr std::int64_t kMostHeads = 4096;
constexpr std::int64_t kMostGib = 4096;
constexpr int kNetworkHalvings = 30;  // of the logarithm: nine digits
constexpr double kSlowestNetwork = 1e-4;
constexpr std::int64_t kMostTimesNodes = 8;  // of a group's nodes, where more are tried

bool gives_dp(const Json& run) { return !value_at(run, kDpPath).is_null(); }

// One row: a question of the whole run, or of one of its groups.
struct LimitAsked {
  LimitKind kind = LimitKind::sequence_length;
  LimitLayout layout = LimitLayout::yours;
  std::optional<std::size_t> group;
};

class LimitFinder {
 public:
  explicit LimitFinder(const LimitQuestion& q) : q_(q), trials_(q.file, q.lookup) {
    const bool fits = has_groups(*q.run) ? take_groups() : take_run();
    run_ = resolved_.run;
    base_run_ = *q.run;
    if (fits) {
      base_ = LimitPoint{run_, answer_, mixed_ ? layout_words(mixed_->resolved) : ""};
      if (!mixed_) base_settings_ = chosen_recompute(resolved_);
    } else if (!q.keeps_layout) {
      TriedRun found = trials_.searched(*q.run);
      base_ = std::move(found.point);
      base_run_ = with_changes(base_run_, found.settings);
      base_settings_ = std::move(found.settings);
    }
  }

  // The run whose step others are held against: its own, or the best layout where that does not
  // fit; nothing where none does.
  const std::optional<LimitPoint>& base() const { return base_; }

  const ResolvedRun& resolved() const { return resolved_; }
  const Answer& answer() const { return answer_; }
  const std::optional<MixedReport>& groups() const { return mixed_; }

  std::vector<LimitAsked> asked(LimitKind kind) const {
    const bool any = limit_row(kind).is_searched && !q_.keeps_layout;
    if (!mixed_ || kind != LimitKind::memory) {
      std::vector<LimitAsked> all = {{kind, LimitLayout::yours, {}}};
      if (any && !(mixed_ && kind == LimitKind::gpus)) all.push_back({kind, LimitLayout::any, {}});
      if (any && mixed_ && kind == LimitKind::gpus) add_each_group(kind, LimitLayout::any, all);
      return all;
    }
    std::vector<LimitAsked> all;
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      all.push_back({kind, LimitLayout::yours, k});
      if (any) all.push_back({kind, LimitLayout::any, k});
    }
    return all;
  }

  Limit find(const LimitAsked& asked) {
    Limit limit;
    limit.kind = asked.kind;
    limit.layout = asked.layout;
    limit.path = path_of(asked);
    if (asked.group) limit.group = groups_[*asked.group].name;
    switch (asked.kind) {
      case LimitKind::sequence_length:
        sequence(limit);
        break;
      case LimitKind::micro_batch:
        micro_batch(limit);
        break;
      case LimitKind::gpus:
        asked.group ? nodes(limit, *asked.group) : gpus(limit);
        break;
      case LimitKind::layers:
        layers(limit);
        break;
      case LimitKind::width:
        width(limit);
        break;
      case LimitKind::network:
        network(limit);
        break;
      case LimitKind::memory:
        memory(limit, asked.group);
        break;
      case LimitKind::price:
        price(limit);
        break;
    }
    return limit;
  }

 private:
  bool take_run() {
    resolved_ = resolve_chosen(*q_.run, q_.file, q_.lookup);
    answer_ = estimate(resolved_.run);
    tp_ = resolved_.run.strategy.tp;
    micro_batch_ = resolved_.run.strategy.micro_batch;
    layer_step_ = resolved_.run.strategy.pp * resolved_.run.strategy.vpp;
    return fits_at_risk(resolved_.run, answer_);
  }

  bool take_groups() {
    mixed_ = mixed_report_on(resolve_mixed(*q_.run, q_.file, q_.lookup));
    resolved_ = mixed_->whole.resolved;
    answer_ = mixed_->answer.answer;
    groups_ = limit_groups(mixed_->resolved);
    tp_ = common_tp(mixed_->resolved);
    layer_step_ = layer_step(mixed_->resolved);
    micro_batch_ = value_at(*resolved_.inputs, kMicroBatchPath).get<std::int64_t>();
    return fits_at_risk(mixed_->resolved.run, mixed_->answer);
  }

  void add_each_group(LimitKind kind, LimitLayout layout, std::vector<LimitAsked>& all) const {
    for (std::size_t k = 0; k < groups_.size(); ++k) all.push_back({kind, layout, k});
  }

  static std::string path_of(const LimitAsked& asked) {
    if (!asked.group) return limit_row(asked.kind).path;
    return asked.kind == LimitKind::gpus ? path_of_group_gpus(*asked.group)
                                         : memory_path_of_group(*asked.group);
  }

  // A model by name stands in full where one of its keys is set.
  Json with(const std::vector<Setting>& settings) const {
    Json run = *q_.run;
    Json& model = at_key<&RunRequest::model>(run);
    for (const Setting& s : settings) {
      const bool is_of_model = lies_at(s.path, key_name<&RunRequest::model>);
      if (is_of_model && model.is_string()) model = value_at(*resolved_.inputs, "model");
    }
    return with_changes(std::move(run), settings);
  }

  TriedRun tried(const std::vector<Setting>& settings, const Limit& limit) const {
    const Json run = with(settings);
    // A length that context parallelism alone reaches must not depend on the length asked about.
    const CpRange cp = limit.kind == LimitKind::sequence_length ? CpRange::any : CpRange::of_long;
    return limit.layout == LimitLayout::yours ? trials_.held(run) : trials_.searched(run, cp);
  }

  using SettingsOf = std::function<std::vector<Setting>(std::int64_t)>;

  // The largest multiple of `step`; settings of a value in steps.
  void largest(Limit& limit, std::int64_t start, std::int64_t most, const SettingsOf& settings,
               double step) const {
    const IntegerLimit found =
        largest_that(start, most, [&](std::int64_t n) { return tried(settings(n), limit).fits; });
    if (found.value > 0) take(limit, found.value, settings(found.value), step);
    limit.why = tried(settings(found.value + 1), limit).why;
    if (found.is_capped) limit.why = "nothing up to the most that is asked";
    limit.note = monotony_words(found, step);
  }

  static std::string monotony_words(const IntegerLimit& found, double step) {
    const auto at = [step](std::int64_t n) { return plain_number(static_cast<double>(n) * step); };
    if (found.holds_again > 0) return "not monotonic: " + at(found.holds_again) + " fits again";
    if (found.fails_before > 0) return "not monotonic: " + at(found.fails_before) + " does not fit";
    return "";
  }

  void take(Limit& limit, std::int64_t n, const std::vector<Setting>& settings, double step) const {
    limit.value = static_cast<double>(n) * step;
    place(limit, tried(settings, limit), settings);
  }

  static void place(Limit& limit, TriedRun t, const std::vector<Setting>& settings) {
    limit.there = std::move(t.point);
    limit.settings = settings;
    // A placement has the whole list of its groups.
    std::erase_if(limit.settings, [&t](const Setting& s) {
      return std::any_of(t.settings.begin(), t.settings.end(),
                         [&s](const Setting& later) { return lies_at(s.path, later.path); });
    });
    limit.settings.insert(limit.settings.end(), t.settings.begin(), t.settings.end());
  }

  void sequence(Limit& limit) const {
    const Strategy& s = run_.strategy;
    const std::int64_t step =
        limit.layout == LimitLayout::any ? kSearchedTokens : std::lcm(2 * s.cp, tp_ * s.cp);
    const auto settings = [step](std::int64_t n) -> std::vector<Setting> {
      return {{kSequencePath, std::to_string(n * step)}};
    };
    largest(limit, kFirstTokens / step, kMostTokens / step, settings, static_cast<double>(step));
  }

  std::vector<Setting> micro_batch_settings(std::int64_t n) const {
    const Strategy& s = run_.strategy;
    const std::int64_t round = s.dp * n * s.pp;
    const std::int64_t batch = run_.training.global_batch;
    std::vector<Setting> settings = {{kMicroBatchPath, std::to_string(n)}};
    const std::int64_t whole = divided_up(batch, round) * round;
    if (whole != batch) settings.push_back({kGlobalBatchPath, std::to_string(whole)});
    return settings;
  }

  void micro_batch(Limit& limit) const {
    const auto settings = [this](std::int64_t n) { return micro_batch_settings(n); };
    largest(limit, micro_batch_, kMostMicroBatch, settings, 1);
  }

  void gpus(Limit& limit) const {
    if (mixed_) {
      fewest_in_proportion(limit);
    } else {
      limit.layout == LimitLayout::any ? fewest_of_any(limit) : fewest_replicas(limit);
    }
  }

  // Replicas of all groups in the run's proportion, from the fewest.
  void fewest_in_proportion(Limit& limit) const {
    const std::int64_t sequences = run_.training.global_batch / micro_batch_;
    for (std::int64_t n = 1; n <= sequences; ++n) {
      const auto settings = replicas_in_proportion(*q_.run, mixed_->resolved, n);
      if (!settings) {
        limit.why = "parallel.stage_groups lists the replicas one by one";
        return;
      }
      TriedRun t = trials_.held(with(*settings));
      if (t.fits) {
        limit.value = static_cast<double>(t.point->run.cluster.gpus);
        limit.there = std::move(t.point);
        limit.settings = *settings;
        if (n == 1) limit.why = "the fewest replicas of this layout are the least";
        return;
      }
      limit.why = t.why;
    }
  }

  // Whole nodes of one group beside the others, from none.
  void nodes(Limit& limit, std::size_t k) const {
    const LimitGroup& g = groups_[k];
    const auto settings = [&](std::int64_t n) { return nodes_of_group(*q_.run, groups_, k, n); };
    if (groups_.size() > 1) {
      TriedRun t = tried(settings(0), limit);
      if (t.fits) {
        limit.value = 0;
        place(limit, std::move(t), settings(0));
        limit.why = "the other groups suffice";
        return;
      }
      limit.why = t.why;
    }
    const std::int64_t start = std::max<std::int64_t>(1, g.gpus / g.devices_per_node);
    const std::int64_t most = start * kMostTimesNodes;
    const auto holds = [&](std::int64_t n) { return tried(settings(n), limit).fits; };
    const IntegerLimit found = smallest_that(start, most, holds);
    if (found.value == 0) {
      limit.why += ", on up to " + grouped(most * g.devices_per_node) + " of its GPUs";
      return;
    }
    take(limit, found.value, settings(found.value), static_cast<double>(g.devices_per_node));
    if (found.value > 1) limit.why = tried(settings(found.value - 1), limit).why;
  }

  void fewest_of_any(Limit& limit) const {
    const auto found = orrery::fewest_gpus(*q_.run, q_.file, q_.lookup);
    if (!found) {
      limit.why =
          "no common layout of this batch fits on up to " + grouped(kMostGpusTried) + " GPUs";
      return;
    }
    limit.value = static_cast<double>(found->gpus);
    place(limit, trials_.held(with_changes(*q_.run, found->settings)), found->settings);
    limit.why = found->gpus == 1
                    ? "one is the least"
                    : "no common layout fits on fewer, of divisors of a node and whole nodes";
  }

  // Replicas that divide the batch, from one.
  void fewest_replicas(Limit& limit) const {
    const Strategy& s = run_.strategy;
    const std::int64_t ranks = s.tp * s.cp * s.pp;
    const std::int64_t sequences = run_.training.global_batch / s.micro_batch;
    std::string before = "one replica of this layout is the least";
    for (std::int64_t dp = 1; dp <= sequences; ++dp) {
      if (sequences % dp != 0) continue;
      std::vector<Setting> settings = {{kGpusPath, std::to_string(ranks * dp)}};
      if (gives_dp(*q_.run)) settings.push_back({kDpPath, std::to_string(dp)});
      TriedRun t = trials_.held(with(settings));
      if (t.fits) {
        limit.value = static_cast<double>(ranks * dp);
        place(limit, std::move(t), settings);
        limit.why = before;
        return;
      }
      before = t.why;
    }
    limit.why = before;
  }

  void layers(Limit& limit) const {
    if (run_.model.trunk.kinds > 0) {
      limit.why = "no one key of this kind of model says its depth";
      return;
    }
    const std::int64_t step = limit.layout == LimitLayout::any ? 1 : layer_step_;
    const auto settings = [step](std::int64_t n) -> std::vector<Setting> {
      return {{kLayersPath, std::to_string(n * step)}};
    };
    largest(limit, run_.model.layers / step, kMostLayers / step, settings,
            static_cast<double>(step));
    add_parameters(limit);
  }

  bool has_plain_width() const {
    const Architecture& m = run_.model;
    return !is_moe(m) && m.attention == AttentionKind::kGroupedQuery && m.pattern.length == 0 &&
           m.recurrent.kind == RecurrentKind::none && m.tower.layers == 0;
  }

  std::vector<Setting> width_settings(std::int64_t heads) const {
    const Architecture& m = run_.model;
    const std::int64_t group = m.heads / m.kv_heads;
    const double ratio = static_cast<double>(m.intermediate) / static_cast<double>(m.heads);
    const auto columns = static_cast<std::int64_t>(
        std::llround(ratio * static_cast<double>(heads) / static_cast<double>(m.head_dim)));
    return {{kWidthPath, std::to_string(heads * m.hidden / m.heads)},
            {kHeadsPath, std::to_string(heads)},
            {kKvHeadsPath, std::to_string(heads / group)},
            {kHeadDimPath, std::to_string(m.head_dim)},
            {kIntermediatePath, std::to_string(columns * m.head_dim)}};
  }

  void width(Limit& limit) const {
    const Architecture& m = run_.model;
    if (!has_plain_width()) {
      limit.why =
          "the width of a mixture, of latent attention or of recurrent layers is no one key";
      return;
    }
    const std::int64_t group = m.heads / m.kv_heads;
    const bool any = limit.layout == LimitLayout::any;
    const std::int64_t step = std::lcm(group, any ? group : tp_ * group);
    const auto settings = [&](std::int64_t n) { return width_settings(n * step); };
    largest(limit, m.heads / step, kMostHeads / step, settings,
            static_cast<double>(step * m.hidden) / static_cast<double>(m.heads));
    add_parameters(limit);
  }

  static void add_parameters(Limit& limit) {
    if (!limit.there) return;
    const Run& run = limit.there->run;
    const ParameterCount n = parameter_count(run.model, run.training.sequence);
    const std::string words = short_count(static_cast<double>(n.total)) + " parameters";
    limit.note = limit.note.empty() ? words : words + "; " + limit.note;
  }

  Seconds longest_step() const { return base_->answer.step_time * (1 + q_.within); }

  static constexpr const char* kNoBase = "no layout of this run fits as surely as asked";

  Run with_network(double factor) const {
    Run run = base_->run;
    scale_links(run.cluster, Links::of_network, factor);
    return run;
  }

  std::vector<Setting> network_settings(double factor) const {
    std::vector<Setting> settings = base_settings_;
    const Cluster& c = run_.cluster;
    for (std::size_t i = 0; i < c.tier_count; ++i) {
      if (links_of_tier(c, i) != Links::of_network) continue;
      const std::string tier(c.tiers[i].name.view());
      settings.push_back({std::string(kTiersPath) + "." + tier + ".bandwidth",
                          exact(c.tiers[i].bandwidth * factor)});
    }
    return settings;
  }

  // The slowest of which the step is at most as long as allowed, in shares of the rate.
  static double slowest_factor(const std::function<bool(double)>& holds) {
    double slow = std::log(kSlowestNetwork);
    double fast = 0;
    if (holds(kSlowestNetwork)) fast = slow;
    for (int i = 0; i < kNetworkHalvings && fast > slow; ++i) {
      const double middle = 0.5 * (slow + fast);
      (holds(std::exp(middle)) ? fast : slow) = middle;
    }
    return std::exp(fast);
  }

  void network(Limit& limit) const {
    if (!base_ || node_count(run_.cluster) == 1) {
      limit.why = base_ ? "one node does not use a network between nodes" : kNoBase;
      return;
    }
    if (mixed_) {
      network_of_groups(limit);
      return;
    }
    take_network(limit, slowest_factor([&](double factor) {
                   return estimate(with_network(factor)).step_time <= longest_step();
                 }));
  }

  // Groups are resolved anew at each rate: an open link follows the networks of both nodes.
  void network_of_groups(Limit& limit) const {
    const ResolvedMixed base = resolve_mixed(base_run_, q_.file, q_.lookup);
    const auto at = [&](double factor) {
      return trials_.held(with_changes(base_run_, networks_of_groups(base_run_, base, factor)));
    };
    const double factor = slowest_factor([&](double f) {
      const TriedRun t = at(f);
      return t.point && t.point->answer.step_time <= longest_step();
    });
    limit.value = factor;
    limit.there = at(factor).point;
    limit.settings = networks_of_groups(base_run_, base, factor);
    limit.note = "networks of all groups and the links between them together";
    limit.why = why_of_network(factor, limit);
  }

  std::string why_of_network(double factor, const Limit& limit) const {
    return factor <= kSlowestNetwork ? "the network does not matter here"
                                     : grown_words(limit.there->answer);
  }

  void take_network(Limit& limit, double factor) const {
    limit.value = factor;
    const Run run = with_network(factor);
    limit.there = LimitPoint{run, estimate(run)};
    limit.settings = network_settings(factor);
    limit.note = pretty(network_rate(run.cluster), 3) + " a node, of " +
                 pretty(network_rate(run_.cluster), 3);
    limit.why = why_of_network(factor, limit);
  }

  // "dp_exposed grows by 1.2 s"
  std::string grown_words(const Answer& slower) const {
    Term most{};
    for (const Term t : kAllOf<Term>) {
      if (grown(slower, t) > grown(slower, most)) most = t;
    }
    return std::string(name_of(most)) + " grows by " + pretty(grown(slower, most), 3);
  }

  Seconds grown(const Answer& slower, Term t) const {
    return slower.breakdown[t] - base_->answer.breakdown[t];
  }

  void memory(Limit& limit, std::optional<std::size_t> group) const {
    if (!base_) {
      limit.why = kNoBase;
      return;
    }
    const auto settings = [&limit](std::int64_t gib) -> std::vector<Setting> {
      return {{limit.path, std::to_string(gib) + " GiB"}};
    };
    std::string before;
    const auto holds = [&](std::int64_t gib) {
      const TriedRun t = tried(settings(gib), limit);
      const bool slow = t.point && t.point->answer.step_time > longest_step();
      if (t.fits && !slow) return true;
      before = t.fits ? "with less, the step is longer than " + pretty(longest_step(), 3) : t.why;
      return false;
    };
    const auto start =
        group ? groups_[*group].memory_gib : static_cast<std::int64_t>(answer_.capacity / kGiB);
    const IntegerLimit found = smallest_that(start, kMostGib, holds);
    if (found.value > 0) take(limit, found.value, settings(found.value), 1);
    holds(std::max<std::int64_t>(1, found.value - 1));
    limit.why = before;
  }

  static std::string price_words(double ratio) {
    return "a GPU-hour of " + significant(ratio, 3) + " times this node's costs the same a sample";
  }

  void price(Limit& limit) const {
    if (!base_) {
      limit.why = kNoBase;
      return;
    }
    Json run = *q_.run;
    Json& cluster = at_key<&RunRequest::cluster>(run);
    cluster = {{std::string(key_name<&ClusterRequest::node>), q_.versus},
               {std::string(key_name<&ClusterRequest::gpus>), run_.cluster.gpus}};
    const TriedRun t =
        limit.layout == LimitLayout::yours ? trials_.held(run) : trials_.searched(run);
    if (!t.fits) {
      limit.why = "on " + q_.versus + ": " + t.why;
      return;
    }
    place(limit, t, {{kNodePath, q_.versus}});
    limit.value = base_->answer.step_time / t.point->answer.step_time;
    limit.why = price_words(*limit.value);
    limit.note = price_range(t.point->answer);
  }

  // The two errors are taken as independent: half widths of the logarithms add in squares.
  std::string price_range(const Answer& other) const {
    const auto half = [](const Answer& a) {
      return 0.5 * std::log(a.interval_high / a.interval_low);
    };
    const double both = std::hypot(half(base_->answer), half(other));
    const double ratio = base_->answer.step_time / other.step_time;
    return "80 % interval " + significant(ratio * std::exp(-both), 3) + " to " +
           significant(ratio * std::exp(both), 3);
  }

  const LimitQuestion& q_;
  LimitTrials trials_;
  ResolvedRun resolved_;
  std::optional<MixedReport> mixed_;  // of a run with groups
  std::vector<LimitGroup> groups_;
  Run run_;
  std::int64_t tp_ = 1;  // that those of all groups divide
  std::int64_t micro_batch_ = 1;
  std::int64_t layer_step_ = 1;
  Answer answer_;
  std::optional<LimitPoint> base_;
  std::vector<Setting> base_settings_;  // of the best layout, where it is not the run's own
  Json base_run_;                       // as a document
};

std::vector<LimitKind> kinds_of(const LimitQuestion& q) {
  if (!q.kinds.empty()) return q.kinds;
  std::vector<LimitKind> all;
  for (const LimitKindRow& row : kLimitRows) {
    if (row.kind != LimitKind::price || !q.versus.empty()) all.push_back(row.kind);
  }
  return all;
}

}  // namespace

const LimitKindRow& limit_row(LimitKind kind) { return kLimitRows[static_cast<std::size_t>(kind)]; }

namespace {

// The same question of a run that need not fit more surely than not.
LimitQuestion at_even_odds(LimitQuestion q) {
  Json run = *q.run;
  at_key<&RunRequest::risk>(run) = kMostRisk;
  q.run = std::move(run);
  q.keeps_layout = true;
  return q;
}

bool goes_further(const Limit& a, const Limit& b) {
  const bool least = a.kind == LimitKind::gpus || a.kind == LimitKind::memory;
  return least ? *a.value < *b.value : *a.value > *b.value;
}

// The common layouts that are searched need not hold the run's own.
void take_better(const Limit& own, Limit& any) {
  if (!own.value || (any.value && !goes_further(own, any))) return;
  any = own;
  any.layout = LimitLayout::any;
  any.even.reset();
  any.note += std::string(own.note.empty() ? "" : "; ") + "the run's own layout";
}

}  // namespace

LimitsReport limits_of(const LimitQuestion& q) {
  LimitFinder finder(q);
  const LimitQuestion even_question = at_even_odds(q);
  LimitFinder even(even_question);
  LimitsReport report{
      finder.resolved(), finder.groups(), finder.answer(), finder.base(), q.within, q.versus, {}};
  std::vector<LimitAsked> all;
  for (const LimitKind kind : kinds_of(q)) {
    const std::vector<LimitAsked> of_kind = finder.asked(kind);
    all.insert(all.end(), of_kind.begin(), of_kind.end());
  }
  std::int64_t done = 0;
  for (const LimitAsked& asked : all) {
    Limit limit = finder.find(asked);
    if (asked.layout == LimitLayout::any) {
      if (report.limits.back().path == limit.path) take_better(report.limits.back(), limit);
    } else if (limit_row(asked.kind).is_of_memory) {
      limit.even = even.find(asked).value;
    }
    report.limits.push_back(std::move(limit));
    if (q.progress) q.progress(++done, static_cast<std::int64_t>(all.size()));
  }
  return report;
}

}  // namespace orrery
