// SPDX-License-Identifier: Apache-2.0
//
// Buffers in as many sets as it takes that a run finds nothing of the last one in L2, taken in
// turn. Each set begins at a multiple of 256 bytes, as memory of its own would. Units: bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "cuda/jobs.h"

namespace orrery {

class Rotation {
 public:
  // `bytes` are all that one run reads and writes.
  explicit Rotation(std::size_t bytes)
      : sets_(std::max<std::size_t>(1, (kCold + bytes - 1) / std::max<std::size_t>(1, bytes))) {}

  // Room for one buffer of `bytes` in every set.
  GpuBuffer random(std::size_t bytes, GpuElement element, cudaStream_t stream) const {
    GpuBuffer buffer(sets_ * step_of(bytes));
    fill_random(buffer, element, stream);
    return buffer;
  }

  void turn() { at_ = (at_ + 1) % sets_; }

  // Offset of the current set in a buffer of `bytes` a set.
  template <class T>
  T* of(const GpuBuffer& buffer, std::size_t bytes) const {
    void* data = static_cast<char*>(buffer.data()) + at_ * step_of(bytes);
    return static_cast<T*>(data);
  }

 private:
  // Twice the largest L2 there is, and more.
  static constexpr std::size_t kCold = 512U << 20U;

  static std::size_t step_of(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

  std::size_t sets_;
  std::size_t at_ = 0;
};

// The data of a rotating job's start().
struct RotatingBuffers {
  Rotation rotation;
  std::vector<GpuBuffer> buffers;
};

inline std::shared_ptr<RotatingBuffers> rotating(std::size_t bytes) {
  return std::make_shared<RotatingBuffers>(RotatingBuffers{Rotation(bytes), {}});
}

}  // namespace orrery
