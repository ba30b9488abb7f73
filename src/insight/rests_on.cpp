// SPDX-License-Identifier: Apache-2.0
#include "insight/rests_on.h"

#include "cost/operator_time.h"
#include "document/words.h"
#include "estimate/price.h"
#include "hardware/provenance.h"

namespace orrery {
namespace {

constexpr const char* kCalibration = ": calibration ";

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string basis_of(const std::string& source) {
  const auto name = [](RestsOn r) { return std::string(name_of(r)); };
  if (source.rfind(name(RestsOn::measured), 0) == 0) return name(RestsOn::measured);
  if (source == kSetByRun) return kSetByRun;
  if (source.rfind(name(RestsOn::published), 0) == 0 || has(source, "[fitted")) {
    return name(RestsOn::published);
  }
  const bool is_guess = source.empty() || has(source, "[from memory") || has(source, "[derived]") ||
                        has(source, "assumed");
  return is_guess ? "assumed" : name(RestsOn::datasheet);
}

std::string calibration_of(const std::string& source) {
  const std::size_t at = source.find(kCalibration);
  if (at == std::string::npos) return "";
  const std::string name = source.substr(at + std::string_view(kCalibration).size());
  return name.substr(0, name.find(" of "));
}

void add(const ResolvedCluster& c, const std::string& part, const std::string& path,
         std::vector<RestsOnPart>& out) {
  const std::string source = source_of(c, path);
  out.push_back({part, basis_of(source), calibration_of(source)});
}

std::string attention_path(const Run& run) {
  if (!run.training.fused_attention) return "device.efficiency.attention.unfused";
  const auto kernel = static_cast<std::size_t>(kernel_choice(run).attention);
  return "device.efficiency.attention." + std::string(kNamesOf<AttentionKernel>[kernel]) +
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
  add(r.cluster, "attention", attention_path(r.run), out);
  add(r.cluster, "memory-bound kernels", "device.efficiency.memory", out);
  for (RestsOnPart& p : network_rests_on(r.cluster)) out.push_back(std::move(p));
  return out;
}

}  // namespace orrery
