// SPDX-License-Identifier: Apache-2.0
//
// NCCL's collectives over the GPUs of this machine, one communicator each, started together. S, the
// full buffer, is network/collective.h's. Timed on the first device.
#include <nccl.h>

#include <memory>

#include "cuda/jobs.h"

namespace orrery {
namespace {

void nccl_check(ncclResult_t status, const char* what) {
  if (status == ncclSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + ncclGetErrorString(status));
}

// Communicators and a stream for every device but the first, whose stream is the clock's.
class Ring {
 public:
  static Ring& instance() {
    static Ring ring;
    return ring;
  }
  std::size_t size() const { return communicators_.size(); }
  ncclComm_t communicator(std::size_t i) const { return communicators_[i]; }
  cudaStream_t stream(std::size_t i, cudaStream_t first) const {
    return i == 0 ? first : streams_[i];
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

 private:
  Ring() {
    int count = 0;
    gpu_check(cudaGetDeviceCount(&count), "devices");
    communicators_.resize(static_cast<std::size_t>(count));
    streams_.resize(static_cast<std::size_t>(count));
    nccl_check(ncclCommInitAll(communicators_.data(), count, nullptr), "NCCL");
    for (int i = 1; i < count; ++i) {
      const OnDevice device(i);
      gpu_check(cudaStreamCreate(&streams_[static_cast<std::size_t>(i)]), "a stream");
    }
  }
  ~Ring() {
    for (const ncclComm_t c : communicators_) static_cast<void>(ncclCommDestroy(c));
  }

  std::vector<ncclComm_t> communicators_;
  std::vector<cudaStream_t> streams_;
};

ncclResult_t start_one(Collective kind, std::size_t n, std::size_t ranks, void* in, void* out,
                       ncclComm_t c, cudaStream_t s) {
  switch (kind) {
    case Collective::all_reduce:
      return ncclAllReduce(in, out, n, ncclBfloat16, ncclSum, c, s);
    case Collective::all_gather:
      return ncclAllGather(in, out, n / ranks, ncclBfloat16, c, s);
    case Collective::reduce_scatter:
      return ncclReduceScatter(in, out, n / ranks, ncclBfloat16, ncclSum, c, s);
    case Collective::all_to_all:
    case Collective::point_to_point:
    case Collective::broadcast:
    case Collective::reduce:
      break;
  }
  return ncclInvalidArgument;
}

}  // namespace

GpuJob collective_job(const MeasuredCollective& m, cudaStream_t first) {
  GpuJob job;
  const Ring& ring = Ring::instance();
  const bool is_known = m.kind == Collective::all_reduce || m.kind == Collective::all_gather ||
                        m.kind == Collective::reduce_scatter;
  if (!is_known || ring.size() != static_cast<std::size_t>(m.ranks)) {
    job.why_not = "collectives of other kinds or numbers of ranks";
    return job;
  }
  const auto bytes = static_cast<std::size_t>(m.size.si());
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const OnDevice device(static_cast<int>(i));
    for (int k = 0; k < 2; ++k) {
      job.buffers.emplace_back(bytes);
      fill_random(job.buffers.back(), GpuElement::bfloat16, ring.stream(i, first));
    }
    gpu_check(cudaStreamSynchronize(ring.stream(i, first)), "filling a buffer");
  }
  std::vector<void*> data;
  for (const GpuBuffer& b : job.buffers) data.push_back(b.data());
  job.start = [&ring, data, kind = m.kind, n = bytes / sizeof(GpuBf16)](cudaStream_t s) {
    // A group that was begun is ended whatever fails in it: else every later call waits for it.
    ncclResult_t worst = ncclGroupStart();
    for (std::size_t i = 0; i < ring.size() && worst == ncclSuccess; ++i) {
      worst = start_one(kind, n, ring.size(), data[2 * i], data[2 * i + 1], ring.communicator(i),
                        ring.stream(i, s));
    }
    const ncclResult_t ended = ncclGroupEnd();
    nccl_check(worst, "a collective");
    nccl_check(ended, "a collective");
  };
  return job;
}

}  // namespace orrery
