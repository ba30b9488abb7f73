// SPDX-License-Identifier: Apache-2.0
#include "estimate/overlap.h"

#include <array>

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
    f.overlap.tp_exposed = 1;
    f.overlap.tp_backward = false;
  } else if (f.overlap.tp_exposed == 1 && !f.overlap.tp_backward) {
    refuse(key_path<&OverlapRequest::tp>, file);
  }
}

// The share exposed differs by schedule.
void apply_ep(bool overlaps, Framework& f, const std::string& file) {
  if (!overlaps) {
    f.overlap.ep_exposed = 1;
    f.overlap.ep_exposed_interleaved = 1;
    f.overlap.ep_paired = false;
    return;
  }
  const auto& [alone, chunks, paired] = std::array{
      f.overlap.ep_exposed, f.overlap.ep_exposed_interleaved, f.overlap.ep_exposed_paired};
  if (alone == 1 && chunks == 1 && paired == 1) refuse(key_path<&OverlapRequest::ep>, file);
  f.overlap.ep_paired = true;
}

}  // namespace

void apply_overlap(const OverlapRequest& overlap, const std::string& file, Framework& f) {
  f.overlap.grad_reduce = overlap.grad_reduce.value_or(f.overlap.grad_reduce);
  f.overlap.param_gather = overlap.param_gather.value_or(f.overlap.param_gather);
  f.overlap.cp = overlap.cp.value_or(f.overlap.cp);
  if (overlap.tp) apply_tp(*overlap.tp, f, file);
  if (overlap.ep) apply_ep(*overlap.ep, f, file);
}

}  // namespace orrery
