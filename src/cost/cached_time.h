// SPDX-License-Identifier: Apache-2.0
//
// The time for the bytes of a kernel whose inputs the kernel before it wrote: as far as they are
// still in the device's shared cache, at the cache's rate, the rest from memory.
//
// A working set of B bytes finds 1/(1 + (B/C)^p) of itself in a cache of C bytes, as reads over and
// over of one array do: p is 7 to 10 on A100 and H200 (te42kyfo/gpu-benches@1c36d509ee
// gpu-l2-cache). B are the bytes that the kernel reads and writes; of a chain of n kernels, each of
// which reads what the one before it wrote, an n-th of the chain's. The time rises with B whatever
// the two rates are. Leaves out what lay in the cache before, and the bytes written back to memory
// behind later kernels. Units: SI. Errors: none.
#pragma once

#include "core/number.h"
#include "hardware/device.h"

namespace orrery {

// `bytes` of all `kernels` of a chain; at least one.
template <Number R>
SecondsOf<R> cached_time(BytesOf<R> bytes, double kernels, const Device& d);

}  // namespace orrery
