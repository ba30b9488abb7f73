// SPDX-License-Identifier: Apache-2.0
// The shipped nodes against measured collectives. The bounds are loose: they keep what is reached
// from being lost; what it is stands in the output.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "network/collective_cost.h"
#include "network/shipped_cluster.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

struct Curve {
  std::string node;
  std::int64_t ranks = 0;
  std::vector<Bytes> size;
  std::vector<Seconds> time;
};

Curve read_curve(const std::string& name) {
  const std::string file = ORRERY_TEST_DATA "/network/data/" + name + ".json";
  const Json j = parse_json(text_of(file), file);
  Curve curve{j["node"], j["ranks"], {}, {}};
  for (const auto& s : j["size_mib"]) curve.size.push_back(Bytes(s.get<double>() * 0x1p20));
  for (const auto& t : j["time_us"]) curve.time.push_back(Seconds(t.get<double>() * 1e-6));
  return curve;
}

// predicted/measured − 1 at each size.
std::vector<double> errors_of(const Curve& curve) {
  const Cluster c = shipped_cluster(curve.node, std::max<std::int64_t>(curve.ranks, 8));
  const Group g = first_ranks(c, curve.ranks);
  std::vector<double> errors;
  for (std::size_t i = 0; i < curve.size.size(); ++i) {
    const auto cost = collective_cost(c, g, Collective::all_reduce, curve.size[i]);
    errors.push_back(cost.time / curve.time[i] - 1.0);
  }
  return errors;
}

double median_size(std::vector<double> errors) {
  for (double& e : errors) e = std::abs(e);
  std::nth_element(errors.begin(), errors.begin() + errors.size() / 2, errors.end());
  return errors[errors.size() / 2];
}

std::string percents(const std::vector<double>& errors) {
  std::string text;
  for (double e : errors) text += std::to_string(std::lround(e * 100)) + " ";
  return text;
}

void check_curve(const std::string& name, double most_at_median, double most_at_plateau) {
  const std::vector<double> errors = errors_of(read_curve(name));
  MESSAGE(name << ": median error " << median_size(errors) * 100
               << " %, by size (%): " << percents(errors));
  CHECK(median_size(errors) <= most_at_median);
  CHECK(std::abs(errors.back()) <= most_at_plateau);
}

}  // namespace

TEST_CASE("all-reduce follows the measured curves in one node") {
  check_curve("all-reduce-a100x8-nccl-tests", 0.15, 0.05);
  check_curve("all-reduce-a100x8-vtrain", 0.15, 0.05);
  check_curve("all-reduce-a100x4-vtrain", 0.25, 0.12);
  check_curve("all-reduce-h200x8", 0.10, 0.05);
  check_curve("all-reduce-b200x8", 0.15, 0.05);
  check_curve("all-reduce-v100x8-vtrain", 0.15, 0.05);
  check_curve("all-reduce-v100x4-vtrain", 0.25, 0.12);
  check_curve("all-reduce-v100x2-vtrain", 0.25, 0.12);
}

TEST_CASE("all-reduce follows the measured curve over four nodes") {
  check_curve("all-reduce-b200x32", 0.25, 0.12);
}

TEST_CASE("all-reduce follows measured bus bandwidths from 2 to 1024 nodes") {
  const std::string file = ORRERY_TEST_DATA "/network/data/all-reduce-h100-nodes.json";
  const Json j = parse_json(text_of(file), file);
  std::vector<double> errors;
  for (const auto& point : j["points"]) {
    const std::int64_t ranks = point["ranks"];
    const Cluster c = shipped_cluster(j["node"], ranks);
    const Bytes size(point["size_mib"].get<double>() * 0x1p20);
    const auto cost = collective_cost(c, first_ranks(c, ranks), Collective::all_reduce, size);
    const double busbw = cost.bytes_per_rank / cost.time / BytesPerSecond(1e9);
    errors.push_back(point["busbw_gbps"].get<double>() / busbw - 1.0);
  }
  MESSAGE("H100 over nodes: median error " << median_size(errors) * 100
                                           << " %, by point (%): " << percents(errors));
  CHECK(median_size(errors) <= 0.12);
  for (double e : errors) CHECK(std::abs(e) <= 0.25);
}
