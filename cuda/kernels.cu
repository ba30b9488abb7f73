// SPDX-License-Identifier: Apache-2.0
//
// Memory-bound kernels as a training step has them, plain ones: a block a row where a row is
// reduced, else a thread an element. Bytes are those read and written.
#include <cstdint>
#include <utility>

#include "cuda/jobs.h"

#ifndef ORRERY_HIP
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#endif

namespace orrery {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kWidth = 4096;   // of a row that is normed
constexpr std::int64_t kLogits = 8192;  // of a row of the loss

__device__ float random_at(std::uint64_t i) {
  std::uint64_t x = i * 0x9e3779b97f4a7c15ULL + 0x632be59bd9b4e019ULL;  // SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
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

__device__ float block_sum(float x) {
  __shared__ float sums[kThreads];
  sums[threadIdx.x] = x;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  const float sum = sums[0];
  __syncthreads();
  return sum;
}

__device__ float block_max(float x) {
  __shared__ float most[kThreads];
  most[threadIdx.x] = x;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) {
      most[threadIdx.x] = fmaxf(most[threadIdx.x], most[threadIdx.x + half]);
    }
    __syncthreads();
  }
  const float largest = most[0];
  __syncthreads();
  return largest;
}

__global__ void nothing() {}

__global__ void copy(const float4* in, float4* out, std::size_t n) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < n;
       i += step) {
    out[i] = in[i];
  }
}

// RMSNorm.
__global__ void norm(const GpuBf16* in, GpuBf16* out) {
  const GpuBf16* row = in + blockIdx.x * kWidth;
  float kept[kWidth / kThreads];
  float squares = 0;
  for (int j = 0; j < kWidth / kThreads; ++j) {
    kept[j] = static_cast<float>(row[j * kThreads + threadIdx.x]);
    squares += kept[j] * kept[j];
  }
  const float scale = rsqrtf(block_sum(squares) / static_cast<float>(kWidth) + 1e-5F);
  for (int j = 0; j < kWidth / kThreads; ++j) {
    out[blockIdx.x * kWidth + j * kThreads + threadIdx.x] = GpuBf16(kept[j] * scale);
  }
}

__global__ void softmax(const GpuBf16* in, GpuBf16* out) {
  const GpuBf16* row = in + blockIdx.x * kWidth;
  float kept[kWidth / kThreads];
  float most = -1e30F;
  for (int j = 0; j < kWidth / kThreads; ++j) {
    kept[j] = static_cast<float>(row[j * kThreads + threadIdx.x]);
    most = fmaxf(most, kept[j]);
  }
  most = block_max(most);
  float sum = 0;
  for (float& x : kept) {
    x = __expf(x - most);
    sum += x;
  }
  sum = block_sum(sum);
  for (int j = 0; j < kWidth / kThreads; ++j) {
    out[blockIdx.x * kWidth + j * kThreads + threadIdx.x] = GpuBf16(kept[j] / sum);
  }
}

// SwiGLU: reads gate and up, writes one.
__global__ void activation(const GpuBf16* gate, const GpuBf16* up, GpuBf16* out, std::size_t n) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < n;
       i += step) {
    const float g = static_cast<float>(gate[i]);
    out[i] = GpuBf16(g / (1 + __expf(-g)) * static_cast<float>(up[i]));
  }
}

// Adam in fp32: reads weight, gradient and both moments, writes weight and moments.
__global__ void adam(float* w, const float* g, float* m, float* v, std::size_t n) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < n;
       i += step) {
    const float first = 0.9F * m[i] + 0.1F * g[i];
    const float second = 0.95F * v[i] + 0.05F * g[i] * g[i];
    m[i] = first;
    v[i] = second;
    w[i] -= 1e-4F * first / (sqrtf(fabsf(second)) + 1e-8F);
  }
}

// Reads a row of logits once, writes its log-sum-exp.
__global__ void cross_entropy(const GpuBf16* logits, float* loss) {
  const GpuBf16* row = logits + blockIdx.x * kLogits;
  float most = -1e30F;
  float sum = 0;
  for (int j = threadIdx.x; j < kLogits; j += kThreads) {
    const float x = static_cast<float>(row[j]);
    const float larger = fmaxf(most, x);
    sum = sum * __expf(most - larger) + __expf(x - larger);
    most = larger;
  }
  const float all = block_max(most);
  sum = block_sum(sum * __expf(most - all));
  if (threadIdx.x == 0) loss[blockIdx.x] = all + __logf(sum);
}

unsigned blocks_for(std::size_t n) {
  constexpr std::size_t kMost = 1U << 16U;
  const std::size_t wanted = (n + kThreads - 1) / kThreads;
  return static_cast<unsigned>(wanted < 1 ? 1 : wanted > kMost ? kMost : wanted);
}

GpuBuffer random_buffer(std::size_t bytes, GpuElement element, cudaStream_t stream) {
  GpuBuffer buffer(bytes);
  fill_random(buffer, element, stream);
  return buffer;
}

template <class T>
T* as(const GpuBuffer& b) {
  return static_cast<T*>(b.data());
}

GpuJob copy_job(std::size_t bytes, cudaStream_t stream) {
  const std::size_t n = bytes / 2 / sizeof(float4);
  GpuJob job;
  job.buffers.push_back(random_buffer(n * sizeof(float4), GpuElement::float32, stream));
  job.buffers.emplace_back(n * sizeof(float4));
  job.start = [in = as<float4>(job.buffers[0]), out = as<float4>(job.buffers[1]),
               n](cudaStream_t s) { copy<<<blocks_for(n), kThreads, 0, s>>>(in, out, n); };
  return job;
}

// By the copy engine, not by a kernel; bytes are read and written as of any other.
GpuJob device_copy_job(std::size_t bytes, cudaStream_t stream) {
  GpuJob job;
  job.buffers.push_back(random_buffer(bytes / 2, GpuElement::float32, stream));
  job.buffers.emplace_back(bytes / 2);
  job.start = [from = job.buffers[0].data(), to = job.buffers[1].data(),
               n = bytes / 2](cudaStream_t s) {
    gpu_check(cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToDevice, s), "a copy on the device");
  };
  return job;
}

using RowKernel = void (*)(const GpuBf16*, GpuBf16*);

GpuJob row_job(RowKernel kernel, std::size_t bytes, cudaStream_t stream) {
  const std::size_t row = kWidth * sizeof(GpuBf16);
  const auto rows = static_cast<unsigned>(bytes / 2 / row);
  GpuJob job;
  if (rows == 0) {
    job.why_not = "smaller than a row of the kernel";
    return job;
  }
  job.buffers.push_back(random_buffer(rows * row, GpuElement::bfloat16, stream));
  job.buffers.emplace_back(rows * row);
  job.start = [in = as<GpuBf16>(job.buffers[0]), out = as<GpuBf16>(job.buffers[1]), rows,
               kernel](cudaStream_t s) { kernel<<<rows, kThreads, 0, s>>>(in, out); };
  return job;
}

GpuJob activation_job(std::size_t bytes, cudaStream_t stream) {
  const std::size_t n = bytes / 3 / sizeof(GpuBf16);
  GpuJob job;
  for (int i = 0; i < 2; ++i) {
    job.buffers.push_back(random_buffer(n * sizeof(GpuBf16), GpuElement::bfloat16, stream));
  }
  job.buffers.emplace_back(n * sizeof(GpuBf16));
  job.start = [gate = as<GpuBf16>(job.buffers[0]), up = as<GpuBf16>(job.buffers[1]),
               out = as<GpuBf16>(job.buffers[2]), n](cudaStream_t s) {
    activation<<<blocks_for(n), kThreads, 0, s>>>(gate, up, out, n);
  };
  return job;
}

GpuJob adam_job(std::size_t bytes, cudaStream_t stream) {
  constexpr std::size_t kMoved = 7 * sizeof(float);
  const std::size_t n = bytes / kMoved;
  GpuJob job;
  for (int i = 0; i < 4; ++i) {
    job.buffers.push_back(random_buffer(n * sizeof(float), GpuElement::float32, stream));
  }
  job.start = [w = as<float>(job.buffers[0]), g = as<float>(job.buffers[1]),
               m = as<float>(job.buffers[2]), v = as<float>(job.buffers[3]),
               n](cudaStream_t s) { adam<<<blocks_for(n), kThreads, 0, s>>>(w, g, m, v, n); };
  return job;
}

GpuJob loss_job(std::size_t bytes, cudaStream_t stream) {
  const std::size_t row = kLogits * sizeof(GpuBf16);
  const auto rows = static_cast<unsigned>(bytes / row);
  GpuJob job;
  if (rows == 0) {
    job.why_not = "smaller than a row of the kernel";
    return job;
  }
  job.buffers.push_back(random_buffer(rows * row, GpuElement::bfloat16, stream));
  job.buffers.emplace_back(rows * sizeof(float));
  job.start = [in = as<GpuBf16>(job.buffers[0]), out = as<float>(job.buffers[1]),
               rows](cudaStream_t s) { cross_entropy<<<rows, kThreads, 0, s>>>(in, out); };
  return job;
}

}  // namespace

void fill_random(const GpuBuffer& buffer, GpuElement element, cudaStream_t stream) {
  const auto run = [&](auto* data) {
    const std::size_t n = buffer.bytes() / sizeof(*data);
    if (n > 0) fill<<<blocks_for(n), kThreads, 0, stream>>>(data, n);
  };
  switch (element) {
    case GpuElement::float32:
      run(as<float>(buffer));
      break;
    case GpuElement::bfloat16:
      run(as<GpuBf16>(buffer));
      break;
#ifndef ORRERY_HIP
    case GpuElement::half:
      run(as<__half>(buffer));
      break;
    case GpuElement::fp8:
      run(as<__nv_fp8_e4m3>(buffer));
      break;
#else
    default:
      break;
#endif
  }
  gpu_check(cudaGetLastError(), "filling a buffer");
}

GpuJob memory_job(const std::string& kernel, Bytes size, cudaStream_t stream) {
  const auto bytes = static_cast<std::size_t>(size.si());
  if (kernel == "copy") return copy_job(bytes, stream);
  if (kernel == "device copy") return device_copy_job(bytes, stream);
  if (kernel == "norm") return row_job(norm, bytes, stream);
  if (kernel == "softmax") return row_job(softmax, bytes, stream);
  if (kernel == "activation") return activation_job(bytes, stream);
  if (kernel == "optimizer") return adam_job(bytes, stream);
  if (kernel == "cross-entropy") return loss_job(bytes, stream);
  GpuJob job;
  job.why_not = "the kernel " + kernel;
  return job;
}

GpuJob launch_job() {
  GpuJob job;
  job.start = [](cudaStream_t s) { nothing<<<1, 1, 0, s>>>(); };
  return job;
}

GpuJob host_copy_job(Bytes size, bool to_host, cudaStream_t stream) {
  const auto bytes = static_cast<std::size_t>(size.si());
  GpuJob job;
  job.buffers.emplace_back(bytes, true);
  job.buffers.push_back(random_buffer(bytes, GpuElement::float32, stream));
  void* host = job.buffers[0].data();
  void* device = job.buffers[1].data();
  gpu_check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream), "random data");
  job.start = [host, device, to_host, bytes](cudaStream_t s) {
    gpu_check(to_host ? cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, s)
                      : cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, s),
              "a copy over the host's link");
  };
  return job;
}

GpuJob peer_copy_job(Bytes size, cudaStream_t stream) {
  const auto bytes = static_cast<std::size_t>(size.si());
  GpuJob job;
  job.buffers.push_back(random_buffer(bytes, GpuElement::float32, stream));
  gpu_check(cudaSetDevice(1), "the second device");
  job.buffers.emplace_back(bytes);
  gpu_check(cudaSetDevice(0), "the first device");
  int reachable = 0;
  gpu_check(cudaDeviceCanAccessPeer(&reachable, 0, 1), "peers");
  if (reachable == 0) {
    job.why_not = "copies between GPUs that cannot reach each other";
    return job;
  }
  static const cudaError_t enabled = cudaDeviceEnablePeerAccess(1, 0);
  gpu_check(enabled, "peers");
  job.start = [from = job.buffers[0].data(), to = job.buffers[1].data(), bytes](cudaStream_t s) {
    gpu_check(cudaMemcpyPeerAsync(to, 1, from, 0, bytes, s), "a copy between GPUs");
  };
  return job;
}

}  // namespace orrery
