// SPDX-License-Identifier: Apache-2.0
//
// Memory-bound kernels that reduce a row: a block a row, 16 bytes a thread and load, the row kept
// in registers, sums in fp32. Norm and softmax read a row once and write it once; the loss reads a
// row of logits once and writes its log-sum-exp.
#include <cstdint>

#include "cuda/kernel_launch.h"
#include "cuda/rotation.h"

namespace orrery {
namespace {

constexpr int kWidth = 4096;   // of a row that is normed
constexpr int kLogits = 8192;  // of a row of the loss
constexpr int kEach = 8;       // elements of 16 bits a load brings

struct Sum {
  static constexpr float kNothing = 0;
  static __device__ float join(float a, float b) { return a + b; }
};
struct Largest {
  static constexpr float kNothing = -1e30F;
  static __device__ float join(float a, float b) { return fmaxf(a, b); }
};

template <class Join>
__device__ float over_block(float x) {
  __shared__ float all[kThreads];
  all[threadIdx.x] = x;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      all[threadIdx.x] = Join::join(all[threadIdx.x], all[threadIdx.x + half]);
    __syncthreads();
  }
  const float joined = all[0];
  __syncthreads();
  return joined;
}

// A thread's part of a row of `Width` elements.
template <int Width>
struct Part {
  static constexpr int kLoads = Width / (kThreads * kEach);
  static_assert(kLoads * kThreads * kEach == Width);
  float at[kLoads * kEach];

  __device__ void load(const uint4* row) {
    for (int j = 0; j < kLoads; ++j) {
      const uint4 raw = row[j * kThreads + threadIdx.x];
      const auto* eight = reinterpret_cast<const GpuBf16*>(&raw);
      for (int k = 0; k < kEach; ++k) at[j * kEach + k] = static_cast<float>(eight[k]);
    }
  }

  __device__ void store(uint4* row) const {
    for (int j = 0; j < kLoads; ++j) {
      uint4 raw;
      auto* eight = reinterpret_cast<GpuBf16*>(&raw);
      for (int k = 0; k < kEach; ++k) eight[k] = GpuBf16(at[j * kEach + k]);
      row[j * kThreads + threadIdx.x] = raw;
    }
  }

  template <class Join>
  __device__ float joined() const {
    float x = Join::kNothing;
    for (const float a : at) x = Join::join(x, a);
    return over_block<Join>(x);
  }

  // exp(x − largest), and their sum over the row.
  __device__ float exponentials(float largest) {
    for (float& x : at) x = __expf(x - largest);
    return joined<Sum>();
  }

  __device__ void scale(float by) {
    for (float& x : at) x *= by;
  }
};

template <int Width>
__device__ std::size_t row_start() {
  return static_cast<std::size_t>(blockIdx.x) * (Width / kEach);
}

// RMSNorm.
__global__ void norm(const uint4* __restrict__ in, uint4* __restrict__ out) {
  Part<kWidth> part;
  part.load(in + row_start<kWidth>());
  float squares = 0;
  for (const float x : part.at) squares += x * x;
  squares = over_block<Sum>(squares);
  part.scale(rsqrtf(squares / static_cast<float>(kWidth) + 1e-5F));
  part.store(out + row_start<kWidth>());
}

__global__ void softmax(const uint4* __restrict__ in, uint4* __restrict__ out) {
  Part<kWidth> part;
  part.load(in + row_start<kWidth>());
  const float sum = part.exponentials(part.joined<Largest>());
  part.scale(1 / sum);
  part.store(out + row_start<kWidth>());
}

__global__ void cross_entropy(const uint4* __restrict__ logits, float* __restrict__ loss) {
  Part<kLogits> part;
  part.load(logits + row_start<kLogits>());
  const float largest = part.joined<Largest>();
  const float sum = part.exponentials(largest);
  if (threadIdx.x == 0) loss[blockIdx.x] = largest + __logf(sum);
}

using RowKernel = void (*)(const uint4*, uint4*);

GpuJob row_job(RowKernel kernel, std::size_t bytes, cudaStream_t stream) {
  constexpr std::size_t kRow = kWidth * sizeof(GpuBf16);
  const auto rows = static_cast<unsigned>(bytes / 2 / kRow);
  if (rows == 0) return left_out("smaller than a row of the kernel");
  const std::size_t side = rows * kRow;
  const auto b = rotating(2 * side);
  b->buffers.push_back(b->rotation.random(side, GpuElement::bfloat16, stream));
  b->buffers.push_back(b->rotation.random(side, GpuElement::bfloat16, stream));
  GpuJob job;
  job.start = [b, rows, side, kernel](cudaStream_t s) {
    kernel<<<rows, kThreads, 0, s>>>(b->rotation.of<uint4>(b->buffers[0], side),
                                     b->rotation.of<uint4>(b->buffers[1], side));
    b->rotation.turn();
  };
  return job;
}

}  // namespace

GpuJob norm_job(std::size_t bytes, cudaStream_t stream) { return row_job(norm, bytes, stream); }

GpuJob softmax_job(std::size_t bytes, cudaStream_t stream) {
  return row_job(softmax, bytes, stream);
}

GpuJob loss_job(std::size_t bytes, cudaStream_t stream) {
  constexpr std::size_t kRow = kLogits * sizeof(GpuBf16);
  const auto rows = static_cast<unsigned>(bytes / kRow);
  if (rows == 0) return left_out("smaller than a row of the kernel");
  const auto b = rotating(rows * kRow);
  b->buffers.push_back(b->rotation.random(rows * kRow, GpuElement::bfloat16, stream));
  b->buffers.emplace_back(rows * sizeof(float));
  GpuJob job;
  job.start = [b, rows](cudaStream_t s) {
    cross_entropy<<<rows, kThreads, 0, s>>>(b->rotation.of<uint4>(b->buffers[0], rows * kRow),
                                            static_cast<float*>(b->buffers[1].data()));
    b->rotation.turn();
  };
  return job;
}

}  // namespace orrery
