// SPDX-License-Identifier: Apache-2.0
#include "validate/fields.h"

#include <algorithm>
#include <cmath>

#include "estimate/run.h"
#include "parallel/framework_keys.h"

namespace orrery {
namespace {

constexpr double kLeastFraction = 1e-4;  // as hardware/device_reader.cpp
constexpr double kMostTimeFactor = 10;

DeviceEfficiency& efficiency(Run& run) { return run.cluster.device.efficiency; }

template <double DeviceEfficiency::*Member>
void device(Run& run, const Change& c) {
  efficiency(run).*Member = c(efficiency(run).*Member);
}

template <Precision P>
void gemm(Run& run, const Change& c) {
  double& share = efficiency(run).gemm[P];
  if (share > 0) share = c(share);
}

// The whole curve, forward and backward.
template <AttentionKernel K>
void attention(Run& run, const Change& c) {
  AttentionCurve& curve = efficiency(run).attention[K];
  if (!is_available(curve)) return;
  for (double& share : curve.forward) share = c(share);
  for (double& share : curve.backward) share = c(share);
}

// A key of one of the profile's groups.
template <auto Group, auto Member>
void framework(Run& run, const Change& c) {
  double& value = run.framework.*Group.*Member;
  value = c(value);
}

template <std::size_t Tier>
void tier_efficiency(Run& run, const Change& c) {
  if (Tier >= run.cluster.tier_count) return;
  run.cluster.tiers[Tier].efficiency = c(run.cluster.tiers[Tier].efficiency);
}

void launch(Run& run, const Change& c) {
  efficiency(run).launch = Seconds(c(efficiency(run).launch.si()));
}

template <auto Group, auto Member>
void framework_seconds(Run& run, const Change& c) {
  Seconds& value = run.framework.*Group.*Member;
  value = Seconds(c(value.si()));
}

constexpr FitDocument kDevice = FitDocument::device;
constexpr FitDocument kFramework = FitDocument::framework;
constexpr FitDocument kNode = FitDocument::node;

using E = DeviceEfficiency;
using F = Framework;

// With the range that its reader keeps.
template <auto Group, auto Member>
consteval FitField of_framework() {
  const Form& form = key_row<Member>.forms.front();
  return {key_path<Member>, kFramework, form.least, form.most, framework<Group, Member>};
}

// Up to a minute: what a step takes at most.
template <auto Group, auto Member>
consteval FitField seconds_of_framework() {
  return {key_path<Member>, kFramework, 0, 60, framework_seconds<Group, Member>};
}

constexpr std::array kFields = {
    FitField{"efficiency.gemm.fp16", kDevice, kLeastFraction, 1, gemm<Precision::fp16>},
    FitField{"efficiency.gemm.bf16", kDevice, kLeastFraction, 1, gemm<Precision::bf16>},
    FitField{"efficiency.gemm.fp8", kDevice, kLeastFraction, 1, gemm<Precision::fp8>},
    FitField{"efficiency.gemm.mxfp8", kDevice, kLeastFraction, 1, gemm<Precision::mxfp8>},
    FitField{"efficiency.gemm.nvfp4", kDevice, kLeastFraction, 1, gemm<Precision::nvfp4>},
    FitField{"efficiency.k_fill", kDevice, 0, 1e5, device<&E::k_fill>},
    FitField{"efficiency.alignment.multiple_64", kDevice, 1, kMostTimeFactor,
             device<&E::misaligned_64>},
    FitField{"efficiency.alignment.multiple_8", kDevice, 1, kMostTimeFactor,
             device<&E::misaligned_8>},
    FitField{"efficiency.grouped_gemm", kDevice, kLeastFraction, 1, device<&E::grouped_gemm>},
    FitField{"efficiency.memory", kDevice, kLeastFraction, 1, device<&E::memory>},
    FitField{"efficiency.power_factor", kDevice, kLeastFraction, 1, device<&E::power_factor>},
    FitField{"efficiency.launch", kDevice, 0, 1, launch},
    FitField{"efficiency.attention.unfused.gemm", kDevice, kLeastFraction, 1,
             device<&E::unfused_attention>},
    FitField{"efficiency.attention.flash-2", kDevice, kLeastFraction, 1,
             attention<AttentionKernel::flash_2>},
    FitField{"efficiency.attention.flash-3", kDevice, kLeastFraction, 1,
             attention<AttentionKernel::flash_3>},
    FitField{"efficiency.attention.cudnn", kDevice, kLeastFraction, 1,
             attention<AttentionKernel::cudnn>},
    FitField{"efficiency.attention.triton", kDevice, kLeastFraction, 1,
             attention<AttentionKernel::triton>},
    FitField{"efficiency.attention.sdpa", kDevice, kLeastFraction, 1,
             attention<AttentionKernel::sdpa>},
    of_framework<&F::overlap, &FrameworkOverlap::slowdown>(),
    of_framework<&F::level, &FrameworkLevel::factor>(),
    of_framework<&F::kernels, &FrameworkKernels::linear_rate>(),
    of_framework<&F::kernels, &FrameworkKernels::pointwise_passes>(),
    of_framework<&F::overlap, &FrameworkOverlap::tp_exposed>(),
    of_framework<&F::overlap, &FrameworkOverlap::ep_exposed>(),
    of_framework<&F::network, &FrameworkNetwork::fabric_share>(),
    of_framework<&F::overlap, &FrameworkOverlap::dp_share>(),
    of_framework<&F::overlap, &FrameworkOverlap::dp_floor>(),
    of_framework<&F::gathers, &FrameworkGathers::prefetch_norm>(),
    seconds_of_framework<&F::update, &FrameworkUpdate::refresh_per_rank>(),
    seconds_of_framework<&F::host, &FrameworkHost::launch>(),
    seconds_of_framework<&F::host, &FrameworkHost::hook>(),
    seconds_of_framework<&F::host, &FrameworkHost::step_overhead>(),
    of_framework<&F::kernels, &FrameworkKernels::grouped_rate>(),
    FitField{"tiers.0.efficiency", kNode, kLeastFraction, 1, tier_efficiency<0>},
    FitField{"tiers.1.efficiency", kNode, kLeastFraction, 1, tier_efficiency<1>},
};

double changed(const Change& c, double value) {
  switch (c.kind) {
    case ChangeKind::scale:
      return value * std::exp(c.by);
    case ChangeKind::offset:
      return value + c.by;
    case ChangeKind::excess:
      break;
  }
  return 1 + (value - 1) * std::exp(c.by);
}

}  // namespace

double Change::operator()(double value) const {
  return std::clamp(changed(*this, value), lowest, highest);
}

std::span<const FitField> fit_fields() { return kFields; }

}  // namespace orrery
