// SPDX-License-Identifier: Apache-2.0
//
// The keys of a node, configs/hardware/nodes/NAME.json, and of the tiers of its network, one row
// each (core/keys.h). Keys that depend on others are read in tier_reader.cpp and node_fields.cpp.
#pragma once

#include "core/provenance_keys.h"
#include "hardware/cluster.h"
#include "hardware/cluster_keys.h"
#include "hardware/device_keys.h"
#include "hardware/dimensions.h"

namespace orrery {

inline constexpr std::int64_t kMostPerNode = 1'000'000;

namespace node_forms {

inline constexpr Form kTime = form::quantity(kSeconds, true);
inline constexpr Form kBytesPerSecond = form::quantity(kRate);
inline constexpr Form kAttained = form::number(1e-3, 1, "share");
inline constexpr Form kLinks = form::whole(1, 1'000'000, "links");
// A reduction in the switch halves what crosses a link, so busbw may exceed it, but not twice.
inline constexpr Form kReduction = form::number(1e-3, 2, "share");
inline constexpr Form kName = form::text("a name of 1 to 31 bytes", ".+");

}  // namespace node_forms

inline constexpr auto kTierRows = [] {
  using namespace node_forms;
  using T = Tier;
  return keys<T>(
      elsewhere("name", kName, kRequired, Vary::never, "its name, by which a run changes it"),
      fact<&T::kind>("kind", form::one_of<TierKind>(), kRequired, "what joins its children"),
      fact<&T::size>("size", form::whole(2, 100'000'000, "devices"), kNothing,
                     "devices in one unit; of the outermost tier none, it is the whole cluster"),
      fact<&T::block>("block", form::boolean(), otherwise("false"),
                      "its units are parts of the next tier's, parted by a narrow cut"),
      elsewhere("bandwidth", kBytesPerSecond, kNothing, Vary::run,
                "what one child sends into the tier, a direction; required without a graph"),
      elsewhere("group_bandwidth", form::map(kBytesPerSecond), kNothing, Vary::run,
                "the same by the children that talk, where links join only partly"),
      elsewhere(
          "exchange_share", form::map(kAttained), otherwise("1"), Vary::run,
          "by the sizes of group_bandwidth: the share of it that an all-to-all attains, whose "
          "messages pass other members of a torus"),
      fact<&T::efficiency>("efficiency", kAttained, kRequired,
                           "share of line rate that large ring collectives attain"),
      elsewhere("exchange_efficiency", kAttained, otherwise("efficiency"), Vary::run,
                "share of line rate that an all-to-all attains"),
      fact<&T::latency>("latency", kTime, kRequired, "of one step"),
      fact<&T::launch>("launch", kTime, kRequired, "of one collective"),
      fact<&T::ramp>("ramp", kTime, otherwise("0 s"),
                     "grows a collective by the root of ramp times its time on the wire"),
      fact<&T::pat_rate>("pat_rate", kAttained, otherwise("1"),
                         "share of a ring's rate that PAT attains"),
      fact<&T::in_network_reduction>("in_network_reduction", form::boolean(), otherwise("false"),
                                     "the switch adds: NVLS, SHARP"),
      elsewhere("reduction_efficiency", kReduction, kNothing, Vary::never,
                "share of line rate of an all-reduce in the switch; required where it adds"),
      elsewhere("reduction_latency", kTime, otherwise("2 · latency"), Vary::never,
                "of an all-reduce in the switch"),
      elsewhere("links", kLinks, kNothing, Vary::never, "links that `bandwidth` is the sum of"),
      elsewhere("links_per_rank", kLinks, otherwise("1"), Vary::never,
                "links that a rank alone fills"),
      elsewhere("collective_links", kLinks, otherwise("links"), Vary::never,
                "links that the rings and trees of one collective go over, one a channel; an "
                "all-to-all goes over all"));
}();
inline constexpr Keys<Tier> kTierKeys{"tiers", kTierRows};

inline constexpr auto kHostRows =
    keys<Host>(fact<&Host::memory_capacity>("memory_capacity", form::quantity(kBytes), kRequired,
                                            "memory of the processors"),
               fact<&Host::memory_bandwidth>("memory_bandwidth", node_forms::kBytesPerSecond,
                                             kRequired, "its peak rate"),
               fact<&Host::update_share>(
                   "update_share", form::number(0.01, 1, "share"), otherwise("0.46"),
                   "share of that rate that an optimizer on the host reaches; the default is that "
                   "of CPU-Adam on a DGX-2: 10 billion parameters in 2.57 s (arXiv:2101.06840, "
                   "table 4)"),
               fact<&Host::devices>("devices", form::whole(1, kMostPerNode, "devices"),
                                    otherwise("devices_per_node"), "devices that share it"),
               fact<&Host::launch_factor>(
                   "launch_factor", form::number(0.1, 10, "times"), otherwise("1"),
                   "time that its processor takes to launch a kernel, over that of the x86 servers "
                   "from which the profiles' times are"));
inline constexpr Keys<Host> kHostKeys{"host", kHostRows};

inline constexpr auto kNvmeRows = keys<Nvme>(
    fact<&Nvme::read>("read", node_forms::kBytesPerSecond, kRequired, "of all drives"),
    fact<&Nvme::write>("write", node_forms::kBytesPerSecond, kRequired, "of all drives"));
inline constexpr Keys<Nvme> kNvmeKeys{"nvme", kNvmeRows};

namespace node_forms {

inline constexpr Form kTierItem = form::object(kTierKeys);

}  // namespace node_forms

// Read in this order, the graph after the tiers.
inline constexpr auto kNodeRows = [] {
  using namespace node_forms;
  using C = Cluster;
  return keys<C>(
      kSourceKey, kSourcesKey,
      elsewhere("name", kName, otherwise("custom"), Vary::never, "its name"),
      elsewhere("device", form::document("device", &kDeviceDocument), kRequired, Vary::run,
                "its accelerator: a name, an object, or changes of a \"base\""),
      elsewhere("devices_per_node", form::whole(1, kMostPerNode, "devices"), kRequired, Vary::never,
                "devices that share a host"),
      elsewhere("tiers", form::named_list(kTierItem, 1, kMaxTiers), kRequired, Vary::run,
                "levels of the network, the innermost first"),
      elsewhere("graph", form::document("graph"), kNothing, Vary::run,
                "its links one by one, in place of the tiers' bandwidths"),
      elsewhere("fabric", form::document("fabric"), kNothing, Vary::run,
                "fat tree or dragonfly above the outermost tier"),
      fact<&C::host>("host", form::object(kHostKeys), kNothing, "what offloading needs"),
      fact<&C::nvme>("nvme", form::object(kNvmeKeys), kNothing, "drives of a node"),
      fact<&C::node_power>("power", form::quantity(kPower), kNothing,
                           "what a node draws with its devices"),
      key<&C::power_cap>("power_cap", form::quantity(kPower), otherwise("device.power"), Vary::run,
                         "what a device may draw: its clock, and the rates of products and "
                         "attention, follow"),
      elsewhere("collective_library", form::one_of<CollectiveLibrary>(),
                otherwise("nccl of NVIDIA, rccl of AMD"), Vary::never,
                "whose choice of algorithms holds"));
}();
inline constexpr Keys<Cluster> kNodeKeys{"", kNodeRows, {.has_sources = true, .has_base = true}};

template <>
struct KeysOf<Cluster> {
  static constexpr const Keys<Cluster>& table = kNodeKeys;
};

}  // namespace orrery
