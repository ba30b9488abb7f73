// SPDX-License-Identifier: Apache-2.0
#include "explore/search_keys.h"

#include <limits>
#include <utility>

#include "estimate/run_keys.h"
#include "explore/axis_keys.h"
#include "explore/axis_values.h"
#include "explore/conditions.h"
#include "parallel/stages.h"

namespace orrery {
namespace search_forms {

constexpr std::array<std::string_view, 1> kFreeName = {"free"};
constexpr std::array<std::string_view, 1> kEvenName = {"even"};
constexpr Form kFree = form::one_of(kFreeName);
constexpr Form kEven = form::one_of(kEvenName);
constexpr Form kExpression = form::text("an expression");
constexpr Form kMoney = form::number(0, 1e9, "of any currency");
constexpr Form kValue = form::number(0, kLargestValue, "");

}  // namespace search_forms

constexpr auto kBoundRows = keys<ValueBounds>(
    fact<&ValueBounds::min>("min", search_forms::kValue, kRequired, "the first value"),
    fact<&ValueBounds::max>("max", search_forms::kValue, kRequired, "no value is above"),
    fact<&ValueBounds::step>("step", form::number(1e-12, kLargestValue, ""), kNothing,
                             "from one value to the next; of gpus a node"),
    fact<&ValueBounds::factor>("factor", form::number(1.0001, 1e6, ""), kNothing,
                               "in place of step: the next over the one before"));
constexpr Keys<ValueBounds> kBoundKeys{"search.axes", kBoundRows, {.in_words = true}};

constexpr auto kStageEndRows =
    keys<StageEnds>(fact<&StageEnds::first>("first", form::whole(0, kMostFewerLayers, "layers"),
                                            otherwise("0"), "how many fewer the first part has"),
                    fact<&StageEnds::last>("last", form::whole(0, kMostFewerLayers, "layers"),
                                           otherwise("0"), "how many fewer the last part has"));
constexpr Keys<StageEnds> kStageEndKeys{
    "search.axes.stage_layers", kStageEndRows, {.in_words = true}};

namespace search_forms {

constexpr Form kOuterValue = form::any("a value of the key");
constexpr Forms kOuterForms = either(kOuterValue, form::list(kOuterValue, 1, kMostAxisValues),
                                     kFree, form::object(kBoundKeys));

constexpr Form kRecomputeChoice = form::one_of<RecomputeChoice>();
constexpr Forms kSplitForms = either(kEven, key_row<&StrategyRequest::stage_layers>.forms.front(),
                                     form::object(kStageEndKeys));
constexpr Form kSplit = form::either(kSplitForms);

template <SearchAxis A>
struct ValueOfAxis {
  static constexpr Form form = A == SearchAxis::recompute      ? kRecomputeChoice
                               : A == SearchAxis::stage_layers ? kSplit
                                                               : kAxisKeys[A].key->forms.front();
};
struct LayerCount {
  static constexpr Form form = form::whole(1, kMaxStages, "layers");
};
struct PartitionValue {
  static constexpr Form form = form::object(kPartitionKeys);
};

// A value, a list of them, bounds of numbers, or every one.
template <class Value>
struct AxisForms {
  static constexpr Form values = form::list(Value::form, 1, kMostAxisValues);
  static constexpr auto bound_rows = keys<AxisValues>(
      fact<&AxisValues::lowest>("min", Value::form, kNothing, "no free value is below"),
      fact<&AxisValues::highest>("max", Value::form, kNothing, "no free value is above"));
  static constexpr Keys<AxisValues> bound_keys{"search.axes", bound_rows, {.in_words = true}};
  static constexpr Forms forms = either(Value::form, values, kFree, form::object(bound_keys));
};

// The forms of an axis whose values have no order.
template <class Value>
struct ListForms {
  static constexpr Form values = form::list(Value::form, 1, kMostAxisValues);
  static constexpr Forms forms = either(Value::form, values, kFree);
};

template <SearchAxis A>
consteval Forms axis_forms() {
  if constexpr (kind_of(A) == FormKind::whole) {
    return AxisForms<ValueOfAxis<A>>::forms;
  } else {
    return ListForms<ValueOfAxis<A>>::forms;
  }
}

// The row of an axis over a key, with the key's own words.
constexpr Key axis_row(const Key& k, Forms forms) {
  return elsewhere(k.name, forms, otherwise("as the run file says, or free"), Vary::never,
                   k.meaning);
}

template <std::size_t... I>
consteval std::array<Key, sizeof...(I)> axis_rows(std::index_sequence<I...>) {
  return {axis_row(*kAxisKeys.values[I].key, axis_forms<static_cast<SearchAxis>(I)>())...};
}

// Axes of the run file's keys that have a name without a dot.
template <auto... Members>
struct ShortNames {
  static constexpr std::array<Key, sizeof...(Members)> rows = {
      axis_row(key_row<Members>, kOuterForms)...};
  static constexpr std::array<const char*, sizeof...(Members)> paths = {key_path<Members>...};
};

}  // namespace search_forms

using OuterNames = search_forms::ShortNames<
    &RunRequest::model, &ClusterRequest::node, &ClusterRequest::gpus, &RunRequest::framework,
    &TrainingRequest::sequence_length, &TrainingRequest::global_batch, &TrainingRequest::precision,
    &TrainingRequest::states, &TrainingRequest::flash_attention, &StrategyRequest::overlap>;

template <std::size_t... I>
consteval std::array<OuterName, kOuterNameCount> outer_names(std::index_sequence<I...>) {
  return {OuterName{OuterNames::rows[I].name, OuterNames::paths[I]}...};
}

constexpr std::array<OuterName, kOuterNameCount> kOuterNames =
    outer_names(std::make_index_sequence<OuterNames::rows.size()>());

constexpr auto kAxisRows = joined(
    KeyRows<Axes, kSearchAxes>{search_forms::axis_rows(std::make_index_sequence<kSearchAxes>())},
    KeyRows<Axes, 2>{
        {search_forms::axis_row(key_row<&StrategyRequest::recompute_layers>,
                                search_forms::AxisForms<search_forms::LayerCount>::forms),
         search_forms::axis_row(key_row<&StrategyRequest::partition>,
                                search_forms::ListForms<search_forms::PartitionValue>::forms)}},
    KeyRows<Axes, OuterNames::rows.size()>{OuterNames::rows});
constexpr KeyTable kAxesKeys{"search.axes", kAxisRows, {.has_paths = true}};

constexpr auto kUnitPriceRows = keys<UnitPrices>(
    fact<&UnitPrices::gpu_hour>("gpu_hour", search_forms::kMoney, otherwise("0"), "of a GPU"),
    fact<&UnitPrices::kwh>("kwh", search_forms::kMoney, otherwise("0"), "of what the nodes draw"));
constexpr Keys<UnitPrices> kUnitPriceKeys{"search.price", kUnitPriceRows};

constexpr auto kAimRows = keys<AimKeys>(
    fact<&AimKeys::minimize>("minimize", search_forms::kExpression, kNothing, "less is better"),
    fact<&AimKeys::maximize>("maximize", search_forms::kExpression, kNothing, "more is better"));
constexpr Keys<AimKeys> kAimKeys{"search.objective", kAimRows, {.in_words = true}};

namespace search_forms {

constexpr Forms kAimForms = either(kExpression, form::object(kAimKeys));
constexpr Form kAim = form::either(kAimForms);

}  // namespace search_forms

constexpr auto kSearchRows = keys<SearchKeys>(
    fact<&SearchKeys::axes>("axes", form::object(kAxesKeys), otherwise("what the run leaves open"),
                            "what is varied: a value, a list, {\"min\", \"max\"} or \"free\""),
    fact<&SearchKeys::constraints>("constraints", form::list(search_forms::kExpression), kNothing,
                                   "comparisons that must hold: memory.peak_gib <= 72"),
    fact<&SearchKeys::objective>("objective", search_forms::kAimForms, otherwise("step_time_s"),
                                 "what is to be least, or most"),
    fact<&SearchKeys::pareto>("pareto", form::list(search_forms::kAim, 2, kMostAims), kNothing,
                              "aims of a front: what no other is better in all of"),
    fact<&SearchKeys::price>("price", form::object(kUnitPriceKeys), kNothing,
                             "unit prices for `cost`"),
    fact<&SearchKeys::top>("top", form::whole(1, 1000, "strategies"), otherwise("5"),
                           "how many are listed"),
    fact<&SearchKeys::tie>("tie", form::number(0, 1, "share"),
                           otherwise("the interval of the prediction"),
                           "strategies so near to the best tie with it"));
constexpr Keys<SearchKeys> kSearchKeys{"search", kSearchRows};

}  // namespace orrery
