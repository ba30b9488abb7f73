// SPDX-License-Identifier: Apache-2.0
#include "explore/unit_walk.h"

#include <algorithm>
#include <set>

#include "estimate/run.h"
#include "explore/space.h"
#include "parallel/partition.h"
#include "parallel/schedules/table.h"
#include "parallel/stages.h"
#include "parallel/strategy_json.h"

namespace orrery {
namespace {

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

// The closed-form schedules, or all with a name; without a pipeline all are equal, and DeepSpeed's
// has the order of 1F1B.
std::vector<std::int64_t> free_schedules(std::int64_t pp, bool all) {
  if (pp == 1) return {static_cast<std::int64_t>(ScheduleId::one_f_one_b)};
  std::vector<std::int64_t> values;
  for (const Schedule& s : kSchedules) {
    if (s.id == ScheduleId::deepspeed || (s.written_out && !all)) continue;
    if (s.id >= ScheduleId::own) continue;
    values.push_back(static_cast<std::int64_t>(s.id));
  }
  return values;
}

std::vector<std::int64_t> layers_by_part(const Strategy& s, const Architecture& a) {
  std::vector<std::int64_t> by_part;
  for (std::int64_t j = 0; j < s.pp * s.vpp; ++j) {
    const LayerRange range = layers_of(s, a, j);
    by_part.push_back(range.end - range.first);
  }
  return by_part;
}

// Sets of modules that selective recompute may run again. PyTorch's own way is a set by itself.
std::vector<std::int64_t> free_modules(const Architecture& a) {
  std::vector<Module> modules = {Module::core_attn, Module::layernorm};
  if (a.intermediate > 0) modules.push_back(Module::mlp);
  if (is_moe(a)) modules.push_back(Module::moe_act);
  if (is_moe(a)) modules.push_back(Module::moe);
  if (a.attention == AttentionKind::kLatent) modules.push_back(Module::mla_up_proj);
  std::vector<std::int64_t> sets;
  for (std::size_t set = 1; set < std::size_t{1} << modules.size(); ++set) {
    ModuleMask mask = 0;
    for (std::size_t m = 0; m < modules.size(); ++m) {
      if ((set >> m & 1) != 0) mask = static_cast<ModuleMask>(mask | mask_of(modules[m]));
    }
    sets.push_back(mask);
  }
  return sets;
}

Sharding sharding_of(std::int64_t zero, const Partition& p) {
  return {static_cast<std::int32_t>(p.weights), static_cast<std::int32_t>(p.gradients),
          static_cast<std::int32_t>(p.optimizer), static_cast<std::int8_t>(zero)};
}

}  // namespace

UnitWalk::UnitWalk(const Space& space, const Unit& unit)
    : space_(space), base_(space.bases[unit.base]), offloads_(space.offloads.size()), pp_(unit.pp) {
  const Axes& axes = space.axes;
  sequence_parallel_ = unit.tp == 1 ? std::vector<std::int64_t>{0}
                                    : chosen(axes[SearchAxis::sequence_parallel],
                                             base_.run.framework.sequence_parallel
                                                 ? std::vector<std::int64_t>{1}
                                                 : std::vector<std::int64_t>{0, 1});
  // global_batch counts by it.
  const std::int64_t counted = base_.run.training.buckets.micro_batch;
  micro_batch_ = counted > 0 ? std::vector<std::int64_t>{counted}
                             : chosen(axes[SearchAxis::micro_batch],
                                      divisors(base_.run.training.global_batch));
  add_recompute();
  add_shardings(unit);
  add_schedules(unit);
  number_cells();
}

// Cells that differ in their offload only are one here.
void UnitWalk::number_cells() {
  const auto offloads = static_cast<std::int64_t>(space_.offloads.size());
  std::int64_t end = 0;
  for (const Again& again : recompute_) {
    for (const Chunked& c : schedules_) {
      end += cell_of(c, again).candidates() * offloads;
      ends_.push_back(end);
    }
  }
}

Point UnitWalk::point(std::int64_t number) const {
  const auto micro_batches = static_cast<std::int64_t>(micro_batch_.size());
  const auto shardings = static_cast<std::int64_t>(shardings_.size());
  const std::int64_t block = number / ends_.back();
  const std::int64_t in_block = number % ends_.back();
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), in_block);
  const auto which = static_cast<std::size_t>(end - ends_.begin());
  const SearchCell cell =
      cell_of(schedules_[which % schedules_.size()], recompute_[which / schedules_.size()]);
  const std::int64_t in_offloads = in_block - (which == 0 ? 0 : ends_[which - 1]);
  const std::int64_t in_cell = in_offloads % cell.candidates();
  Point p = cell.point;
  p.number = number;
  p.sequence_parallel = sequence_parallel_[static_cast<std::size_t>(block / micro_batches)] != 0;
  p.micro_batch = micro_batch_[static_cast<std::size_t>(block % micro_batches)];
  p.offload = static_cast<std::int16_t>(in_offloads / cell.candidates());
  p.recompute_layers = static_cast<std::int32_t>(cell.layers(in_cell / shardings));
  p.sharding = shardings_[static_cast<std::size_t>(in_cell % shardings)];
  return p;
}

void UnitWalk::add_recompute() {
  const AxisValues& sets = space_.axes[SearchAxis::recompute_modules];
  std::vector<std::int64_t> masks = {base_.run.strategy.recompute_modules};
  if (sets.open) masks = free_modules(base_.run.model);
  for (const std::int64_t kind : chosen(space_.axes[SearchAxis::recompute], {0, 1, 2, 3})) {
    if (kind != static_cast<std::int64_t>(Recompute::selective)) {
      recompute_.push_back({kind, 0});
      continue;
    }
    for (const std::int64_t mask : sets.is_free() ? masks : sets.listed) {
      recompute_.push_back({kind, static_cast<ModuleMask>(mask)});
    }
  }
}

void UnitWalk::add_shardings(const Unit& unit) {
  const std::int64_t replicas =
      std::max<std::int64_t>(1, unit.dp * unit.cp / base_.run.sites.count);
  if (space_.has_partitions()) return add_partitions(replicas);
  const AxisValues& axis = space_.axes[SearchAxis::zero_shard_group];
  std::vector<std::int64_t> groups = {
      base_.shard_group > 0 ? base_.shard_group
                            : replicas_within(base_.shard_devices, unit.tp, replicas)};
  if (!axis.is_free()) groups = axis.listed;
  if (axis.open) groups = chosen(axis, divisors(replicas));
  std::vector<std::int64_t> zeros = chosen(space_.axes[SearchAxis::zero], {0, 1, 2, 3});
  const std::vector<std::int64_t>& beside = space_.zero_with_pipeline;
  if (space_.axes[SearchAxis::zero].is_free() && pp_ > 1 && !beside.empty()) {
    std::erase_if(zeros, [&](std::int64_t z) {
      return std::find(beside.begin(), beside.end(), z) == beside.end();
    });
  }
  if (replicas == 1 && zeros.size() > 1) zeros.resize(1);
  for (const std::int64_t zero : zeros) {
    if (zero == 0) {
      shardings_.push_back(sharding_of(0, {}));
      continue;
    }
    for (const std::int64_t group : groups) {
      // A group of one shards nothing, as ZeRO 0 does.
      if (axis.open && group == 1 && replicas > 1) continue;
      shardings_.push_back(sharding_of(zero, partition_of(zero, group > 0 ? group : replicas)));
    }
  }
}

void UnitWalk::add_partitions(std::int64_t replicas) {
  for (const Partition& p : space_.partitions) {
    shardings_.push_back(sharding_of(nearest_zero(p), p));
  }
  if (!space_.free_partitions) return;
  const std::vector<std::int64_t> groups = divisors(replicas);
  for (const std::int64_t o : groups) {
    for (const std::int64_t g : groups) {
      for (const std::int64_t w : groups) {
        if (o % g != 0 || g % w != 0) continue;
        const Partition p = {w, g, o};
        shardings_.push_back(sharding_of(nearest_zero(p), p));
      }
    }
  }
}

void UnitWalk::add_schedules(const Unit& unit) {
  const AxisValues& axis = space_.axes[SearchAxis::schedule];
  Strategy unlisted = base_.run.strategy;
  unlisted.pp = pp_;
  unlisted.listed_stages = false;
  for (const std::int64_t v : chosen(axis, free_schedules(unit.pp, axis.open))) {
    const auto id = static_cast<ScheduleId>(v);
    const auto chunks = free_chunks(id, unit.pp, base_.run.model.layers);
    for (const std::int64_t vpp : chosen(space_.axes[SearchAxis::vpp], chunks)) {
      unlisted.vpp = vpp;
      add_splits(id, unlisted);
    }
  }
  for (Chunked& c : schedules_) add_layers(c);
}

// `unlisted`: with the unit's stages and chunks, and no layers listed.
void UnitWalk::add_splits(ScheduleId schedule, const Strategy& unlisted) {
  const Architecture& a = base_.run.model;
  const std::int64_t vpp = unlisted.vpp;
  const std::int64_t chunks = pp_ * vpp;
  std::set<std::vector<std::int64_t>> seen;
  for (std::size_t i = 0; i < space_.splits.size(); ++i) {
    const StageSplit& split = space_.splits[i];
    if (split.kind == StageSplit::Kind::even) {
      schedules_.push_back({schedule, vpp, i, most_layers_of_chunk(unlisted, a), {}});
      if (space_.splits.size() > 1 && chunks <= kMaxStages) {
        seen.insert(layers_by_part(unlisted, a));
      }
      continue;
    }
    if (chunks > kMaxStages) continue;
    std::vector<std::int64_t> layers = layers_by(split, a.layers, chunks);
    if (layers.empty()) continue;
    const std::int64_t most = *std::max_element(layers.begin(), layers.end());
    if (!seen.insert(std::move(layers)).second) continue;
    schedules_.push_back({schedule, vpp, i, most, {}});
  }
}

// Numbers of recomputed layers that the framework offers, unless the search frees the axis.
void UnitWalk::add_layers(Chunked& c) const {
  const AxisValues& axis = space_.axes.recompute_layers;
  const Framework& f = base_.run.framework;
  if (!f.recompute.one_in_n || !axis.is_free() || axis.open) return;
  for (std::int64_t n = 1; n < c.most_layers; ++n) {
    if (has_recompute_of(f, n, c.most_layers)) c.layers.push_back(n);
  }
}

SearchCell UnitWalk::cell_of(const Chunked& c, const Again& again) const {
  SearchCell cell;
  cell.shardings = &shardings_;
  cell.point.schedule = c.schedule;
  cell.point.vpp = static_cast<std::int16_t>(c.vpp);
  cell.point.split = static_cast<std::int16_t>(c.split);
  cell.point.recompute = static_cast<std::int8_t>(again.kind);
  cell.point.modules = again.modules;
  if (again.kind != kLayersChoice) return cell;
  const AxisValues& axis = space_.axes.recompute_layers;
  if (!axis.is_free()) {
    cell.listed_layers = &axis.listed;
    cell.layer_count = static_cast<std::int64_t>(axis.listed.size());
  } else if (base_.run.framework.recompute.one_in_n && !axis.open) {
    cell.listed_layers = &c.layers;
    cell.layer_count = static_cast<std::int64_t>(c.layers.size());
  } else {
    const std::int64_t most = c.most_layers - 1;
    cell.first_layers = std::max<std::int64_t>(1, axis.lowest);
    cell.layer_count =
        std::max<std::int64_t>(0, std::min(most, axis.highest) - cell.first_layers + 1);
  }
  return cell;
}

}  // namespace orrery
