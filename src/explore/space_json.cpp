// SPDX-License-Identifier: Apache-2.0
#include "explore/space_json.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "core/json_reader.h"

namespace orrery {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 30;
constexpr std::int64_t kMostTop = 1000;
constexpr std::size_t kLongestList = 4096;

using Values = std::vector<std::int64_t>;

template <class T>
Values listed(const std::optional<T>& given) {
  return given ? Values{static_cast<std::int64_t>(*given)} : Values{};
}

// What is given of recompute, or implied by its other keys as in any run file.
Values recompute_of(const StrategyRequest& q) {
  const bool some = q.recompute_layers && *q.recompute_layers > 0;
  if (some || (!q.recompute && q.recompute_method)) return {some ? kLayersChoice : 2};
  if (q.recompute) return {static_cast<std::int64_t>(*q.recompute)};
  return q.recompute_modules ? Values{static_cast<std::int64_t>(Recompute::selective)} : Values{};
}

Values given_values(const OpenRun& open, SearchAxis a) {
  const StrategyRequest& q = open.request;
  switch (a) {
    case SearchAxis::tp:
      return listed(q.tp);
    case SearchAxis::pp:
      return listed(q.pp);
    case SearchAxis::vpp:
      return listed(q.vpp);
    case SearchAxis::cp:
      return listed(q.cp);
    case SearchAxis::ep:
      return listed(q.ep);
    case SearchAxis::etp:
      return listed(q.etp);
    case SearchAxis::dp:
      return listed(q.dp);
    case SearchAxis::micro_batch:
      return listed(open.micro_batch);
    case SearchAxis::sequence_parallel:
      return listed(q.sequence_parallel);
    case SearchAxis::zero:
      return listed(q.zero);
    case SearchAxis::schedule:
      return listed(q.schedule);
    case SearchAxis::recompute:
      return recompute_of(q);
  }
  return {};
}

std::string run_key(SearchAxis a) {
  const std::string name(kSearchAxisNames[static_cast<std::size_t>(a)]);
  return (a == SearchAxis::micro_batch ? "training." : "parallel.") + name;
}

std::int64_t read_value(SearchAxis a, const Reader& r) {
  switch (a) {
    case SearchAxis::sequence_parallel:
      return r.boolean() ? 1 : 0;
    case SearchAxis::schedule:
      return static_cast<std::int64_t>(r.choice(kScheduleNames));
    case SearchAxis::recompute:
      return static_cast<std::int64_t>(r.choice(kRecomputeChoices));
    case SearchAxis::zero:
      return r.integer(0, 3);
    default:
      return r.integer(1, kMost);
  }
}

bool has_order(SearchAxis a) {
  return a != SearchAxis::sequence_parallel && a != SearchAxis::schedule &&
         a != SearchAxis::recompute;
}

template <class ReadValue>
AxisValues read_axis(Reader r, bool ordered, ReadValue&& read) {
  AxisValues axis;
  if (r.json().is_array()) {
    if (r.json().empty()) r.fail("at least one value");
    if (r.json().size() > kLongestList) r.fail("at most 4096 values");
    for (const Reader& item : r.items()) {
      const std::int64_t v = read(item);
      if (std::find(axis.listed.begin(), axis.listed.end(), v) != axis.listed.end()) {
        item.fail("each value once");
      }
      axis.listed.push_back(v);
    }
  } else if (r.json().is_object()) {
    if (!ordered) r.fail("a value or a list of values");
    if (auto v = r.find("min")) axis.lowest = read(*v);
    if (auto v = r.find("max")) axis.highest = read(*v);
    r.reject_unknown();
    if (axis.lowest > axis.highest) r.fail("min up to max");
  } else {
    axis.listed = {read(r)};
  }
  return axis;
}

void read_axes(Reader axes, const OpenRun& open, Axes& out) {
  axes.must_be_object();
  for (std::size_t i = 0; i < kSearchAxes; ++i) {
    const auto a = static_cast<SearchAxis>(i);
    auto given = axes.find(std::string(kSearchAxisNames[i]));
    if (!given) continue;
    if (!out[a].is_free()) given->fail(run_key(a) + " is given too", "one of them");
    out[a] = read_axis(*given, has_order(a), [a](const Reader& r) { return read_value(a, r); });
  }
  if (auto given = axes.find("recompute_layers")) {
    if (open.request.recompute_layers) {
      given->fail("parallel.recompute_layers is given too", "one of them");
    }
    out.recompute_layers =
        read_axis(*given, true, [](const Reader& r) { return r.integer(1, kMaxStages); });
  }
  axes.reject_unknown();
}

void refuse_unsearchable(const OpenRun& open) {
  if (!open.request.stage_layers) return;
  throw InputError(open.resolved.file, "parallel.stage_layers", "layers of each stage",
                   "no stage_layers in a search: their number changes with pp");
}

Strategy fixed_strategy(const OpenRun& open) {
  const StrategyRequest& q = open.request;
  const Framework& f = open.resolved.run.framework;
  Strategy s;
  s.cp_type = q.cp_type.value_or(f.cp_type);
  s.recompute_modules = q.recompute_modules.value_or(f.selective_modules);
  s.offload = q.offload.value_or(Offload{});
  s.order = q.order.value_or(kDefaultOrder);
  s.zeropp = {q.qwz.value_or(f.zeropp.qwz), q.hpz.value_or(f.zeropp.hpz),
              q.qgz.value_or(f.zeropp.qgz)};
  if (s.zeropp.hpz == 1) s.zeropp.hpz = 0;
  return s;
}

// The stage nearest to a partition (strategy_resolve.cpp); ZeRO is no axis then.
std::int64_t nearest_zero(const Partition& p) {
  return p.weights > 1 ? 3 : p.gradients > 1 ? 2 : p.optimizer > 1 ? 1 : 0;
}

Space space_of(const OpenRun& open) {
  const StrategyRequest& q = open.request;
  Space space;
  space.base = open.resolved.run;
  space.base.strategy = fixed_strategy(open);
  for (std::size_t i = 0; i < kSearchAxes; ++i) {
    space.axes.values[i].listed = given_values(open, static_cast<SearchAxis>(i));
  }
  if (q.recompute_layers && *q.recompute_layers > 0) {
    space.axes.recompute_layers.listed = {*q.recompute_layers};
  }
  space.recompute_method = q.recompute_method;
  space.zero_shard_group = q.zero_shard_group.value_or(open.resolved.run.framework.shard_group);
  space.partition = q.partition;
  if (q.partition) space.axes[SearchAxis::zero].listed = {nearest_zero(*q.partition)};
  return space;
}

void read_constraints(const Reader& r, const MetricSource& metrics, Conditions& out) {
  for (const Reader& item : r.items()) {
    BoundExpression e(item.text(), metrics, item.file(), item.path());
    if (e.kind() != ExpressionKind::truth) item.fail("a comparison, as in memory.peak_gib <= 72");
    out.constraints.push_back(std::move(e));
  }
}

void read_objective(Reader r, const MetricSource& metrics, Conditions& out) {
  r.must_be_object();
  const auto less = r.find("minimize");
  const auto more = r.find("maximize");
  r.reject_unknown();
  if (less.has_value() == more.has_value()) r.fail("an objective", "minimize or maximize");
  const Reader& given = less ? *less : *more;
  BoundExpression e(given.text(), metrics, given.file(), given.path());
  if (e.kind() == ExpressionKind::truth) given.fail("a number");
  out.maximize = more.has_value();
  // The step time itself has a bound, which an expression has not.
  if (out.maximize || e.text() != "step_time_s") out.objective = std::move(e);
}

}  // namespace

SearchRequest read_search(const OpenRun& open, const Json& search, const MetricSource& metrics) {
  refuse_unsearchable(open);
  SearchRequest request;
  request.space = space_of(open);
  if (search.is_null()) return request;
  Reader r(search, open.resolved.file, "search");
  r.must_be_object();
  if (auto axes = r.find("axes")) read_axes(*axes, open, request.space.axes);
  if (auto v = r.find("top")) request.top = static_cast<std::size_t>(v->integer(1, kMostTop));
  if (auto v = r.find("tie")) request.tie = 1 + v->number(0, 1);
  if (auto v = r.find("constraints")) read_constraints(*v, metrics, request.conditions);
  if (auto v = r.find("objective")) read_objective(*v, metrics, request.conditions);
  r.reject_unknown();
  return request;
}

Json strategy_keys(const Space& space, const Strategy& s) {
  Json p = {{"tp", s.tp}, {"pp", s.pp},   {"vpp", s.vpp}, {"cp", s.cp},
            {"ep", s.ep}, {"etp", s.etp}, {"dp", s.dp}};
  p["sequence_parallel"] = s.sequence_parallel;
  if (!space.partition) p["zero"] = s.zero;
  p["schedule"] = text_of(SearchAxis::schedule, static_cast<std::int64_t>(s.schedule));
  p["recompute"] = std::string(kRecomputeNames[static_cast<std::size_t>(s.recompute)]);
  if (s.recompute == Recompute::full && s.recompute_layers > 0) {
    p["recompute_method"] =
        std::string(kRecomputeMethodNames[static_cast<std::size_t>(s.recompute_method)]);
    p["recompute_layers"] = s.recompute_layers;
  }
  return {{"parallel", p}, {"training", {{"micro_batch", s.micro_batch}}}};
}

Json with_strategy(Json run, const Space& space, const Strategy& s) {
  // Of another kind of recompute they would be a contradiction.
  if (run.contains("parallel")) {
    Json& p = run["parallel"];
    p.erase("recompute_layers");
    p.erase("recompute_method");
    if (s.recompute != Recompute::selective) p.erase("recompute_modules");
    if (s.zero == 0) p.erase("zero_shard_group");
  }
  merge_over(run, strategy_keys(space, s));
  return run;
}

}  // namespace orrery
