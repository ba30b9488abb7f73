// SPDX-License-Identifier: Apache-2.0
// Any text as the `graph` and the `fabric` of a cluster, as a graph alone, and as a placement.
#include "fuzz/configs.h"
#include "fuzz/harness.h"
#include "hardware/topology/graph_fold.h"
#include "hardware/topology/graph_reader.h"
#include "parallel/placement_json.h"

namespace {

using namespace orrery;

// Beyond it folding takes longer than a fuzzer waits.
constexpr std::size_t kMostLinksTried = 2000;

template <class Read>
void attempt(Read read) {
  try {
    read();
  } catch (const InputError&) {
  }
}

Cluster cluster_with(const std::string& key, const Json& value) {
  static const ConfigLookup kConfigs = fuzz::cached_configs();
  const Json cluster = {{"node", "dgx-a100-80gb"}, {"gpus", 64}, {key, value}};
  return read_cluster(Reader(cluster, "fuzz.json", "cluster"), kConfigs.hardware).cluster;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run(data, size, [](std::string_view text) {
    const Json document = parse_json(text, "fuzz.json");
    const Cluster plain = cluster_with("graph", nullptr);
    attempt([&] { read_placement(Reader(document, "fuzz.json", "parallel.placement"), plain); });
    attempt([&] { cluster_with("fabric", document); });
    const TopologyGraph g = read_graph(Reader(document, "fuzz.json"));
    if (g.links.size() > kMostLinksTried) return;
    Routes routes(g);
    graph_tier(routes, 1, static_cast<std::int64_t>(routes.device_count()));
    cluster_with("graph", document);
  });
}
