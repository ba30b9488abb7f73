// SPDX-License-Identifier: Apache-2.0
#include "estimate/overlap_json.h"

namespace orrery {
namespace {

// Tensor parallelism hides beside the other gradient of a layer, or by a share, or not at all.
void apply_tp(Reader& overlap, Framework& f) {
  const auto given = overlap.find("tp");
  if (!given) return;
  if (!given->boolean()) {
    f.tp_exposed = 1;
    f.tp_backward_overlap = false;
  } else if (f.tp_exposed == 1 && !f.tp_backward_overlap) {
    given->fail("false: this framework, with these options, does not overlap it");
  }
}

// Of one schedule, or of all.
void apply_ep(Reader& overlap, Framework& f) {
  const auto given = overlap.find("ep");
  if (!given) return;
  if (!given->boolean()) {
    f.ep_exposed = 1;
    f.ep_exposed_interleaved = 1;
  } else if (f.ep_exposed == 1 && f.ep_exposed_interleaved == 1) {
    given->fail("false: this framework, with these options, does not overlap it");
  }
}

}  // namespace

void apply_overlap(Reader overlap, Framework& f) {
  if (const auto v = overlap.find("grad_reduce")) f.overlap_grad_reduce = v->boolean();
  if (const auto v = overlap.find("param_gather")) f.overlap_param_gather = v->boolean();
  if (const auto v = overlap.find("cp")) f.cp_overlap = v->boolean();
  apply_tp(overlap, f);
  apply_ep(overlap, f);
  overlap.reject_unknown();
}

}  // namespace orrery
