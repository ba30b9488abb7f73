// SPDX-License-Identifier: Apache-2.0
//
// The time for the bytes that a kernel reads and writes in the device's memory, at the bandwidth of
// elementwise kernels. Leaves out caches and the launch of the kernel. Units: SI. Errors: none.
#pragma once

#include "core/number.h"
#include "hardware/device.h"

namespace orrery {

template <Number R>
BytesPerSecondOf<R> attained_memory_bandwidth(const Device& d);

template <Number R>
SecondsOf<R> memory_time(BytesOf<R> bytes, const Device& d);

}  // namespace orrery
