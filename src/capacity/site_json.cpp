// SPDX-License-Identifier: Apache-2.0
#include "capacity/site_json.h"

#include <algorithm>
#include <cmath>

#include "capacity/checkpoint.h"
#include "capacity/energy.h"
#include "capacity/goodput.h"
#include "capacity/network_switch.h"
#include "capacity/ranged_json.h"
#include "capacity/recovery_policy.h"
#include "capacity/site_keys.h"
#include "capacity/training_time.h"
#include "core/provenance.h"
#include "core/units.h"
#include "hardware/dimensions.h"

namespace orrery {
namespace {

constexpr double kMostFailuresWritten = 1e9;
constexpr double kMostFactor = 1e9;
constexpr std::int64_t kMostPorts = 4096;
constexpr double kMostPue = 10;
constexpr double kMostGramsPerKwh = 1e4;

void allow_source(Reader& r) {
  check_sources(r);
  r.allow("name");
}

// GPU-seconds over which the classes were counted; 0: not given.
double read_window(std::optional<Reader> r, std::int64_t& gpus) {
  if (!r) return 0;
  gpus = r->at("gpus").integer(1, 1'000'000'000);
  const Seconds time = r->at("time").quantity<kSeconds>();
  r->reject_unknown();
  return static_cast<double>(gpus) * time.si();
}

std::int64_t read_nodes(const Reader& nodes, Reader& of) {
  if (auto takes = of.find("takes_node"); takes && !takes->boolean()) {
    nodes.fail("nodes beside takes_node false", "one of them");
  }
  return nodes.integer(1, kMostNodesAtOnce);
}

// Given where a fault shows as longer steps, and there alone.
void read_slowdown(Reader& r, FailureClass& c) {
  const bool slow = c.sign == FaultSign::slow;
  const auto given = r.find("slowdown");
  if (slow != given.has_value()) {
    r.fail(slow ? "no slowdown" : "slowdown", "`slowdown` beside sign \"slow\"");
  }
  if (given) c.slowdown = given->number(0, kMostFactor);
}

FailureClass read_class(Reader r, double window) {
  FailureClass c;
  c.name = r.at("name").text();
  if (auto v = r.find("takes_node")) c.nodes = v->boolean() ? 1 : 0;
  if (auto v = r.find("nodes")) c.nodes = read_nodes(*v, r);
  if (auto v = r.find("repair")) c.repair = v->quantity<kSeconds>(true);
  if (auto v = r.find("sign")) c.sign = v->choice<FaultSign>();
  read_slowdown(r, c);
  const auto count = r.find("count");
  const auto rate = r.find("per_gpu_hour");
  r.reject_unknown();
  if (count.has_value() == rate.has_value()) r.fail("a class", "count or per_gpu_hour");
  if (rate) {
    c.rate = PerSecond(rate->number(0, kMostFailuresWritten) / kHour.si());
    return c;
  }
  if (window <= 0) count->fail("a count", "a `window` of gpus and time to count in");
  c.rate = PerSecond(count->number(0, kMostFailuresWritten) / window);
  return c;
}

PlannedStops read_planned(Reader r, Seconds by_default) {
  PlannedStops p;
  p.rate = PerSecond(1 / r.at("every").quantity<kSeconds>().si());
  p.duration = by_default;
  if (auto v = r.find("duration")) p.duration = v->quantity<kSeconds>(true);
  r.reject_unknown();
  return p;
}

Stragglers read_stragglers(Reader r) {
  Stragglers s;
  const Reader slowdown = r.at("slowdown");
  s.slowdown = slowdown.number(0, kMostFactor);
  if (s.slowdown > kMostSlowdown) {
    slowdown.fail("0 to 1, what is added to a step: 0.3 for steps 30 % longer");
  }
  if (auto v = r.find("share")) s.share = v->number(0, 1);
  r.reject_unknown();
  return s;
}

CarbonIntensity read_intensity(const Reader& r) {
  const char* const allowed = "a mass for a kWh: \"400 g/kWh\", \"0.4 kg/kWh\"";
  if (!r.json().is_string()) r.fail(allowed);
  const std::string text = r.text();
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) r.fail(allowed);
  const std::string unit = text.substr(space + 1);
  const auto number = parse_number(text.substr(0, space));
  const double grams = unit == "g/kWh" ? 1 : unit == "kg/kWh" ? 1000 : 0;
  if (!number || *number < 0 || grams == 0 || *number * grams > kMostGramsPerKwh) r.fail(allowed);
  return {*number * grams / 1000 / 3.6e6};
}

HourlyCarbon read_hours(const Reader& r) {
  HourlyCarbon hours;
  const std::vector<Reader> items = r.items();
  if (items.size() != hours.size()) {
    r.fail(std::to_string(items.size()) + " hours", "24, from midnight");
  }
  for (std::size_t i = 0; i < hours.size(); ++i) hours[i] = read_intensity(items[i]);
  return hours;
}

DeviceLoad read_load(Reader r) {
  const auto share = [&](const char* key) { return read_ranged_number(r.at(key), 0, 2); };
  DeviceLoad l{share("compute"), share("memory"), share("waiting"), share("idle")};
  if (const auto rest = r.find("rest")) l.rest = read_ranged_number(*rest, 0, 1);
  r.reject_unknown();
  return l;
}

// A time, or times by the GPUs of the job.
TimeBySize read_times(const Reader& given) {
  if (!given.json().is_object()) return {{1, given.quantity<kSeconds>(true)}};
  Reader r = given;
  TimeBySize out;
  for (const std::string& key : r.keys()) {
    const auto gpus = parse_number(key);
    const Reader time = r.at(key);
    if (!gpus || *gpus < 1 || *gpus != std::floor(*gpus) || *gpus > 1e9) {
      given.fail("\"" + key + "\"", "numbers of GPUs");
    }
    out.push_back({static_cast<std::int64_t>(*gpus), time.quantity<kSeconds>()});
  }
  std::sort(out.begin(), out.end(),
            [](const TimeAtSize& a, const TimeAtSize& b) { return a.gpus < b.gpus; });
  if (out.empty()) given.fail("no time", "a time, or times by numbers of GPUs");
  return out;
}

MemoryCopies read_memory_copies(Reader r) {
  MemoryCopies m;
  if (auto v = r.find("every_steps")) m.every_steps = v->integer(1, 1'000'000);
  if (auto v = r.find("stall")) m.stall = v->quantity<kSeconds>(true);
  m.covers = r.at("covers").number(0, kMostCovered);
  r.reject_unknown();
  return m;
}

ReplicaRestart read_replica(Reader r) {
  ReplicaRestart p;
  if (auto v = r.find("away")) p.away = v->quantity<kSeconds>(true);
  if (auto v = r.find("loses_step")) p.loses_step = v->boolean();
  p.covers = r.at("covers").number(0, kMostCovered);
  r.reject_unknown();
  return p;
}

}  // namespace

Interruptions read_failures(Reader r) {
  r.must_be_object();
  allow_source(r);
  Interruptions i;
  const double window = read_window(r.find("window"), i.watched);
  if (auto classes = r.find("classes")) {
    for (const Reader& c : classes->items()) i.classes.push_back(read_class(c, window));
  }
  if (auto range = r.find("range")) {
    i.rate_low = range->at("low").number(0, 1);
    i.rate_high = range->at("high").number(1, 1000);
    range->reject_unknown();
  }
  if (auto v = r.find("detection")) i.detection = read_ranged_quantity<kSeconds>(*v, true);
  if (auto v = r.find("restart")) i.restart = read_ranged_quantity<kSeconds>(*v, true);
  if (auto v = r.find("repair")) i.repair = v->quantity<kSeconds>(true);
  if (auto v = r.find("planned")) i.planned = read_planned(*v, i.restart.value);
  if (auto v = r.find("stragglers")) i.stragglers = read_stragglers(*v);
  r.reject_unknown();
  return i;
}

RecoveryPolicy read_recovery(Reader r) {
  r.must_be_object();
  check_sources(r);
  RecoveryPolicy p;
  if (auto v = r.find("name")) p.name = v->text();
  if (auto v = r.find("restart")) p.restart = read_times(*v);
  if (auto v = r.find("restart_in_place")) p.restart_in_place = read_times(*v);
  if (auto v = r.find("startup")) p.startup = read_times(*v);
  if (auto v = r.find("detection")) {
    for (const FaultSign s : kAllOf<FaultSign>) {
      if (auto t = v->find(std::string(name_of(s)))) p.detection[s] = t->quantity<kSeconds>(true);
    }
    v->reject_unknown();
  }
  if (auto v = r.find("memory")) p.memory = read_memory_copies(*v);
  if (auto v = r.find("replica")) p.replica = read_replica(*v);
  if (auto v = r.find("avoids")) p.avoids = v->number(0, kMostCovered);
  if (p.memory && p.replica) r.fail("memory beside replica", "one of them");
  r.reject_unknown();
  return p;
}

Storage read_storage(Reader r) {
  check_sources(r);
  return read_keys(kStorageKeys, r);
}

NetworkSwitch read_switch(Reader r) {
  r.must_be_object();
  allow_source(r);
  NetworkSwitch s;
  if (auto v = r.find("name")) s.name = v->text();
  s.kind = r.at("kind").choice<SwitchKind>();
  const Reader modes = r.at("modes");
  for (Reader mode : modes.items()) {
    s.modes.push_back({mode.at("ports").integer(2, kMostPorts), mode.at("rate").quantity<kRate>()});
    mode.reject_unknown();
  }
  if (s.modes.empty()) modes.fail("no modes", "at least one");
  if (auto v = r.find("power")) s.power = v->quantity<kPower>();
  r.reject_unknown();
  return s;
}

EnergyModel read_energy(Reader r) {
  r.must_be_object();
  allow_source(r);
  EnergyModel m;
  m.load = read_load(r.at("load"));
  if (auto v = r.find("pue")) m.pue = read_ranged_number(*v, 1, kMostPue);
  if (auto v = r.find("carbon_intensity")) {
    m.carbon = read_ranged<CarbonIntensity>(*v, read_intensity,
                                            [](CarbonIntensity c) { return c.kg_per_joule; });
  }
  if (auto v = r.find("carbon_by_hour")) {
    if (m.carbon) v->fail("carbon_intensity beside it", "one of them");
    m.by_hour = read_hours(*v);
  }
  r.reject_unknown();
  return m;
}

}  // namespace orrery
