// SPDX-License-Identifier: Apache-2.0
// Random numbers in [−1, 1) by SplitMix64 of the element's position.
#include <cstdint>

#include "cuda/jobs.h"
#include "cuda/kernel_launch.h"

#ifndef ORRERY_HIP
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#endif

namespace orrery {
namespace {

__device__ float random_at(std::uint64_t i) {
  std::uint64_t x = i * 0x9e3779b97f4a7c15ULL + 0x632be59bd9b4e019ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  x ^= x >> 31;
  return static_cast<float>(static_cast<std::int64_t>(x >> 40)) * 0x1p-23F - 1.0F;
}

template <class T>
__global__ void fill(T* out, std::size_t n) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < n;
       i += step) {
    out[i] = T(random_at(i));
  }
}

template <class T>
void fill_all(const GpuBuffer& buffer, cudaStream_t stream) {
  const std::size_t n = buffer.bytes() / sizeof(T);
  if (n > 0) fill<<<blocks_for(n), kThreads, 0, stream>>>(static_cast<T*>(buffer.data()), n);
}

}  // namespace

void fill_random(const GpuBuffer& buffer, GpuElement element, cudaStream_t stream) {
  switch (element) {
    case GpuElement::float32:
      fill_all<float>(buffer, stream);
      break;
    case GpuElement::bfloat16:
      fill_all<GpuBf16>(buffer, stream);
      break;
#ifndef ORRERY_HIP
    case GpuElement::half:
      fill_all<__half>(buffer, stream);
      break;
    case GpuElement::fp8:
      fill_all<__nv_fp8_e4m3>(buffer, stream);
      break;
#else
    case GpuElement::half:
    case GpuElement::fp8:
      throw std::runtime_error("a buffer of elements that HIP's jobs do not use");
#endif
  }
  gpu_check(cudaGetLastError(), "filling a buffer");
}

}  // namespace orrery
