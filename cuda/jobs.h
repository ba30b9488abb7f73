// SPDX-License-Identifier: Apache-2.0
//
// Prepared work: what it runs on and how it is started. Data are random, never zeros: a GPU's
// clocks depend on how many bits change. Work smaller than caches runs on sets of buffers in turn
// (cuda/rotation.h), so that it reads from memory as in a training step, where others ran between;
// attention and grouped products are larger than any L2 as designed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/measurement.h"
#include "cuda/gpu.h"

namespace orrery {

struct GpuJob {
  std::function<void(cudaStream_t)> start;
  std::vector<GpuBuffer> buffers;
  std::string why_not;   // "": it can run
  bool is_ahead = true;  // the host hands over all runs before the first begins
};

inline GpuJob left_out(const std::string& what) {
  GpuJob job;
  job.why_not = what;
  return job;
}

// Element type of a buffer of random numbers in (−1, 1).
enum class GpuElement { float32, bfloat16, half, fp8 };
void fill_random(const GpuBuffer& buffer, GpuElement element, cudaStream_t stream);

// "copy", "norm", …; bytes are those read and written.
GpuJob memory_job(const std::string& kernel, Bytes bytes, cudaStream_t stream);
GpuJob norm_job(std::size_t bytes, cudaStream_t stream);
GpuJob softmax_job(std::size_t bytes, cudaStream_t stream);
GpuJob loss_job(std::size_t bytes, cudaStream_t stream);
GpuJob device_copy_job(std::size_t bytes, cudaStream_t stream);
GpuJob host_copy_job(Bytes bytes, bool to_host, cudaStream_t stream);
GpuJob peer_copy_job(Bytes bytes, cudaStream_t stream);  // from the first GPU to the second
GpuJob launch_job();

#ifndef ORRERY_HIP
// `layout` is of the column-major product: TN forward, NN data gradient, NT weight gradient, which
// adds up in fp32 into an fp32 output.
GpuJob product_job(const MeasuredProduct& product, const std::string& layout, cudaStream_t stream);
std::string product_library();
bool multiplies(Precision precision, int major, int minor);
#endif

#ifdef ORRERY_HAS_CUBLAS
GpuJob grouped_job(const MeasuredProduct& product, cudaStream_t stream);
#endif

#ifdef ORRERY_HAS_CUDNN
GpuJob attention_job(const MeasuredAttention& attention, cudaStream_t stream);
std::string attention_library();
#endif

#ifdef ORRERY_HAS_NCCL
// Over all devices of this machine, started from one thread; timed on the first.
GpuJob collective_job(const MeasuredCollective& collective, cudaStream_t first);
#endif

}  // namespace orrery
