// SPDX-License-Identifier: Apache-2.0
//
// The cost of moving states and activations to the host or to NVMe.
//
// Activations and weights cross the host link beside their pass; only the time that the pass does
// not hide is exposed. The host updates offloaded optimizer states: gradients go down, the host
// reads and writes its states once at the share of its memory's bandwidth that an optimizer reaches
// (`host.update_share`; the devices in use share it), weights come back, one after the other
// (ZeRO-Offload, arXiv:2101.06840, without its delayed update). NVMe adds reading and writing the
// states (ZeRO-Infinity, arXiv:2104.07857). Offloaded weights stay where they are: those the device
// has updated go down, and drives are written. Products of a matrix's update run on the device
// [assumed]: its offloaded states cross the link for them, there and back. Leaves out the host's
// compute, which its memory bandwidth bounds. Errors: none.
#pragma once

#include "core/number.h"

namespace orrery {

struct ParametersHeld;
struct StageParameters;
struct Run;
struct StateRecipe;

// Copies to and from the host beside one micro batch's passes through a chunk: weights on the host
// are fetched for both passes, activations go down under the forward pass and come back under the
// backward pass. `kept`: saved activations of the chunk.
template <Number R>
struct PassCopies {
  SecondsOf<R> fetch{};
  SecondsOf<R> down{};
  SecondsOf<R> up{};
};

template <Number R>
PassCopies<R> pass_copies(const Run& run, const ParametersHeld& parameters, BytesOf<R> kept);

// Bytes of an optimizer step for one parameter: gradient twice (norm, update), states read and
// written, weights written.
double optimizer_traffic(const StateRecipe& recipe);

// Update on the device, and on the host for the offloaded part.
template <Number R>
struct OptimizerTime {
  SecondsOf<R> device{};
  SecondsOf<R> host{};
};

template <Number R>
OptimizerTime<R> optimizer_time(const Run& run, const ParametersHeld& parameters);

// Also of those that ranges of layers shard otherwise.
template <Number R>
OptimizerTime<R> optimizer_time(const Run& run, const StageParameters& parameters);

}  // namespace orrery
