// SPDX-License-Identifier: Apache-2.0
#include "hardware/calibration.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "hardware/cluster_reader.h"
#include "hardware/provenance.h"
#include "network/shipped_cluster.h"

using namespace orrery;

namespace {

Json overlay() {
  return parse_json(R"({"name": "here", "device": "h100-sxm5-80gb", "node": "dgx-h100",
    "rests_on": "measured on this machine",
    "changes": {"device": {"efficiency": {"memory": 0.7}}},
    "spread": {"device.efficiency.memory": 0.01},
    "fit": {"memory-bound kernels": {"points": 9, "median": 0.01, "held_out": 0.02}},
    "measured": [{"what": "copy", "bytes": 1e6, "us": 10}, {"what": "copy", "bytes": 2e6, "us": 12}],
    "provenance": {"files": [{"file": "a.csv", "points": 9}]}, "source": "a test"})",
                    "overlay");
}

ResolvedCluster with(const Json& calibration, Json cluster = Json::object()) {
  cluster["node"] = "dgx-h100";
  cluster["gpus"] = 16;
  if (!calibration.is_null()) cluster["calibration"] = calibration;
  return read_cluster(Reader(cluster, "run.json", "cluster"), testing::shipped_hardware());
}

std::string error_of(const Json& calibration, const Json& cluster = Json::object()) {
  try {
    with(calibration, cluster);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

bool refuses(const Json& calibration, const std::string& part) {
  const std::string error = error_of(calibration);
  CAPTURE(error);
  return error.find(part) != std::string::npos;
}

using Keys = std::vector<std::string>;

// Each number of the documents, by keys, that an overlay may name.
struct Leaf {
  Keys keys;
  Json now;
};

Json nested(const Keys& keys, std::size_t from, const Json& value) {
  if (from == keys.size()) return value;
  return Json{{keys[from], nested(keys, from + 1, value)}};
}

void add(const Json& value, const Keys& keys, std::vector<Leaf>& out) {
  if (value.is_number()) out.push_back({keys, value});
  if (!value.is_object()) return;
  for (auto it = value.begin(); it != value.end(); ++it) {
    Keys below = keys;
    below.push_back(it.key());
    add(it.value(), below, out);
  }
}

std::vector<Leaf> leaves(const ResolvedCluster& c) {
  std::vector<Leaf> out;
  add(c.device->at("efficiency"), {"device", "efficiency"}, out);
  for (const Json& tier : c.node->at("tiers")) {
    out.push_back({{"tiers", tier["name"].get<std::string>(), "efficiency"}, tier["efficiency"]});
  }
  return out;
}

Json without_sources(const ResolvedCluster& c) {
  Json all = {{"node", *c.node}, {"device", *c.device}};
  all["node"].erase("sources");
  all["node"].erase("device");
  return all;
}

std::size_t differences(const Json& a, const Json& b) { return Json::diff(a, b).size(); }

}  // namespace

TEST_CASE("an overlay changes what it names and nothing else, whatever it names") {
  const ResolvedCluster plain = with(nullptr);
  const Json before = without_sources(plain);
  const std::vector<Leaf> all = leaves(plain);
  CHECK(all.size() > 40);
  std::size_t changed = 0;
  for (const Leaf& leaf : all) {
    Json one = overlay();
    const double value = leaf.now.get<double>();
    one["changes"] =
        nested(leaf.keys, 0, leaf.now.is_number_integer() ? Json(value + 64) : Json(value * 0.999));
    one["spread"] = Json::object();
    CAPTURE(one["changes"].dump());
    const std::string error = error_of(one);
    if (error.empty()) {
      ++changed;
      CHECK(differences(before, without_sources(with(one))) == 1);
    } else {  // some values may only rise: their own reader says so
      CHECK(error.find("allowed") != std::string::npos);
    }
  }
  CHECK(changed + 8 > all.size());
}

TEST_CASE("what the overlay changed says what it rests on") {
  const ResolvedCluster c = with(overlay());
  CHECK(c.cluster.device.efficiency.memory == 0.7);
  CHECK(source_text(source_of(c, "device.efficiency.memory")) ==
        "measured on this machine: calibration here");
  CHECK(source_text(source_of(c, "device.efficiency.launch")) ==
        source_text(source_of(with(nullptr), "device.efficiency.launch")));
  REQUIRE(c.calibrations.size() == 1);
  CHECK(c.calibrations[0].rests_on == RestsOn::measured);
}

TEST_CASE("the run's own word goes before the overlay's") {
  const Json change = {{"device", {{"efficiency", {{"memory", 0.5}}}}}};
  const ResolvedCluster c = with(overlay(), change);
  CHECK(c.cluster.device.efficiency.memory == 0.5);
  CHECK(source_text(source_of(c, "device.efficiency.memory")) == "set by the run");
}

TEST_CASE("a device the run names anew keeps the overlay, another refuses it") {
  CHECK(with(overlay(), {{"device", "h100-sxm5-80gb"}}).cluster.device.efficiency.memory == 0.7);
  CHECK(error_of(overlay(), {{"device", "h100-pcie-80gb"}}).find("one of h100-pcie-80gb") !=
        std::string::npos);
}

TEST_CASE("several overlays that name different values go together") {
  Json tiers = overlay();
  tiers["name"] = "links";
  tiers["spread"] = Json::object();
  tiers["changes"] = {{"tiers", {{"infiniband", {{"efficiency", 0.5}}}}}};
  const ResolvedCluster c = with(Json::array({overlay(), tiers}));
  CHECK(c.cluster.device.efficiency.memory == 0.7);
  CHECK(c.cluster.tiers[1].efficiency == 0.5);
  CHECK(c.calibrations.size() == 2);
  CHECK(refuses(Json::array({overlay(), overlay()}), "device.efficiency.memory in both"));
}

TEST_CASE("overlays that are not sound are refused") {
  const auto changed = [](const char* at, const Json& value) {
    Json o = overlay();
    o[Json::json_pointer(at)] = value;
    return o;
  };
  CHECK(refuses(changed("/device", "a100-sxm4-80gb"), "a calibration of the device a100"));
  CHECK(refuses(changed("/measured/1/us", 2), "less time for 2e6"));
  CHECK(refuses(changed("/measured/1/us", -2), "found -2"));
  CHECK(refuses(changed("/changes/device/efficiency/memory", 1.4), "memory: found 1.4"));
  CHECK(refuses(changed("/changes/device/efficiency/memory", "NaN"), "memory: found \"NaN\""));
  CHECK(refuses(changed("/changes/device/efficiency/memry", 0.4), "memry: found an unknown key"));
  CHECK(refuses(changed("/changes/tiers", {{"ib", {{"efficiency", 0.4}}}}), "the tier \"ib\""));
  CHECK(refuses(changed("/changes", Json::object()), "no change"));
  CHECK(refuses(changed("/spread/device.efficiency.launch", 0.1), "a value that `changes` names"));
  CHECK(refuses(changed("/rests_on", "a feeling"), "rests_on: found \"a feeling\""));
  CHECK(refuses(changed("/colour", "red"), "colour: found an unknown key"));
  CHECK(refuses(7, "calibration: found 7"));
}

TEST_CASE("an overlay that rests on nothing is refused") {
  const auto emptied = [](const char* key, const Json& value) {
    Json j = overlay();
    j[key] = value;
    return j;
  };
  CHECK(refuses(emptied("measured", Json::array()), "measured: found nothing measured; allowed: "));
  CHECK(refuses(emptied("fit", Json::object()), "fit: found no fit; allowed: "));
  CHECK(refuses(emptied("provenance", Json{{"files", Json::array()}}),
                "provenance.files: found no file; allowed: "));
}

TEST_CASE("a launch of seconds, and an overlay without a name, are refused") {
  Json seconds = overlay();
  seconds["changes"]["device"]["efficiency"]["launch"] = 3;
  CHECK(refuses(seconds, "changes.device.efficiency.launch: found 3; allowed: a time up to 1 s"));
  seconds["changes"]["device"]["efficiency"]["launch"] = "3 us";
  CHECK(error_of(seconds).empty());
  Json nameless = overlay();
  nameless["name"] = "";
  CHECK(refuses(nameless, "name: found \"\"; allowed: a name"));
}
