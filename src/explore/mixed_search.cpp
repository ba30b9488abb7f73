// SPDX-License-Identifier: Apache-2.0
#include "explore/mixed_search.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "estimate/cached_parts.h"
#include "estimate/links.h"
#include "estimate/mixed_estimate.h"
#include "estimate/mixed_memory.h"
#include "estimate/mixed_resolve.h"
#include "estimate/price.h"
#include "estimate/risk.h"
#include "estimate/run_keys.h"
#include "estimate/stage.h"
#include "hardware/cluster_keys.h"
#include "hardware/cluster_reader.h"
#include "parallel/stages.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr std::string_view kTpAxis = key_name<&StrategyRequest::tp>;
constexpr std::string_view kPpAxis = key_name<&StrategyRequest::pp>;
constexpr std::string_view kDpAxis = key_name<&StrategyRequest::dp>;
constexpr std::string_view kMicroBatchAxis = key_name<&TrainingRequest::micro_batch>;
constexpr std::string_view kRecomputeAxis = key_name<&StrategyRequest::recompute>;
constexpr std::int64_t kMostMicroBatch = 64;
constexpr std::size_t kMostSubsetGroups = 6;

// One micro batch forward and back through each kind of block on one kind of node.
struct BlockTimes {
  bool legal = false;
  EnumArray<BlockType, double> time{};
};

// A choice of all that the bound depends on.
struct MixedFamily {
  std::vector<std::size_t> groups;  // rising
  std::vector<std::int64_t> gpus;   // by group of `groups`, as the next
  std::vector<std::int64_t> tp;
  std::int64_t micro_batch = 1;
  std::string recompute;
  double bound = 0;
};

struct GroupFacts {
  std::string name;
  Json json;
  std::int64_t gpus = 0;
  std::int64_t devices_per_node = 1;
};

class MixedSearch {
 public:
  MixedSearch(const Json& run, const std::string& file, const ConfigLookup& lookup,
              const MixedSearchOptions& options)
      : run_(run), file_(file), lookup_(lookup), options_(options) {
    if (!lookup_.parts) lookup_.parts = std::make_shared<CachedParts>();
  }

  // Groups of the run, read.
  const std::vector<GroupFacts>& groups() {
    read_base();
    return groups_;
  }

  MixedSearchResult search() {
    read_base();
    make_families();
    std::stable_sort(families_.begin(), families_.end(),
                     [](const MixedFamily& a, const MixedFamily& b) { return a.bound < b.bound; });
    out_.families = static_cast<std::int64_t>(families_.size());
    for (const MixedFamily& f : families_) {
      if (!options_.exhaustive && is_beaten(f.bound)) break;
      ++out_.opened;
      open(f);
    }
    return std::move(out_);
  }

 private:
  bool is_beaten(double bound) const {
    return out_.best.size() >= options_.top &&
           bound * (1 - kBoundRounding) > out_.best.back().step.si();
  }

  bool keeps(std::string_view axis) const {
    return std::find(options_.keep.begin(), options_.keep.end(), axis) != options_.keep.end();
  }

  Json parallel() const {
    const Json& p = value_at(run_, key_path<&RunRequest::parallel>);
    return p.is_object() ? p : Json::object();
  }

  std::int64_t number_at(const Json& object, std::string_view key, std::int64_t otherwise) const {
    const auto at = object.find(std::string(key));
    return at != object.end() && at->is_number_integer() ? at->get<std::int64_t>() : otherwise;
  }

  // The groups, batch and cp of the run.
  void read_base() {
    Json all = run_;
    Reader root(all, file_);
    Reader cluster = at_key<&RunRequest::cluster>(root);
    Reader training = at_key<&RunRequest::training>(root);
    global_batch_ = at_key<&Training::global_batch>(training).integer(1, std::int64_t{1} << 40);
    cp_ = number_at(parallel(), key_name<&StrategyRequest::cp>, 1);
    for (Reader item : at_key<&ClusterRequest::groups>(cluster).items()) {
      GroupFacts g;
      const auto name = find_key<&GroupRequest::name>(item);
      g.json = item.json();
      g.gpus = at_key<&GroupRequest::gpus>(item).integer(1, kMostGpus);
      Json own = g.json;
      erase_key<&GroupRequest::name>(own);
      const Cluster c = read_cluster(Reader(own, file_, item.path()), lookup_.hardware).cluster;
      g.devices_per_node = c.devices_per_node;
      g.name = name ? name->text() : std::string(c.node.view());
      groups_.push_back(std::move(g));
    }
  }

  // --- one kind of node alone

  Json alone(std::size_t group, std::int64_t tp, std::int64_t micro_batch,
             const std::string& recompute) const {
    Json run = without_search();
    Json cluster = groups_[group].json;
    erase_key<&GroupRequest::name>(cluster);
    at_key<&ClusterRequest::gpus>(cluster) = tp * cp_;
    at_key<&RunRequest::cluster>(run) = std::move(cluster);
    Json& p = at_key<&RunRequest::parallel>(run);
    at_key<&StrategyRequest::tp>(p) = tp;
    at_key<&StrategyRequest::recompute>(p) = recompute;
    Json& training = at_key<&RunRequest::training>(run);
    at_key<&Training::global_batch>(training) = micro_batch;
    at_key<&TrainingRequest::micro_batch>(training) = micro_batch;
    return run;
  }

  // The run without the axes of this search.
  Json without_search() const {
    Json run = run_;
    Json p = parallel();
    erase_key<&StrategyRequest::tp>(p);
    erase_key<&StrategyRequest::pp>(p);
    erase_key<&StrategyRequest::dp>(p);
    erase_key<&StrategyRequest::stage_groups>(p);
    erase_key<&StrategyRequest::group_tp>(p);
    erase_key<&StrategyRequest::groups_hold>(p);
    erase_key<&StrategyRequest::stage_layers>(p);
    erase_key<&StrategyRequest::state_shares>(p);
    at_key<&RunRequest::parallel>(run) = std::move(p);
    return run;
  }

  const BlockTimes& times(std::size_t group, std::int64_t tp, std::int64_t micro_batch,
                          const std::string& recompute) {
    const auto key = std::make_tuple(group, tp, micro_batch, recompute);
    const auto known = times_.find(key);
    if (known != times_.end()) return known->second;
    BlockTimes t;
    try {
      const Run run =
          resolve_for_numbers(alone(group, tp, micro_batch, recompute), file_, lookup_).run;
      t = priced(run);
      factor_ = run.framework.level.factor;
      overhead_ = run.framework.host.step_overhead.si();
      blocks_ = blocks_of(run.strategy, run.model, 0);
      layers_ = run.model.layers;
      is_unbounded_ =
          is_unbounded_ || run.strategy.zero >= 2 || run.strategy.order != kDefaultOrder;
      has_closed_form_ = run.strategy.vpp == 1 && !schedule_of(run).entry().written_out;
    } catch (const InputError& e) {
      refusal_ = e.what();
    }
    return times_[key] = t;
  }

  // Where ranges of layers differ, a block of the kind may run nothing again.
  static RecomputedBlocks least_of_block(const Run& run, BlockType b) {
    BlockCounts one{};
    one[b] = 1;
    if (run.strategy.layers.count > 0) return {};
    return least_recomputed(run.strategy, run.model, one);
  }

  // Passes of one block, as a stage takes them: compute, exchanges of tp, sums of gradients, waits
  // for the host. tp is inside the node and numbered fastest, so that no other degree moves it.
  static BlockTimes priced(const Run& run) {
    BlockTimes t;
    t.legal = true;
    const Prices<double> prices = price<double>(run);
    for (const BlockType b : kAllOf<BlockType>) {
      BlockCounts one{};
      one[b] = 1;
      const StageCosts<double> c = stage_costs<double>(run, prices, one, least_of_block(run, b));
      t.time[b] = (c.forward_time + c.backward_time).si();
    }
    return t;
  }

  // --- families

  // All GPUs of a group, and those of the most nodes that each power of two divides.
  std::vector<std::int64_t> sizes_of(std::size_t group) const {
    const GroupFacts& g = groups_[group];
    std::vector<std::int64_t> sizes = {g.gpus};
    const std::int64_t nodes = g.gpus / g.devices_per_node;
    for (std::int64_t by = 2; by <= nodes; by *= 2) {
      const std::int64_t size = nodes / by * by * g.devices_per_node;
      if (size < sizes.back()) sizes.push_back(size);
    }
    return sizes;
  }

  std::vector<std::int64_t> degrees_of(std::size_t group, std::int64_t gpus) const {
    std::vector<std::int64_t> all;
    if (keeps(kTpAxis)) {
      const Json& own = value_at(run_, key_path<&StrategyRequest::group_tp>);
      const std::int64_t tp = number_at(parallel(), key_name<&StrategyRequest::tp>, 1);
      return {own.is_object() ? number_at(own, groups_[group].name, tp) : tp};
    }
    const GroupFacts& g = groups_[group];
    for (std::int64_t tp = 1; tp <= g.devices_per_node; tp *= 2) {
      if (gpus % (tp * cp_) == 0) all.push_back(tp);
    }
    return all;
  }

  std::vector<std::int64_t> micro_batches() const {
    const Json& given = value_at(run_, key_path<&TrainingRequest::micro_batch>);
    if (keeps(kMicroBatchAxis)) {
      return {given.is_number_integer() ? given.get<std::int64_t>() : 1};
    }
    std::vector<std::int64_t> all;
    for (std::int64_t n = 1; n <= kMostMicroBatch && global_batch_ % n == 0; n *= 2) {
      all.push_back(n);
    }
    return all;
  }

  std::vector<std::string> recomputes() const {
    const Json& given = value_at(run_, key_path<&StrategyRequest::recompute>);
    if (keeps(kRecomputeAxis) && given.is_string()) return {given.get<std::string>()};
    std::vector<std::string> all;
    for (const Recompute r : kAllOf<Recompute>) all.emplace_back(name_of(r));
    return all;
  }

  void make_families() {
    const std::size_t n = groups_.size();
    const std::size_t all = (std::size_t{1} << n) - 1;
    for (std::size_t mask = n > kMostSubsetGroups ? all : 1; mask <= all; ++mask) {
      MixedFamily f;
      for (std::size_t g = 0; g < n; ++g) {
        if ((mask >> g & 1) != 0) f.groups.push_back(g);
      }
      for (const std::int64_t micro_batch : micro_batches()) {
        for (const std::string& recompute : recomputes()) {
          f.micro_batch = micro_batch;
          f.recompute = recompute;
          add_degrees(f);
        }
      }
    }
    if (families_.empty()) {
      throw InputError(file_, key_path<&ClusterRequest::groups>, "no legal layout", refusal_);
    }
  }

  void add_degrees(MixedFamily& f) {
    const std::size_t k = f.tp.size();
    if (k == f.groups.size()) {
      f.bound = bound_of(f);
      families_.push_back(f);
      return;
    }
    for (const std::int64_t gpus : sizes_of(f.groups[k])) {
      f.gpus.push_back(gpus);
      for (const std::int64_t tp : degrees_of(f.groups[k], gpus)) {
        if (!times(f.groups[k], tp, f.micro_batch, f.recompute).legal) continue;
        f.tp.push_back(tp);
        add_degrees(f);
        f.tp.pop_back();
      }
      f.gpus.pop_back();
    }
  }

  // The most of the model that a place of each group gets through in a second.
  std::vector<double> speeds_of(const MixedFamily& f) {
    const BlockTimes& first = times(f.groups[0], f.tp[0], f.micro_batch, f.recompute);
    double whole = 0;
    for (const BlockType b : kAllOf<BlockType>) {
      whole += static_cast<double>(blocks_[b]) * first.time[b];
    }
    std::vector<double> speeds;
    for (std::size_t k = 0; k < f.groups.size(); ++k) {
      const BlockTimes& t = times(f.groups[k], f.tp[k], f.micro_batch, f.recompute);
      double fastest = 0;
      for (const BlockType b : kAllOf<BlockType>) {
        if (blocks_[b] == 0 || !(first.time[b] > 0)) continue;
        fastest = std::max(fastest, first.time[b] / whole / t.time[b]);
      }
      speeds.push_back(fastest);
    }
    return speeds;
  }

  double bound_of(const MixedFamily& f) {
    if (is_unbounded_) return 0;
    const std::vector<double> speeds = speeds_of(f);
    double rate = 0;
    for (std::size_t k = 0; k < speeds.size(); ++k) {
      rate += static_cast<double>(places(f, k)) * speeds[k];
    }
    return factor_ * (micro_batches_of(f) / rate + overhead_);
  }

  double micro_batches_of(const MixedFamily& f) const {
    return static_cast<double>(global_batch_ / f.micro_batch);
  }

  // Stage i cannot begin before those ahead of it have passed a micro batch on, nor end before the
  // gradient of its last one has gone back through them: m·tᵢ + Σ over j < i of tⱼ ≤ T. The most
  // work that fits into T under this is c₁·T, with cᵢ = max(cᵢ₊₁, cᵢ₊₁ + (sᵢ − cᵢ₊₁)/m), s the
  // speeds.
  double bound_of_pipeline(const MixedFamily& f, const std::vector<std::size_t>& order,
                           std::int64_t dp) {
    if (is_unbounded_ || !has_closed_form_) return 0;
    const std::vector<double> speeds = speeds_of(f);
    const double m = micro_batches_of(f) / static_cast<double>(dp);
    double c = 0;
    for (std::size_t i = order.size(); i-- > 0;) {
      const auto k = static_cast<std::size_t>(
          std::find(f.groups.begin(), f.groups.end(), order[i]) - f.groups.begin());
      for (std::int64_t stage = 0; stage < places(f, k) / dp; ++stage) {
        c = std::max(c, c + (speeds[k] - c) / m);
      }
    }
    return factor_ * (1 / c + overhead_);
  }

  std::int64_t places(const MixedFamily& f, std::size_t k) const {
    return f.gpus[k] / (f.tp[k] * cp_);
  }

  // --- candidates

  void open(const MixedFamily& f) {
    std::int64_t common = 0;
    std::int64_t all = 0;
    for (std::size_t k = 0; k < f.groups.size(); ++k) {
      common = std::gcd(common, places(f, k));
      all += places(f, k);
    }
    for (std::int64_t part = 1; part <= common; ++part) {
      if (common % part != 0) continue;
      try_stages(f, part, all / part);
      if (f.groups.size() > 1) try_candidate(f, f.groups, false, part, all / part);
    }
  }

  // Every order of the groups along the pipeline.
  void try_stages(const MixedFamily& f, std::int64_t dp, std::int64_t pp) {
    std::vector<std::size_t> order = f.groups;
    do {
      if (!options_.exhaustive && is_beaten(bound_of_pipeline(f, order, dp))) continue;
      try_candidate(f, order, true, pp, dp);
    } while (pp > 1 && std::next_permutation(order.begin(), order.end()));
  }

  bool is_asked(std::int64_t pp, std::int64_t dp) const {
    const Json p = parallel();
    if (keeps(kPpAxis) && number_at(p, key_name<&StrategyRequest::pp>, pp) != pp) return false;
    return !keeps(kDpAxis) || number_at(p, key_name<&StrategyRequest::dp>, dp) == dp;
  }

  void try_candidate(const MixedFamily& f, const std::vector<std::size_t>& order, bool holds_stages,
                     std::int64_t pp, std::int64_t dp) {
    if (pp > layers_ || dp * f.micro_batch > global_batch_ || !is_asked(pp, dp)) return;
    ++out_.candidates;
    MixedFound c;
    c.holds_stages = holds_stages;
    c.pp = pp;
    c.dp = dp;
    c.micro_batch = f.micro_batch;
    c.recompute = f.recompute;
    for (const std::size_t g : order) {
      const auto at = static_cast<std::size_t>(std::find(f.groups.begin(), f.groups.end(), g) -
                                               f.groups.begin());
      c.groups.push_back(groups_[g].name);
      c.tp.push_back(f.tp[at]);
      c.idle.push_back(groups_[g].gpus - f.gpus[at]);
    }
    Json run = document_of(f, order, c);
    try {
      const ResolvedMixed resolved = resolve_mixed_for_numbers(run, file_, lookup_, workspace_);
      judge(resolved, std::move(run), std::move(c));
    } catch (const InputError&) {
      ++out_.refused;
    }
  }

  Json document_of(const MixedFamily& f, const std::vector<std::size_t>& order,
                   const MixedFound& c) const {
    Json run = without_search();
    Json groups = Json::array();
    Json tp = Json::object();
    for (std::size_t i = 0; i < order.size(); ++i) {
      groups.push_back(groups_[order[i]].json);
      at_key<&GroupRequest::gpus>(groups.back()) = groups_[order[i]].gpus - c.idle[i];
      tp[c.groups[i]] = c.tp[i];
    }
    Json& cluster = at_key<&RunRequest::cluster>(run);
    at_key<&ClusterRequest::groups>(cluster) = std::move(groups);
    Json& p = at_key<&RunRequest::parallel>(run);
    at_key<&StrategyRequest::pp>(p) = c.pp;
    at_key<&StrategyRequest::dp>(p) = c.dp;
    if (order.size() == 1) {
      at_key<&StrategyRequest::tp>(p) = c.tp.front();  // of a plain run
    } else {
      at_key<&StrategyRequest::group_tp>(p) = std::move(tp);
      at_key<&StrategyRequest::groups_hold>(p) = c.holds_stages ? "stages" : "replicas";
    }
    at_key<&StrategyRequest::recompute>(p) = f.recompute;
    at_key<&TrainingRequest::micro_batch>(at_key<&RunRequest::training>(run)) = f.micro_batch;
    keep_links(order, cluster);
    return run;
  }

  // Links of groups that the candidate leaves out go with them.
  void keep_links(const std::vector<std::size_t>& order, Json& cluster) const {
    const std::string key(key_name<&ClusterRequest::links>);
    if (!cluster.contains(key)) return;
    Json kept = Json::array();
    const std::string between(key_name<&GroupLinkRequest::between>);
    for (const Json& link : cluster[key]) {
      const bool used = order.size() > 1 &&
                        (!link.contains(between) ||
                         std::all_of(link[between].begin(), link[between].end(),
                                     [&](const Json& name) { return has_name(order, name); }));
      if (used) kept.push_back(link);
    }
    if (kept.empty()) {
      cluster.erase(key);
    } else {
      cluster[key] = std::move(kept);
    }
  }

  bool has_name(const std::vector<std::size_t>& order, const Json& name) const {
    return std::any_of(order.begin(), order.end(),
                       [&](std::size_t g) { return name == groups_[g].name; });
  }

  void judge(const ResolvedMixed& resolved, Json run, MixedFound c) {
    const MixedAnswer a = estimate_mixed<double>(resolved.run, workspace_);
    const Run& fullest = resolved.run.kinds[a.memory_kind];
    for (const StageSeat& s : a.seats) {
      const double share = s.needed / s.capacity;
      c.fullest = std::max(c.fullest, share);
    }
    if (!fits_at_risk(resolved.run, a)) {
      ++out_.unfit;
      return;
    }
    c.step = a.answer.step_time;
    c.fit_probability = fit_probability(fullest, a.answer);
    const Strategy& s = resolved.run.kinds.front().strategy;
    for (std::int64_t j = 0; j < s.pp * s.vpp; ++j) {
      const LayerRange range = layers_of(s, resolved.run.kinds.front().model, j);
      c.layers.push_back(range.end - range.first);
    }
    insert(std::move(run), std::move(c));
  }

  void insert(Json run, MixedFound c) {
    auto& best = out_.best;
    const auto at =
        std::upper_bound(best.begin(), best.end(), c,
                         [](const MixedFound& a, const MixedFound& b) { return a.step < b.step; });
    if (at == best.end() && best.size() >= options_.top) return;
    c.run = std::move(run);
    best.insert(at, std::move(c));
    if (best.size() > options_.top) best.pop_back();
  }

  const Json& run_;
  const std::string& file_;
  ConfigLookup lookup_;  // that keeps what was read
  const MixedSearchOptions& options_;
  std::vector<GroupFacts> groups_;
  std::vector<MixedFamily> families_;
  std::map<std::tuple<std::size_t, std::int64_t, std::int64_t, std::string>, BlockTimes> times_;
  std::int64_t global_batch_ = 1;
  std::int64_t cp_ = 1;
  std::int64_t layers_ = 1;
  BlockCounts blocks_{};
  double factor_ = 1;
  double overhead_ = 0;
  bool is_unbounded_ = false;  // micro batches differ in size, or ranks are numbered otherwise
  bool has_closed_form_ = false;
  std::string refusal_ = "another group or batch";
  MixedWorkspace workspace_;
  MixedSearchResult out_;
};

}  // namespace

std::vector<std::string> mixed_axes() {
  std::vector<std::string> all;
  for (const std::string_view axis : {kTpAxis, kPpAxis, kDpAxis, kMicroBatchAxis, kRecomputeAxis}) {
    all.emplace_back(axis);
  }
  return all;
}

MixedSearchResult search_mixed(const Json& run, const std::string& file, const ConfigLookup& lookup,
                               const MixedSearchOptions& options) {
  if (run.is_object() && run.contains(kSearchKey)) {
    throw InputError(ErrorCode::not_allowed, file, kSearchKey, "a search over groups of nodes",
                     "--keep and --top; it looks for the shortest step");
  }
  return MixedSearch(run, file, lookup, options).search();
}

std::vector<MixedMarginal> marginals_of(const Json& run, const std::string& file,
                                        const ConfigLookup& lookup,
                                        const MixedSearchOptions& options,
                                        std::optional<Seconds> own) {
  MixedSearchOptions one = options;
  one.top = 1;
  std::vector<MixedMarginal> all;
  const std::vector<GroupFacts> groups = MixedSearch(run, file, lookup, one).groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const GroupFacts& g = groups[i];
    Json more = run;
    Json& cluster = at_key<&RunRequest::cluster>(more);
    at_key<&GroupRequest::gpus>(at_key<&ClusterRequest::groups>(cluster)[i]) =
        g.gpus + g.devices_per_node;
    MixedMarginal m{g.name, g.devices_per_node};
    const MixedSearchResult found = search_mixed(more, file, lookup, one);
    m.step = own;
    if (!found.best.empty() && (!own || found.best.front().step < *own))
      m.step = found.best.front().step;
    all.push_back(std::move(m));
  }
  return all;
}

}  // namespace orrery
