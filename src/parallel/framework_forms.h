// SPDX-License-Identifier: Apache-2.0
//
// Forms of the keys of a framework's profile, and readers of values that no form reads. Errors:
// InputError, from Reader.
#pragma once

#include "core/key_form.h"
#include "parallel/framework.h"

namespace orrery {

class Reader;

// Values that are no plain number, name or list.
void read_name(const Reader& r, Name& out);
void read_attention(const Reader& r, FrameworkKernels& out);
void read_loss_method(const Reader& r, FrameworkLoss& out);
void read_qwz(const Reader& r, FrameworkSharding& out);
void read_hpz(const Reader& r, FrameworkSharding& out);
void read_qgz(const Reader& r, FrameworkSharding& out);
void read_selective_modules(const Reader& r, ModuleMask& out);
void read_offloaded(const Reader& r, TensorMask& out);
void read_ep_exposed(const Reader& r, FrameworkOverlap& out);
void read_interval(const Reader& r, FrameworkLevel& out);
void read_unfused(const Reader& r, ChainMask& out);
void read_kept(const Reader& r, KeptGatheredMask& out);

namespace framework_forms {

inline constexpr Form kSwitch = form::boolean();
inline constexpr Form kShare = form::number(0, 1, "share");
inline constexpr Form kReached = form::number(0.001, 1, "share");
inline constexpr Form kOverhead = form::number(0, 10, "share");
inline constexpr Form kBytesOrNone = form::quantity(kBytes, true);
inline constexpr Form kLoss = form::one_of<CrossEntropy>();
inline constexpr Form kClass = form::one_of<StackClass>();
inline constexpr Form kKernel = form::one_of<AttentionKernel>();
inline constexpr Form kModule = form::one_of<Module>();
inline constexpr Form kTensor = form::one_of<OffloadTensor>();
inline constexpr Form kChain = form::one_of<Chain>();
inline constexpr Form kKept = form::one_of<KeptGathered>();
inline constexpr Form kBits = form::whole(0, 64, "bits");
inline constexpr Form kLaunches = form::number(0, 10'000, "kernels");
inline constexpr Form kRanks = form::whole(0, 1 << 20, "ranks");
inline constexpr Form kFactor = form::number(0.01, 100, "predicted step times");

}  // namespace framework_forms

}  // namespace orrery
