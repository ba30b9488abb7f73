// SPDX-License-Identifier: Apache-2.0
#include "insight/remedy.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "core/provenance.h"
#include "estimate/estimate.h"
#include "estimate/fits_at_risk.h"
#include "estimate/risk.h"
#include "estimate/run_keys.h"
#include "explore/axis_keys.h"
#include "explore/search.h"
#include "explore/space.h"
#include "explore/space_json.h"
#include "hardware/cluster_keys.h"
#include "hardware/cluster_reader.h"
#include "insight/advice.h"
#include "insight/metrics.h"
#include "insight/shown_bytes.h"

namespace orrery {
namespace {

constexpr std::int64_t kMostBetween = 8;  // sizes tried between two powers of two
constexpr std::int64_t kLongSequence = 65536;
constexpr std::int64_t kSmallNode = 2;    // GPUs of a machine that is no server [judgement]
constexpr std::int64_t kMostOfSmall = 8;  // stages over such machines [judgement]
constexpr const char* kHostMemory = "cluster.host.memory_capacity";
constexpr double kHostStep = 64e9;  // of the memory that machines are sold with [judgement]

// The axes of common layouts.
Json common_axes(const ResolvedRun& resolved, CpRange cp) {
  const Run& run = resolved.run;
  Json tp = Json::array();
  for (std::int64_t n = 1; n <= std::min<std::int64_t>(8, run.cluster.devices_per_node); n *= 2) {
    tp.push_back(n);
  }
  const auto axis = [](SearchAxis a) { return std::string(name_of(a)); };
  Json axes = {{axis(SearchAxis::tp), tp},
               {axis(SearchAxis::micro_batch), {{"max", 4}}},
               {axis(SearchAxis::vpp), {{"max", 4}}},
               {axis(SearchAxis::schedule),
                {name_of(ScheduleId::one_f_one_b), name_of(ScheduleId::interleaved)}},
               {axis(SearchAxis::recompute), kNamesOf<Recompute>}};
  // The framework's own limits hold for axes that are free.
  const Json runs = resolved.framework.document->value("runs", Json::object());
  const bool is_split = cp == CpRange::any || run.training.sequence >= kLongSequence;
  axes[axis(SearchAxis::cp)] = is_split ? Json({{"max", 16}}) : Json(1);
  for (const auto& [limited, values] : runs.items()) axes.erase(limited);
  return axes;
}

bool sets_recompute(const StrategyRequest& q) {
  return q.recompute || q.recompute_modules || q.recompute_method || q.recompute_layers;
}

// Without the axes that the run says, and with those of a search in their place.
Json axes_beside(Json axes, const OpenRun& open, const Json& search) {
  const StrategyRequest& q = open.request;
  const auto is_given = [&](SearchAxis a) {
    if (a == SearchAxis::micro_batch) return open.micro_batch.has_value();
    if (a == SearchAxis::recompute) return sets_recompute(q);
    Json value;
    return kAxisKeys[a].key->write(&q, *kAxisKeys[a].key, value);
  };
  const Json given =
      value_at(search, "axes").is_object() ? value_at(search, "axes") : Json::object();
  for (const SearchAxis a : kAllOf<SearchAxis>) {
    const std::string name(name_of(a));
    if (is_given(a) || given.contains(name) || given.contains(kAxisKeys[a].path)) axes.erase(name);
  }
  axes.update(given);
  return axes;
}

// Stages up to `most_stages`; 0: any.
Json short_search(const OpenRun& open, const Json& search, std::int64_t most_stages, CpRange cp) {
  Json common = common_axes(open.resolved, cp);
  if (most_stages > 0) common[std::string(name_of(SearchAxis::pp))] = {{"max", most_stages}};
  Json asked = {{"axes", axes_beside(std::move(common), open, search)}, {"top", 1}};
  const char* constraints = "constraints";
  if (search.is_object() && search.contains(constraints)) asked[constraints] = search[constraints];
  return asked;
}

// Product of the degrees that the run says.
std::int64_t given_ranks(const StrategyRequest& q) {
  return q.tp.value_or(1) * q.cp.value_or(1) * q.pp.value_or(1) * q.dp.value_or(1);
}

class Finder {
 public:
  Finder(const Json& run, const std::string& file, const ConfigLookup& lookup,
         CpRange cp = CpRange::of_long)
      : run_(run), base_(without_strategy(run)), file_(file), lookup_(lookup), cp_(cp) {}

  // The finder of a search keeps the strategy that its run says.
  Finder(const Json& run, const Json& search, const std::string& file, const ConfigLookup& lookup)
      : run_(run), base_(run), search_(search), file_(file), lookup_(lookup) {}

  std::optional<Remedy> on(std::int64_t gpus) const {
    Json run = base_;
    set_gpus(gpus, run);
    try {
      return searched(run, gpus);
    } catch (const InputError&) {
      return {};  // neither the batch nor the cluster need take this size
    }
  }

  std::vector<Json> layouts(std::size_t most) const {
    std::vector<Json> runs;
    try {
      const SearchRequest request = request_of(run_);
      for (const Found& f : answer_of(request, most).best) {
        runs.push_back(with_strategy(run_, request.space, f.place.base, f.strategy));
      }
    } catch (const InputError&) {
      return {};  // the space of common layouts may be empty where the whole one is not
    }
    return runs;
  }

  std::optional<Remedy> fewest() {
    const OpenRun open = on_one();
    const bool is_small = open.resolved.run.cluster.devices_per_node <= kSmallNode;
    if (!is_small || open.request.pp) return fewest_of(open);
    for (const std::int64_t most : {std::int64_t{1}, kMostOfSmall}) {
      most_stages_ = most;
      if (auto found = fewest_of(open)) return found;
    }
    return {};
  }

 private:
  std::optional<Remedy> fewest_of(const OpenRun& open) const {
    const std::int64_t ranks = given_ranks(open.request);
    if (ranks > 1) return fewest_multiple(ranks, open.request.dp ? ranks : kMostGpusTried);
    std::int64_t failed = 0;
    const std::int64_t node = open.resolved.run.cluster.devices_per_node;
    for (std::int64_t n = 1; n < node; ++n) {
      if (node % n != 0) continue;
      if (auto found = on(n)) return found;
      failed = n;
    }
    for (std::int64_t n = node; n <= kMostGpusTried; n *= 2) {
      if (auto found = on(n)) return between(failed, n, node, std::move(found));
      failed = n;
    }
    return {};
  }

  OpenRun on_one() const {
    Json run = base_;
    set_gpus(1, run);
    return resolve_open(run, file_, lookup_);
  }

  std::optional<Remedy> fewest_multiple(std::int64_t of, std::int64_t most) const {
    std::int64_t failed = 0;
    for (std::int64_t n = of; n <= most; n *= 2) {
      if (auto found = on(n)) return between(failed, n, of, std::move(found));
      failed = n;
    }
    return {};
  }

  std::optional<Remedy> between(std::int64_t failed, std::int64_t fits, std::int64_t node,
                                std::optional<Remedy> found) const {
    const std::int64_t nodes = (fits - failed) / node;
    const std::int64_t step = std::max<std::int64_t>(1, nodes / kMostBetween);
    for (std::int64_t n = failed + step * node; failed > 0 && n < fits; n += step * node) {
      if (auto fewer = on(n)) return fewer;
    }
    return found;
  }

  SearchRequest request_of(const Json& run) const {
    const OpenRun open = resolve_open(run, file_, lookup_);
    return read_search(run, file_, lookup_, short_search(open, search_, most_stages_, cp_),
                       metric_source());
  }

  SearchAnswer answer_of(const SearchRequest& request, std::size_t most) const {
    SearchOptions options;
    if (!search_.is_null()) options.conditions = &request.conditions;
    options.top = most;
    options.ties = false;
    options.families = false;
    options.counts = false;
    return search(request.space, options);
  }

  std::optional<Remedy> searched(const Json& run, std::int64_t gpus) const {
    const SearchRequest request = request_of(run);
    const SearchAnswer a = answer_of(request, 1);
    if (a.best.empty()) return {};
    const Found& best = a.recommended;
    return remedy_of(with_strategy(run, request.space, best.place.base, best.strategy), gpus);
  }

  // Resolved as the user's run file would be.
  Remedy remedy_of(const Json& run, std::int64_t gpus) const {
    const Run resolved = resolve_run(run, file_, lookup_).run;
    const Answer a = estimate(resolved);
    const Json shortest = without_defaults(run, resolved);
    return {gpus,
            {},
            settings_between(run_, shortest),
            a.step_time,
            shown_bytes(resolved, a),
            fit_probability(resolved, a)};
  }

  // Without the keys that the user's file is silent on and that resolve to the same where they
  // are absent.
  Json without_defaults(Json run, const Run& resolved) const {
    for (const Setting& s : settings_between(run_, run)) {
      if (!value_at(run_, s.path).is_null()) continue;
      Json shorter = run;
      erase_at(shorter, s.path);
      if (is_same(shorter, resolved)) run = std::move(shorter);
    }
    return run;
  }

  bool is_same(const Json& run, const Run& as) const {
    try {
      const Run r = resolve_run(run, file_, lookup_).run;
      return r.strategy == as.strategy && r.cluster.gpus == as.cluster.gpus;
    } catch (const InputError&) {
      return false;
    }
  }

  const Json& run_;
  Json base_;  // whose GPUs are set
  Json search_;
  const std::string& file_;
  const ConfigLookup& lookup_;
  CpRange cp_ = CpRange::of_long;
  std::int64_t most_stages_ = 0;  // any
};

bool assumes_host_memory(const ResolvedRun& run) {
  const SourceKind kind = source_of(run.cluster, "host.memory_capacity").kind;
  return run.run.cluster.host.memory_capacity > Bytes() && kind == SourceKind::assumed;
}

// "128 GB"
std::string host_text(Bytes needed) {
  const double steps = std::ceil(needed.si() / kHostStep);
  return std::to_string(static_cast<std::int64_t>(steps * kHostStep / 1e9)) + " GB";
}

}  // namespace

std::optional<Remedy> with_more_host_memory(const ResolvedRun& run) {
  if (!assumes_host_memory(run)) return {};
  ResolvedRun more = run;
  more.run.cluster.host.memory_capacity = Bytes();  // any
  const Answer a = estimate(more.run);
  Advice best{
      {}, true, a.step_time, shown_bytes(more.run, a), a.host_needed, fit_probability(more.run, a)};
  if (!fits_at_risk(more.run, a)) {
    const std::vector<Advice> advice = advise(more, a);
    const Advice* fits = first_that_fits(advice);
    if (fits == nullptr) return {};
    best = *fits;
  }
  best.settings.push_back({kHostMemory, host_text(best.host)});
  return Remedy{run.run.cluster.gpus, best.host, best.settings,
                best.step_time,       best.peak, best.fit_probability};
}

bool is_freed(const Key& k) {
  return is_inner(k) && &k != &key_row<&StrategyRequest::zero_shard_group> &&
         &k != &key_row<&StrategyRequest::offload>;
}

void set_gpus(std::int64_t gpus, Json& run) {
  at_key<&ClusterRequest::gpus>(at_key<&RunRequest::cluster>(run)) = gpus;
}

namespace {

// Buckets with micro batches of their own: global_batch counts by the run's.
bool counts_by_micro_batch(const Json& run) {
  const Json& buckets = value_at(run, key_path<&TrainingRequest::buckets>);
  return buckets.is_array() && std::any_of(buckets.begin(), buckets.end(), [](const Json& b) {
           return b.is_object() && b.contains(key_name<&BucketRequest::micro_batch>);
         });
}

}  // namespace

Json without_strategy(Json run) {
  const auto is_given = [&run](const char* key) {
    return run.contains(key) && run[key].is_object();
  };
  if (is_given(kStrategyKeys.path)) {
    Json& p = run[kStrategyKeys.path];
    for (const Key& k : kStrategyKeys.keys) {
      if (is_freed(k)) p.erase(std::string(k.name));
    }
  }
  if (is_given(kTrainingKeys.path) && !counts_by_micro_batch(run)) {
    run[kTrainingKeys.path].erase(std::string(key_name<&TrainingRequest::micro_batch>));
  }
  return run;
}

std::optional<Remedy> strategy_that_fits(const Json& run, const std::string& file,
                                         const ConfigLookup& lookup, CpRange cp) {
  return Finder(run, file, lookup, cp)
      .on(resolve_open(run, file, lookup).resolved.run.cluster.gpus);
}

std::optional<Remedy> fewest_gpus(const Json& run, const std::string& file,
                                  const ConfigLookup& lookup) {
  return Finder(run, file, lookup).fewest();
}

std::optional<Remedy> fewest_gpus_of_search(const Json& run, const Json& search,
                                            const std::string& file, const ConfigLookup& lookup) {
  return Finder(run, search, file, lookup).fewest();
}

std::vector<Json> common_layouts(const Json& run, const Json& search, std::size_t most,
                                 const std::string& file, const ConfigLookup& lookup) {
  return Finder(run, search, file, lookup).layouts(most);
}

}  // namespace orrery
