// SPDX-License-Identifier: Apache-2.0
// The shipped nodes against measured all-reduces. Of the ten curves of one node kind the data say
// which set constants of configs/hardware/nodes and which only test; what each reaches stands in
// the output of the failing or verbose test.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "network/collective_cost.h"
#include "network/shipped_cluster.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr double kMostAtMedian = 0.10;
constexpr double kMostAtAnyPoint = 0.35;
constexpr double kMostAtPlateau = 0.10;

constexpr std::array<const char*, 10> kCurves = {
    "a100x8-nccl-tests", "a100x8-vtrain", "a100x4-vtrain", "a100x2-vtrain", "h200x8", "b200x8",
    "b200x32",           "v100x8-vtrain", "v100x4-vtrain", "v100x2-vtrain"};

Json data_of(const std::string& name) {
  const bool is_curve = std::find(kCurves.begin(), kCurves.end(), name) != kCurves.end();
  const std::string folder =
      is_curve ? ORRERY_VALIDATION_DIR "/measurements" : ORRERY_TEST_DATA "/network/data";
  const std::string file = folder + "/all-reduce-" + name + ".json";
  return parse_json(text_of(file), file);
}

Seconds predicted(const Json& j, Bytes size) {
  const std::int64_t ranks = j["ranks"];
  const Cluster c = shipped_cluster(j["node"], std::max<std::int64_t>(ranks, 8));
  return collective_cost(c, first_ranks(c, ranks), Collective::all_reduce, size).time;
}

// predicted/measured − 1 at each size.
std::vector<double> errors_of(const Json& curve) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < curve["size_mib"].size(); ++i) {
    const Bytes size(curve["size_mib"][i].get<double>() * 0x1p20);
    const Seconds measured(curve["time_us"][i].get<double>() * 1e-6);
    errors.push_back(predicted(curve, size) / measured - 1.0);
  }
  return errors;
}

// The same of a point whose bus bandwidth was published.
double error_of(const Json& point) {
  const Bytes size(point["size_mib"].get<double>() * 0x1p20);
  const auto n = point["ranks"].get<double>();
  const BytesPerSecond busbw(point["busbw_gbps"].get<double>() * 1e9);
  return predicted(point, size) / (size * (2 * (n - 1) / n) / busbw) - 1.0;
}

double median_size(std::vector<double> errors) {
  for (double& e : errors) e = std::abs(e);
  std::sort(errors.begin(), errors.end());
  return errors[errors.size() / 2];
}

double largest_size(const std::vector<double>& errors) {
  double largest = 0;
  for (double e : errors) largest = std::max(largest, std::abs(e));
  return largest;
}

std::string percents(const std::vector<double>& errors) {
  std::string text;
  for (double e : errors) text += std::to_string(std::lround(e * 100)) + " ";
  return text;
}

bool only_tests(const Json& j) { return j["role"] == "only tests"; }

void check_errors(const std::string& what, const std::vector<double>& errors) {
  INFO(what << ": median " << median_size(errors) * 100
            << " %, by point (%): " << percents(errors));
  CHECK(median_size(errors) <= kMostAtMedian);
  CHECK(largest_size(errors) <= kMostAtAnyPoint);
}

}  // namespace

TEST_CASE("all-reduce follows the ten measured curves") {
  std::vector<double> all;
  for (const char* name : kCurves) {
    const std::vector<double> errors = errors_of(data_of(name));
    INFO(name << ": " << percents(errors));
    CHECK(largest_size(errors) <= kMostAtAnyPoint);
    all.insert(all.end(), errors.begin(), errors.end());
  }
  CHECK(all.size() == 144);
  check_errors("all", all);
}

TEST_CASE("curves that set no constant are followed as well") {
  std::vector<double> unseen;
  int curves = 0;
  for (const char* name : kCurves) {
    const Json curve = data_of(name);
    if (!only_tests(curve)) continue;
    ++curves;
    const std::vector<double> errors = errors_of(curve);
    check_errors(name, errors);
    unseen.insert(unseen.end(), errors.begin(), errors.end());
  }
  CHECK(curves >= 3);
  check_errors("unseen", unseen);
}

TEST_CASE("all-reduce reaches the measured plateaus from 2 to 1024 nodes") {
  int unseen = 0;
  const Json j = data_of("plateaus");
  for (const Json& point : j["points"]) {
    CAPTURE(point.dump());
    unseen += only_tests(point) ? 1 : 0;
    CHECK(std::abs(error_of(point)) <= kMostAtPlateau);
  }
  CHECK(unseen >= 3);
}

TEST_CASE("all-reduce follows measured bus bandwidths from 2 to 1024 nodes") {
  std::vector<double> errors;
  const Json j = data_of("h100-nodes");
  for (Json point : j["points"]) {
    point["node"] = j["node"];
    errors.push_back(error_of(point));
  }
  check_errors("H100 over nodes", errors);
  for (double e : errors) CHECK(std::abs(e) <= 0.25);
}
