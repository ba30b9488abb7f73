// SPDX-License-Identifier: Apache-2.0
#include "explore/sensitivity.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "estimate/run.h"
#include "hardware/cluster_links.h"

namespace orrery {
namespace {

constexpr double kStep = 0.01;
constexpr double kLeast = 1e-3;

void scale_latency(Cluster& c, double f) {
  for (std::size_t i = 0; i < c.tier_count; ++i) {
    c.tiers[i].latency = c.tiers[i].latency * f;
    c.tiers[i].reduction_latency = c.tiers[i].reduction_latency * f;
  }
}

void scale_attention(DeviceEfficiency& e, double f) {
  e.unfused_attention *= f;
  for (AttentionCurve& curve : e.attention) {
    for (double& x : curve.forward) x *= f;
    for (double& x : curve.backward) x *= f;
  }
}

struct Input {
  std::string_view key;
  std::string_view name;
  void (*turn)(Run&, double factor);
  bool more_is_better = true;
};

constexpr std::array<Input, 9> kInputs = {{
    {"peak_flops", "FLOP/s of a GPU",
     [](Run& r, double f) {
       for (FlopsPerSecond& peak : r.cluster.device.peak) peak = peak * f;
     }},
    {"gemm_efficiency", "efficiency of matrix products",
     [](Run& r, double f) {
       for (double& e : r.cluster.device.efficiency.gemm) e *= f;
     }},
    {"attention_efficiency", "efficiency of attention",
     [](Run& r, double f) { scale_attention(r.cluster.device.efficiency, f); }},
    {"memory_bandwidth", "memory bandwidth of a GPU",
     [](Run& r, double f) {
       r.cluster.device.memory_bandwidth = r.cluster.device.memory_bandwidth * f;
     }},
    {"node_bandwidth", "bandwidth inside a node",
     [](Run& r, double f) { scale_links(r.cluster, Links::of_chassis, f); }},
    {"fabric_bandwidth", "bandwidth between nodes",
     [](Run& r, double f) { scale_links(r.cluster, Links::of_network, f); }},
    {"network_latency", "latency of the network",
     [](Run& r, double f) { scale_latency(r.cluster, f); }, false},
    {"kernel_launch", "time to launch a kernel",
     [](Run& r, double f) {
       r.cluster.device.efficiency.launch = r.cluster.device.efficiency.launch * f;
     },
     false},
    {"host_bandwidth", "bandwidth to the host",
     [](Run& r, double f) {
       r.cluster.device.host_link.bandwidth = r.cluster.device.host_link.bandwidth * f;
     }},
}};

double log_step(const Run& run, const Input& knob, double factor) {
  Run turned = run;
  knob.turn(turned, factor);
  return std::log(estimate(turned).step_time.si());
}

}  // namespace

std::vector<Run> worse_hardware(const Run& run) {
  std::vector<Run> worse;
  for (const Input& knob : kInputs) {
    worse.push_back(run);
    knob.turn(worse.back(), knob.more_is_better ? 1 / kStackSpread : kStackSpread);
  }
  return worse;
}

std::vector<Elasticity> elasticities(const Run& run) {
  std::vector<Elasticity> list;
  for (const Input& knob : kInputs) {
    const double change = log_step(run, knob, 1 + kStep) - log_step(run, knob, 1 - kStep);
    const double value = change / (std::log(1 + kStep) - std::log(1 - kStep));
    if (std::abs(value) >= kLeast) list.push_back({knob.key, knob.name, value});
  }
  std::stable_sort(list.begin(), list.end(), [](const Elasticity& a, const Elasticity& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  return list;
}

}  // namespace orrery
