// SPDX-License-Identifier: Apache-2.0
// Copies by the runtime: on the device, over the host's link in pinned memory, between two GPUs.
#include "cuda/rotation.h"

namespace orrery {

GpuJob device_copy_job(std::size_t bytes, cudaStream_t stream) {
  const std::size_t side = bytes / 2;
  const auto b = rotating(2 * side);
  for (int i = 0; i < 2; ++i) {
    b->buffers.push_back(b->rotation.random(side, GpuElement::float32, stream));
  }
  GpuJob job;
  job.start = [b, side](cudaStream_t s) {
    gpu_check(cudaMemcpyAsync(b->rotation.of<void>(b->buffers[1], side),
                              b->rotation.of<void>(b->buffers[0], side), side,
                              cudaMemcpyDeviceToDevice, s),
              "a copy on the device");
    b->rotation.turn();
  };
  return job;
}

GpuJob host_copy_job(Bytes size, bool to_host, cudaStream_t stream) {
  const auto bytes = static_cast<std::size_t>(size.si());
  GpuJob job;
  job.buffers.emplace_back(bytes, true);
  job.buffers.emplace_back(bytes);
  fill_random(job.buffers[1], GpuElement::float32, stream);
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
  int reachable = 0;
  gpu_check(cudaDeviceCanAccessPeer(&reachable, 0, 1), "peers");
  if (reachable == 0) return left_out("copies between GPUs that cannot reach each other");
  const cudaError_t enabled = cudaDeviceEnablePeerAccess(1, 0);
  if (enabled == cudaErrorPeerAccessAlreadyEnabled) {
    static_cast<void>(cudaGetLastError());  // NCCL, or an earlier copy
  } else {
    gpu_check(enabled, "peers");
  }
  const auto bytes = static_cast<std::size_t>(size.si());
  GpuJob job;
  job.buffers.emplace_back(bytes);
  fill_random(job.buffers[0], GpuElement::float32, stream);
  {
    const OnDevice second(1);
    job.buffers.emplace_back(bytes);
  }
  job.start = [from = job.buffers[0].data(), to = job.buffers[1].data(), bytes](cudaStream_t s) {
    gpu_check(cudaMemcpyPeerAsync(to, 1, from, 0, bytes, s), "a copy between GPUs");
  };
  return job;
}

}  // namespace orrery
