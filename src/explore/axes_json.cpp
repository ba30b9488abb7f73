// SPDX-License-Identifier: Apache-2.0
#include "explore/axes_json.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "core/key_access.h"
#include "explore/axis_keys.h"
#include "explore/axis_values.h"
#include "explore/search_keys.h"
#include "explore/space.h"

namespace orrery {

namespace {

constexpr std::int64_t kFreeFewerLayers = 2;

using Values = std::vector<std::int64_t>;

template <class T>
Values listed(const std::optional<T>& given) {
  return given ? Values{static_cast<std::int64_t>(*given)} : Values{};
}

// The given recompute, or the one that its other keys imply, as in any run file.
Values recompute_of(const StrategyRequest& q) {
  const bool some = q.recompute_layers && *q.recompute_layers > 0;
  if (some || (!q.recompute && q.recompute_method)) return {some ? kLayersChoice : 2};
  if (q.recompute) return {static_cast<std::int64_t>(*q.recompute)};
  return q.recompute_modules ? Values{static_cast<std::int64_t>(Recompute::selective)} : Values{};
}

// The value of a key as that of its axis, where it is a number, a truth or a name.
Values listed(const Key& key, const StrategyRequest& q) {
  Json v;
  if (!key.write(&q, key, v)) return {};
  if (!v.is_string()) return {v.is_boolean() ? std::int64_t{v.get<bool>()} : v.get<std::int64_t>()};
  const auto names = key.forms.front().names;
  const auto at = std::find(names.begin(), names.end(), v.get_ref<const std::string&>());
  return at == names.end() ? Values{} : Values{at - names.begin()};
}

Values given_values(const OpenRun& open, SearchAxis a) {
  const StrategyRequest& q = open.request;
  if (a == SearchAxis::micro_batch) return listed(open.micro_batch);
  if (a == SearchAxis::recompute) return recompute_of(q);
  if (a == SearchAxis::recompute_modules) return listed(q.recompute_modules);
  if (a == SearchAxis::offload || a == SearchAxis::stage_layers) return {};  // no numbers
  return listed(*kAxisKeys[a].key, q);
}

template <auto Member>
[[noreturn]] void refuse_second(const Reader& axis) {
  axis.fail(std::string(key_path<Member>) + " is given too", "one of them");
}

// Reads a value as the key of this member does.
template <auto Member>
auto read_as(const Reader& value) {
  StrategyRequest q;
  key_row<Member>.read(&q, value, key_row<Member>);
  return *(q.*Member);
}

// An axis by its name, or by its path in a run file.
std::optional<Reader> find_axis(Reader& axes, SearchAxis a) {
  const std::string path = kAxisKeys[a].path;
  auto by_name = axes.find(std::string(name_of(a)));
  auto by_path = axes.find(path);
  if (by_name && by_path) by_path->fail("a second axis over " + path, "one of them");
  return by_name ? by_name : by_path;
}

// Any of optimizer, parameters and activations in the host's memory.
std::vector<Offload> free_offloads(const Cluster& c) {
  std::vector<Offload> all(1);
  if (c.host.memory_capacity <= Bytes()) return all;
  const auto target = [](unsigned set, unsigned bit) {
    return (set & bit) != 0 ? OffloadTarget::host : OffloadTarget::none;
  };
  for (unsigned set = 1; set < 8; ++set) {
    Offload o;
    o.optimizer = target(set, 1);
    o.activations = target(set, 2);
    o.parameters = target(set, 4);
    all.push_back(o);
  }
  return all;
}

std::int64_t read_value(SearchAxis a, const Reader& r) {
  const Form& form = kAxisKeys[a].key->forms.front();
  if (a == SearchAxis::recompute) return static_cast<std::int64_t>(r.choice<RecomputeChoice>());
  if (a == SearchAxis::recompute_modules) return read_as<&StrategyRequest::recompute_modules>(r);
  if (form.kind == FormKind::boolean) return r.boolean() ? 1 : 0;
  if (form.kind == FormKind::choice) return static_cast<std::int64_t>(r.choice(form.names));
  return r.integer(form.lowest, form.highest);
}

// The keys of bounds, for an axis whose values have an order; else null.
const KeyTable* bounds_of(const Key& axis) {
  return axis.forms.count == 4 ? axis.forms.forms[3].object : nullptr;
}

// The values of a list, or the one that stands in its place.
template <class IsOne>
std::vector<Reader> values_of(const Reader& r, IsOne&& is_one) {
  if (is_one(r.json())) return {r};
  if (!r.json().is_array()) r.fail("a value, a list of values or \"free\"");
  if (r.json().empty()) r.fail("at least one value");
  if (r.json().size() > kMostAxisValues) r.fail("at most 4096 values");
  return r.items();
}

bool is_object(const Json& j) { return j.is_object(); }

template <class ReadValue, class IsOne>
AxisValues read_axis(const Reader& r, const Key& row, ReadValue&& read, IsOne&& is_one) {
  const KeyTable* const bounds = bounds_of(row);
  AxisValues axis;
  if (is_free(r)) {
    axis.open = true;
  } else if (r.json().is_array() && !is_one(r.json())) {
    if (r.json().empty()) r.fail("at least one value");
    if (r.json().size() > kMostAxisValues) r.fail("at most 4096 values");
    for (const Reader& item : r.items()) {
      const std::int64_t v = read(item);
      if (std::find(axis.listed.begin(), axis.listed.end(), v) != axis.listed.end()) {
        item.fail("each value once");
      }
      axis.listed.push_back(v);
    }
  } else if (r.json().is_object()) {
    if (bounds == nullptr) r.fail("a value, a list of values or \"free\"");
    axis.open = true;
    read_all(*bounds, r, &axis);
    if (axis.lowest > axis.highest) r.fail("min up to max");
  } else {
    axis.listed = {read(r)};
  }
  return axis;
}

// A set of modules is a list itself.
bool is_set(const Json& j) { return j.is_array() && !j.empty() && j[0].is_string(); }
bool is_never_one(const Json& /*j*/) { return false; }

void read_offloads(const Reader& given, const OpenRun& open, Space& out) {
  if (open.request.offload) refuse_second<&StrategyRequest::offload>(given);
  out.offloads.clear();
  if (is_free(given)) {
    out.offloads = free_offloads(open.resolved.run.cluster);
    return;
  }
  for (const Reader& item : values_of(given, is_object)) {
    const Offload o = read_as<&StrategyRequest::offload>(item);
    if (std::find(out.offloads.begin(), out.offloads.end(), o) != out.offloads.end()) {
      item.fail("each value once");
    }
    out.offloads.push_back(o);
  }
}

StageSplit read_split(const Reader& r) {
  StageSplit split;
  if (r.json().is_string()) {
    if (r.text() != "even") r.fail("\"even\", a list of layers, or {\"first\", \"last\"}");
    return split;
  }
  if (r.json().is_object()) {
    const StageEnds ends = read_keys(kStageEndKeys, r);
    return {StageSplit::Kind::ends, ends.first, ends.last, {}};
  }
  split.kind = StageSplit::Kind::listed;
  split.layers = read_as<&StrategyRequest::stage_layers>(r);
  return split;
}

void read_splits(const Reader& given, const OpenRun& open, Space& out) {
  if (open.request.stage_layers) refuse_second<&StrategyRequest::stage_layers>(given);
  const auto is_one = [](const Json& j) {
    return j.is_object() || (j.is_string() && j != "free") ||
           (j.is_array() && !j.empty() && j[0].is_number());
  };
  out.splits.clear();
  if (!is_free(given)) {
    for (const Reader& item : values_of(given, is_one)) out.splits.push_back(read_split(item));
    return;
  }
  out.splits.emplace_back();
  for (std::int64_t first = 0; first <= kFreeFewerLayers; ++first) {
    for (std::int64_t last = 0; last <= kFreeFewerLayers; ++last) {
      out.splits.push_back({StageSplit::Kind::ends, first, last, {}});
    }
  }
}

void read_partitions(const Reader& given, const OpenRun& open, Space& out) {
  const StrategyRequest& q = open.request;
  if (q.partition || q.zero || q.zero_shard_group) {
    given.fail("parallel says how states are sharded too", "one of them");
  }
  out.free_partitions = is_free(given);
  if (out.free_partitions) return;
  for (const Reader& item : values_of(given, is_object)) {
    out.partitions.push_back(read_as<&StrategyRequest::partition>(item));
  }
}

}  // namespace

void fix_what_is_given(const OpenRun& open, Space& space) {
  const StrategyRequest& q = open.request;
  for (const SearchAxis a : kAllOf<SearchAxis>) space.axes[a].listed = given_values(open, a);
  if (q.recompute_layers && *q.recompute_layers > 0) {
    space.axes.recompute_layers.listed = {*q.recompute_layers};
  }
  space.recompute_method = q.recompute_method;
  space.post_validation = q.post_validation.value_or(true);
  if (q.partition) space.partitions = {*q.partition};
  if (q.offload) space.offloads = {*q.offload};
  const TensorMask moved = open.resolved.run.framework.recompute.offloaded;
  if (moved != 0 && !q.offload) {
    space.offloads[0].activations = OffloadTarget::host;
    space.offloads[0].tensors = moved;
  }
  if (q.stage_layers) space.splits = {{StageSplit::Kind::listed, 0, 0, *q.stage_layers}};
}

FrameworkLimits framework_limits(const ResolvedRun& run) {
  FrameworkLimits limits;
  const Json& profile = *run.framework.document;
  if (!profile.contains("runs")) return limits;
  Reader runs(profile.at("runs"), run.framework_file, "runs");
  runs.must_be_object();
  for (const SearchAxis a : kAllOf<SearchAxis>) {
    const auto given = runs.find(std::string(name_of(a)));
    if (!given) continue;
    for (const Reader& item : given->items()) limits.runnable[a].push_back(read_value(a, item));
  }
  if (const auto given = runs.find("zero_with_pipeline")) {
    for (const Reader& item : given->items()) {
      limits.zero_with_pipeline.push_back(item.integer(0, 3));
    }
  }
  runs.reject_unknown();
  return limits;
}

bool goes_beyond(const FrameworkLimits& limits, const Strategy& before, const Strategy& after) {
  const auto lacks = [](const std::vector<std::int64_t>& runnable, std::int64_t value) {
    return !runnable.empty() &&
           std::find(runnable.begin(), runnable.end(), value) == runnable.end();
  };
  const bool is_new = after.zero != before.zero || before.pp == 1;
  if (after.pp > 1 && is_new && lacks(limits.zero_with_pipeline, after.zero)) return true;
  return std::any_of(kAllOf<SearchAxis>.begin(), kAllOf<SearchAxis>.end(), [&](SearchAxis a) {
    const std::int64_t value = value_of(after, a);
    return value != value_of(before, a) && lacks(limits.runnable[a], value);
  });
}

void limit_to_framework(const OpenRun& open, Space& space) {
  FrameworkLimits limits = framework_limits(open.resolved);
  for (const SearchAxis a : kAllOf<SearchAxis>) {
    space.axes[a].runnable = std::move(limits.runnable[a]);
  }
  space.zero_with_pipeline = std::move(limits.zero_with_pipeline);
}

void read_axes(Reader axes, const OpenRun& open, Space& out) {
  for (const SearchAxis a : kAllOf<SearchAxis>) {
    auto given = find_axis(axes, a);
    if (!given) continue;
    if (a == SearchAxis::offload) {
      read_offloads(*given, open, out);
      continue;
    }
    if (a == SearchAxis::stage_layers) {
      read_splits(*given, open, out);
      continue;
    }
    AxisValues& axis = out.axes[a];
    if (!axis.is_free())
      given->fail(std::string(kAxisKeys[a].path) + " is given too", "one of them");
    const auto read = [a](const Reader& r) { return read_value(a, r); };
    const Key& row = kAxesKeys.keys[static_cast<std::size_t>(a)];
    axis = a == SearchAxis::recompute_modules ? read_axis(*given, row, read, is_set)
                                              : read_axis(*given, row, read, is_never_one);
  }
  if (auto given = find_key<&StrategyRequest::recompute_layers>(axes)) {
    if (open.request.recompute_layers) {
      refuse_second<&StrategyRequest::recompute_layers>(*given);
    }
    out.axes.recompute_layers = read_axis(
        *given, kAxesKeys.keys[kSearchAxes],
        [](const Reader& r) { return r.integer(1, kMaxStages); }, is_never_one);
  }
  if (auto given = find_key<&StrategyRequest::partition>(axes)) {
    const std::string zero(key_name<&StrategyRequest::zero>);
    const std::string group(key_name<&StrategyRequest::zero_shard_group>);
    if (axes.has(zero) || axes.has(group)) {
      given->fail(zero + " or " + group + " beside it", "one of them");
    }
    read_partitions(*given, open, out);
  }
}

}  // namespace orrery
