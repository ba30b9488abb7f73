// SPDX-License-Identifier: Apache-2.0
#include "capacity/mixed_purchase.h"

#include <algorithm>
#include <functional>

#include "capacity/gpu_rents.h"
#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "estimate/mixed_document.h"
#include "estimate/mixed_estimate.h"
#include "estimate/mixed_layout.h"
#include "estimate/mixed_resolve.h"
#include "estimate/run_keys.h"
#include "estimate/training_keys.h"
#include "hardware/cluster_keys.h"

namespace orrery {
namespace {

struct PurchaseGroup {
  std::string name;
  std::int64_t gpus = 0;
  Cluster cluster;
};

// The best placement on groups of these sizes.
struct Placed {
  std::vector<std::int64_t> gpus;
  MixedFound best;
};

class Purchase {
 public:
  explicit Purchase(const MixedPurchaseQuestion& q) : q_(q) {
    const ResolvedMixed r = resolve_mixed(*q.run, q.file, q.lookup);
    for (std::size_t k = 0; k < r.names.size(); ++k) {
      groups_.push_back({r.names[k], r.nodes[k].cluster.gpus, r.nodes[k].cluster});
    }
    out_.tokens = tokens_of(q.goal, r.whole.run);
    if (!(out_.tokens > 0)) {
      throw InputError(q.file, key_path<&TrainingRequest::tokens>, "no number of tokens",
                       "--tokens, or --tokens-per-parameter");
    }
    grown_ = grown_group(r.names);
    out_.group = groups_[grown_].name;
    find_rents();
  }

  MixedPurchase answer() {
    const std::vector<std::int64_t> sizes = sizes_asked();
    total_ = static_cast<std::int64_t>(sizes.size() + 1 + groups_.size());
    for (const std::int64_t n : sizes) {
      std::vector<std::int64_t> gpus = own_numbers();
      gpus[grown_] = n;
      std::int64_t all = 0;
      for (const std::int64_t g : gpus) all += g;
      out_.rows.push_back({n, all, training_on(gpus)});
    }
    out_.own = training_on(own_numbers());
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      std::vector<std::int64_t> gpus = own_numbers();
      const std::int64_t node = groups_[k].cluster.devices_per_node;
      gpus[k] += node;
      out_.more.push_back({groups_[k].name, node, training_on(gpus)});
    }
    return std::move(out_);
  }

 private:
  std::size_t grown_group(const std::vector<std::string>& names) const {
    if (q_.group.empty()) return names.size() - 1;
    const auto at = std::find(names.begin(), names.end(), q_.group);
    if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
    throw InputError(ErrorCode::unknown_name, "command line", "--grow", "\"" + q_.group + "\"",
                     alternatives(names), nearest_name(q_.group, names));
  }

  std::vector<std::int64_t> own_numbers() const {
    std::vector<std::int64_t> gpus;
    for (const PurchaseGroup& g : groups_) gpus.push_back(g.gpus);
    return gpus;
  }

  std::vector<std::int64_t> sizes_asked() const {
    if (!q_.sizes.empty()) return q_.sizes;
    const std::int64_t own = groups_[grown_].gpus;
    std::vector<std::int64_t> sizes = {own, 2 * own};
    if (groups_.size() > 1) sizes.insert(sizes.begin(), 0);
    return sizes;
  }

  void find_rents() {
    rents_.resize(groups_.size());
    if (!q_.prices) return;
    std::vector<Assumption> sources;
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      const Tariff t = tariff_of(*q_.prices, groups_[k].cluster, sources);
      if (t.rent) {
        rents_[k] = t.rent->value;
      } else {
        out_.without_rent.emplace_back(groups_[k].cluster.device.name.view());
      }
    }
  }

  // The run with these numbers; groups without GPUs go.
  Json run_with(const std::vector<std::int64_t>& gpus) const {
    Json run = *q_.run;
    Json& groups = at_key<&ClusterRequest::groups>(at_key<&RunRequest::cluster>(run));
    for (std::size_t k = 0; k < gpus.size(); ++k) {
      if (gpus[k] > 0) at_key<&GroupRequest::gpus>(groups[k]) = gpus[k];
    }
    for (std::size_t k = gpus.size(); k-- > 0;) {
      if (gpus[k] == 0) run = without_group(run, k, groups_[k].name);
    }
    return run;
  }

  MixedTraining training_on(const std::vector<std::int64_t>& gpus) {
    MixedSearchOptions one;
    one.top = 1;
    MixedTraining t;
    const MixedSearchResult found = search_mixed(run_with(gpus), q_.file, q_.lookup, one);
    std::optional<MixedFound> best;
    if (!found.best.empty()) best = found.best.front();
    for (const Placed& p : placed_) {
      if (is_within(p.gpus, gpus) && (!best || p.best.step < best->step)) best = with_idle(p, gpus);
    }
    if (best) {
      placed_.push_back({gpus, *best});
      take(*best, gpus, t);
    }
    if (q_.progress) q_.progress(++done_, total_);
    return t;
  }

  static bool is_within(const std::vector<std::int64_t>& fewer,
                        const std::vector<std::int64_t>& gpus) {
    return std::equal(fewer.begin(), fewer.end(), gpus.begin(), std::less_equal<>());
  }

  // The placement where there are so many GPUs.
  MixedFound with_idle(const Placed& p, const std::vector<std::int64_t>& gpus) const {
    MixedFound best = p.best;
    for (std::size_t k = 0; k < gpus.size(); ++k) {
      const auto at = std::find(best.groups.begin(), best.groups.end(), groups_[k].name);
      if (at != best.groups.end())
        best.idle[static_cast<std::size_t>(at - best.groups.begin())] += gpus[k] - p.gpus[k];
    }
    return best;
  }

  void take(const MixedFound& best, const std::vector<std::int64_t>& gpus, MixedTraining& t) const {
    const ResolvedMixed r = resolve_mixed(*best.run, q_.file, q_.lookup);
    MixedWorkspace w;
    const Answer answer = estimate_mixed<double>(r.run, w).answer;
    t.best = best;
    t.time = piece_time("", r.whole.run, answer, out_.tokens).time;
    t.grown_rent = rent_of(grown_, gpus, t.time.value);
    t.rent = rent_of(0, gpus, t.time.value);
    for (std::size_t k = 1; k < gpus.size() && t.rent; ++k) {
      const std::optional<Money> more = rent_of(k, gpus, t.time.value);
      t.rent = more ? std::optional(*t.rent + *more) : std::nullopt;
    }
  }

  std::optional<Money> rent_of(std::size_t k, const std::vector<std::int64_t>& gpus,
                               Seconds time) const {
    if (!rents_[k]) return {};
    return *rents_[k] * (time * static_cast<double>(gpus[k]));
  }

  const MixedPurchaseQuestion& q_;
  std::vector<PurchaseGroup> groups_;
  std::vector<std::optional<MoneyPerSecond>> rents_;  // of a GPU, by group
  std::vector<Placed> placed_;
  std::size_t grown_ = 0;
  std::int64_t done_ = 0;
  std::int64_t total_ = 0;
  MixedPurchase out_;
};

}  // namespace

MixedPurchase mixed_purchase(const MixedPurchaseQuestion& question) {
  return Purchase(question).answer();
}

}  // namespace orrery
