// SPDX-License-Identifier: Apache-2.0
//
// How long bytes take that a kernel reads and writes in the device's memory: at the bandwidth
// elementwise kernels attain. Leaves out caches and the launch of the kernel. Units: SI.
#pragma once

#include "core/number.h"
#include "hardware/device.h"

namespace orrery {

template <Number R>
BytesPerSecondOf<R> attained_memory_bandwidth(const Device& d);

template <Number R>
SecondsOf<R> memory_time(BytesOf<R> bytes, const Device& d);

}  // namespace orrery
