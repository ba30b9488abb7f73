// SPDX-License-Identifier: Apache-2.0
//
// The events of a Kineto trace as work: kernels, memory sets and copies of a GPU, and the shapes of
// the operators and collectives that they run.
//
// Products: aten::mm, addmm, bmm, baddbmm, _scaled_mm by "Input Dims" and "Input type"
// (aten::linear and matmul call one of these). For float elements the kernels' names tell tf32 from
// fp32 (cuBLAS and CUTLASS: "tf32" or "1688", "sgemm" or "simt"). Attention:
// aten::_flash_attention_forward and _backward (batch, sequence, heads, head size) by the same and
// by "Concrete Inputs", which have the mask; their kernels are flash-2's. Collectives: by the
// arguments that PyTorch gives NCCL's kernels, over neighbouring ranks, as in the fit.
//
// Leaves out incomplete events: `why_not` names the missing part, as a plural without its number.
// Units: µs, as in the trace. Errors: none. Source: the forms of PyTorch 2, from memory
// (torch/csrc/profiler/util.cpp, aten/src/ATen/native/native_functions.yaml, kineto's
// libkineto/src/output_json.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/measurement.h"
#include "core/json.h"
#include "core/json_fwd.h"
#include "cost/shapes.h"

namespace orrery {

struct GpuWork {
  enum class Kind : std::uint8_t { kernel, memory_set, copy };

  Kind kind = Kind::kernel;
  std::string name;
  double begin = 0;
  double time = 0;
  std::int64_t device = 0;
  std::int64_t stream = 0;
  std::int64_t external = -1;     // id of its operator; -1 unsaid
  std::int64_t correlation = -1;  // with its launch
  std::int64_t bytes = 0;         // of a copy
  Json collective;                // its arguments, of a kernel that has some
  bool beside = false;            // ran while another did
};

// Empty for another category. A malformed time is 0.
std::optional<GpuWork> gpu_work_of(const Json& event);

// "External id", or "external id" as versions before 2.0 spell it.
std::optional<std::int64_t> external_id(const Json& args);

// Work that overlaps on one GPU on different streams, except copies over the host's link.
void mark_beside(std::vector<GpuWork>& work);

struct TracedWork {
  std::optional<MeasuredWork> work;
  std::string why_not;  // where there is none
};

// Whether operator_work() has a form for it.
bool is_known_operator(std::string_view name);

TracedWork operator_work(std::string_view name, const Json& args,
                         const std::vector<std::string>& kernels);

bool has_collective(const Json& args);

// `world`: ranks of the whole run, 0 unsaid.
TracedWork collective_work(const Json& args, std::int64_t world);

struct TorchProduct {
  std::string_view name;
  std::size_t first;  // of its two matrices among the inputs
  std::size_t rank;   // of each: 3 with a batch
  bool eight_bits;    // its elements; those of the others are not
};

// Null of other operators.
const TorchProduct* torch_product(std::string_view name);

// Nothing where the two do not fit each other.
std::optional<ProductShape> shape_of(const TorchProduct& p, const std::vector<std::int64_t>& a,
                                     const std::vector<std::int64_t>& b);

}  // namespace orrery
