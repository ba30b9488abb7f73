// SPDX-License-Identifier: Apache-2.0
//
// Matrix products by cuBLASLt, by the algorithm its heuristic puts first. fp8 is e4m3 with scales
// of 1 and 16-bit output.
#include <cublasLt.h>

#include <array>
#include <memory>

#include "cuda/jobs.h"

namespace orrery {
namespace {

constexpr std::size_t kWorkspace = 64U << 20U;

void blas_check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(what) + ": cuBLASLt status " + std::to_string(status));
}

struct Format {
  cudaDataType_t in;
  cudaDataType_t out;
  cublasComputeType_t compute;
  GpuElement element;
  std::size_t bytes;
};

bool format_of(Precision precision, Format& f) {
  switch (precision) {
    case Precision::fp32:
      f = {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, GpuElement::float32, 4};
      return true;
    case Precision::tf32:
      f = {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, GpuElement::float32, 4};
      return true;
    case Precision::fp16:
      f = {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, GpuElement::half, 2};
      return true;
    case Precision::bf16:
      f = {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, GpuElement::bfloat16, 2};
      return true;
    case Precision::fp8:
      f = {CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, GpuElement::fp8, 1};
      return true;
    default:
      return false;
  }
}

cublasLtHandle_t handle() {
  static const cublasLtHandle_t h = [] {
    cublasLtHandle_t made = nullptr;
    blas_check(cublasLtCreate(&made), "cuBLASLt");
    return made;
  }();
  return h;
}

struct Layout {
  cublasLtMatrixLayout_t value = nullptr;
  Layout(cudaDataType_t type, std::int64_t rows, std::int64_t cols) {
    blas_check(cublasLtMatrixLayoutCreate(&value, type, static_cast<std::uint64_t>(rows),
                                          static_cast<std::uint64_t>(cols), rows),
               "layout of a matrix");
  }
  ~Layout() { static_cast<void>(cublasLtMatrixLayoutDestroy(value)); }
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
};

// One product with what it runs on; column-major, so that n is the height.
struct Product {
  Product(const ProductShape& p, const Format& f, const std::string& layout)
      : a(f.in, layout[0] == 'T' ? p.k : p.n, layout[0] == 'T' ? p.n : p.k),
        b(f.in, layout[1] == 'T' ? p.m : p.k, layout[1] == 'T' ? p.k : p.m),
        out(layout == "NT" ? CUDA_R_32F : f.out, p.n, p.m),
        beta(layout == "NT" ? 1.0F : 0.0F) {
    blas_check(cublasLtMatmulDescCreate(&description, f.compute, CUDA_R_32F), "a product");
    set(CUBLASLT_MATMUL_DESC_TRANSA, layout[0] == 'T' ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, layout[1] == 'T' ? CUBLAS_OP_T : CUBLAS_OP_N);
  }
  ~Product() { static_cast<void>(cublasLtMatmulDescDestroy(description)); }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  void set(cublasLtMatmulDescAttributes_t attribute, cublasOperation_t value) {
    blas_check(cublasLtMatmulDescSetAttribute(description, attribute, &value, sizeof value),
               "transposition");
  }

  bool choose() {
    cublasLtMatmulPreference_t wish = nullptr;
    blas_check(cublasLtMatmulPreferenceCreate(&wish), "preference");
    const std::size_t most = kWorkspace;
    blas_check(cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                    &most, sizeof most),
               "workspace");
    int found = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle(), description, a.value, b.value, out.value, out.value, wish, 1, &algorithm, &found);
    static_cast<void>(cublasLtMatmulPreferenceDestroy(wish));
    return status == CUBLAS_STATUS_SUCCESS && found > 0;
  }

  void run(void* x, void* y, void* z, void* workspace, cudaStream_t stream) const {
    constexpr float kOne = 1;
    blas_check(
        cublasLtMatmul(handle(), description, &kOne, x, a.value, y, b.value, &beta, z, out.value, z,
                       out.value, &algorithm.algo, workspace, kWorkspace, stream),
        "a product");
  }

  Layout a;
  Layout b;
  Layout out;
  float beta;
  cublasLtMatmulDesc_t description = nullptr;
  cublasLtMatmulHeuristicResult_t algorithm{};
};

std::size_t bytes_of(std::int64_t rows, std::int64_t cols, std::size_t each) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) * each;
}

}  // namespace

GpuJob product_job(const MeasuredProduct& m, const std::string& layout, cudaStream_t stream) {
  GpuJob job;
  Format f{};
  const std::string name(name_of(m.precision));
  if (!format_of(m.precision, f)) job.why_not = "products in " + name;
  if (!job.why_not.empty()) return job;
  const auto product = std::make_shared<Product>(m.shape, f, layout.empty() ? "TN" : layout);
  if (!product->choose()) {
    job.why_not = "products in " + name + " that cuBLASLt has no algorithm for";
    return job;
  }
  const ProductShape& p = m.shape;
  const bool wide_out = layout == "NT";
  job.buffers.emplace_back(bytes_of(p.n, p.k, f.bytes));
  job.buffers.emplace_back(bytes_of(p.m, p.k, f.bytes));
  for (const GpuBuffer& b : job.buffers) fill_random(b, f.element, stream);
  job.buffers.emplace_back(bytes_of(p.m, p.n, wide_out ? 4 : f.bytes < 2 ? 2 : f.bytes));
  fill_random(job.buffers.back(), GpuElement::bfloat16, stream);
  job.buffers.emplace_back(kWorkspace);
  job.start = [product, x = job.buffers[0].data(), y = job.buffers[1].data(),
               z = job.buffers[2].data(),
               w = job.buffers[3].data()](cudaStream_t s) { product->run(x, y, z, w, s); };
  return job;
}

std::string product_library() { return "cuBLASLt " + std::to_string(cublasLtGetVersion()); }

// Tensor cores by compute capability; without them a precision has no rate of its own.
bool multiplies(Precision precision, int major, int minor) {
  switch (precision) {
    case Precision::fp32:
    case Precision::fp16:
      return true;
    case Precision::tf32:
    case Precision::bf16:
      return major >= 8;
    case Precision::fp8:
      return major >= 9 || (major == 8 && minor == 9);
    default:
      return false;
  }
}

}  // namespace orrery
