// SPDX-License-Identifier: Apache-2.0
#include "explore/sensitivity.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "estimate/run_rates.h"

namespace orrery {
namespace {

constexpr double kStep = 0.01;
constexpr double kLeast = 1e-3;

struct Input {
  std::string_view key;
  std::string_view name;
  void (*turn)(Run&, double factor);
  bool more_is_better = true;
};

constexpr std::array<Input, 9> kInputs = {{
    {"peak_flops", "FLOP/s of a GPU", scale_peaks},
    {"gemm_efficiency", "efficiency of matrix products", scale_products},
    {"attention_efficiency", "efficiency of attention", scale_attention},
    {"memory_bandwidth", "memory bandwidth of a GPU", scale_memory_bandwidth},
    {"node_bandwidth", "bandwidth inside a node", scale_node_links},
    {"fabric_bandwidth", "bandwidth between nodes", scale_network_links},
    {"network_latency", "latency of the network", scale_latency, false},
    {"kernel_launch", "time to launch a kernel", scale_launches, false},
    {"host_bandwidth", "bandwidth to the host", scale_host_link},
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
