// SPDX-License-Identifier: Apache-2.0
//
// The keys of a device, configs/hardware/devices/NAME.json, one row each (core/keys.h).
#pragma once

#include "core/provenance_keys.h"
#include "hardware/device.h"
#include "hardware/dimensions.h"

namespace orrery {

// Values that depend on others, or whose keys are all required.
void read_tile(const Reader& r, DeviceEfficiency& out);
void read_alignment(const Reader& r, DeviceEfficiency& out);
void read_attention(const Reader& r, DeviceEfficiency& out);
void read_by_head_size(const Reader& r, ByHeadSize& out);
void read_memory_capacity(const Reader& r, Device& out);

namespace device_forms {

inline constexpr Form kFraction = form::number(1e-4, 1, "share");
inline constexpr Form kFlopsPerSecond = form::quantity(kFlops - kSeconds);
inline constexpr Form kSlowdown = form::number(1, 10, "times");
inline constexpr Form kSide = form::whole(1, 4096, "elements");
inline constexpr std::array<std::string_view, 3> kHeadSizes = {"64", "128", "256"};
inline constexpr Form kByHeadSize = form::map(kFraction, kHeadSizes);

}  // namespace device_forms

inline constexpr auto kHostLinkRows = keys<HostLink>(
    fact<&HostLink::bandwidth>("bandwidth", form::quantity(kRate), kRequired,
                               "as a large copy attains it"),
    fact<&HostLink::latency>("latency", form::quantity(kSeconds, true), kRequired, "of one copy"));
inline constexpr Keys<HostLink> kHostLinkKeys{"host_link", kHostLinkRows};

inline constexpr auto kClockRows = keys<ClockLaw>(
    fact<&ClockLaw::highest>("highest", form::quantity(kNone - kSeconds), kRequired,
                             "highest clock, of which the rates are unless rates_at is given"),
    fact<&ClockLaw::at_rest>("at_rest", form::quantity(kPower), kRequired,
                             "what it draws in a job at any clock"),
    fact<&ClockLaw::at_load>("at_load", form::quantity(kPower), kRequired,
                             "what products and attention alone draw more at the highest clock"),
    fact<&ClockLaw::exponent>("exponent", form::number(1, 3, "power of the clock"), kRequired,
                              "how that grows with the clock"),
    fact<&ClockLaw::other_load>("other_load", form::number(0.01, 1, "share"), kRequired,
                                "load of all else, as a share of that of products"),
    fact<&ClockLaw::rates_at>("rates_at", form::quantity(kPower), kNothing,
                              "power under which the rates of `efficiency` hold; without it they "
                              "are of the highest clock"));
inline constexpr Keys<ClockLaw> kClockKeys{"clock", kClockRows};

inline constexpr auto kCacheRows = keys<SharedCache>(
    fact<&SharedCache::capacity>("capacity", form::quantity(kBytes), kRequired,
                                 "data that stays in it from one kernel to the next"),
    fact<&SharedCache::bandwidth>("bandwidth", form::quantity(kRate), kRequired,
                                  "at which kernels read it"));
inline constexpr Keys<SharedCache> kCacheKeys{"cache", kCacheRows};

inline constexpr auto kTileRows = keys<DeviceEfficiency>(
    fact<&DeviceEfficiency::tile_m>("m", device_forms::kSide, kRequired, "rows of an output tile"),
    fact<&DeviceEfficiency::tile_n>("n", device_forms::kSide, kRequired, "columns of it"),
    fact<&DeviceEfficiency::tile_load>("load", form::number(0, 1024, "multiply-adds"),
                                       otherwise("0"),
                                       "what loading an element costs; 0: one tile only"));
inline constexpr Keys<DeviceEfficiency> kTileKeys{"efficiency.tile", kTileRows};

inline constexpr auto kAlignmentRows = keys<DeviceEfficiency>(
    fact<&DeviceEfficiency::misaligned_64>("multiple_64", device_forms::kSlowdown, kRequired,
                                           "time factor if a dimension is no multiple of 64"),
    fact<&DeviceEfficiency::misaligned_8>("multiple_8", device_forms::kSlowdown, kRequired,
                                          "the same of 8, in place of it"),
    fact<&DeviceEfficiency::misaligned_head>("head_8", device_forms::kSlowdown,
                                             otherwise("multiple_8's"),
                                             "the same of unfused attention's head size"));
inline constexpr Keys<DeviceEfficiency> kAlignmentKeys{"efficiency.alignment", kAlignmentRows};

inline constexpr auto kCurveRows = keys<AttentionCurve>(
    fact<&AttentionCurve::forward>("forward", device_forms::kByHeadSize, kRequired,
                                   "share of the dense 16-bit peak on long sequences, by head size")
        .only_read_by<read_by_head_size>(),
    fact<&AttentionCurve::backward>("backward", device_forms::kByHeadSize, kRequired, "the same")
        .only_read_by<read_by_head_size>(),
    fact<&AttentionCurve::half_length>("half_length", form::number(0, 1e6, "tokens"), kRequired,
                                       "length at which half of it is reached"),
    fact<&AttentionCurve::of_earlier_devices>(
        "of_earlier_devices", form::boolean(), otherwise("false"),
        "it does without this device's own matrix instructions: a profile takes it where it has no "
        "kernel that uses them"));
inline constexpr Keys<AttentionCurve> kCurveKeys{"efficiency.attention", kCurveRows};

inline constexpr auto kUnfusedRows = keys<DeviceEfficiency>(
    fact<&DeviceEfficiency::unfused_attention>("gemm", device_forms::kFraction, kRequired,
                                               "share of the dense peak in its batched products"));
inline constexpr Keys<DeviceEfficiency> kUnfusedKeys{"efficiency.attention.unfused", kUnfusedRows};

namespace device_forms {

inline constexpr Form kCurve = form::object(kCurveKeys);

}  // namespace device_forms

inline constexpr auto kAttentionRows = [] {
  constexpr std::size_t kKernels = kCountOf<AttentionKernel>;
  KeyRows<DeviceEfficiency, kKernels + 1> rows{
      copies_of(kNoKey, std::make_index_sequence<kKernels + 1>())};
  for (std::size_t i = 0; i < kKernels; ++i) {
    rows.rows[i] = elsewhere(kNamesOf<AttentionKernel>[i], device_forms::kCurve, kNothing,
                             Vary::never, "rates of this kernel; absent: the device has none");
  }
  rows.rows[kKernels] = elsewhere("unfused", form::object(kUnfusedKeys), kRequired, Vary::never,
                                  "attention made of matrix products");
  return rows;
}();
inline constexpr Keys<DeviceEfficiency> kAttentionKeys{"efficiency.attention", kAttentionRows};

inline constexpr auto kEfficiencyRows = [] {
  using E = DeviceEfficiency;
  using namespace device_forms;
  return keys<E>(
      fact<&E::gemm>("gemm", form::map(kFraction, kNamesOf<Precision>), kRequired,
                     "share of the peak in large matrix products of training shapes"),
      fact<&E::tile_m>("tile", form::object(kTileKeys), kRequired, "output tile of a product")
          .only_read_by<read_tile>(),
      fact<&E::k_fill>("k_fill", form::number(0, 1e5, "elements"), kRequired,
                       "elements of the inner dimension lost to prologue and epilogue"),
      fact<&E::misaligned_64>("alignment", form::object(kAlignmentKeys), kRequired,
                              "what odd dimensions cost")
          .only_read_by<read_alignment>(),
      fact<&E::attention>("attention", form::object(kAttentionKeys), kRequired,
                          "rates of attention kernels")
          .only_read_by<read_attention>(),
      fact<&E::power_factor>("power_factor", kFraction, kRequired,
                             "factor on every compute rate, below 1 if power is capped"),
      fact<&E::grouped_gemm>("grouped_gemm", kFraction, kRequired,
                             "experts' products, share of the dense product's rate"),
      fact<&E::memory>("memory", kFraction, kRequired,
                       "share of memory_bandwidth that elementwise kernels reach"),
      fact<&E::launch>("launch", form::quantity(kSeconds, true), kRequired, "of one kernel"));
}();
inline constexpr std::array<GoneKey, 1> kGoneEfficiencies{
    {{"communication_slowdown", "no such key here: it is a key of the framework now"}}};
inline constexpr Keys<DeviceEfficiency> kEfficiencyKeys{
    "efficiency", kEfficiencyRows, {.gone = kGoneEfficiencies}};

inline constexpr auto kDeviceRows = [] {
  using D = Device;
  using namespace device_forms;
  return keys<D>(
      kSourceKey, kSourcesKey,
      elsewhere("name", form::text("a name of 1 to 31 bytes", ".+"), otherwise("custom"),
                Vary::never, "its name"),
      fact<&D::vendor>("vendor", form::one_of<Vendor>(), kRequired, "who makes it"),
      fact<&D::generation>("architecture", form::one_of<Generation>(), kRequired, "its generation"),
      fact<&D::memory_capacity>("memory_capacity", form::quantity(kBytes), kRequired,
                                "as the driver shows it")
          .only_read_by<read_memory_capacity>(),
      fact<&D::memory_bandwidth>("memory_bandwidth", form::quantity(kRate), kRequired,
                                 "peak rate of its memory"),
      fact<&D::multiprocessors>("multiprocessors", form::whole(1, 100000, "SMs or CUs"), kRequired,
                                "SMs or CUs"),
      fact<&D::power>("power", form::quantity(kPower), kRequired, "what it draws at most"),
      fact<&D::clock>("clock", form::object(kClockKeys), kNothing,
                      "the clock that it sustains within its power"),
      fact<&D::cache>("cache", form::object(kCacheKeys), kNothing,
                      "last cache before its memory: L2, or AMD's Infinity Cache"),
      fact<&D::host_link>("host_link", form::object(kHostLinkKeys), kRequired,
                          "its link to the host's memory"),
      fact<&D::peak>("peak", form::map(kFlopsPerSecond, kNamesOf<Precision>), kRequired,
                     "dense FLOP/s by precision; the device lacks absent ones"),
      fact<&D::efficiency>("efficiency", form::object(kEfficiencyKeys), kRequired,
                           "what real kernels reach"));
}();
inline constexpr Keys<Device> kDeviceKeys{"", kDeviceRows, {.has_sources = true, .has_base = true}};

}  // namespace orrery
