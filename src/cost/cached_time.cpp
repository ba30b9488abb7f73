// SPDX-License-Identifier: Apache-2.0
#include "cost/cached_time.h"

#include "cost/memory_time.h"

namespace orrery {
namespace {

constexpr double kSharpness = 8;  // p

}  // namespace

template <Number R>
SecondsOf<R> cached_time(BytesOf<R> bytes, double kernels, const Device& d) {
  const SecondsOf<R> memory = memory_time<R>(bytes, d);
  if (d.cache.capacity == Bytes()) return memory;
  const SecondsOf<R> cache = bytes / lift<R>(d.cache.bandwidth, {"device.cache.bandwidth"});
  if (plain(memory) <= plain(cache)) return memory;
  const R full = bytes / (lift<R>(kernels, {"kernels of the chain"}) *
                          lift<R>(d.cache.capacity, {"device.cache.capacity"}));
  const R found = named(R(1.0) / (R(1.0) + power(full, kSharpness)), {"share still in the cache"});
  return cache * found + memory * (R(1.0) - found);
}

template SecondsOf<double> cached_time(BytesOf<double>, double, const Device&);
template SecondsOf<Traced> cached_time(BytesOf<Traced>, double, const Device&);

}  // namespace orrery
