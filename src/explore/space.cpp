// SPDX-License-Identifier: Apache-2.0
#include "explore/space.h"

#include <algorithm>

#include "core/json.h"
#include "explore/axis_keys.h"
#include "parallel/schedules/table.h"

namespace orrery {
namespace {

// Degrees of experts go round the others: tp, cp and pp come first.
class UnitMaker {
 public:
  UnitMaker(const Space& space, std::size_t base, std::vector<Unit>& units)
      : space_(space),
        base_(base),
        model_(space.bases[base].run.model),
        gpus_(space.bases[base].run.cluster.gpus),
        divisors_(divisors(gpus_)),
        units_(units) {}

  void add_units() {
    const std::vector<std::int64_t> pps = values(SearchAxis::pp, divisors_);
    const std::vector<std::int64_t> cps = values(SearchAxis::cp, divisors_);
    for (const std::int64_t tp : values(SearchAxis::tp, divisors_)) {
      for (const std::int64_t cp : cps) {
        for (const std::int64_t pp : pps) add_data_parallel(tp, cp, pp);
      }
    }
  }

 private:
  std::vector<std::int64_t> values(SearchAxis a, const std::vector<std::int64_t>& free) const {
    return chosen(space_.axes[a], free);
  }

  void add_data_parallel(std::int64_t tp, std::int64_t cp, std::int64_t pp) {
    // Beyond the GPUs, and before a product can overflow.
    if (tp > gpus_ || cp > gpus_ / tp || pp > gpus_ / (tp * cp)) return;
    if (gpus_ % (tp * cp * pp) != 0) return;
    const std::int64_t dp = gpus_ / (tp * cp * pp);
    const std::vector<std::int64_t> dps = values(SearchAxis::dp, {dp});
    if (std::find(dps.begin(), dps.end(), dp) == dps.end()) return;
    add_experts(tp, cp, pp, dp);
  }

  void add_experts(std::int64_t tp, std::int64_t cp, std::int64_t pp, std::int64_t dp) {
    const bool moe = is_moe(model_);
    const std::vector<std::int64_t> one = {1};
    const auto eps = values(SearchAxis::ep, moe ? divisors(model_.moe.experts) : one);
    const auto etps = values(SearchAxis::etp, moe ? divisors(tp) : one);
    for (const std::int64_t ep : eps) {
      for (const std::int64_t etp : etps) {
        units_.push_back(
            {static_cast<std::int64_t>(units_.size()), base_, tp, cp, pp, dp, ep, etp});
      }
    }
  }

  const Space& space_;
  std::size_t base_;
  const Architecture& model_;
  std::int64_t gpus_;
  std::vector<std::int64_t> divisors_;
  std::vector<Unit>& units_;
};

}  // namespace

std::vector<Unit> units_of(const Space& space) {
  std::vector<Unit> units;
  for (std::size_t b = 0; b < space.bases.size(); ++b) UnitMaker(space, b, units).add_units();
  return units;
}

std::string axis_name(const Space& space, std::size_t axis) {
  if (axis < kSearchAxes) return std::string(kNamesOf<SearchAxis>[axis]);
  return space.outer[axis - kSearchAxes].path;
}

std::string axis_text(const Space& space, std::size_t axis, std::int64_t value) {
  if (axis < kSearchAxes) return text_of(static_cast<SearchAxis>(axis), value);
  const Json& j = space.outer[axis - kSearchAxes].values->at(static_cast<std::size_t>(value));
  return bare_text(j);
}

std::int64_t value_at(const Space& space, const Unit& u, const Point& p, SearchAxis a) {
  const auto split = static_cast<std::size_t>(p.split);
  switch (a) {
    case SearchAxis::tp:
      return u.tp;
    case SearchAxis::pp:
      return u.pp;
    case SearchAxis::vpp:
      return p.vpp;
    case SearchAxis::cp:
      return u.cp;
    case SearchAxis::ep:
      return u.ep;
    case SearchAxis::etp:
      return u.etp;
    case SearchAxis::dp:
      return u.dp;
    case SearchAxis::micro_batch:
      return p.micro_batch;
    case SearchAxis::sequence_parallel:
      return p.sequence_parallel ? 1 : 0;
    case SearchAxis::zero:
      return p.sharding.zero;
    case SearchAxis::zero_shard_group:
      return p.sharding.largest();
    case SearchAxis::schedule:
      return static_cast<std::int64_t>(p.schedule);
    case SearchAxis::recompute:
      return p.recompute;
    case SearchAxis::recompute_modules:
      return p.modules;
    case SearchAxis::offload:
      return code_of(space.offloads[static_cast<std::size_t>(p.offload)]);
    case SearchAxis::stage_layers:
      return code_of(space.splits[split], split);
  }
  return 0;
}

void set_degrees(const Space& /*space*/, const Unit& u, Strategy& s) {
  s.tp = u.tp;
  s.cp = u.cp;
  s.pp = u.pp;
  s.dp = u.dp;
  s.ep = u.ep;
  s.etp = u.etp;
}

namespace {

void set_split(const Space& space, const Base& base, const Point& p, Strategy& s) {
  const StageSplit& split = space.splits[static_cast<std::size_t>(p.split)];
  s.listed_stages = split.kind != StageSplit::Kind::even;
  if (!s.listed_stages) return;
  const std::vector<std::int64_t> layers = layers_by(split, base.run.model.layers, s.pp * p.vpp);
  for (std::size_t i = 0; i < std::min(layers.size(), s.stage_layers.size()); ++i) {
    s.stage_layers[i] = static_cast<std::int16_t>(layers[i]);
  }
}

}  // namespace

void set_sharding(const Sharding& sharding, Strategy& s) {
  s.zero = sharding.zero;
  s.partition = sharding.partition();
}

void set_point(const Space& space, const Base& base, const Point& p, Strategy& s) {
  s.micro_batch = p.micro_batch;
  s.micro_batches =
      std::max<std::int64_t>(1, base.run.training.global_batch / (s.dp * p.micro_batch));
  s.vpp = p.vpp;
  s.schedule = p.schedule;
  s.schedule_runs = s.pp == 1 ? 1 : base.run.strategy.schedule_runs;
  s.post_validation = space.post_validation && schedule_of(p.schedule).zero_bubble;
  s.sequence_parallel = p.sequence_parallel;
  set_sharding(p.sharding, s);
  s.recompute = static_cast<Recompute>(std::min<int>(p.recompute, 2));
  s.recompute_layers = p.recompute_layers;
  s.recompute_method = RecomputeMethod::uniform;
  s.recompute_modules =
      s.recompute == Recompute::selective ? p.modules : base.run.strategy.recompute_modules;
  if (p.recompute == kLayersChoice) {
    s.recompute_method = space.recompute_method.value_or(RecomputeMethod::block);
  }
  s.offload = space.offloads[static_cast<std::size_t>(p.offload)];
  set_split(space, base, p, s);
}

}  // namespace orrery
