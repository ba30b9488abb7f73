// SPDX-License-Identifier: Apache-2.0
#include "cost/memory_time.h"

namespace orrery {

template <Number R>
BytesPerSecondOf<R> attained_memory_bandwidth(const Device& d) {
  return named(lift<R>(d.memory_bandwidth, {"device.memory_bandwidth"}) *
                   lift<R>(d.efficiency.memory, {"device.efficiency.memory"}),
               {"memory bandwidth attained"});
}

template <Number R>
SecondsOf<R> memory_time(BytesOf<R> bytes, const Device& d) {
  return bytes / attained_memory_bandwidth<R>(d);
}

template BytesPerSecondOf<double> attained_memory_bandwidth(const Device&);
template BytesPerSecondOf<Traced> attained_memory_bandwidth(const Device&);
template SecondsOf<double> memory_time(BytesOf<double>, const Device&);
template SecondsOf<Traced> memory_time(BytesOf<Traced>, const Device&);

}  // namespace orrery
