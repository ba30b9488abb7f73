// SPDX-License-Identifier: Apache-2.0
#include "estimate/mixed_resolve.h"

#include <algorithm>

#include "core/divide.h"
#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "core/units.h"
#include "estimate/cached_parts.h"
#include "estimate/mixed_balance.h"
#include "estimate/mixed_estimate.h"
#include "estimate/mixed_group_links.h"
#include "estimate/mixed_layout.h"
#include "estimate/open_resolve.h"
#include "estimate/origins.h"
#include "estimate/run_keys.h"
#include "hardware/cluster_keys.h"
#include "hardware/spread.h"
#include "parallel/partition.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

ResolvedRun resolve_with_words(const Json& run, const std::string& file,
                               const ConfigLookup& lookup) {
  return resolve_run(run, file, lookup);
}

class MixedResolver {
 public:
  MixedResolver(const Json& run, const std::string& file, const ConfigLookup& lookup,
                MixedWorkspace& workspace, bool numbers = false)
      : given_(run),
        file_(file),
        lookup_(lookup),
        workspace_(workspace),
        numbers_(numbers),
        root_(run, file) {}

  ResolvedMixed resolve(const std::vector<Fact>& changes) {
    read_request();
    read_groups();
    read_tp();
    layout_ = mixed_layout(groups_, request_, file_, facts_);
    check_layout();
    resolve_kinds();
    out_.run.links = group_links(root_, out_.names, out_.run.kinds, facts_, warnings_);
    balance();
    if (numbers_) return std::move(out_);
    take_open_links();
    finish(changes);
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(const std::string& path, const std::string& found,
                           const std::string& allowed) const {
    throw InputError(ErrorCode::broken_rule, file_, path, found, allowed);
  }

  void read_request() {
    if (find_key<&RunRequest::parallel>(root_)) {
      request_ = read_strategy(at_key<&RunRequest::parallel>(root_));
    }
    Reader training = at_key<&RunRequest::training>(root_);
    global_batch_ = at_key<&Training::global_batch>(training).integer(1, std::int64_t{1} << 40);
    const auto micro = find_key<&TrainingRequest::micro_batch>(training);
    micro_batch_ = micro ? micro->integer(1, std::int64_t{1} << 30) : 1;
  }

  void read_groups() {
    Reader cluster = at_key<&RunRequest::cluster>(root_);
    cluster.must_be_object();
    for (const std::string& key : cluster.keys()) {
      if (key == key_name<&ClusterRequest::groups> || key == key_name<&ClusterRequest::links>) {
        continue;
      }
      cluster.at(key).fail("a key beside `groups`", "only `links`: each group has its own keys");
    }
    for (const Reader& item : at_key<&ClusterRequest::groups>(cluster).items()) read_group(item);
  }

  void read_group(Reader item) {
    item.must_be_object();
    GivenGroup g;
    g.gpus = at_key<&GroupRequest::gpus>(item).integer(1, kMostGpus);
    const Json cluster = cluster_of_group(item.json());
    out_.nodes.push_back(*cached_part<ResolvedCluster>(
        RunPart::cluster, file_ + " " + item.path(), {&cluster}, lookup_,
        [&](const ConfigLookup& asked) {
          return read_cluster(Reader(cluster, file_, item.path()), asked.hardware);
        }));
    const auto name = find_key<&GroupRequest::name>(item);
    g.name = name ? name->text() : std::string(out_.nodes.back().cluster.node.view());
    for (const GivenGroup& other : groups_) {
      if (other.name == g.name) item.fail("two groups named \"" + g.name + "\"", "a `name` each");
    }
    out_.names.push_back(g.name);
    group_json_.push_back(cluster);
    groups_.push_back(std::move(g));
  }

  void read_tp() {
    for (GivenGroup& g : groups_) g.tp = request_.tp.value_or(1);
    if (!request_.group_tp) return;
    const Reader map(*request_.group_tp, file_, key_path<&StrategyRequest::group_tp>);
    map.must_be_object();
    for (const std::string& name : map.keys()) {
      Reader value = map;
      groups_[index_of_group(map, name, out_.names)].tp = value.at(name).integer(1, kLargestDegree);
    }
  }

  bool is_mixed_stage() const { return layout_.replicas.size() > 1; }

  void check_layout() const {
    const std::int64_t sequences = micro_batch_ * layout_.dp;
    if (global_batch_ % micro_batch_ != 0 || global_batch_ < sequences) {
      refuse(key_path<&Training::global_batch>, std::to_string(global_batch_),
             "whole micro batches of " + std::to_string(micro_batch_) +
                 ", at least one for each of " + std::to_string(layout_.dp) + " replicas");
    }
    if (is_mixed_stage() && request_.ep.value_or(1) > 1) {
      refuse(key_path<&StrategyRequest::ep>, std::to_string(*request_.ep),
             "1 where replicas of a stage are on several groups");
    }
    const LayerRules ranges = request_.layers.value_or(LayerRules());
    if (std::any_of(ranges.rules.begin(), ranges.rules.end(),
                    [](const LayerRule& r) { return r.zero.has_value(); })) {
      refuse(key_path<&StrategyRequest::layers>, "ranges with a zero of their own",
             "ranges of recompute, where groups differ");
    }
    constexpr const char* sites = key_path<&ClusterRequest::sites>;
    if (value_at(given_, sites).is_object()) refuse(sites, "sites beside groups", "one of them");
    constexpr const char* buckets = key_path<&TrainingRequest::buckets>;
    if (value_at(given_, buckets).is_array()) {
      refuse(buckets, "samples of several sizes", "one size where devices are of several kinds");
    }
  }

  Json document_of(std::size_t k) const {
    Json run = given_;
    const GivenGroup& g = groups_[k];
    Json& cluster = at_key<&RunRequest::cluster>(run) = group_json_[k];
    at_key<&ClusterRequest::gpus>(cluster) = g.tp * layout_.cp * layout_.pp * layout_.dp;
    Json& parallel = at_key<&RunRequest::parallel>(run);
    if (!parallel.is_object()) parallel = Json::object();
    erase_group_keys(parallel);
    if (request_.balanced_stages) erase_key<&StrategyRequest::stage_layers>(parallel);
    at_key<&StrategyRequest::tp>(parallel) = g.tp;
    at_key<&StrategyRequest::pp>(parallel) = layout_.pp;
    at_key<&StrategyRequest::dp>(parallel) = layout_.dp;
    const std::int64_t each =
        divided_up(global_batch_ / micro_batch_, layout_.dp) * layout_.dp * micro_batch_;
    at_key<&Training::global_batch>(at_key<&RunRequest::training>(run)) = each;
    return run;
  }

  // Nodes of which the group has only some devices.
  void use_part(std::size_t k, Cluster& c) const {
    const Cluster& own = out_.nodes[k].cluster;
    const std::int64_t share = std::min(own.devices_per_node, own.gpus);
    if (share >= c.devices_per_node || c.gpus <= share) return;
    if (use_part_of_nodes(c, share)) return;
    refuse(path_of_group_gpus(k), std::to_string(own.gpus), "whole nodes, or whole parts of one");
  }

  void resolve_kinds() {
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      const auto resolved = numbers_ ? resolve_for_numbers : resolve_with_words;
      ResolvedRun r = resolved(document_of(k), file_, lookup_);
      use_part(k, r.run.cluster);
      r.run.training.global_batch = global_batch_;
      r.run.model_flops =
          model_flops(r.run.model, r.run.convention, counted(r.run.training, global_batch_));
      if (r.run.cluster.tier_count < 2 && groups_.size() > 1) {
        refuse(path_of_group(k), "a node without a network tier",
               "nodes that reach others: of two GPUs or more, with gpus 1; cluster.links says what "
               "lies between groups of one machine");
      }
      out_.run.kinds.push_back(r.run);
      out_.run.gpus.push_back(groups_[k].gpus);
      out_.kinds.push_back(std::move(r));
    }
    out_.run.replicas = layout_.replicas;
    out_.run.micro_batches = global_batch_ / micro_batch_;
    check_schedule();
    const Run& first = out_.run.kinds.front();
    out_.run.in_step =
        is_mixed_stage() && (gathers_every_micro_batch(first.strategy, first.framework) ||
                             reduces_every_micro_batch(first.strategy, first.framework));
  }

  void check_schedule() const {
    const Run& first = out_.run.kinds.front();
    if (copies_of_model(schedule_of(first).layout()) > 1 ||
        schedule_of(first).layout() == ChunkLayout::two_way) {
      refuse(key_path<&Strategy::schedule>, std::string(name_of(first.strategy.schedule)),
             "a schedule with one copy of the model, where groups differ");
    }
    if (first.strategy.schedule_runs > 1) {
      refuse(key_path<&Strategy::schedule_runs>, std::to_string(first.strategy.schedule_runs),
             "one run of the schedule, where groups differ");
    }
    const std::int64_t grain = first.strategy.vpp > 1 ? first.strategy.pp : 1;
    if (out_.run.micro_batches % grain != 0) {
      refuse(key_path<&Training::global_batch>, std::to_string(global_batch_),
             "micro batches in multiples of pp " + std::to_string(grain) +
                 ", which interleaved stages take");
    }
  }

  // Links that nobody gave widen the interval of every kind: each has its own.
  void take_open_links() {
    const std::optional<OpenKey> key = open_links(out_.run, workspace_);
    if (!key) return;
    for (std::size_t k = 0; k < out_.kinds.size(); ++k) {
      add_open_key(*key, out_.kinds[k]);
      out_.run.kinds[k].framework.level = out_.kinds[k].run.framework.level;
    }
  }

  // True where stages of one replica are on kinds of unlike speed.
  bool has_unlike_stages() const {
    for (const ReplicaClass& c : layout_.replicas) {
      const GivenGroup& first = groups_[c.kind_of_stage.front()];
      const Cluster& own = out_.nodes[c.kind_of_stage.front()].cluster;
      for (const std::size_t k : c.kind_of_stage) {
        const Cluster& other = out_.nodes[k].cluster;
        if (groups_[k].tp != first.tp || !(other.device == own.device)) return true;
      }
    }
    return false;
  }

  void balance() {
    MixedRun& run = out_.run;
    set_micro_batches(
        std::vector<std::int64_t>(run.replicas.size(), divided_up(run.micro_batches, layout_.dp)),
        run);
    MixedWorkspace& w = workspace_;
    if (run.in_step) balance_sequences(w);
    fill_mixed<double>(run, w);
    const bool open = !request_.stage_layers && !request_.layer_split && has_unlike_stages();
    if (request_.balanced_stages || open) {
      balance_layers(w);
    }
    if (run.in_step) {
      balance_shares(w);
    } else if (run.replicas.size() > 1) {
      set_micro_batches(balanced_micro_batches(run, w), run);
    }
  }

  void balance_layers(MixedWorkspace& w) {
    const auto layers = balanced_layers(out_.run, w);
    out_.balanced = layers.has_value();
    if (!layers) {
      warnings_.emplace_back("no split of the layers over these stages fits: layers stay even");
    } else {
      set_layers(*layers, out_.run);
      const std::size_t parts =
          static_cast<std::size_t>(layout_.pp * out_.run.kinds.front().strategy.vpp);
      Json list = Json::array();
      for (std::size_t j = 0; j < parts; ++j) list.push_back((*layers)[j]);
      facts_.push_back({key_path<&StrategyRequest::stage_layers>, list.dump(),
                        "balanced by time and memory over the groups", Known::chosen, ""});
    }
    fill_mixed<double>(out_.run, w);
  }

  void balance_sequences(MixedWorkspace& w) {
    MixedRun& run = out_.run;
    if (run.micro_batches % layout_.dp != 0) {
      refuse(key_path<&Training::global_batch>, std::to_string(global_batch_),
             "a multiple of micro_batch·dp, where all ranks exchange in every micro batch");
    }
    if (stages_of(run) > 1) {
      refuse(key_path<&StrategyRequest::zero>,
             "sharded weights or gradients over groups with pp " + std::to_string(stages_of(run)),
             "zero 0 or 1, or pp 1");
    }
    const auto n = balanced_sequences(run, micro_batch_ * layout_.dp, w);
    if (!n) {
      refuse(key_path<&TrainingRequest::micro_batch>, std::to_string(micro_batch_),
             "a micro batch of which every group can have whole sequences");
    }
    for (std::size_t k = 0; k < run.kinds.size(); ++k) {
      run.kinds[k].strategy.micro_batch = (*n)[k];
    }
  }

  void balance_shares(MixedWorkspace& w) {
    if (request_.state_shares.value_or(StateShares::equal) == StateShares::equal) return;
    out_.run.state_share = shares_by_memory(out_.run, w);
  }

  Json inputs() const {
    Json j = *out_.kinds.front().inputs;
    at_key<&RunRequest::cluster>(j) = value_at(given_, key_path<&RunRequest::cluster>);
    Json& training = at_key<&RunRequest::training>(j);
    at_key<&Training::global_batch>(training) = global_batch_;
    at_key<&TrainingRequest::micro_batch>(training) = micro_batch_;
    Json& parallel = at_key<&RunRequest::parallel>(j);
    at_key<&StrategyRequest::tp>(parallel) = request_.tp.value_or(1);
    take_group_keys(parallel);
    return j;
  }

  void take_group_keys(Json& parallel) const {
    StrategyRequest q;
    q.stage_groups = request_.stage_groups;
    q.group_tp = request_.group_tp;
    q.groups_hold = request_.groups_hold;
    q.state_shares = request_.state_shares;
    Json own = Json::object();
    write_keys(kStrategyKeys, q, own);
    for (const auto& [key, value] : own.items()) parallel[key] = value;
    if (!out_.balanced) return;
    const Strategy& s = out_.run.kinds.front().strategy;
    Json list = Json::array();
    for (std::int64_t j = 0; j < s.pp * s.vpp; ++j) {
      list.push_back(s.stage_layers[static_cast<std::size_t>(j)]);
    }
    at_key<&StrategyRequest::stage_layers>(parallel) = std::move(list);
    erase_key<&StrategyRequest::layer_split>(parallel);
  }

  void warn_of_unlike_recompute() {
    for (std::size_t k = 1; k < out_.run.kinds.size(); ++k) {
      const Recompute own = out_.run.kinds[k].strategy.recompute;
      const Recompute first = out_.run.kinds.front().strategy.recompute;
      if (own == first || request_.recompute) continue;
      warnings_.push_back("recompute is open: " + std::string(name_of(first)) + " on " +
                          groups_.front().name + ", " + std::string(name_of(own)) + " on " +
                          groups_[k].name + "; parallel.recompute sets it");
    }
  }

  void finish(const std::vector<Fact>& changes) {
    warn_of_unlike_recompute();
    ResolvedRun whole = out_.kinds.front();
    whole.inputs = inputs();
    whole.stated.clear();
    whole.recorded.clear();
    whole.assumed.insert(whole.assumed.end(), facts_.begin(), facts_.end());
    for (const ResolvedRun& r : out_.kinds) {
      for (const std::string& w : r.warnings) {
        if (std::find(warnings_.begin(), warnings_.end(), w) == warnings_.end())
          warnings_.push_back(w);
      }
    }
    whole.warnings = warnings_;
    whole.run = run_of_all(out_.run, 0);
    take_origins(given_, changes, whole);
    out_.whole = std::move(whole);
  }

  const Json& given_;
  const std::string& file_;
  const ConfigLookup& lookup_;
  MixedWorkspace& workspace_;
  bool numbers_ = false;  // no words are asked for
  Reader root_;
  StrategyRequest request_;
  std::int64_t global_batch_ = 1;
  std::int64_t micro_batch_ = 1;
  std::vector<GivenGroup> groups_;
  std::vector<Json> group_json_;
  MixedLayout layout_;
  std::vector<Fact> facts_;
  std::vector<std::string> warnings_;
  ResolvedMixed out_;
};

}  // namespace

ResolvedMixed resolve_mixed(const Json& run, const std::string& file, const ConfigLookup& lookup,
                            const std::vector<Fact>& changes) {
  MixedWorkspace workspace;
  return MixedResolver(run, file, lookup, workspace).resolve(changes);
}

ResolvedMixed resolve_mixed_for_numbers(const Json& run, const std::string& file,
                                        const ConfigLookup& lookup, MixedWorkspace& workspace) {
  return MixedResolver(run, file, lookup, workspace, true).resolve({});
}

}  // namespace orrery
