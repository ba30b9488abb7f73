// SPDX-License-Identifier: Apache-2.0
//
// A sweep: one run, and values of some of its keys, point by point.
//
//   {"run": "gpt3-175b-1024-a100",
//    "answer": "estimate",
//    "axes": {"cluster.gpus": {"from": 512, "to": 4096, "factor": 2}, "parallel.tp": [4, 8],
//             "training.global_batch": {"from": 512, "to": 2048, "step": 512}},
//    "zip": [{"parallel.pp": [4, 8], "parallel.vpp": [6, 3]}],
//    "columns": ["step_time_s", "mfu"]}
//
// `run` is a name, a path or an object. The points are the product of the axes in their order, the
// last one fastest; each zip counts as one axis whose keys change together.
// `answer`: estimate, memory, search or simulate. Errors: InputError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/enum_names.h"
#include "core/json.h"
#include "core/json_reader.h"
#include "explore/axis_values.h"
#include "explore/value_range.h"

namespace orrery {

enum class SweepAnswer : std::uint8_t { estimate, memory, search, simulate };
constexpr EnumNames<SweepAnswer> names_of(SweepAnswer) {
  return {"estimate", "memory", "search", "simulate"};
}

struct SweepValues {
  std::vector<Json> listed;
  std::optional<ValueRange> range;  // in place of a list; its values are not kept but counted

  std::size_t size() const { return range ? range->count : listed.size(); }
  Json value(std::size_t i) const { return range ? number_json(range->value(i)) : listed[i]; }
};

// Keys that change together; values[i] are of paths[i], all of one length.
struct SweepAxis {
  std::vector<std::string> paths;
  std::vector<SweepValues> values;

  std::size_t size() const { return values.front().size(); }
};

struct SweepSetting {
  std::string path;
  Json value;
};

struct SweepPlan {
  Json run;
  SweepAnswer answer = SweepAnswer::estimate;
  std::vector<SweepAxis> axes;
  std::vector<std::string> columns;  // empty: all of the answer
  std::int64_t points = 1;
};

// All keys of a sweep, for the catalog of documents.
struct KeyTable;
extern const KeyTable kSweepDocument;

SweepPlan read_sweep(const Json& document, const std::string& file);

// In the order of the axes. 0 ≤ point < points.
std::vector<SweepSetting> settings_of(const SweepPlan& sweep, std::int64_t point);

// Every path of the axes, in order.
std::vector<std::string> paths_of(const SweepPlan& sweep);

// Points i, i + n, i + 2n, … of a sweep.
struct Shard {
  std::int64_t index = 0;
  std::int64_t count = 1;
};

// "3/16", counted from 0 as Slurm arrays and Kubernetes count.
Shard read_shard(const std::string& text);

}  // namespace orrery
