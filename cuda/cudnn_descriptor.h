// SPDX-License-Identifier: Apache-2.0
//
// A descriptor of cuDNN's graph interface, which frees itself. Every call is checked: a failed one
// throws std::runtime_error with what failed and cuDNN's own words.
#pragma once

#include <cudnn.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace orrery {

inline void cudnn_check(cudnnStatus_t status, const char* what) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::array<char, 512> why{};
  cudnnGetLastErrorString(why.data(), why.size());
  throw std::runtime_error(std::string(what) + ": " + cudnnGetErrorString(status) + ", " +
                           why.data());
}

class CudnnDescriptor {
 public:
  explicit CudnnDescriptor(cudnnBackendDescriptorType_t type) {
    cudnn_check(cudnnBackendCreateDescriptor(type, &raw_), "a descriptor");
  }
  CudnnDescriptor(CudnnDescriptor&& o) noexcept : raw_(std::exchange(o.raw_, nullptr)) {}
  CudnnDescriptor& operator=(CudnnDescriptor&& o) noexcept {
    std::swap(raw_, o.raw_);
    return *this;
  }
  CudnnDescriptor(const CudnnDescriptor&) = delete;
  CudnnDescriptor& operator=(const CudnnDescriptor&) = delete;
  ~CudnnDescriptor() {
    if (raw_ != nullptr) static_cast<void>(cudnnBackendDestroyDescriptor(raw_));
  }

  cudnnBackendDescriptor_t raw() const { return raw_; }

  template <class T>
  CudnnDescriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                       const T* values, std::int64_t count) {
    cudnn_check(cudnnBackendSetAttribute(raw_, name, type, count, values), "an attribute");
    return *this;
  }
  template <class T>
  CudnnDescriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                       const T& value) {
    return set(name, type, &value, 1);
  }
  CudnnDescriptor& set(cudnnBackendAttributeName_t name, const CudnnDescriptor& other) {
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, other.raw_);
  }
  CudnnDescriptor& finish(const char* what) {
    cudnn_check(cudnnBackendFinalize(raw_), what);
    return *this;
  }

 private:
  cudnnBackendDescriptor_t raw_ = nullptr;
};

}  // namespace orrery
