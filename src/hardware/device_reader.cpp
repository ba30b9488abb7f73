// SPDX-License-Identifier: Apache-2.0
#include "hardware/device_reader.h"

#include <string>

#include "core/error.h"
#include "core/units.h"
#include "hardware/cluster_keys.h"
#include "hardware/device_keys.h"

namespace orrery {

constinit const KeyTable kDeviceDocument = kDeviceKeys;

namespace {

constexpr Bytes kSmallestMemory{1e6};  // below it a unit was forgotten

// Every precision has both, or neither.
void check_precisions(Reader& r, const Device& d) {
  Reader peak = r.at("peak");
  if (peak.keys().empty()) peak.fail("at least one precision");
  Reader gemm = r.at("efficiency").at("gemm");
  for (const Precision p : kAllOf<Precision>) {
    const bool has_peak = has_precision(d, p);
    const bool has_fraction = d.efficiency.gemm[p] > 0;
    const std::string name(name_of(p));
    if (has_peak && !has_fraction) gemm.at(name);  // missing: says so
    if (has_fraction && !has_peak) gemm.at(name).fail("only precisions that `peak` names");
  }
}

// A cap of half of the power leaves room for a clock.
void check_clock(Reader& r, const Device& d) {
  if (!is_known(d.clock) || d.clock.at_rest * 2.0 < d.power) return;
  r.at("clock").at("at_rest").fail("less than half of `power`, " + pretty(d.power * 0.5));
}

}  // namespace

Name read_heading(Reader& r, std::string_view unnamed) {
  check_sources(r);
  const auto found = r.find("name");
  const std::string name = found ? found->text() : std::string(unnamed);
  if (name.empty() || name.size() > kLongestName) {
    found->fail("a name of 1 to " + std::to_string(kLongestName) + " bytes");
  }
  return make_name(name);
}

void read_tile(const Reader& r, DeviceEfficiency& out) { read_all(kTileKeys, r, out); }

void read_alignment(const Reader& r, DeviceEfficiency& out) {
  out.misaligned_head = 0;
  read_all(kAlignmentKeys, r, out);
  if (out.misaligned_8 < out.misaligned_64) {
    const Key& multiple_8 = kAlignmentRows.rows[1];
    Reader(r)
        .at(std::string(multiple_8.name))
        .number(out.misaligned_64, device_forms::kSlowdown.most);
  }
  if (out.misaligned_head == 0) out.misaligned_head = out.misaligned_8;
}

void read_by_head_size(const Reader& r, ByHeadSize& out) {
  Reader sizes = r;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Form& f = device_forms::kFraction;
    out[i] = sizes.at(std::string(device_forms::kHeadSizes[i])).number(f.least, f.most);
  }
  sizes.reject_unknown();
}

void read_attention(const Reader& r, DeviceEfficiency& out) {
  Reader kernels = r;
  for (const AttentionKernel k : kAllOf<AttentionKernel>) {
    const auto curve = kernels.find(std::string(name_of(k)));
    if (curve) read_all(kCurveKeys, *curve, out.attention[k]);
  }
  read_all(kUnfusedKeys, kernels.at("unfused"), out);
  kernels.reject_unknown();
}

void read_memory_capacity(const Reader& r, Device& out) {
  out.memory_capacity = r.quantity<kBytes>();
  if (out.memory_capacity >= kSmallestMemory) return;
  r.fail("at least 1 MB, such as \"80 GiB\"; a bare number counts bytes");
}

Device read_device(Reader r) {
  Device d;
  d.name = read_heading(r, "custom");
  read_known(kDeviceKeys, r, d);
  r.reject_unknown();
  check_precisions(r, d);
  check_clock(r, d);
  return d;
}

}  // namespace orrery
