// SPDX-License-Identifier: Apache-2.0
#include "engine/measured_place.h"

#include <algorithm>

#include "core/error.h"
#include "exchange/machine/products.h"

namespace orrery {

void check_gpu(const MeasurementSet& set, const Device& device) {
  const std::string name(device.name.view());
  if (!set.gpu.empty() && are_other_devices(set.gpu, name)) {
    throw InputError(set.file, "GPU", "times of " + set.gpu, "those of " + name);
  }
}

std::int64_t nodes_of_hosts(const MeasurementSet& set, const Cluster& cluster) {
  const std::vector<std::int64_t>& hosts = set.ranks_of_hosts;
  if (hosts.empty()) return 0;
  const bool rack = is_rack(cluster);
  const std::int64_t gpus = rack ? cluster.host.devices : cluster.devices_per_node;
  const auto [least, most] = std::minmax_element(hosts.begin(), hosts.end());
  const auto part =
      std::count_if(hosts.begin(), hosts.end(), [&](std::int64_t n) { return n < gpus; });
  if (*most <= gpus && part <= 1) return 0;
  if (*most <= gpus && *least == *most && !rack) return static_cast<std::int64_t>(hosts.size());
  throw InputError(set.file, "ranks of a host",
                   *least == *most ? std::to_string(*most)
                                   : std::to_string(*least) + " to " + std::to_string(*most),
                   std::to_string(gpus) + ", the GPUs of a host of " +
                       std::string(cluster.node.view()) + (rack ? "" : ", or fewer on each") +
                       ": --node says which it is");
}

}  // namespace orrery
