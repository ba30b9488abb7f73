// SPDX-License-Identifier: Apache-2.0
#include "hardware/device_reader.h"

#include <string>

#include "core/error.h"
#include "hardware/dimensions.h"

namespace orrery {
namespace {

constexpr Bytes kSmallestMemory{1e6};  // below it a unit was forgotten

constexpr Dimension kFlopRate = kFlops - kSeconds;
constexpr double kLeastFraction = 1e-4;
constexpr double kMostTimeFactor = 10;
constexpr double kMostTileLoad = 1024;

double fraction(const Reader& r) { return r.number(kLeastFraction, 1); }

// Values by precision; what is not named stays 0.
template <class T, class Read>
std::array<T, kPrecisions> by_precision(Reader r, Read read) {
  std::array<T, kPrecisions> values{};
  for (std::size_t i = 0; i < kPrecisions; ++i) {
    if (auto found = r.find(std::string(kNamesOf<Precision>[i]))) values[i] = read(*found);
  }
  r.reject_unknown();
  return values;
}

void read_compute(Reader& r, Reader& e, Device& d) {
  Reader peak = r.at("peak");
  d.peak =
      by_precision<FlopsPerSecond>(peak, [](const Reader& x) { return x.quantity<kFlopRate>(); });
  if (peak.keys().empty()) peak.fail("at least one precision");
  Reader gemm = e.at("gemm");
  d.efficiency.gemm = by_precision<double>(gemm, fraction);
  for (std::size_t i = 0; i < kPrecisions; ++i) {
    const bool has_peak = d.peak[i].si() > 0;
    const bool has_fraction = d.efficiency.gemm[i] > 0;
    const std::string name(kNamesOf<Precision>[i]);
    if (has_peak && !has_fraction) gemm.at(name);  // missing: says so
    if (has_fraction && !has_peak) gemm.at(name).fail("only precisions that `peak` names");
  }
}

ByHeadSize read_by_head_size(Reader r) {
  ByHeadSize f{};
  for (std::size_t i = 0; i < f.size(); ++i) {
    f[i] = fraction(r.at(std::to_string(kAttentionHeadSizes[i])));
  }
  r.reject_unknown();
  return f;
}

AttentionCurve read_curve(Reader r) {
  AttentionCurve c;
  c.forward = read_by_head_size(r.at("forward"));
  c.backward = read_by_head_size(r.at("backward"));
  c.half_length = r.at("half_length").number(0, 1e6);
  r.reject_unknown();
  return c;
}

void read_attention(Reader r, DeviceEfficiency& e) {
  for (std::size_t i = 0; i < kAttentionKernels; ++i) {
    if (auto found = r.find(std::string(kNamesOf<AttentionKernel>[i]))) {
      e.attention[i] = read_curve(*found);
    }
  }
  Reader unfused = r.at("unfused");
  e.unfused_attention = fraction(unfused.at("gemm"));
  unfused.reject_unknown();
  r.reject_unknown();
}

void read_shape_effects(Reader& r, DeviceEfficiency& e) {
  Reader tile = r.at("tile");
  e.tile_m = tile.at("m").integer(1, 4096);
  e.tile_n = tile.at("n").integer(1, 4096);
  if (auto load = tile.find("load")) e.tile_load = load->number(0, kMostTileLoad);
  tile.reject_unknown();
  e.k_fill = r.at("k_fill").number(0, 1e5);
  Reader alignment = r.at("alignment");
  e.misaligned_64 = alignment.at("multiple_64").number(1, kMostTimeFactor);
  e.misaligned_8 = alignment.at("multiple_8").number(e.misaligned_64, kMostTimeFactor);
  e.misaligned_head = e.misaligned_8;
  if (auto head = alignment.find("head_8")) e.misaligned_head = head->number(1, kMostTimeFactor);
  alignment.reject_unknown();
}

void read_rest(Reader& r, DeviceEfficiency& e) {
  e.power_factor = fraction(r.at("power_factor"));
  e.grouped_gemm = fraction(r.at("grouped_gemm"));
  e.memory = fraction(r.at("memory"));
  e.launch = r.at("launch").quantity<kSeconds>(true);
  e.communication_slowdown = r.at("communication_slowdown").number(0, kMostTimeFactor);
}

HostLink read_host_link(Reader r) {
  HostLink link;
  link.bandwidth = r.at("bandwidth").quantity<kRate>();
  link.latency = r.at("latency").quantity<kSeconds>(true);
  r.reject_unknown();
  return link;
}

void read_sources(Reader& r) {
  if (auto source = r.find("source")) static_cast<void>(source->text());
  if (auto sources = r.find("sources")) {
    for (const std::string& key : sources->keys()) static_cast<void>(sources->at(key).text());
  }
}

}  // namespace

Name read_heading(Reader& r, std::string_view unnamed) {
  read_sources(r);
  const auto found = r.find("name");
  const std::string name = found ? found->text() : std::string(unnamed);
  if (name.empty() || name.size() > kLongestName) {
    found->fail("a name of 1 to " + std::to_string(kLongestName) + " bytes");
  }
  return make_name(name);
}

Device read_device(Reader r) {
  Device d;
  d.name = read_heading(r, "custom");
  d.vendor = r.at("vendor").choice<Vendor>();
  d.generation = r.at("architecture").choice<Generation>();
  d.memory_capacity = r.at("memory_capacity").quantity<kBytes>();
  if (d.memory_capacity < kSmallestMemory) {
    r.at("memory_capacity").fail("at least 1 MB, such as \"80 GiB\"; a bare number counts bytes");
  }
  d.memory_bandwidth = r.at("memory_bandwidth").quantity<kRate>();
  d.multiprocessors = r.at("multiprocessors").integer(1, 100000);
  d.power = r.at("power").quantity<kPower>();
  d.host_link = read_host_link(r.at("host_link"));
  Reader e = r.at("efficiency");
  read_compute(r, e, d);
  read_shape_effects(e, d.efficiency);
  read_attention(e.at("attention"), d.efficiency);
  read_rest(e, d.efficiency);
  e.reject_unknown();
  r.reject_unknown();
  return d;
}

}  // namespace orrery
