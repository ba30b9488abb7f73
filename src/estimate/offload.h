// SPDX-License-Identifier: Apache-2.0
//
// What moving states and activations to the host or to NVMe costs.
//
// Activations and weights travel over the host link beside the pass they belong to, and only what
// the pass does not cover shows. Offloaded optimizer states are updated by the host: gradients go
// down, the host reads and writes its states once at its memory's bandwidth (shared by the node's
// devices), weights come back, one after the other (ZeRO-Offload, arXiv:2101.06840, without its
// delayed update). NVMe adds reading and writing the states (ZeRO-Infinity, arXiv:2104.07857).
// Leaves out the host's compute, which its memory bandwidth bounds.
#pragma once

#include "estimate/run.h"
#include "estimate/stage.h"

namespace orrery {

// While `bytes` cross the host link, or the drives behind it, one way.
template <Number R>
SecondsOf<R> streamed_time(const Run& run, OffloadTarget target, bool write, BytesOf<R> bytes);

// Bytes an optimizer step touches of one parameter: gradient twice (norm, update), states read and
// written, weights written.
double optimizer_traffic(const StateRecipe& recipe);

// Update on the device, and on the host where it is offloaded.
template <Number R>
struct OptimizerTime {
  SecondsOf<R> device{};
  SecondsOf<R> host{};
};

template <Number R>
OptimizerTime<R> optimizer_time(const Run& run, const ParametersHeld& parameters);

}  // namespace orrery
