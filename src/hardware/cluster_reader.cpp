// SPDX-License-Identifier: Apache-2.0
#include "hardware/cluster_reader.h"

#include "hardware/cluster_merge.h"
#include "hardware/device_reader.h"
#include "hardware/node_fields.h"
#include "hardware/provenance.h"
#include "hardware/spread.h"

namespace orrery {
namespace {

constexpr std::int64_t kMostGpus = 100'000'000;

CollectiveLibrary library_of(Vendor vendor) {
  if (vendor == Vendor::nvidia) return CollectiveLibrary::nccl;
  return vendor == Vendor::amd ? CollectiveLibrary::rccl : CollectiveLibrary::any;
}

// `out.node` is merged; what is wrong in it now is wrong in `file`, at `path`.
void read_merged(ResolvedCluster& out, const std::string& file, const std::string& path,
                 std::int64_t gpus, const HardwareLookup& lookup) {
  Reader node(out.node, file, path);
  out.cluster = read_node_fields(node, gpus);
  if (!path.empty()) {  // a cluster, where these stand beside what is merged
    node.allow("node");
    node.allow("gpus");
  }
  const auto library = node.find("collective_library");
  node.reject_unknown();
  const Reader device = node.at("device");
  out.device = merged_device(device, lookup);
  out.cluster.device = read_device(Reader(out.device, file, device.path()));
  out.cluster.library = library ? library->choice_of<CollectiveLibrary>(kCollectiveLibraryNames)
                                : library_of(out.cluster.device.vendor);
}

}  // namespace

ResolvedCluster read_cluster(Reader r, const HardwareLookup& lookup) {
  r.must_be_object();
  const std::int64_t gpus = r.at("gpus").integer(1, kMostGpus);
  ResolvedCluster out;
  out.node = merged_node(r, lookup);
  read_merged(out, r.file(), r.path(), gpus, lookup);
  spread_evenly(out.cluster);
  return out;
}

ResolvedCluster read_node(const Json& document, const std::string& file, std::int64_t gpus,
                          const HardwareLookup& lookup) {
  ResolvedCluster out;
  out.node = document;
  read_merged(out, file, "", gpus, lookup);
  return out;
}

std::string source_of(const ResolvedCluster& c, const std::string& path) {
  const std::string at = canonical_path(path, c.node);
  const std::string in_node = listed_source(c.node, at);
  if (!in_node.empty()) return in_node;
  const std::string device = "device.";
  if (at.compare(0, device.size(), device) == 0) {
    return document_source(c.device, at.substr(device.size()));
  }
  return document_source(c.node, at);
}

}  // namespace orrery
