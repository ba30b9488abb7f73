// SPDX-License-Identifier: Apache-2.0
//
// Matrix products by cuBLASLt, by the algorithm its heuristic puts first, as frameworks run them.
// fp8 is e4m3 with scales of 1 (no pointer says so), 16-bit output, and the fast accumulation that
// frameworks use forward. A weight gradient adds up in fp32 into its fp32 output (beta = 1).
#include <cublasLt.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "cuda/rotation.h"

namespace orrery {
namespace {

constexpr std::size_t kWorkspace = 32U << 20U;  // what frameworks give it on Hopper

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
    case Precision::mxfp8:
    case Precision::nvfp4:
    case Precision::int8:
      return false;
  }
  return false;
}

cublasLtHandle_t blas_lt_handle() {
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
    if (f.element == GpuElement::fp8) set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{1});
  }
  ~Product() { static_cast<void>(cublasLtMatmulDescDestroy(description)); }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, T value) {
    blas_check(cublasLtMatmulDescSetAttribute(description, attribute, &value, sizeof value),
               "an attribute of a product");
  }

  bool choose() {
    cublasLtMatmulPreference_t wish = nullptr;
    blas_check(cublasLtMatmulPreferenceCreate(&wish), "preference");
    const std::size_t most = kWorkspace;
    blas_check(cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                    &most, sizeof most),
               "workspace");
    int found = 0;
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(blas_lt_handle(), description, a.value, b.value, out.value,
                                       out.value, wish, 1, &algorithm, &found);
    static_cast<void>(cublasLtMatmulPreferenceDestroy(wish));
    return status == CUBLAS_STATUS_SUCCESS && found > 0 && algorithm.state == CUBLAS_STATUS_SUCCESS;
  }

  void run(void* x, void* y, void* z, void* workspace, cudaStream_t stream) const {
    constexpr float kOne = 1;
    blas_check(
        cublasLtMatmul(blas_lt_handle(), description, &kOne, x, a.value, y, b.value, &beta, z,
                       out.value, z, out.value, &algorithm.algo, workspace, kWorkspace, stream),
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
  Format f{};
  const std::string name(name_of(m.precision));
  if (!format_of(m.precision, f)) return left_out("products in " + name);
  const auto product = std::make_shared<Product>(m.shape, f, layout.empty() ? "TN" : layout);
  if (!product->choose()) return left_out("products in " + name + " that cuBLASLt has no way to");
  const ProductShape& p = m.shape;
  const std::size_t x = bytes_of(p.n, p.k, f.bytes);
  const std::size_t y = bytes_of(p.m, p.k, f.bytes);
  const std::size_t z = bytes_of(p.m, p.n, layout == "NT" ? 4 : std::max<std::size_t>(f.bytes, 2));
  const auto b = rotating(x + y + z);
  b->buffers.push_back(b->rotation.random(x, f.element, stream));
  b->buffers.push_back(b->rotation.random(y, f.element, stream));
  b->buffers.push_back(b->rotation.random(z, GpuElement::bfloat16, stream));
  b->buffers.emplace_back(kWorkspace);
  GpuJob job;
  job.start = [product, b, x, y, z](cudaStream_t s) {
    product->run(b->rotation.of<void>(b->buffers[0], x), b->rotation.of<void>(b->buffers[1], y),
                 b->rotation.of<void>(b->buffers[2], z), b->buffers[3].data(), s);
    b->rotation.turn();
  };
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
    case Precision::mxfp8:
    case Precision::nvfp4:
    case Precision::int8:
      return false;
  }
  return false;
}

}  // namespace orrery
