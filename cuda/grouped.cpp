// SPDX-License-Identifier: Apache-2.0
//
// Products of uneven groups in one launch, as experts have them: cublasGemmGroupedBatchedEx. The
// uneven size of group i is that of the design times 0.5 to 1.5, evenly spread, so that the sum is
// the design's. Forward (TN), or the weight gradient (NT), which sums over the uneven size into an
// output of the inputs' type: the library has no wider one.
#include <cublas_v2.h>

#include <cmath>
#include <memory>

#include "cuda/jobs.h"

namespace orrery {
namespace {

void blas_check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(what) + ": " + cublasGetStatusString(status));
}

cublasHandle_t blas_handle() {
  static const cublasHandle_t h = [] {
    cublasHandle_t made = nullptr;
    blas_check(cublasCreate(&made), "cuBLAS");
    return made;
  }();
  return h;
}

// The i-th of `groups` sizes around `mean`, rounded to a multiple of 8 like padded tokens.
int uneven(std::int64_t mean, std::int64_t i, std::int64_t groups) {
  const double turn = (static_cast<double>(i) + 0.5) / static_cast<double>(groups);
  const double size = static_cast<double>(mean) * (0.5 + turn);
  return static_cast<int>(std::lround(size / 8)) * 8;
}

// Column-major, as cuBLAS has it: rows × inner by inner × cols.
struct Groups {
  std::vector<cublasOperation_t> left, right;
  std::vector<int> rows, cols, inner, left_step, right_step, out_step, one_each;
  std::vector<float> alpha, beta;
  std::vector<const void*> x, y;
  std::vector<void*> z;

  void add(bool is_gradient, int r, int c, int k) {
    left.push_back(is_gradient ? CUBLAS_OP_N : CUBLAS_OP_T);
    right.push_back(is_gradient ? CUBLAS_OP_T : CUBLAS_OP_N);
    rows.push_back(r);
    cols.push_back(c);
    inner.push_back(k);
    left_step.push_back(is_gradient ? r : k);
    right_step.push_back(is_gradient ? c : k);
    out_step.push_back(r);
    one_each.push_back(1);
    alpha.push_back(1);
    beta.push_back(0);
  }
  std::size_t count() const { return rows.size(); }
};

Groups groups_of(const ProductShape& p) {
  Groups g;
  const auto narrow = [](std::int64_t n) { return static_cast<int>(n); };
  for (std::int64_t i = 0; i < p.groups; ++i) {
    const int m = p.weight_gradient ? narrow(p.m) : uneven(p.m, i, p.groups);
    const int k = p.weight_gradient ? uneven(p.k, i, p.groups) : narrow(p.k);
    g.add(p.weight_gradient, narrow(p.n), m, k);
  }
  return g;
}

std::size_t sum_of(const std::vector<int>& a, const std::vector<int>& b) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += static_cast<std::size_t>(a[i]) * static_cast<std::size_t>(b[i]);
  }
  return sum;
}

// The begin of each group's matrix in one buffer.
template <class Pointer>
void place(const GpuBuffer& buffer, const std::vector<int>& a, const std::vector<int>& b,
           std::vector<Pointer>& out) {
  auto* at = static_cast<GpuBf16*>(buffer.data());
  for (std::size_t i = 0; i < a.size(); ++i) {
    out.push_back(at);
    at += static_cast<std::size_t>(a[i]) * static_cast<std::size_t>(b[i]);
  }
}

GpuBuffer matrices(const std::vector<int>& a, const std::vector<int>& b, cudaStream_t stream) {
  GpuBuffer buffer(sum_of(a, b) * sizeof(GpuBf16));
  fill_random(buffer, GpuElement::bfloat16, stream);
  return buffer;
}

// The pointers themselves, where the device reads them.
template <class Pointer>
GpuBuffer on_device(const std::vector<Pointer>& pointers) {
  GpuBuffer buffer(pointers.size() * sizeof(Pointer));
  gpu_check(cudaMemcpy(buffer.data(), pointers.data(), buffer.bytes(), cudaMemcpyHostToDevice),
            "pointers of groups");
  return buffer;
}

}  // namespace

GpuJob grouped_job(const MeasuredProduct& m, cudaStream_t stream) {
  GpuJob job;
  if (m.precision != Precision::bf16) {
    job.why_not = "grouped products in " + std::string(name_of(m.precision));
    return job;
  }
  const auto g = std::make_shared<Groups>(groups_of(m.shape));
  job.buffers.push_back(matrices(g->rows, g->inner, stream));
  job.buffers.push_back(matrices(g->inner, g->cols, stream));
  job.buffers.push_back(matrices(g->rows, g->cols, stream));
  place(job.buffers[0], g->rows, g->inner, g->x);
  place(job.buffers[1], g->inner, g->cols, g->y);
  place(job.buffers[2], g->rows, g->cols, g->z);
  job.buffers.push_back(on_device(g->x));
  job.buffers.push_back(on_device(g->y));
  job.buffers.push_back(on_device(g->z));
  blas_check(cublasSetStream(blas_handle(), stream), "a stream");
  job.start = [g, x = static_cast<const void* const*>(job.buffers[3].data()),
               y = static_cast<const void* const*>(job.buffers[4].data()),
               z = static_cast<void* const*>(job.buffers[5].data())](
                  cudaStream_t /*the handle's*/) {
    blas_check(
        cublasGemmGroupedBatchedEx(
            blas_handle(), g->left.data(), g->right.data(), g->rows.data(), g->cols.data(),
            g->inner.data(), g->alpha.data(), x, CUDA_R_16BF, g->left_step.data(), y, CUDA_R_16BF,
            g->right_step.data(), g->beta.data(), z, CUDA_R_16BF, g->out_step.data(),
            static_cast<int>(g->count()), g->one_each.data(), CUBLAS_COMPUTE_32F),
        "grouped products");
  };
  return job;
}

}  // namespace orrery
