// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>

#include "cuda/cuda_device.h"
#include "cuda/jobs.h"
#include "cuda/nvml.h"

namespace orrery {
namespace {

// Keeps the stream busy while the host hands over what is to be timed, so that short kernels are
// timed and not the host. It ends of itself: nothing can wait for it for ever.
__global__ void hold(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

constexpr double kCyclesASecond = 2e9;  // of a GPU, or a little more
constexpr double kLongestHold = 0.02;   // seconds
constexpr double kQueue = 1000;         // launches a stream takes before the host must wait

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

double seconds_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

std::string bus_of_first() {
  std::array<char, 32> text{};
  gpu_check(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), 0), "its address");
  return text.data();
}

class CudaDevice : public MeasuringDevice {
 public:
  CudaDevice() {
    gpu_check(cudaSetDevice(0), "the first device");
    gpu_check(cudaStreamCreate(&stream_), "a stream");
    gpu_check(cudaEventCreate(&begin_), "an event");
    gpu_check(cudaEventCreate(&end_), "an event");
    bus_ = bus_of_first();
  }
  ~CudaDevice() override {
    static_cast<void>(cudaEventDestroy(begin_));
    static_cast<void>(cudaEventDestroy(end_));
    static_cast<void>(cudaStreamDestroy(stream_));
  }

  DeviceFacts facts() override {
    cudaDeviceProp properties{};
    gpu_check(cudaGetDeviceProperties(&properties, 0), "properties of the device");
    int driver = 0;
    int runtime = 0;
    gpu_check(cudaDriverGetVersion(&driver), "version of the driver");
    gpu_check(cudaRuntimeGetVersion(&runtime), "version of the runtime");
    std::size_t available = 0;
    std::size_t total = 0;
    gpu_check(cudaMemGetInfo(&available, &total), "memory of the device");
    DeviceFacts f;
    f.name = properties.name;
    const std::string version = driver_version();
    f.driver = "driver " + (version.empty() ? "of CUDA " + version_text(driver) : version) +
               ", runtime " + version_text(runtime);
    f.memory = Bytes(static_cast<double>(available));
#ifndef ORRERY_HIP
    f.library = product_library();
#ifdef ORRERY_HAS_CUDNN
    f.library += ", " + attention_library();
#endif
    for (const Precision precision : kAllOf<Precision>) {
      if (multiplies(precision, properties.major, properties.minor))
        f.products.push_back(precision);
    }
#endif
    int count = 1;
    gpu_check(cudaGetDeviceCount(&count), "devices");
    f.count = count;
    return f;
  }

  std::string prepare(const Measurement& m) override {
    gpu_check(cudaSetDevice(0), "the first device");
    job_ = {};  // gives its memory back first
    each_ = kFirstGuess;
    job_ = std::visit([&](const auto& work) { return job_of(work, m.kernel); }, m.work);
    gpu_check(cudaStreamSynchronize(stream_), "preparing");
    return job_.why_not;
  }

  Seconds run(std::int64_t times) override {
    if (job_.is_ahead) hold_back(static_cast<double>(times));
    gpu_check(cudaEventRecord(begin_, stream_), "an event");
    const double before = seconds_now();
    for (std::int64_t i = 0; i < times; ++i) job_.start(stream_);
    each_ = (seconds_now() - before) / static_cast<double>(times);
    gpu_check(cudaGetLastError(), "a launch");
    gpu_check(cudaEventRecord(end_, stream_), "an event");
    gpu_check(cudaEventSynchronize(end_), "a run");
    float milliseconds = 0;
    gpu_check(cudaEventElapsedTime(&milliseconds, begin_, end_), "an event");
    return Seconds(static_cast<double>(milliseconds) * 1e-3);
  }

  Seconds now() override { return Seconds(seconds_now()); }

  ClockReading clocks() override { return clocks_and_power(bus_); }

  bool is_lost() override {
    static_cast<void>(cudaGetLastError());
    return cudaDeviceSynchronize() != cudaSuccess;
  }

 private:
  static constexpr double kFirstGuess = 20e-6;

  void hold_back(double times) {
    const double host = std::min(times, kQueue) * each_;
    const double held = std::min(1.2 * host + kFirstGuess, kLongestHold);
    hold<<<1, 1, 0, stream_>>>(static_cast<long long>(held * kCyclesASecond));
    gpu_check(cudaGetLastError(), "a launch");
  }

  GpuJob job_of(const MeasuredLaunch&, const std::string&) { return launch_job(); }
  GpuJob job_of(const MeasuredMemory& m, const std::string& kernel) {
    return memory_job(kernel, m.bytes, stream_);
  }
  GpuJob job_of(const MeasuredHostCopy& m, const std::string& way) {
    return host_copy_job(m.bytes, way == kToHost, stream_);
  }
#ifdef ORRERY_HAS_CUDNN
  GpuJob job_of(const MeasuredAttention& m, const std::string&) {
    return attention_job(m, stream_);
  }
#else
  GpuJob job_of(const MeasuredAttention&, const std::string&) {
    return left_out("attention: built without cuDNN");
  }
#endif
#ifdef ORRERY_HIP
  GpuJob job_of(const MeasuredProduct&, const std::string&) { return left_out("products on HIP"); }
#else
  GpuJob job_of(const MeasuredProduct& m, const std::string& layout) {
    return m.shape.grouped ? grouped(m) : product_job(m, layout, stream_);
  }
#endif
#ifdef ORRERY_HAS_CUBLAS
  GpuJob grouped(const MeasuredProduct& m) { return grouped_job(m, stream_); }
#else
  static GpuJob grouped(const MeasuredProduct&) {
    return left_out("grouped products: built without cuBLAS 12.5 or newer");
  }
#endif
  GpuJob job_of(const MeasuredCollective& m, const std::string&) {
    return m.kind == Collective::point_to_point ? peer_copy_job(m.size, stream_) : collective(m);
  }
#ifdef ORRERY_HAS_NCCL
  GpuJob collective(const MeasuredCollective& m) { return collective_job(m, stream_); }
#else
  static GpuJob collective(const MeasuredCollective&) {
    return left_out("collectives: built without NCCL");
  }
#endif

  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  GpuJob job_;
  double each_ = kFirstGuess;  // seconds the host takes to hand over one run
  std::string bus_;
};

}  // namespace

std::unique_ptr<MeasuringDevice> open_cuda_device(std::string& why_not) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count < 1) {
    why_not = status == cudaSuccess ? "no GPU" : cudaGetErrorString(status);
    return nullptr;
  }
  try {
    return std::make_unique<CudaDevice>();
  } catch (const std::exception& e) {
    why_not = e.what();  // in use by another, a driver that is too old
    return nullptr;
  }
}

}  // namespace orrery
