// SPDX-License-Identifier: Apache-2.0
//
// The space of a search: every combination of the axes' values whose degrees make up the GPUs, in
// one fixed order.
//
// An outer axis is any key of a run file (the GPUs, the precision, overlap, a bandwidth). Each
// combination of their values is a run of its own, a base, in which the inner axes are walked.
//
// A unit is the work item of a worker: one set of degrees (tp, cp, pp, dp, ep, etp) of one base.
// Its candidates are walked in cells: one value of sequence parallelism, micro batch, kind of
// recompute, schedule, vpp, split of the layers and offload, which the rules judge once. A cell has
// a candidate for each number of recomputed layers and each way to shard the states. A candidate's
// place is (unit, number within it), independent of the distribution of work. Equal combinations
// are counted once: sequence parallelism with tp 1, ZeRO with one replica, an interleaved schedule
// without a pipeline, a split that is the even one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json_fwd.h"
#include "estimate/run.h"
#include "explore/axes.h"
#include "explore/points.h"

namespace orrery {

struct OuterAxis {
  std::string path;  // of the run file
  KeptJson values;   // an array
};

// One choice on the outer axes.
struct Base {
  Run run;                          // the strategy holds what no axis varies
  std::int64_t shard_group = 0;     // of ZeRO, where no axis says it; 0: all replicas
  std::int64_t shard_devices = 0;   // or those of so many devices; 0: all
  std::vector<std::size_t> choice;  // by outer axis, of its values
};

struct Space {
  std::vector<Base> bases;  // at least one
  std::vector<OuterAxis> outer;
  Axes axes;
  std::vector<std::int64_t> zero_with_pipeline;  // that the framework has; empty: any
  std::vector<Partition> partitions;             // in ZeRO's place
  bool free_partitions = false;                  // every one, in its place
  bool post_validation = true;                   // where the schedule is zero bubble
  std::optional<RecomputeMethod> recompute_method;
  std::vector<Offload> offloads = {{}};
  std::vector<StageSplit> splits = {{}};

  bool has_partitions() const { return free_partitions || !partitions.empty(); }
};

std::vector<Unit> units_of(const Space& space);

// The values of an inner axis (a SearchAxis), or of the outer axis of number axis − kSearchAxes.
std::string axis_name(const Space& space, std::size_t axis);
std::string axis_text(const Space& space, std::size_t axis, std::int64_t value);

// The value of a candidate on an axis, as in axes.h; of stage_layers the code of its split.
std::int64_t value_at(const Space& space, const Unit& unit, const Point& point, SearchAxis a);

void set_degrees(const Space& space, const Unit& unit, Strategy& s);
void set_sharding(const Sharding& sharding, Strategy& s);
// After set_degrees.
void set_point(const Space& space, const Base& base, const Point& point, Strategy& s);

}  // namespace orrery
