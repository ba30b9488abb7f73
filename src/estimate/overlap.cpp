// SPDX-License-Identifier: Apache-2.0
#include "estimate/overlap.h"

#include "core/error.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

[[noreturn]] void refuse(const char* path, const std::string& file) {
  throw InputError(file, path, "true",
                   "false: this framework, with these options, does not overlap it");
}

// Tensor parallelism hides beside the other gradient of a layer, or by a share, or not at all.
void apply_tp(bool overlaps, Framework& f, const std::string& file) {
  if (!overlaps) {
    f.tp_exposed = 1;
    f.tp_backward_overlap = false;
  } else if (f.tp_exposed == 1 && !f.tp_backward_overlap) {
    refuse(key_path<&OverlapRequest::tp>, file);
  }
}

// The share exposed differs by schedule.
void apply_ep(bool overlaps, Framework& f, const std::string& file) {
  if (!overlaps) {
    f.ep_exposed = 1;
    f.ep_exposed_interleaved = 1;
  } else if (f.ep_exposed == 1 && f.ep_exposed_interleaved == 1) {
    refuse(key_path<&OverlapRequest::ep>, file);
  }
}

}  // namespace

void apply_overlap(const OverlapRequest& overlap, const std::string& file, Framework& f) {
  f.overlap_grad_reduce = overlap.grad_reduce.value_or(f.overlap_grad_reduce);
  f.overlap_param_gather = overlap.param_gather.value_or(f.overlap_param_gather);
  f.cp_overlap = overlap.cp.value_or(f.cp_overlap);
  if (overlap.tp) apply_tp(*overlap.tp, f, file);
  if (overlap.ep) apply_ep(*overlap.ep, f, file);
}

}  // namespace orrery
