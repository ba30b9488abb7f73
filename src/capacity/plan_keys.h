// SPDX-License-Identifier: Apache-2.0
//
// The keys of a plan, one row each (core/keys.h), and the struct that each of its objects is read
// into. Most keys of a plan may stand in a scenario too, which then counts; those of the work also
// in a model and a phase. Readers are kept for what needs the run, the currency or other files.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capacity/data_needs.h"
#include "capacity/plan.h"
#include "capacity/site_keys.h"
#include "capacity/site_tables.h"
#include "core/json_reader.h"
#include "estimate/training_keys.h"
#include "explore/search_keys.h"
#include "hardware/cluster_keys.h"

namespace orrery {

inline constexpr std::int64_t kMostPlanGpus = 10'000'000;
inline constexpr std::size_t kMostPlanSizes = 64;

// The training of a phase.
struct WorkKeys {
  std::optional<Reader> run;
  std::optional<Reader> set;
  std::optional<Goal> goal;
  std::optional<std::vector<RampStep>> batch_ramp;
};

// The cluster and its site.
struct ScenarioKeys {
  std::optional<Reader> cluster, gpus, phases, search, spares;
  std::optional<Reader> achieved;
  std::optional<Reader> failures, recovery, storage, prices, energy;
  std::optional<CheckpointPolicy> checkpoint;
  std::optional<Reader> data;
  std::optional<Reader> materials;
};

// Keys of the plan alone that are not of CapacityPlan.
struct PlanLists {
  std::optional<Reader> exchange, require, models, scenarios;
};

struct GivenName {
  std::string name;
};

struct Growth {
  std::int64_t from = 0;
  std::int64_t to = 0;
  double factor = 0;
};

struct RequirementKeys {
  std::string name;
  std::optional<Seconds> deadline;
  std::optional<Reader> budget;
  std::optional<Watts> power;
  bool sure = false;
};

struct MaterialsKeys {
  FabricTopology topology = FabricTopology::rail_optimised;
  std::optional<Reader> network_switch;
  std::int64_t planes = 1;
  double oversubscription = 1;
  std::int64_t nodes_per_rack = 0;
  std::optional<Watts> rack_power;
};

struct DataKeys {
  std::optional<Reader> corpus;
  std::optional<double> bytes_per_token;
  double tokens_per_core_s = 0;
};

void read_deadline(const Reader& r, std::optional<Seconds>& out);
void read_power(const Reader& r, std::optional<Watts>& out);
void read_flops(const Reader& r, Flops& out);
void read_goal(const Reader& r, std::optional<Goal>& out);
void read_start(const Reader& r, std::optional<Date>& out);
void read_plan_currency(const Reader& r, Currency& out);

// 512, [512, 1024], {"from": 512, "to": 4096, "factor": 2}.
std::vector<std::int64_t> read_counts(const Reader& r);

// One object, or a list of them.
std::vector<Requirement> read_requirements(const Reader& r, const ExchangeRates& exchange);

namespace plan_forms {

inline constexpr Form kGpus = form::whole(1, kMostPlanGpus, "GPUs");
inline constexpr Form kTokens = form::number(1, 1e18, "tokens");
inline constexpr std::array<std::string_view, 1> kSmallest = {"smallest"};
inline constexpr std::array<std::string_view, 1> kAsNeeded = {"as needed"};
inline constexpr Form kAnySet = form::any("a value of the key");

}  // namespace plan_forms

inline constexpr auto kGrowthRows =
    keys<Growth>(fact<&Growth::from>("from", plan_forms::kGpus, kRequired, "the first size"),
                 fact<&Growth::to>("to", plan_forms::kGpus, kRequired, "no size is above"),
                 fact<&Growth::factor>("factor", form::number(1.01, 1000, ""), kRequired,
                                       "a size over the one before"));
inline constexpr Keys<Growth> kGrowthKeys{"gpus", kGrowthRows, {.in_words = true}};

inline constexpr auto kRequirementRows = keys<RequirementKeys>(
    fact<&RequirementKeys::name>("name", form::text("text"), otherwise("requirement n"), "for you"),
    fact<&RequirementKeys::deadline>("deadline", form::quantity(kSeconds), kNothing,
                                     "the training is done in this time")
        .only_read_by<read_deadline>(),
    fact<&RequirementKeys::budget>(
        "budget",
        either(form::number(0, 1e18, "of the plan's currency"),
               form::text("an amount and its currency: 30 M$, 5M, 50e6 USD",
                          "[+]?[0-9.]+([eE][-+]?[0-9]+)? ?[kMG]? ?([A-Z]{3}|[$€])?")),
        kNothing, "it costs no more; of what is bought, the run's share counts"),
    fact<&RequirementKeys::power>("power", form::quantity(kPower), kNothing,
                                  "the facility draws no more")
        .only_read_by<read_power>(),
    fact<&RequirementKeys::sure>("sure", form::boolean(), otherwise("false"),
                                 "compares the upper end of days and cost, not their middle"));
inline constexpr Keys<RequirementKeys> kRequirementKeys{"require", kRequirementRows};

inline constexpr auto kGoalRows = keys<Goal>(
    fact<&Goal::tokens>("tokens", plan_forms::kTokens, kNothing, "trained on in all"),
    fact<&Goal::flops>("flops", form::number(1, 1e36, "FLOPs"), kNothing, "spent in all")
        .only_read_by<read_flops>(),
    fact<&Goal::tokens_per_parameter>("tokens_per_parameter", form::number(0.01, 1e6, "tokens"),
                                      kNothing, "tokens over active parameters"),
    fact<&Goal::convention>("flops_convention", form::one_of<FlopsConvention>(), otherwise("6n"),
                            "by which `flops` are counted"));
inline constexpr Keys<Goal> kGoalKeys{"goal", kGoalRows};

inline constexpr auto kRampRows = keys<RampStep>(
    fact<&RampStep::global_batch>(
        "global_batch", form::whole(1, training_forms::kMost, "sequences"), kRequired, "of a step"),
    fact<&RampStep::tokens>("tokens", plan_forms::kTokens, kRequired, "trained on at this batch"));
inline constexpr Keys<RampStep> kRampKeys{"batch_ramp", kRampRows};

namespace plan_forms {

inline constexpr Form kRampStep = form::object(kRampKeys);
inline constexpr Form kSizes = form::list(kGpus, 1, kMostPlanSizes);
inline constexpr Forms kCounts = either(kGpus, kSizes, form::object(kGrowthKeys));
inline constexpr Forms kCountsOrSmallest =
    either(kGpus, kSizes, form::object(kGrowthKeys), form::one_of(kSmallest));
inline constexpr Form kRequirement = form::object(kRequirementKeys);

}  // namespace plan_forms

inline constexpr auto kWorkRows = keys<WorkKeys>(
    // Without a cluster where scenarios have it.
    fact<&WorkKeys::run>("run", form::changes(form::document("run", &kRunFileDocument)), kRequired,
                         "what is trained, and how"),
    fact<&WorkKeys::set>("set", form::map(plan_forms::kAnySet), kNothing,
                         "changes of the run, by the path of a key"),
    fact<&WorkKeys::goal>("goal", form::object(kGoalKeys), otherwise("training.tokens"),
                          "one of tokens, flops and tokens_per_parameter")
        .only_read_by<read_goal>(),
    fact<&WorkKeys::batch_ramp>("batch_ramp", form::list(plan_forms::kRampStep), kNothing,
                                "the first tokens, at a smaller batch"));
inline constexpr Keys<WorkKeys> kWorkKeys{"", kWorkRows};
// The run may stand in another of the objects that it is read from.
inline constexpr auto kOwnWorkRows = without_required(kWorkRows);
inline constexpr Keys<WorkKeys> kOwnWorkKeys{"", kOwnWorkRows};
template <>
struct KeysOf<WorkKeys> {
  static constexpr const Keys<WorkKeys>& table = kWorkKeys;
};

inline constexpr auto kNameRows = keys<GivenName>(
    fact<&GivenName::name>("name", form::text("text"), kRequired, "its name in the answer"));
inline constexpr Keys<GivenName> kNameKeys{"", kNameRows};

// A model or a phase: each of the plan's keys of the work may be its own.
namespace plan_forms {

inline constexpr auto kNamedWorkRows = joined(kNameRows, without_required(kWorkRows));
inline constexpr KeyTable kNamedWorkKeys{"", kNamedWorkRows};
inline constexpr Form kNamedWork = form::object(kNamedWorkKeys);

inline constexpr auto kPlanClusterRows = keys<ClusterRequest>(
    key_row<&ClusterRequest::node>,
    elsewhere("gpus", kCounts, kNothing, Vary::never, "GPUs of the run, one size or several"),
    key_row<&ClusterRequest::calibration>);
inline constexpr KeyTable kPlanClusterKeys{
    "cluster", kPlanClusterRows.rows, {.changes = &kNodeDocument}};

}  // namespace plan_forms

inline constexpr auto kDataRows = keys<DataKeys>(
    fact<&DataKeys::corpus>("corpus", form::text("a name of `orrery list corpora`"),
                            otherwise("the first"), "what the tokens are made of"),
    fact<&DataKeys::bytes_per_token>("bytes_per_token", form::number(0.1, 1e6, "bytes"), kNothing,
                                     "in place of a corpus"),
    fact<&DataKeys::tokens_per_core_s>("tokens_per_core_s", form::number(1, 1e12, "tokens"),
                                       kNothing, "that a CPU core prepares in a second"));
inline constexpr Keys<DataKeys> kDataKeys{"data", kDataRows};

inline constexpr auto kMaterialsRows = keys<MaterialsKeys>(
    fact<&MaterialsKeys::topology>("topology", form::one_of<FabricTopology>(), kRequired,
                                   "of the network between hosts"),
    fact<&MaterialsKeys::network_switch>(
        "switch", site_forms::of("switch", &site_tables::kSwitchKeys),
        otherwise("the shipped one of the node's network and rate"), "its switches"),
    fact<&MaterialsKeys::planes>("planes", form::whole(1, 64, "networks"), otherwise("1"),
                                 "networks that each port of a host is split into"),
    fact<&MaterialsKeys::oversubscription>("oversubscription", form::number(1, 64, "to 1"),
                                           otherwise("1"),
                                           "a leaf's ports to hosts over those upwards"),
    fact<&MaterialsKeys::nodes_per_rack>("nodes_per_rack", form::whole(1, 64, "nodes"), kNothing,
                                         "of nodes that are no rack"),
    fact<&MaterialsKeys::rack_power>("rack_power", form::quantity(kPower), kNothing,
                                     "that a rack is supplied with, in place of its nodes")
        .only_read_by<read_power>());
inline constexpr Keys<MaterialsKeys> kMaterialsKeys{"materials", kMaterialsRows};

inline constexpr auto kScenarioRows = keys<ScenarioKeys>(
    fact<&ScenarioKeys::cluster>("cluster", form::object(plan_forms::kPlanClusterKeys),
                                 otherwise("its own run's"),
                                 "what it runs on; a scenario names this or a `run`"),
    fact<&ScenarioKeys::gpus>("gpus", plan_forms::kCountsOrSmallest, otherwise("cluster.gpus"),
                              "sizes; smallest: what meets a requirement"),
    fact<&ScenarioKeys::phases>("phases", form::list(plan_forms::kNamedWork, 1), kNothing,
                                "trained one after the other, on one cluster"),
    fact<&ScenarioKeys::search>(
        "search", either(form::boolean(), form::object(kSearchKeys, "search")),
        otherwise("true where no run names a strategy"), "the best strategy of each size"),
    fact<&ScenarioKeys::spares>(
        "spares",
        either(form::whole(0, kMostPlanGpus, "nodes"), form::one_of(plan_forms::kAsNeeded)),
        otherwise("as needed"), "idle nodes that step in for broken ones"),
    fact<&ScenarioKeys::achieved>(
        "achieved",
        form::any("model FLOP/s of a GPU: \"42 TFLOP/s\", or {value, low, high} of such rates"),
        kNothing, "as measured, in place of the predicted step"),
    fact<&ScenarioKeys::failures>("failures", site_forms::of("failures"), kNothing,
                                  "what interrupts the training, and for how long"),
    fact<&ScenarioKeys::recovery>("recovery",
                                  site_forms::of("recovery", &site_tables::kRecoveryKeys),
                                  otherwise("a restart from the storage"),
                                  "what a failure costs: a policy; of a list the first counts, and "
                                  "the others are compared with it; all: those of "
                                  "`orrery list recovery`"),
    fact<&ScenarioKeys::storage>("storage", site_forms::of("storage", &kStorageKeys), kNothing,
                                 "where checkpoints go"),
    fact<&ScenarioKeys::checkpoint>("checkpoint", form::object(kCheckpointKeys), kNothing,
                                    "how checkpoints are written"),
    fact<&ScenarioKeys::prices>("prices", site_forms::of("prices"), kNothing,
                                "of hardware, power and storage"),
    fact<&ScenarioKeys::energy>("energy", site_forms::of("energy"), otherwise("by-load"),
                                "what devices draw by what they do, and the facility"),
    fact<&ScenarioKeys::data>("data", form::object(kDataKeys), kNothing, "what is trained on"),
    fact<&ScenarioKeys::materials>(
        "materials", either(form::one_of<FabricTopology>(), form::object(kMaterialsKeys)), kNothing,
        "the bill of materials, with the network of this design"));
inline constexpr Keys<ScenarioKeys> kScenarioKeys{"scenarios", kScenarioRows};
template <>
struct KeysOf<ScenarioKeys> {
  static constexpr const Keys<ScenarioKeys>& table = kScenarioKeys;
};

namespace plan_forms {

inline constexpr auto kNamedScenarioRows =
    joined(without_required(kNameRows), without_required(kWorkRows), kScenarioRows);
inline constexpr KeyTable kNamedScenarioKeys{"", kNamedScenarioRows};
inline constexpr Form kScenario = form::object(kNamedScenarioKeys);

}  // namespace plan_forms

inline constexpr auto kFrameRows = keys<CapacityPlan>(
    kSourceKey,
    fact<&CapacityPlan::name>("name", form::text("text"), kNothing, "its name in the answer"),
    fact<&CapacityPlan::currency>("currency", form::text("three letters", "[A-Z]{3}"),
                                  otherwise("USD"), "of the answer")
        .only_read_by<read_plan_currency>(),
    fact<&CapacityPlan::start>("start",
                               form::text("a date: 2027-01-31", "[0-9]{4}-[0-9]{2}-[0-9]{2}"),
                               kNothing, "first day of the training")
        .only_read_by<read_start>(),
    fact<&CapacityPlan::rank>("rank", form::one_of<RankBy>(), otherwise("cost"),
                              "order of the options"),
    fact<&CapacityPlan::simulations>("simulations", form::whole(1, 100'000, "courses"),
                                     otherwise("200"), "random courses of a training"),
    fact<&CapacityPlan::seed>("seed", form::whole(0, std::int64_t{1} << 53, ""), otherwise("1"),
                              "of their random numbers"));
inline constexpr Keys<CapacityPlan> kFrameKeys{"", kFrameRows};

inline constexpr auto kPlanListRows = keys<PlanLists>(
    fact<&PlanLists::exchange>("exchange", form::any("by currency, {value, source, date}"),
                               kNothing, "what other currencies are worth"),
    fact<&PlanLists::require>(
        "require", either(plan_forms::kRequirement, form::list(plan_forms::kRequirement)), kNothing,
        "limits of time, money and power"),
    fact<&PlanLists::models>("models", form::list(plan_forms::kNamedWork), kNothing,
                             "each is an option of every scenario"),
    fact<&PlanLists::scenarios>("scenarios", form::list(plan_forms::kScenario, 1), kNothing,
                                "clusters, each with keys of its own over the plan's"));
inline constexpr Keys<PlanLists> kPlanListKeys{"", kPlanListRows};

}  // namespace orrery
