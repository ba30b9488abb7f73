// SPDX-License-Identifier: Apache-2.0
#include "explore/space.h"

#include <algorithm>

#include "parallel/schedules/table.h"
#include "parallel/strategy_json.h"

namespace orrery {
namespace {

// Degrees of experts go round the others: tp, cp and pp come first.
class UnitMaker {
 public:
  explicit UnitMaker(const Space& space)
      : space_(space), gpus_(space.base.cluster.gpus), divisors_(divisors(gpus_)) {}

  std::vector<Unit> units() {
    const std::vector<std::int64_t> pps = values(SearchAxis::pp, divisors_);
    const std::vector<std::int64_t> cps = values(SearchAxis::cp, divisors_);
    for (const std::int64_t tp : values(SearchAxis::tp, divisors_)) {
      for (const std::int64_t cp : cps) {
        for (const std::int64_t pp : pps) add_data_parallel(tp, cp, pp);
      }
    }
    return std::move(units_);
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
    const bool moe = is_moe(space_.base.model);
    const std::vector<std::int64_t> one = {1};
    const auto eps = values(SearchAxis::ep, moe ? divisors(space_.base.model.moe.experts) : one);
    const auto etps = values(SearchAxis::etp, moe ? divisors(tp) : one);
    for (const std::int64_t ep : eps) {
      for (const std::int64_t etp : etps) {
        units_.push_back({static_cast<std::int64_t>(units_.size()), tp, cp, pp, dp, ep, etp});
      }
    }
  }

  const Space& space_;
  std::int64_t gpus_;
  std::vector<std::int64_t> divisors_;
  std::vector<Unit> units_;
};

std::vector<std::int64_t> range(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> values;
  for (std::int64_t v = first; v <= last; ++v) values.push_back(v);
  return values;
}

// Chunks a stage may hold, where nothing is said.
std::vector<std::int64_t> free_chunks(ScheduleId id, std::int64_t pp, std::int64_t layers) {
  const std::int64_t most = std::max<std::int64_t>(1, std::min(kMaxStages, layers + 2) / pp);
  switch (schedule_of(id).chunks) {
    case ChunksTaken::one:
      return {1};
    case ChunksTaken::two:
      return {2};
    case ChunksTaken::several:
      return range(2, most);
    case ChunksTaken::any:
      return range(1, pp == 1 ? 1 : most);
  }
  return {1};
}

}  // namespace

std::vector<Unit> units_of(const Space& space) { return UnitMaker(space).units(); }

void set_degrees(const Space& space, const Unit& u, Strategy& s) {
  s.tp = u.tp;
  s.cp = u.cp;
  s.pp = u.pp;
  s.dp = u.dp;
  s.ep = u.ep;
  s.etp = u.etp;
  if (space.partition) s.partition = *space.partition;
}

void set_point(const Space& space, const Point& p, Strategy& s) {
  s.micro_batch = p.micro_batch;
  s.micro_batches =
      std::max<std::int64_t>(1, space.base.training.global_batch / (s.dp * p.micro_batch));
  s.vpp = p.vpp;
  s.schedule = p.schedule;
  s.sequence_parallel = p.sequence_parallel;
  s.zero = p.zero;
  if (!space.partition) {
    const std::int64_t group = space.zero_shard_group;
    s.partition = partition_of(p.zero, group > 0 ? group : s.dp * s.cp);
  }
  s.recompute = static_cast<Recompute>(std::min<int>(p.recompute, 2));
  s.recompute_layers = p.recompute_layers;
  s.recompute_method = RecomputeMethod::uniform;
  if (p.recompute == kLayersChoice) {
    s.recompute_method = space.recompute_method.value_or(RecomputeMethod::block);
  }
}

UnitWalk::UnitWalk(const Space& space, const Unit& unit) : space_(space), pp_(unit.pp) {
  const Axes& axes = space.axes;
  sequence_parallel_ = unit.tp == 1 ? std::vector<std::int64_t>{0}
                                    : chosen(axes[SearchAxis::sequence_parallel], {0, 1});
  micro_batch_ = chosen(axes[SearchAxis::micro_batch], divisors(space.base.training.global_batch));
  recompute_ = chosen(axes[SearchAxis::recompute], {0, 1, 2, 3});
  zero_ = chosen(axes[SearchAxis::zero], {0, 1, 2, 3});
  if (unit.dp * unit.cp == 1 && zero_.size() > 1) zero_.resize(1);
  add_schedules(space, unit);
}

void UnitWalk::add_schedules(const Space& space, const Unit& unit) {
  const AxisValues& axis = space.axes[SearchAxis::schedule];
  std::vector<std::int64_t> free = {static_cast<std::int64_t>(ScheduleId::one_f_one_b)};
  if (unit.pp > 1) free.push_back(static_cast<std::int64_t>(ScheduleId::interleaved));
  for (const std::int64_t v : chosen(axis, free)) {
    const auto id = static_cast<ScheduleId>(v);
    const auto chunks = free_chunks(id, unit.pp, space.base.model.layers);
    for (const std::int64_t vpp : chosen(space.axes[SearchAxis::vpp], chunks)) {
      schedules_.push_back({id, vpp});
    }
  }
}

SearchCell UnitWalk::cell_of(const Chunked& c, std::int64_t recompute) const {
  SearchCell cell;
  cell.zeros = &zero_;
  cell.point.schedule = c.schedule;
  cell.point.vpp = static_cast<std::int16_t>(c.vpp);
  cell.point.recompute = static_cast<std::int8_t>(recompute);
  if (recompute != kLayersChoice) return cell;
  const AxisValues& axis = space_.axes.recompute_layers;
  if (!axis.is_free()) {
    cell.listed_layers = &axis.listed;
    cell.layer_count = static_cast<std::int64_t>(axis.listed.size());
  } else {
    const std::int64_t chunks = pp_ * c.vpp;
    const std::int64_t most = (space_.base.model.layers + chunks - 1) / chunks - 1;
    cell.first_layers = std::max<std::int64_t>(1, axis.lowest);
    cell.layer_count =
        std::max<std::int64_t>(0, std::min(most, axis.highest) - cell.first_layers + 1);
  }
  return cell;
}

}  // namespace orrery
