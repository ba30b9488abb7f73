// SPDX-License-Identifier: Apache-2.0
#include "estimate/run_rates.h"

#include "hardware/cluster_links.h"

namespace orrery {

void scale_peaks(Run& run, double factor) {
  for (FlopsPerSecond& peak : run.cluster.device.peak) peak = peak * factor;
}

void scale_products(Run& run, double factor) {
  for (double& e : run.cluster.device.efficiency.gemm) e *= factor;
}

void scale_attention(Run& run, double factor) {
  DeviceEfficiency& e = run.cluster.device.efficiency;
  e.unfused_attention *= factor;
  for (AttentionCurve& curve : e.attention) {
    for (double& x : curve.forward) x *= factor;
    for (double& x : curve.backward) x *= factor;
  }
}

void scale_memory_bandwidth(Run& run, double factor) {
  run.cluster.device.memory_bandwidth = run.cluster.device.memory_bandwidth * factor;
}

void scale_node_links(Run& run, double factor) {
  scale_links(run.cluster, Links::of_chassis, factor);
}

void scale_network_links(Run& run, double factor) {
  scale_links(run.cluster, Links::of_network, factor);
}

void scale_latency(Run& run, double factor) {
  for (std::size_t i = 0; i < run.cluster.tier_count; ++i) {
    Tier& t = run.cluster.tiers[i];
    t.latency = t.latency * factor;
    t.reduction_latency = t.reduction_latency * factor;
  }
}

void scale_launches(Run& run, double factor) {
  run.cluster.device.efficiency.launch = run.cluster.device.efficiency.launch * factor;
  run.cluster.host.launch_factor *= factor;
}

void scale_host_link(Run& run, double factor) {
  HostLink& link = run.cluster.device.host_link;
  link.bandwidth = link.bandwidth * factor;
}

void scale_memory_beside_tensors(Run& run, double factor) {
  Framework& f = run.framework;
  f.buffers.context = f.buffers.context * factor;
  f.buffers.group = f.buffers.group * factor;
  f.allocator.state_overhead *= factor;
  f.allocator.activation_overhead *= factor;
}

}  // namespace orrery
