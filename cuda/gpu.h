// SPDX-License-Identifier: Apache-2.0
//
// The runtime of the GPU by one set of names: CUDA's, which HIP has under its own prefix. Under HIP
// the kernels and copies compile from the same source; products (cuBLASLt, cuBLAS), attention
// (cuDNN) and collectives (NCCL) are left out there.
//
// Every call is checked: gpu_check() throws std::runtime_error with what failed and why, and takes
// the error back, so that the next call does not find it again. Buffers free themselves; one of no
// bytes has no data. Units: bytes.
#pragma once

#if defined(__HIPCC__) || defined(__HIP__)
#include <hip/hip_bfloat16.h>
#include <hip/hip_runtime.h>
#define ORRERY_HIP 1
#define cudaDeviceProp hipDeviceProp_t
#define cudaDriverGetVersion hipDriverGetVersion
#define cudaDeviceCanAccessPeer hipDeviceCanAccessPeer
#define cudaDeviceEnablePeerAccess hipDeviceEnablePeerAccess
#define cudaDeviceGetPCIBusId hipDeviceGetPCIBusId
#define cudaDeviceSynchronize hipDeviceSynchronize
#define cudaErrorPeerAccessAlreadyEnabled hipErrorPeerAccessAlreadyEnabled
#define cudaError_t hipError_t
#define cudaEventCreate hipEventCreate
#define cudaEventDestroy hipEventDestroy
#define cudaEventElapsedTime hipEventElapsedTime
#define cudaEventRecord hipEventRecord
#define cudaEventSynchronize hipEventSynchronize
#define cudaEvent_t hipEvent_t
#define cudaFree hipFree
#define cudaFreeHost hipHostFree
#define cudaGetDeviceCount hipGetDeviceCount
#define cudaGetDeviceProperties hipGetDeviceProperties
#define cudaGetErrorString hipGetErrorString
#define cudaGetLastError hipGetLastError
#define cudaMalloc hipMalloc
#define cudaMallocHost hipHostMalloc
#define cudaMemGetInfo hipMemGetInfo
#define cudaMemcpyAsync hipMemcpyAsync
#define cudaMemcpyDeviceToDevice hipMemcpyDeviceToDevice
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemcpyPeerAsync hipMemcpyPeerAsync
#define cudaRuntimeGetVersion hipRuntimeGetVersion
#define cudaSetDevice hipSetDevice
#define cudaStreamCreate hipStreamCreate
#define cudaStreamDestroy hipStreamDestroy
#define cudaStreamSynchronize hipStreamSynchronize
#define cudaStream_t hipStream_t
#define cudaSuccess hipSuccess
using GpuBf16 = hip_bfloat16;
#else
#include <cuda_bf16.h>
#include <cuda_runtime.h>
using GpuBf16 = __nv_bfloat16;
#endif

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace orrery {

inline void gpu_check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

// Another device than the first, until it goes out of scope, whatever is thrown.
class OnDevice {
 public:
  explicit OnDevice(int device) { gpu_check(cudaSetDevice(device), "a device"); }
  ~OnDevice() { static_cast<void>(cudaSetDevice(0)); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
};

// On the device, or of the host and pinned.
class GpuBuffer {
 public:
  GpuBuffer() = default;
  explicit GpuBuffer(std::size_t bytes, bool on_host = false) : bytes_(bytes), on_host_(on_host) {
    if (bytes == 0) return;
    if (on_host) {
      gpu_check(cudaMallocHost(&data_, bytes), "pinned memory of the host");
    } else {
      gpu_check(cudaMalloc(&data_, bytes), "memory of the device");
    }
  }
  GpuBuffer(GpuBuffer&& o) noexcept
      : data_(std::exchange(o.data_, nullptr)), bytes_(o.bytes_), on_host_(o.on_host_) {}
  GpuBuffer& operator=(GpuBuffer&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(bytes_, o.bytes_);
    std::swap(on_host_, o.on_host_);
    return *this;
  }
  GpuBuffer(const GpuBuffer&) = delete;
  GpuBuffer& operator=(const GpuBuffer&) = delete;
  ~GpuBuffer() {
    if (data_ == nullptr) return;
    static_cast<void>(on_host_ ? cudaFreeHost(data_) : cudaFree(data_));
  }

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool on_host_ = false;
};

}  // namespace orrery
