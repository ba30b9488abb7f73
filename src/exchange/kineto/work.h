// SPDX-License-Identifier: Apache-2.0
//
// The shape of an operator or a collective of a Kineto trace, from its event.
//
// Products: aten::mm, addmm, bmm, baddbmm, _scaled_mm by "Input Dims" and "Input type". For float
// elements the kernels' names tell tf32 from fp32 (cuBLAS and CUTLASS: "tf32" or "1688", "sgemm" or
// "simt"). Attention: aten::_flash_attention_forward and _backward (batch, sequence, heads, head
// size) by the same and by "Concrete Inputs", which have the mask; their kernels are flash-2's.
// Collectives: by the arguments that PyTorch gives NCCL's kernels, over neighbouring ranks, as in
// the fit. Incomplete events are not guessed: `why_not` names the missing part, as a plural without
// its number. Errors: none. Source: the forms of PyTorch 2, from memory
// (torch/csrc/profiler/util.cpp, aten/src/ATen/native/native_functions.yaml, kineto's
// libkineto/src/output_json.cpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/measurement.h"
#include "core/json_fwd.h"

namespace orrery::detail {

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

}  // namespace orrery::detail
