// SPDX-License-Identifier: Apache-2.0
//
// A capacity plan: clusters × models × sizes, the training, and limits of time, money and power.
//
//   {"name": "…", "currency": "USD", "start": "2027-01-01",
//    "run": "gpt3-175b-1024-a100", "goal": {"tokens": 300e9},
//    "require": {"deadline": "60 d", "budget": "50e6 USD", "power": "10 MW"}, "rank": "cost",
//    "failures": "llama-3", "storage": {…}, "checkpoint": {…}, "prices": "market-2026",
//    "energy": {…}, "data": {"corpus": "pile"}, "spares": 2, "search": {"axes": {…}},
//    "models": [{"name": "70B", "set": {"model": "llama-3-70b"}, "goal": {…}}],
//    "phases": [{"name": "long context", "run": "…", "goal": {…}, "batch_ramp": […]}],
//    "scenarios": [{"name": "H100", "cluster": {"node": "dgx-h100"}, "gpus": [512, 1024], …}]}
//
// failures, storage, prices and energy are a name in configs/<kind>, a path, an object, or a list
// of those, in which later ones override earlier ones (capacity/site_json.h, prices_json.h).
// `recovery` is one of those or a list of several policies, of which the first counts. `materials`
// asks for the bill of materials (capacity/materials.h). `gpus`
// is a count, a list, {from, to, factor} or "smallest". A scenario may replace any key but name,
// currency, start, require, rank, models and exchange. Errors: InputError.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capacity/data_needs.h"
#include "capacity/materials.h"
#include "capacity/outcome.h"
#include "capacity/prices_json.h"
#include "capacity/requirement.h"
#include "capacity/training_time.h"
#include "core/enum_names.h"
#include "estimate/config_lookup.h"
#include "explore/conditions.h"
#include "explore/search_options.h"

namespace orrery {

// Documents that plans name, in configs/<kind>.
enum class SiteKind : std::uint8_t { failures, recovery, storage, prices, energy, data, switches };
constexpr EnumNames<SiteKind> names_of(SiteKind) {
  return {"failures", "recovery", "storage", "prices", "energy", "data", "switches"};
}

// Functions that a plan needs; io supplies them, because only io reads files.
struct PlanContext {
  ConfigLookup lookup;
  std::function<std::optional<ConfigText>(const std::string& name)> run;  // name or path
  std::function<std::vector<std::string>()> run_names;
  std::function<std::optional<ConfigText>(SiteKind kind, const std::string& name)> site;
  std::function<std::vector<std::string>(SiteKind kind)> site_names;
  std::function<void(Json& run, const std::string& path, const Json& value)> set;
  MetricSource metrics;
  unsigned workers = 1;
  Parallel parallel;
  std::function<void(std::int64_t done, std::int64_t total)> progress;  // sizes; may be unset
  std::function<bool()> stopped;                                        // may be unset
};

struct PhasePlan {
  std::string name;
  KeptJson run;
  std::string file;
  // The run that `run` was made from, and what a command line calls it; empty where the plan holds
  // the run itself.
  KeptJson base;
  std::string base_name;
  Goal goal;
  std::vector<RampStep> ramp;
};

inline constexpr std::int64_t kSparesAsNeeded = -1;

struct OptionPlan {
  std::string scenario;
  std::string model;  // "" if the plan has only one
  std::vector<PhasePlan> phases;
  // `search` of a run file; empty: the runs' own strategies; at least one run names one.
  std::optional<KeptJson> search;
  std::vector<std::int64_t> sizes;
  bool smallest = false;  // instead of sizes: the smallest that meets a requirement (ladder.h)
  Interruptions interruptions;
  std::vector<RecoveryPolicy> recovery;  // the first counts
  Storage storage;
  CheckpointPolicy checkpoint;
  PriceBook prices;
  EnergyModel energy;
  DataPlan data;
  std::optional<MaterialsPlan> materials;
  std::int64_t spares = kSparesAsNeeded;
  // Model FLOP/s of a GPU as measured, in place of the predicted step.
  std::optional<Ranged<FlopsPerSecond>> achieved;
  std::vector<Assumption> assumptions;
};

struct CapacityPlan {
  std::string name;
  std::string file;
  Currency currency;
  std::optional<Date> start;
  std::vector<Requirement> requirements;
  RankBy rank = RankBy::cost;
  std::vector<OptionPlan> options;
  std::int64_t simulations = 200;
  std::uint64_t seed = 1;
};

// All keys of a plan (plan_keys.h), for the catalog of documents.
struct KeyTable;
extern const KeyTable kPlanDocument;
extern const KeyTable kFleetDocument;  // of a fleet (fleet.h)

// True for a plan, false for a run file.
bool is_plan(const Json& document);

CapacityPlan read_plan(const Json& document, const std::string& file, const PlanContext& context);

}  // namespace orrery
