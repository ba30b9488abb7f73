// SPDX-License-Identifier: Apache-2.0
#include "insight/rests_on.h"

#include "core/provenance.h"
#include "cost/operator_time.h"
#include "estimate/price.h"
#include "estimate/resolve.h"

namespace orrery {
namespace {

std::string_view basis_of(const Source& source) {
  switch (source.kind) {
    case SourceKind::stated:
      return name_of(RestsOn::datasheet);
    case SourceKind::measured:
      return source.calibration.empty() ? "measured elsewhere" : name_of(RestsOn::measured);
    case SourceKind::fitted:
      return name_of(RestsOn::published);
    case SourceKind::announced:
      return "announced";
    case SourceKind::run:
      return "set by the run";
    case SourceKind::unknown:
    case SourceKind::derived:
    case SourceKind::assumed:
    case SourceKind::memory:
      break;
  }
  return "assumed";
}

void add(const ResolvedCluster& c, const std::string& part, const std::string& path,
         std::vector<RestsOnPart>& out) {
  const Source source = source_of(c, path);
  out.push_back({part, std::string(basis_of(source)), source.calibration});
}

// Where a fit of another precision has moved what all products share.
void add_shapes(const ResolvedRun& r, std::vector<RestsOnPart>& out) {
  for (const char* shared : {"tile_m", "k_fill", "launch"}) {
    const std::string path = std::string("device.efficiency.") + shared;
    const std::string& calibration = source_of(r.cluster, path).calibration;
    if (calibration.empty() || calibration == out.back().calibration) continue;
    add(r.cluster, "tiles and launches of products", path, out);
    return;
  }
}

std::string attention_path(const Run& run) {
  if (!run.training.fused_attention) return "device.efficiency.attention.unfused";
  return "device.efficiency.attention." + std::string(name_of(kernel_choice(run).attention)) +
         ".forward.128";
}

}  // namespace

std::vector<RestsOnPart> network_rests_on(const ResolvedCluster& c) {
  std::vector<RestsOnPart> out;
  for (std::size_t i = 0; i < c.cluster.tier_count; ++i) {
    if (c.cluster.gpus == 1 || (i > 0 && c.cluster.tiers[i - 1].size >= c.cluster.gpus)) break;
    add(c, "network: " + std::string(c.cluster.tiers[i].name.view()),
        "tiers." + std::to_string(i) + ".efficiency", out);
  }
  return out;
}

std::vector<RestsOnPart> parts_rest_on(const ResolvedRun& r) {
  std::vector<RestsOnPart> out;
  add(r.cluster, "matrix products",
      "device.efficiency.gemm." + std::string(name_of(r.run.training.precision)), out);
  add_shapes(r, out);
  add(r.cluster, "attention", attention_path(r.run), out);
  add(r.cluster, "memory-bound kernels", "device.efficiency.memory", out);
  for (RestsOnPart& p : network_rests_on(r.cluster)) out.push_back(std::move(p));
  return out;
}

}  // namespace orrery
