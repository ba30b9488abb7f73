// SPDX-License-Identifier: Apache-2.0
//
// The keys of `parallel`, one row each (core/keys.h): the order of the rows is the order in which
// they are read and written. Errors: none here; strategy_json.h refuses.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "core/keys.h"
#include "parallel/compression_tables.h"
#include "parallel/strategy.h"
#include "parallel/strategy_request.h"

namespace orrery {

// Beyond any cluster, and small enough that products of three fit into 64 bits.
inline constexpr std::int64_t kLargestDegree = std::int64_t{1} << 20;

// Values that are no plain number, name or list.
void read_dp(const Reader& r, std::optional<std::int64_t>& out);
void read_schedule(const Reader& r, StrategyRequest& out);
bool write_schedule(const StrategyRequest& q, Json& out);
void read_stage_layers(const Reader& r, StrategyRequest& out);
bool write_stage_layers(const StrategyRequest& q, Json& out);
void read_modules(const Reader& r, ModuleMask& out);
void read_modules(const Reader& r, std::optional<ModuleMask>& out);
bool write_modules(const std::optional<ModuleMask>& modules, Json& out);
void read_order(const Reader& r, std::optional<RankOrder>& out);
bool write_order(const std::optional<RankOrder>& order, Json& out);
void read_layer_rules(const Reader& r, std::optional<LayerRules>& out);
bool write_layer_rules(const std::optional<LayerRules>& rules, Json& out);

namespace strategy_forms {

inline constexpr Form kDegree = form::whole(1, kLargestDegree, "ranks");
inline constexpr std::array<std::string_view, 1> kAuto = {"auto"};
inline constexpr std::int64_t kMostLayers = 32767;
inline constexpr Form kLayers = form::whole(0, kMostLayers, "layers");
inline constexpr std::array<std::string_view, 1> kBalanced = {"balanced"};
inline constexpr Form kModule = form::one_of<Module>();
inline constexpr Form kNamedSchedule =
    form::one_of(std::span(kNamesOf<ScheduleId>).first<kNamedSchedules>());
inline constexpr Form kTarget = form::one_of<OffloadTarget>();
inline constexpr Form kBits = form::whole(0, 64, "bits");
inline constexpr std::string_view kOrder = "(tp|cp|ep|dp|pp)(-(tp|cp|ep|dp|pp)){4}";
inline constexpr std::string_view kRange = "[0-9]+(-[0-9]+)?|dense|experts";
inline constexpr Form kSetting = form::any("a value of the profile's own switch");
inline constexpr Form kStageGroup = form::any("a group, or a list with a group for each replica");

}  // namespace strategy_forms

inline constexpr auto kPartitionRows = keys<Partition>(
    key<&Partition::weights>("weights", strategy_forms::kDegree, otherwise("1"), Vary::finish,
                             "ranks that one copy of the weights is spread over"),
    key<&Partition::gradients>("gradients", strategy_forms::kDegree, otherwise("1"), Vary::finish,
                               "ranks that one copy of the gradients is spread over"),
    key<&Partition::optimizer>("optimizer", strategy_forms::kDegree, otherwise("1"), Vary::finish,
                               "ranks that one copy of the optimizer states is spread over"));
inline constexpr Keys<Partition> kPartitionKeys{"parallel.partition", kPartitionRows};
template <>
struct KeysOf<Partition> {
  static constexpr const Keys<Partition>& table = kPartitionKeys;
};

inline constexpr auto kZeroPlusPlusRows = keys<ZeroPlusPlusRequest>(
    key<&ZeroPlusPlusRequest::qwz>("qwz", strategy_forms::kBits, otherwise("the framework's"),
                                   Vary::run,
                                   "bits in which gathered weights travel, 8 in the paper; 0: off"),
    key<&ZeroPlusPlusRequest::hpz>("hpz", form::whole(0, kLargestDegree, "ranks"),
                                   otherwise("the framework's"), Vary::run,
                                   "a second copy of the weights, sharded over so many "
                                   "neighbouring ranks, for the gathers of backward; 0: off"),
    key<&ZeroPlusPlusRequest::qgz>("qgz", strategy_forms::kBits, otherwise("the framework's"),
                                   Vary::run,
                                   "bits in which gradients are reduced, by an all-to-all in the "
                                   "node and one between nodes, 4 in the paper; 0: off"));
inline constexpr Keys<ZeroPlusPlusRequest> kZeroPlusPlusKeys{"parallel.zeropp", kZeroPlusPlusRows};
template <>
struct KeysOf<ZeroPlusPlusRequest> {
  static constexpr const Keys<ZeroPlusPlusRequest>& table = kZeroPlusPlusKeys;
};

inline constexpr auto kOffloadRows = keys<Offload>(
    key<&Offload::optimizer>("optimizer", strategy_forms::kTarget, otherwise("none"), Vary::finish,
                             "where optimizer states live"),
    key<&Offload::parameters>("parameters", strategy_forms::kTarget, otherwise("none"),
                              Vary::finish, "where weights live while no layer needs them"),
    key<&Offload::activations>("activations", strategy_forms::kTarget, otherwise("none"),
                               Vary::stages, "where saved activations wait for backward"),
    key<&Offload::optimizer_fraction>("optimizer_fraction", form::number(0, 1, "share"),
                                      otherwise("1"), Vary::finish,
                                      "share of the optimizer states that moves"));
inline constexpr Keys<Offload> kOffloadKeys{"parallel.offload", kOffloadRows};
template <>
struct KeysOf<Offload> {
  static constexpr const Keys<Offload>& table = kOffloadKeys;
};

inline constexpr auto kOverlapRows = keys<OverlapRequest>(
    key<&OverlapRequest::grad_reduce>("grad_reduce", form::boolean(), otherwise("the framework's"),
                                      Vary::run,
                                      "gradients are reduced during the last backward pass"),
    key<&OverlapRequest::param_gather>("param_gather", form::boolean(),
                                       otherwise("the framework's"), Vary::run,
                                       "updated weights are gathered during the next forward pass"),
    key<&OverlapRequest::cp>("cp", form::boolean(), otherwise("the framework's"), Vary::run,
                             "context-parallel exchanges run under attention"),
    key<&OverlapRequest::tp>("tp", form::boolean(), otherwise("the framework's"), Vary::run,
                             "tensor-parallel exchanges run beside compute; false exposes them"),
    key<&OverlapRequest::ep>("ep", form::boolean(), otherwise("the framework's"), Vary::run,
                             "the exchange of tokens runs beside compute; false exposes it"));
inline constexpr Keys<OverlapRequest> kOverlapKeys{"parallel.overlap", kOverlapRows};
template <>
struct KeysOf<OverlapRequest> {
  static constexpr const Keys<OverlapRequest>& table = kOverlapKeys;
};

// One of `parallel.layers`, as a run file has it.
struct LayerRuleRequest {
  std::string range;
  std::optional<Recompute> recompute;
  std::optional<std::int64_t> zero;
};

inline constexpr auto kLayerRuleRows = keys<LayerRuleRequest>(
    key<&LayerRuleRequest::range>(
        "range",
        form::text("layers by number (\"0-9\"), \"dense\", \"experts\", \"embedding\" or \"head\"",
                   strategy_forms::kRange),
        kRequired, Vary::stages,
        "the layers: by number from 0, without or with experts; or an end of the model"),
    key<&LayerRuleRequest::recompute>(
        "recompute", form::one_of<Recompute>(), otherwise("the run's"), Vary::stages,
        "activations that their backward computes again; not of ends"),
    key<&LayerRuleRequest::zero>(
        "zero", form::whole(0, 3, ""), otherwise("the run's"), Vary::stages,
        "states that their replicas share out; one stage beside the run's"));
inline constexpr Keys<LayerRuleRequest> kLayerRuleKeys{"parallel.layers[]", kLayerRuleRows};
template <>
struct KeysOf<LayerRuleRequest> {
  static constexpr const Keys<LayerRuleRequest>& table = kLayerRuleKeys;
};
inline constexpr Form kLayerRuleForm = form::object(kLayerRuleKeys);

inline constexpr auto kStrategyRows = keys<StrategyRequest>(
    key<&StrategyRequest::tp, &Strategy::tp>(
        "tp", strategy_forms::kDegree, otherwise("1", "not given"), Vary::prices,
        "tensor parallelism: ranks that split every matrix of a layer")
        .flagged("--tp", "tensor parallel"),
    key<&StrategyRequest::pp, &Strategy::pp>("pp", strategy_forms::kDegree,
                                             otherwise("1", "not given"), Vary::prices,
                                             "pipeline parallelism: stages; pp·vpp up to 1024")
        .flagged("--pp", "pipeline parallel"),
    key<&StrategyRequest::vpp, &Strategy::vpp>(
        "vpp", strategy_forms::kDegree,
        otherwise("1; 2 where the schedule has two chunks a stage", "not given"), Vary::stages,
        "virtual pipeline: chunks of the model that each stage holds")
        .flagged("--vpp", "model chunks a pipeline stage"),
    key<&StrategyRequest::cp, &Strategy::cp>("cp", strategy_forms::kDegree,
                                             otherwise("1", "not given"), Vary::prices,
                                             "context parallelism: ranks that split every sequence")
        .flagged("--cp", "context parallel"),
    key<&StrategyRequest::ep, &Strategy::ep>(
        "ep", strategy_forms::kDegree, otherwise("1", "not given"), Vary::prices,
        "expert parallelism: ranks that share the experts of a layer; ep·etp divides tp·cp·dp")
        .flagged("--ep", "expert parallel"),
    key<&StrategyRequest::etp, &Strategy::etp>(
        "etp", strategy_forms::kDegree, otherwise("tp where that is legal, else 1"), Vary::prices,
        "tensor parallelism of experts: ranks that split every matrix of an expert")
        .flagged("--etp", "tensor parallel of experts"),
    key<&StrategyRequest::dp, &Strategy::dp>(
        "dp", either(strategy_forms::kDegree, form::one_of(strategy_forms::kAuto)),
        otherwise("auto: gpus/(tp·cp·pp)", "gpus/(tp·cp·pp)"), Vary::prices,
        "data parallelism: replicas that each take their share of the batch")
        .read_by<read_dp>()
        .flagged("--dp", "data parallel"),
    key<&StrategyRequest::cp_type, &Strategy::cp_type>(
        "cp_type", form::one_of<ContextType>(), otherwise("the framework's", "the framework's"),
        Vary::run, "how context parallelism exchanges: p2p is a ring, a2a is Ulysses"),
    key<&StrategyRequest::dynamic_cp, &Strategy::dynamic_cp>(
        "dynamic_cp", form::boolean(), otherwise("false"), Vary::run,
        "with training.sequence_lengths: a document is split over as many ranks of cp as its "
        "length needs, so that short ones stay on one"),
    key<&StrategyRequest::sequence_parallel, &Strategy::sequence_parallel>(
        "sequence_parallel", form::boolean(),
        otherwise("true for experts with tp above 1, which need it; else false", "not given"),
        Vary::prices, "norms, dropout and residuals are split over tp too")
        .flagged("--sequence-parallel"),
    key<&StrategyRequest::zero, &Strategy::zero>(
        "zero", form::whole(0, 3, ""), otherwise("the framework's", "the framework's"),
        Vary::finish,
        "ZeRO: 1 shards optimizer states over the replicas, 2 gradients too, 3 weights too")
        .flagged("--zero", "ZeRO 0 to 3"),
    key<&StrategyRequest::zero_shard_group>(
        "zero_shard_group", strategy_forms::kDegree, otherwise("dp·cp", "the framework's"),
        Vary::finish,
        "ranks that ZeRO shards over, a divisor of dp·cp (HSDP, MiCS); with zero 1 to 3"),
    key<&StrategyRequest::partition, &Strategy::partition>(
        "partition", form::object(kPartitionKeys), otherwise("as zero says"), Vary::finish,
        "ranks that each kind of state is spread over, divisors of dp·cp; instead of zero"),
    key<&StrategyRequest::zeropp>("zeropp", form::object(kZeroPlusPlusKeys),
                                  otherwise("the framework's"), Vary::run,
                                  "ZeRO++: quantized and hierarchical communication of ZeRO 3"),
    key<&StrategyRequest::schedule, &Strategy::schedule>(
        "schedule",
        either(strategy_forms::kNamedSchedule,
               form::text("the path of an order of your own", ".*(/.*|[.]json)")),
        otherwise("interleaved where vpp is above 1, else 1f1b", "not given"), Vary::stages,
        "order in which a stage takes the micro batches")
        .read_by<read_schedule>()
        .written_by<write_schedule>()
        .flagged("--schedule", "pipeline schedule"),
    key<&StrategyRequest::schedule_runs, &Strategy::schedule_runs>(
        "schedule_runs", form::whole(1, kLargestDegree, "runs"), otherwise("1"), Vary::stages,
        "times that a step runs its schedule, one after the other, each with its share of the "
        "micro batches: gradients add up around the pipeline"),
    key<&StrategyRequest::post_validation, &Strategy::post_validation>(
        "optimizer_post_validation", form::boolean(),
        otherwise("true where `orrery list schedules` says zero bubble, else false",
                  "zero bubble as published"),
        Vary::run,
        "stages update their weights without waiting for each other, and the step is validated "
        "after the fact: only then zero bubble is what its papers say"),
    key<&StrategyRequest::vision_stage, &Strategy::vision_stage>(
        "vision_stage", form::boolean(), otherwise("false"), Vary::run,
        "with training.images: the encoder of images and the embedding have the first chunk to "
        "themselves, and the layers are spread over the others"),
    key<&StrategyRequest::layer_split, &Strategy::layer_split>(
        "layer_split", form::one_of<LayerSplit>(), otherwise("the framework's", "the framework's"),
        Vary::stages,
        "how layers are spread over the chunks: even; ends_as_layers: the embedding and the head "
        "count as a layer each; by_cost: by the products of layers and head"),
    key<&StrategyRequest::stage_layers>(
        "stage_layers",
        either(form::list(strategy_forms::kLayers), form::one_of(strategy_forms::kBalanced)),
        otherwise("as layer_split says"), Vary::stages,
        "layers of each of the pp·vpp chunks, in the order of the layers; balanced: those of the "
        "least time that fit the devices")
        .read_by<read_stage_layers>()
        .written_by<write_stage_layers>(),
    key<&StrategyRequest::recompute, &Strategy::recompute>(
        "recompute", form::one_of<Recompute>(),
        otherwise("as recompute_modules, recompute_method or recompute_layers imply; else the "
                  "framework's "
                  "where it fits as likely as not, else the least that does"),
        Vary::stages, "activations that backward computes again")
        .flagged("--recompute"),
    key<&StrategyRequest::recompute_modules, &Strategy::recompute_modules>(
        "recompute_modules", form::list(strategy_forms::kModule),
        otherwise("the framework's", "the framework's"), Vary::prices,
        "selective: parts of a layer that run again; alternate_products is PyTorch's per-operator "
        "checkpointing as torchtitan sets it, mlp_act the activation of a dense MLP")
        .read_by<static_cast<void (*)(const Reader&, std::optional<ModuleMask>&)>(read_modules)>()
        .written_by<write_modules>(),
    key<&StrategyRequest::recompute_method, &Strategy::recompute_method>(
        "recompute_method", form::one_of<RecomputeMethod>(), otherwise("uniform"), Vary::stages,
        "full: uniform keeps one input for every recompute_layers layers, block recomputes the "
        "first recompute_layers of a chunk"),
    key<&StrategyRequest::recompute_layers, &Strategy::recompute_layers>(
        "recompute_layers", form::whole(0, kLargestDegree, "layers"), otherwise("0"), Vary::stages,
        "full: layers that recompute_method counts; 0: every layer alone"),
    key<&StrategyRequest::layers, &Strategy::layers>(
        "layers", form::list(kLayerRuleForm, 1, kMostLayerRules), otherwise("all alike"),
        Vary::stages,
        "ranges of layers with a recompute or a zero of their own; the last one that holds a layer "
        "counts")
        .read_by<read_layer_rules>()
        .written_by<write_layer_rules>(),
    key<&StrategyRequest::offload, &Strategy::offload>(
        "offload", form::object(kOffloadKeys), otherwise("nothing"), Vary::stages,
        "what lives outside the memory of the device"),
    key<&StrategyRequest::order, &Strategy::order>(
        "order", form::text("a permutation of tp-cp-ep-dp-pp", strategy_forms::kOrder),
        otherwise("tp-cp-ep-dp-pp", "not given"), Vary::run,
        "dimensions in which ranks are numbered, the fastest first")
        .read_by<read_order>()
        .written_by<write_order>(),
    key<&StrategyRequest::compression>(
        "compression", form::document("compression", &compression_tables::kCompressionKeys),
        kNothing, Vary::run, "codecs that traffic passes"),
    key<&StrategyRequest::overlap>("overlap", form::object(kOverlapKeys),
                                   otherwise("the framework's"), Vary::run,
                                   "communication that runs beside compute"),
    key<&StrategyRequest::framework_options>(
        "framework_options", form::map(strategy_forms::kSetting),
        otherwise("the profile's", "the framework's"), Vary::run,
        "switches of the framework's profile, by their names"),
    key<&StrategyRequest::placement>(
        "placement",
        form::any("a list of devices, ranges as text, {\"nodes\": …} or {\"policy\": …}"),
        otherwise("ranks fill devices in order"), Vary::run,
        "the device that each rank sits on, in the order of the ranks"),
    key<&StrategyRequest::groups_hold>(
        "groups_hold", form::one_of<GroupsHold>(),
        otherwise("stages where pp is above 1, else replicas"), Vary::run,
        "with cluster.groups: each group holds stages of all replicas, or whole replicas"),
    key<&StrategyRequest::stage_groups>(
        "stage_groups", form::list(strategy_forms::kStageGroup), otherwise("as groups_hold says"),
        Vary::run, "with cluster.groups: the group of each stage, or of each replica of it"),
    key<&StrategyRequest::group_tp>("group_tp", form::map(strategy_forms::kDegree), otherwise("tp"),
                                    Vary::run,
                                    "with cluster.groups: tp of the groups where it differs"),
    key<&StrategyRequest::state_shares>(
        "state_shares", form::one_of<StateShares>(), otherwise("equal"), Vary::run,
        "with cluster.groups and zero 3: shards as large as each other, or as the memory left"));
inline constexpr Keys<StrategyRequest> kStrategyKeys{"parallel", kStrategyRows};
template <>
struct KeysOf<StrategyRequest> {
  static constexpr const Keys<StrategyRequest>& table = kStrategyKeys;
};
template <>
struct KeysOf<Strategy> : KeysOf<StrategyRequest> {};

}  // namespace orrery
