// SPDX-License-Identifier: Apache-2.0
// The shipped nodes against measured all-reduces. For the twelve curves of one node kind the data
// say which set constants of configs/hardware/nodes and which only test; what each reaches stands
// in the output of the failing or verbose test.
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

constexpr std::array<const char*, 12> kCurves = {
    "a100x8-nccl-tests", "a100x8-vtrain", "a100x4-vtrain", "a100x2-vtrain", "h200x8", "b200x8",
    "b200x32",           "v100x8-vtrain", "v100x4-vtrain", "v100x2-vtrain", "p5x16",  "p4dex16"};

// Published bus bandwidths over nodes; the first is charts read to 5 %.
constexpr std::array<const char*, 5> kOverNodes = {"h100-charts", "h100-plateaus", "h200-plateau",
                                                   "b200x32", "p5x16"};

Json data_of(const std::string& name) {
  const std::string file = ORRERY_VALIDATION_DIR "/measurements/all-reduce-" + name + ".json";
  return parse_json(text_of(file), file);
}

Seconds predicted(const std::string& node, std::int64_t ranks, Bytes size) {
  const Cluster c = shipped_cluster(node, std::max<std::int64_t>(ranks, 8));
  return collective_cost(c, first_ranks(c, ranks), Collective::all_reduce, size).time;
}

// predicted/measured − 1 at each size.
std::vector<double> errors_of(const Json& curve) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < curve["size_mib"].size(); ++i) {
    const Bytes size(curve["size_mib"][i].get<double>() * 0x1p20);
    const Seconds measured(curve["time_us"][i].get<double>() * 1e-6);
    errors.push_back(predicted(curve["node"], curve["ranks"], size) / measured - 1.0);
  }
  return errors;
}

// The same of a point whose bus bandwidth was published.
double error_of(const std::string& node, const Json& point) {
  const Bytes size(point["bytes"].get<double>());
  const std::int64_t ranks = point["ranks"];
  const auto n = static_cast<double>(ranks);
  const BytesPerSecond busbw(point["busbw"].get<double>() * 1e9);
  return predicted(node, ranks, size) / (size * (2 * (n - 1) / n) / busbw) - 1.0;
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

TEST_CASE("all-reduce follows the twelve measured curves") {
  std::vector<double> all;
  for (const char* name : kCurves) {
    const std::vector<double> errors = errors_of(data_of(name));
    INFO(name << ": " << percents(errors));
    CHECK(largest_size(errors) <= kMostAtAnyPoint);
    all.insert(all.end(), errors.begin(), errors.end());
  }
  CHECK(all.size() == 181);
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
  constexpr double kPlateau = 16 * 0x1p30;  // bytes
  std::size_t points = 0;
  std::size_t unseen = 0;
  for (const char* name : kOverNodes) {
    const Json j = data_of(name);
    if (j.contains("size_mib")) {
      ++points;
      INFO(name);
      CHECK(std::abs(errors_of(j).back()) <= kMostAtPlateau);
      continue;
    }
    for (const Json& point : j["measurements"]) {
      if (point["bytes"].get<double>() < kPlateau) continue;
      CAPTURE(point.dump());
      ++points;
      unseen += only_tests(j) ? 1 : 0;
      CHECK(std::abs(error_of(j["node"], point)) <= kMostAtPlateau);
    }
  }
  CHECK(points == 11);
  CHECK(unseen == 5);
}

TEST_CASE("all-reduce follows measured bus bandwidths from 2 to 1024 nodes") {
  std::vector<double> errors;
  const Json j = data_of("h100-charts");
  for (const Json& point : j["measurements"]) errors.push_back(error_of(j["node"], point));
  check_errors("H100 over nodes", errors);
  for (double e : errors) CHECK(std::abs(e) <= 0.25);
}
