// SPDX-License-Identifier: Apache-2.0
//
// Memory-bound kernels that take each element by itself, 16 bytes a thread and load: a copy,
// SwiGLU, Adam; and one that does nothing, for the launch.
#include <array>

#include "cuda/kernel_launch.h"
#include "cuda/rotation.h"

namespace orrery {
namespace {

constexpr int kEach = 8;  // elements of 16 bits in 16 bytes

__global__ void nothing() {}

__device__ std::size_t first_item() {
  return blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
}
__device__ std::size_t all_threads() { return static_cast<std::size_t>(gridDim.x) * blockDim.x; }

__global__ void copy(const uint4* __restrict__ in, uint4* __restrict__ out, std::size_t n) {
  for (std::size_t i = first_item(); i < n; i += all_threads()) out[i] = in[i];
}

// Reads gate and up, writes one.
__global__ void swiglu(const uint4* __restrict__ gate, const uint4* __restrict__ up,
                       uint4* __restrict__ out, std::size_t n) {
  for (std::size_t i = first_item(); i < n; i += all_threads()) {
    const uint4 raw_gate = gate[i];
    const uint4 raw_up = up[i];
    uint4 raw_out;
    const auto* g = reinterpret_cast<const GpuBf16*>(&raw_gate);
    const auto* u = reinterpret_cast<const GpuBf16*>(&raw_up);
    auto* o = reinterpret_cast<GpuBf16*>(&raw_out);
    for (int k = 0; k < kEach; ++k) {
      const float x = static_cast<float>(g[k]);
      o[k] = GpuBf16(x / (1 + __expf(-x)) * static_cast<float>(u[k]));
    }
    out[i] = raw_out;
  }
}

__device__ void adam_one(float& w, float g, float& m, float& v) {
  m = 0.9F * m + 0.1F * g;
  v = 0.95F * v + 0.05F * g * g;
  w -= 1e-4F * m / (sqrtf(fabsf(v)) + 1e-8F);  // moments are random at first: v may be negative
}

// In fp32: reads weight, gradient and both moments, writes weight and moments.
__global__ void adam(float4* __restrict__ w, const float4* __restrict__ g, float4* __restrict__ m,
                     float4* __restrict__ v, std::size_t n) {
  for (std::size_t i = first_item(); i < n; i += all_threads()) {
    float4 weight = w[i];
    float4 first = m[i];
    float4 second = v[i];
    const float4 gradient = g[i];
    adam_one(weight.x, gradient.x, first.x, second.x);
    adam_one(weight.y, gradient.y, first.y, second.y);
    adam_one(weight.z, gradient.z, first.z, second.z);
    adam_one(weight.w, gradient.w, first.w, second.w);
    w[i] = weight;
    m[i] = first;
    v[i] = second;
  }
}

// `count` random buffers of 16 bytes an item, of as many items as `moved` accesses make `bytes`.
struct Items {
  std::size_t n;
  std::size_t side;
  std::shared_ptr<RotatingBuffers> b;

  Items(std::size_t bytes, int moved, int count, GpuElement element, cudaStream_t stream)
      : n(bytes / (static_cast<std::size_t>(moved) * sizeof(uint4))),
        side(n * sizeof(uint4)),
        b(rotating(side * static_cast<std::size_t>(count))) {
    for (int i = 0; i < count; ++i) {
      b->buffers.push_back(b->rotation.random(side, element, stream));
    }
  }

  template <class T>
  T* at(std::size_t i) const {
    return b->rotation.of<T>(b->buffers[i], side);
  }
};

GpuJob copy_job(std::size_t bytes, cudaStream_t stream) {
  GpuJob job;
  job.start = [i = Items(bytes, 2, 2, GpuElement::bfloat16, stream)](cudaStream_t s) {
    copy<<<blocks_for(i.n), kThreads, 0, s>>>(i.at<uint4>(0), i.at<uint4>(1), i.n);
    i.b->rotation.turn();
  };
  return job;
}

GpuJob activation_job(std::size_t bytes, cudaStream_t stream) {
  GpuJob job;
  job.start = [i = Items(bytes, 3, 3, GpuElement::bfloat16, stream)](cudaStream_t s) {
    swiglu<<<blocks_for(i.n), kThreads, 0, s>>>(i.at<uint4>(0), i.at<uint4>(1), i.at<uint4>(2),
                                                i.n);
    i.b->rotation.turn();
  };
  return job;
}

GpuJob adam_job(std::size_t bytes, cudaStream_t stream) {
  GpuJob job;
  job.start = [i = Items(bytes, 7, 4, GpuElement::float32, stream)](cudaStream_t s) {
    adam<<<blocks_for(i.n), kThreads, 0, s>>>(i.at<float4>(0), i.at<float4>(1), i.at<float4>(2),
                                              i.at<float4>(3), i.n);
    i.b->rotation.turn();
  };
  return job;
}

struct MemoryKernel {
  const char* name;
  GpuJob (*job)(std::size_t bytes, cudaStream_t stream);
};

constexpr std::array<MemoryKernel, 7> kKernels = {{
    {"copy", copy_job},
    {"device copy", device_copy_job},
    {"norm", norm_job},
    {"softmax", softmax_job},
    {"activation", activation_job},
    {"optimizer", adam_job},
    {"cross-entropy", loss_job},
}};

}  // namespace

GpuJob memory_job(const std::string& kernel, Bytes bytes, cudaStream_t stream) {
  for (const MemoryKernel& k : kKernels) {
    if (kernel == k.name) return k.job(static_cast<std::size_t>(bytes.si()), stream);
  }
  return left_out("the kernel " + kernel);
}

GpuJob launch_job() {
  GpuJob job;
  job.is_ahead = false;  // the pace at which the host launches is what is asked
  job.start = [](cudaStream_t s) { nothing<<<1, 1, 0, s>>>(); };
  return job;
}

}  // namespace orrery
