// SPDX-License-Identifier: Apache-2.0
//
// The keys of documents about failures, energy and prices (core/described_keys.h; read in
// capacity/site_json.h and prices_json.h).
#pragma once

#include "capacity/bill.h"
#include "capacity/network_switch.h"
#include "capacity/recovery_policy.h"
#include "core/described_keys.h"
#include "hardware/dimensions.h"

namespace orrery {
namespace site_tables {

inline constexpr Form kTime = form::quantity(kSeconds, true);
inline constexpr Form kLoad = form::number(0, 2, "of the rated power");
inline constexpr Form kRest = form::number(0, 1, "of the rating");
inline constexpr Form kPue = form::number(1, 10, "of the nodes' energy");
inline constexpr Form kCarbon =
    form::text("a mass for a kWh: \"400 g/kWh\"", "[0-9.]+([eE][-+]?[0-9]+)? k?g/kWh");

// --- failures

inline constexpr std::array kWindowRows = {
    described("gpus", form::whole(1, 1'000'000'000, "GPUs"), kRequired, "GPUs that were watched"),
    described("time", form::quantity(kSeconds), kRequired, "for how long, by the wall clock")};
inline constexpr KeyTable kWindowKeys{"window", kWindowRows};
inline constexpr std::array kClassRows = {
    described("name", form::text("text"), kRequired, "of this kind of failure"),
    described("count", form::number(0, 1e9, "failures"), kNothing, "seen in the window"),
    described("per_gpu_hour", form::number(0, 1e9, "failures"), kNothing,
              "in place of a count, by the wall clock"),
    described("takes_node", form::boolean(), otherwise("false"),
              "whether the node leaves until it is repaired"),
    described("nodes", form::whole(1, kMostNodesAtOnce, "nodes"), kNothing,
              "in its place: how many leave at once: those of a rack, a switch, a power feed"),
    described("repair", kTime, otherwise("that of all"), "until they are back"),
    described("sign", form::one_of<FaultSign>(), otherwise("error"),
              "how it shows: as an error, as a step that never ends, not at all, as slow steps"),
    described("slowdown", form::number(0, 1e9, "of a step"), kNothing,
              "of a slow node: 0.3 for steps 30 % longer, until it is found")};
inline constexpr KeyTable kClassKeys{"classes", kClassRows};
inline constexpr Form kClass = form::object(kClassKeys);
inline constexpr std::array kSpreadRows = {
    described("low", form::number(0, 1, "of the rate"), kRequired, "at least"),
    described("high", form::number(1, 1000, "of the rate"), kRequired, "at most")};
inline constexpr KeyTable kSpreadKeys{"range", kSpreadRows};
inline constexpr std::array kPlannedRows = {
    described("every", form::quantity(kSeconds), kRequired, "mean time between two stops"),
    described("duration", kTime, otherwise("the restart's"), "of one stop")};
inline constexpr KeyTable kPlannedKeys{"planned", kPlannedRows};
inline constexpr std::array kStragglerRows = {
    described("slowdown", form::number(0, kMostSlowdown, "of a step"), kRequired,
              "added to a step while one rank is slow: 0.3 for 30 % longer"),
    described("share", form::number(0, 1, "of the time"), otherwise("1"), "in which there is one")};
inline constexpr KeyTable kStragglerKeys{"stragglers", kStragglerRows};

inline constexpr std::array kFailureRows = {
    kNameKey,
    kSourceKey,
    kSourcesKey,
    described("window", form::object(kWindowKeys), kNothing, "what counts were counted in"),
    described("classes", form::list(kClass), kNothing, "kinds of failures and their rates"),
    described("range", form::object(kSpreadKeys), kNothing, "of all rates, as factors"),
    described("detection", ranged<kTime>(), otherwise("0 s"), "until a failure is noticed"),
    described("restart", ranged<kTime>(), otherwise("0 s"), "until training goes on"),
    described("repair", kTime, otherwise("0 s"), "until a node that left is back"),
    described("planned", form::object(kPlannedKeys), kNothing, "stops that lose no work"),
    described("stragglers", form::object(kStragglerKeys), kNothing, "slow ranks")};
inline constexpr KeyTable kFailureKeys{"", kFailureRows};

// --- recovery

inline constexpr Form kMapOfTimes = form::map(kTime);
constexpr Forms times() { return either(kTime, kMapOfTimes); }
inline constexpr Form kCovered = form::number(0, kMostCovered, "of the failures");
inline constexpr std::array kDetectionRows = {
    described("error", kTime, otherwise("the failures'"), "of a fault that shows as an error"),
    described("hang", kTime, otherwise("the failures'"), "of a step that never ends"),
    described("silent", kTime, otherwise("the failures'"),
              "of a fault that does not show, with the steps trained on it"),
    described("slow", kTime, otherwise("the failures'"), "of a node that is slow")};
inline constexpr KeyTable kDetectionKeys{"detection", kDetectionRows};
inline constexpr std::array kMemoryRows = {
    described("every_steps", form::whole(1, 1'000'000, "steps"), otherwise("1"),
              "between two copies"),
    described("stall", kTime, otherwise("0 s"), "of training, for each copy"),
    described("covers", kCovered, kRequired, "that leave a copy of the state")};
inline constexpr KeyTable kMemoryKeys{"memory", kMemoryRows};
inline constexpr std::array kReplicaRows = {
    described("away", kTime, otherwise("until its node is repaired"),
              "until the replica trains again"),
    described("covers", kCovered, kRequired, "that stop one replica alone"),
    described("loses_step", form::boolean(), otherwise("false"),
              "whether the step in flight is trained anew")};
inline constexpr KeyTable kReplicaKeys{"replica", kReplicaRows};
inline constexpr std::array kRecoveryRows = {
    kNameKey,
    kSourceKey,
    kSourcesKey,
    described("restart", times(), otherwise("the failures'"),
              "until training runs again on other nodes: a time, or times by GPUs"),
    described("restart_in_place", times(), otherwise("restart's"),
              "the same where no node leaves; where a replica restarts, how long the others wait"),
    described("startup", times(), kNothing,
              "of all ranks' connections, by GPUs: how restarts grow beyond the largest size"),
    described("detection", form::object(kDetectionKeys), kNothing, "until a failure is noticed"),
    described("memory", form::object(kMemoryKeys), kNothing,
              "copies of the state in the memory of other nodes"),
    described("replica", form::object(kReplicaKeys), kNothing,
              "one replica restarts while the others train on"),
    described("avoids", form::number(0, kMostCovered, "of the failures"), otherwise("0"),
              "that take a node, because nodes that fail again and again are left out")};
inline constexpr KeyTable kRecoveryKeys{"", kRecoveryRows};

// --- energy

inline constexpr std::array kLoadRows = {
    described("compute", ranged<kLoad>(), kRequired, "while it computes"),
    described("memory", ranged<kLoad>(), kRequired, "in passes over memory"),
    described("waiting", ranged<kLoad>(), kRequired, "while it waits for others"),
    described("idle", ranged<kLoad>(), kRequired, "without a job"),
    described("rest", ranged<kRest>(), otherwise("1"),
              "of what the node's rating is above its devices', all the time")};
inline constexpr KeyTable kLoadKeys{"load", kLoadRows};
inline constexpr std::array kEnergyRows = {
    kNameKey,
    kSourceKey,
    kSourcesKey,
    described("load", form::object(kLoadKeys), kRequired,
              "shares of a device's rated power by what it does"),
    described("pue", ranged<kPue>(), kNothing, "energy of the building over the nodes'"),
    described("carbon_intensity", ranged<kCarbon>(), kNothing, "of the electricity"),
    described("carbon_by_hour", form::list(kCarbon, 24, 24), kNothing,
              "in its place: of each hour of a day, from midnight")};
inline constexpr KeyTable kEnergyKeys{"", kEnergyRows};

// --- prices

// An amount and its currency, for each of `per`.
constexpr Form money(std::string_view what, std::string_view pattern) {
  return form::text(what, pattern);
}
inline constexpr Form kMoney = money("\"25000 USD\"", "[0-9.]+([eE][-+]?[0-9]+)? [A-Z]{3}");
inline constexpr Form kHourly =
    money("\"2.49 USD/h\"", "[0-9.]+([eE][-+]?[0-9]+)? [A-Z]{3}/(h|d|y)");
inline constexpr Form kElectricity =
    money("\"0.08 USD/kWh\"", "[0-9.]+([eE][-+]?[0-9]+)? [A-Z]{3}/(k|M)Wh");
inline constexpr Form kSpace =
    money("\"20 USD/TB/month\"", "[0-9.]+([eE][-+]?[0-9]+)? [A-Z]{3}/([TGP]B/month|TB/y)");
inline constexpr Form kEgress =
    money("\"0.02 USD/GB\"", "[0-9.]+([eE][-+]?[0-9]+)? [A-Z]{3}/[TGP]B");
inline constexpr Form kShare = form::number(0, 100, "of the hardware's price");
inline constexpr Form kUtilisation = form::number(0.001, 1, "of the time");
inline constexpr Form kLifetime = form::quantity(kSeconds);

// A price has a source and a date.
template <const Form& Value>
inline constexpr std::array kPriceRows = {
    described("value", Value, kRequired, "the price"),
    described("low", Value, otherwise("the value"), "at least"),
    described("high", Value, otherwise("the value"), "at most"),
    described("source", form::text("text"), kRequired, "who says so"),
    described("date", form::text("text"), kRequired, "when"),
    described("kind", form::text("text"), kNothing, "how the value came about"),
    described("on", form::any("data"), kNothing, "data that had a say in it")};
template <const Form& Value>
inline constexpr KeyTable kPriceKeys{"", kPriceRows<Value>};
inline constexpr Form kBarePrice = form::number(0, 1e18, "of the plan's currency");
// Also bare: given by you.
template <const Form& Value>
constexpr Forms price() {
  return either(form::object(kPriceKeys<Value>), Value, kBarePrice);
}
template <const Form& Value>
constexpr Forms share() {
  return either(form::object(kPriceKeys<Value>), Value);
}

inline constexpr std::array kGpuPriceRows = {
    described("rent", price<kHourly>(), kNothing, "of one GPU"),
    described("purchase", price<kMoney>(), kNothing, "of one GPU")};
inline constexpr KeyTable kGpuPriceKeys{"gpus", kGpuPriceRows};
inline constexpr Form kGpuPrice = form::object(kGpuPriceKeys);
inline constexpr std::array kNodePriceRows = {
    described("purchase", price<kMoney>(), kNothing, "of a whole node"),
    described("support", share<kHourly>(), kNothing, "of a whole node")};
inline constexpr KeyTable kNodePriceKeys{"nodes", kNodePriceRows};
inline constexpr Form kNodePrice = form::object(kNodePriceKeys);

inline constexpr Forms kPartPrice = price<kMoney>();
inline constexpr Form kPart = form::either(kPartPrice);

inline constexpr std::array kPricesRows = {
    kSourceKey,
    kSourcesKey,
    described("pay", form::one_of<Payment>(), otherwise("rent where there is one"),
              "which of the prices are paid"),
    described("gpus", form::map(kGpuPrice), kNothing, "by the device's name"),
    described("nodes", form::map(kNodePrice), kNothing, "by the node's name"),
    described("parts", form::map(kPart), kNothing,
              "of a bill of materials: a switch by its name, link, transceiver, rack"),
    described("rent", price<kHourly>(), kNothing, "of every GPU, in place of those by name"),
    described("electricity", price<kElectricity>(), kNothing, "of the facility's energy"),
    described("network", share<kShare>(), kNothing, "network, of the hardware's price"),
    described("storage", share<kShare>(), kNothing, "storage, of the hardware's price"),
    described("storage_space", price<kSpace>(), kNothing, "storage by what it holds"),
    described("egress", price<kEgress>(), kNothing,
              "of what a site of several sends to the others"),
    described("support", share<kShare>(), kNothing, "support a year, of the hardware's price"),
    described("utilisation", share<kUtilisation>(), kNothing, "of bought hardware"),
    described("lifetime", share<kLifetime>(), kNothing, "of bought hardware")};
inline constexpr KeyTable kPricesKeys{"", kPricesRows};

// --- switches

inline constexpr std::array kSwitchModeRows = {
    described("ports", form::whole(2, 4096, "ports"), kRequired, "at this rate"),
    described("rate", form::quantity(kRate), kRequired, "of one port")};
inline constexpr KeyTable kSwitchModeKeys{"modes", kSwitchModeRows};
inline constexpr Form kSwitchMode = form::object(kSwitchModeKeys);
inline constexpr std::array kSwitchRows = {
    kNameKey,
    kSourceKey,
    kSourcesKey,
    described("kind", form::one_of<SwitchKind>(), kRequired, "its network"),
    described("modes", form::list(kSwitchMode, 1), kRequired, "its ports, whole or split"),
    described("power", form::quantity(kPower), kNothing, "without transceivers")};
inline constexpr KeyTable kSwitchKeys{"", kSwitchRows};

}  // namespace site_tables
}  // namespace orrery
