// SPDX-License-Identifier: Apache-2.0
//
// Attention by cuDNN's fused kernels, by the first configuration its heuristic names that runs
// here.
#include <cmath>
#include <memory>

#include "cuda/attention_graph.h"
#include "cuda/jobs.h"

namespace orrery {
namespace {

cudnnHandle_t cudnn_handle() {
  static const cudnnHandle_t h = [] {
    cudnnHandle_t made = nullptr;
    cudnn_check(cudnnCreate(&made), "cuDNN");
    return made;
  }();
  return h;
}

// A graph, the plan that runs it, and what it runs on.
struct Attention {
  AttentionGraph graph;
  std::vector<CudnnDescriptor> found;  // the configuration of the plan
  std::vector<CudnnDescriptor> plan;   // one, where there is a kernel
  std::vector<CudnnDescriptor> pack;   // one
  float scale = 1;
  float hidden = -1e30F;
};

// The configurations that a mode of the heuristic names, best first.
std::vector<CudnnDescriptor> configurations(const AttentionGraph& graph,
                                            cudnnBackendHeurMode_t mode) {
  constexpr std::int64_t kMost = 8;
  CudnnDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph.graph.front());
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
  if (cudnnBackendFinalize(heuristics.raw()) != CUDNN_STATUS_SUCCESS) return {};
  std::vector<CudnnDescriptor> found;
  std::vector<cudnnBackendDescriptor_t> raw;
  for (std::int64_t i = 0; i < kMost; ++i) {
    found.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    raw.push_back(found.back().raw());
  }
  std::int64_t count = 0;
  cudnn_check(cudnnBackendGetAttribute(heuristics.raw(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                       CUDNN_TYPE_BACKEND_DESCRIPTOR, kMost, &count, raw.data()),
              "cuDNN's heuristics");
  while (static_cast<std::int64_t>(found.size()) > count) found.pop_back();
  return found;
}

// Whether there is a kernel: the first configuration that a plan can be made of.
bool choose(Attention& a) {
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    for (CudnnDescriptor& one : configurations(a.graph, mode)) {
      CudnnDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, cudnn_handle());
      plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, one);
      if (cudnnBackendFinalize(plan.raw()) != CUDNN_STATUS_SUCCESS) continue;
      a.found.push_back(std::move(one));
      a.plan.push_back(std::move(plan));
      return true;
    }
  }
  return false;
}

std::size_t workspace_of(const CudnnDescriptor& plan) {
  std::int64_t bytes = 0;
  std::int64_t count = 0;
  cudnn_check(cudnnBackendGetAttribute(plan.raw(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                       CUDNN_TYPE_INT64, 1, &count, &bytes),
              "the workspace of attention");
  return static_cast<std::size_t>(bytes);
}

// Memory of each tensor, in the order of the graph's; numbers are the host's.
std::vector<void*> data_of(Attention& a, const MeasuredAttention& m, GpuJob& job,
                           cudaStream_t stream) {
  std::vector<void*> pointers;
  const auto element = m.precision == Precision::bf16 ? GpuElement::bfloat16 : GpuElement::half;
  for (const AttentionTensor t : a.graph.data) {
    if (t == AttentionTensor::scale || t == AttentionTensor::hidden) {
      pointers.push_back(t == AttentionTensor::scale ? &a.scale : &a.hidden);
      continue;
    }
    const bool is_wide = t == AttentionTensor::stats;
    const auto n = static_cast<std::size_t>(elements_of(t, m));
    job.buffers.emplace_back(n * (is_wide ? sizeof(float) : sizeof(GpuBf16)));
    fill_random(job.buffers.back(), is_wide ? GpuElement::float32 : element, stream);
    pointers.push_back(job.buffers.back().data());
  }
  return pointers;
}

void pack(Attention& a, const std::vector<void*>& pointers, void* workspace) {
  std::vector<std::int64_t> numbers;
  for (const AttentionTensor t : a.graph.data) numbers.push_back(static_cast<std::int64_t>(t));
  CudnnDescriptor d(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  const auto n = static_cast<std::int64_t>(numbers.size());
  d.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, numbers.data(), n);
  d.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, pointers.data(), n);
  d.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace);
  a.pack.push_back(std::move(d.finish("tensors of attention")));
}

}  // namespace

GpuJob attention_job(const MeasuredAttention& m, cudaStream_t stream) {
  GpuJob job;
  job.why_not = no_attention_graph(m);
  if (!job.why_not.empty()) return job;
  const auto a = std::make_shared<Attention>();
  a->scale = 1 / std::sqrt(static_cast<float>(m.shape.head_dim));
  a->graph = attention_graph(m, cudnn_handle());
  if (!choose(*a)) {
    job.why_not = "attention that cuDNN has no kernel for";
    return job;
  }
  const std::vector<void*> pointers = data_of(*a, m, job, stream);
  job.buffers.emplace_back(workspace_of(a->plan.front()));
  pack(*a, pointers, job.buffers.back().data());
  cudnn_check(cudnnSetStream(cudnn_handle(), stream), "a stream");
  job.start = [a](cudaStream_t /*the handle's*/) {
    cudnn_check(cudnnBackendExecute(cudnn_handle(), a->plan.front().raw(), a->pack.front().raw()),
                "attention");
  };
  return job;
}

std::string attention_library() { return "cuDNN " + std::to_string(cudnnGetVersion()); }

}  // namespace orrery
