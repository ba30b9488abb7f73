// SPDX-License-Identifier: Apache-2.0
#include "insight/rl_conditions.h"

#include <algorithm>
#include <functional>

#include "core/error.h"
#include "core/expression.h"
#include "core/unknown_name.h"
#include "estimate/rl_keys.h"
#include "estimate/run_keys.h"
#include "estimate/training_keys.h"
#include "hardware/cluster_keys.h"
#include "insight/rl_numbers.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr const char* kCost = "cost";
constexpr const char* kWhere = "--where";

struct NamedValue {
  std::string name;
  std::function<double(const RlRun&, const Strategy&, const RlStep&)> value;
};

template <auto Key, class Value>
NamedValue of_run(const Value& value) {
  return {key_path<Key>, [value](const RlRun& rl, const Strategy&, const RlStep&) {
            return static_cast<double>(value(rl));
          }};
}

template <auto Key>
NamedValue of_strategy(std::int64_t Strategy::*degree) {
  return {key_path<Key>, [degree](const RlRun&, const Strategy& s, const RlStep&) {
            return static_cast<double>(s.*degree);
          }};
}

std::vector<NamedValue> placement_values() {
  using P = PlacementRequest;
  using R = RolloutRequest;
  const auto placed = [](auto member) {
    return [member](const RlRun& rl) { return rl.placement.*member; };
  };
  const auto laid_out = [](auto member) {
    return [member](const RlRun& rl) { return rl.generator.layout.*member; };
  };
  return {of_run<&P::rollout_gpus>(placed(&RlPlacement::rollout_gpus)),
          of_run<&P::staleness>(placed(&RlPlacement::staleness)),
          of_run<&P::offload_weights>(placed(&RlPlacement::offload_weights)),
          of_run<&P::offload_optimizer>(placed(&RlPlacement::offload_optimizer)),
          of_run<&P::offload_reference>(placed(&RlPlacement::offload_reference)),
          of_run<&R::memory_share>([](const RlRun& rl) { return rl.work.share; }),
          of_run<&R::tp>(laid_out(&EngineLayout::tp)),
          of_run<&R::pp>(laid_out(&EngineLayout::pp)),
          of_run<&R::ep>(laid_out(&EngineLayout::ep)),
          of_run<&R::dp>(laid_out(&EngineLayout::dp)),
          of_run<&ClusterRequest::gpus>([](const RlRun& rl) { return rl.all_gpus; })};
}

std::vector<NamedValue> learner_values() {
  using S = StrategyRequest;
  return {of_strategy<&S::tp>(&Strategy::tp),
          of_strategy<&S::cp>(&Strategy::cp),
          of_strategy<&S::pp>(&Strategy::pp),
          of_strategy<&S::dp>(&Strategy::dp),
          of_strategy<&S::ep>(&Strategy::ep),
          of_strategy<&S::etp>(&Strategy::etp),
          of_strategy<&TrainingRequest::micro_batch>(&Strategy::micro_batch)};
}

std::vector<NamedValue> named_values(const std::optional<GpuRents>& rents) {
  std::vector<NamedValue> all;
  for (const RlNumber& n : rl_numbers()) {
    all.push_back({n.key, [&n](const RlRun& rl, const Strategy&, const RlStep& step) {
                     return n.value(rl, step);
                   }});
  }
  for (NamedValue& v : placement_values()) all.push_back(std::move(v));
  for (NamedValue& v : learner_values()) all.push_back(std::move(v));
  if (rents) {
    all.push_back({kCost, [r = *rents](const RlRun& rl, const Strategy&, const RlStep& step) {
                     return cost_of_step(rl, step.step.value, r).amount();
                   }});
  }
  return all;
}

// Named whole, or without the object of the run file: the learner's and the placement's own.
bool is_named(const NamedValue& v, const std::string& name) {
  if (v.name == name) return true;
  const bool of_engine = v.name.rfind(std::string(kRolloutKeys.path) + ".", 0) == 0;
  const bool of_step = v.name.rfind("rl.", 0) == 0;
  return !of_engine && !of_step && v.name.substr(v.name.rfind('.') + 1) == name;
}

struct BoundCondition {
  Expression expression;
  std::vector<NamedValue> values;  // of its paths
};

NamedValue value_named(const std::string& name, const std::vector<NamedValue>& all,
                       const std::string& file) {
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const NamedValue& v) { return is_named(v, name); });
  if (at != all.end()) return *at;
  if (name == kCost) {
    throw InputError(file, kWhere, "cost without a price",
                     "--prices NAME or --rent MONEY beside it");
  }
  std::vector<std::string> names;
  for (const NamedValue& v : all) names.push_back(v.name);
  throw unknown_name(file, kWhere, name, names);
}

}  // namespace

AdmitsRlStep rl_conditions(const std::vector<std::string>& texts,
                           const std::optional<GpuRents>& rents, const std::string& file) {
  if (texts.empty()) return {};
  const std::vector<NamedValue> all = named_values(rents);
  std::vector<BoundCondition> conditions;
  for (const std::string& text : texts) {
    BoundCondition c{parse_expression(text, file, kWhere), {}};
    if (c.expression.kind() != ExpressionKind::truth) {
      throw InputError(file, kWhere, "\"" + text + "\"",
                       "a comparison, as in rl.memory.update_gib <= 72");
    }
    for (const std::string& name : c.expression.paths()) {
      c.values.push_back(value_named(name, all, file));
    }
    conditions.push_back(std::move(c));
  }
  return [conditions](const RlRun& rl, const Strategy& s, const RlStep& step) {
    return std::all_of(conditions.begin(), conditions.end(), [&](const BoundCondition& c) {
      std::vector<double> values;
      for (const NamedValue& v : c.values) values.push_back(v.value(rl, s, step));
      return c.expression.value(values) == 1;
    });
  };
}

}  // namespace orrery
