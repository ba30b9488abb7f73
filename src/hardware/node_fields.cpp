// SPDX-License-Identifier: Apache-2.0
#include "hardware/node_fields.h"

#include <string>
#include <vector>

#include "core/error.h"
#include "hardware/device_reader.h"
#include "hardware/tier_reader.h"

namespace orrery {
namespace {

constexpr Dimension kRate = kBytes - kSeconds;
constexpr Dimension kPower = kJoules - kSeconds;

Host read_host(Reader r) {
  Host host;
  host.memory_capacity = r.at("memory_capacity").quantity<kBytes>();
  host.memory_bandwidth = r.at("memory_bandwidth").quantity<kRate>();
  r.reject_unknown();
  return host;
}

Nvme read_nvme(Reader r) {
  Nvme nvme;
  nvme.read = r.at("read").quantity<kRate>();
  nvme.write = r.at("write").quantity<kRate>();
  r.reject_unknown();
  return nvme;
}

// What joins the devices of a node is one of the tiers, or else all there is.
void check_node_size(const Reader& r, const Cluster& c) {
  if (c.tier_count == 1) return;
  std::vector<std::string> sizes;
  for (std::size_t i = 0; i + 1 < c.tier_count; ++i) {
    if (c.tiers[i].size == c.devices_per_node) return;
    sizes.push_back(std::to_string(c.tiers[i].size));
  }
  if (c.devices_per_node == 1) return;
  r.fail("the size of an inner tier: " + alternatives(sizes));
}

}  // namespace

Cluster read_node_fields(Reader& r, std::int64_t gpus) {
  Cluster c;
  c.node = read_heading(r, "custom");
  const Reader per_node = r.at("devices_per_node");
  c.devices_per_node = per_node.integer(1, 1'000'000);
  c.gpus = gpus == 0 ? c.devices_per_node : gpus;
  read_tiers(r.at("tiers"), c);
  check_node_size(per_node, c);
  if (auto host = r.find("host")) c.host = read_host(*host);
  if (auto nvme = r.find("nvme")) c.nvme = read_nvme(*nvme);
  if (auto power = r.find("power")) c.node_power = power->quantity<kPower>();
  r.allow("device");
  return c;
}

}  // namespace orrery
