// SPDX-License-Identifier: Apache-2.0
#include "sim/overlaps.h"

#include <algorithm>

namespace orrery {
namespace {

// A stream that ran beside its pass follows it.
Seconds hidden_copies(const StreamUses& uses) {
  const StreamUse& copy = uses[static_cast<std::size_t>(Stream::copy)];
  return std::max(Seconds(), copy.busy - copy.exposed);
}

void expose_offload(const std::vector<PassUse>& uses, StepPlan& plan) {
  for (std::size_t c = 0; c < plan.passes.size(); ++c) {
    const Seconds forward = hidden_copies(uses[c].forward);
    const Seconds backward = hidden_copies(uses[c].backward);
    PassPlan& p = plan.passes[c];
    p.forward += forward;
    p.backward += backward;
    p.forward_terms[static_cast<std::size_t>(Term::offload_exposed)] += forward;
    p.backward_terms[static_cast<std::size_t>(Term::offload_exposed)] += backward;
  }
}

void part_pairs(const std::vector<PassUse>& /*uses*/, StepPlan& plan) {
  for (PassPlan& p : plan.passes) p.hidden = Seconds();
}

}  // namespace

const std::array<Overlap, kOverlaps> kOverlapTable = {{
    {"grad-reduce", "gradients are reduced after the passes, not beside them",
     [](Framework& f) { f.overlap_grad_reduce = false; }},
    {"param-gather", "weights are gathered before what needs them, not beside passes",
     [](Framework& f) { f.overlap_param_gather = false; }},
    {"tp", "nothing runs beside tensor parallelism's collectives",
     [](Framework& f) {
       f.tp_exposed = 1;
       f.tp_backward_overlap = false;
     }},
    {"cp", "attention waits for every step of the ring",
     [](Framework& f) { f.cp_overlap = false; }},
    {"ep", "nothing runs beside the exchanges of experts", [](Framework& f) { f.ep_exposed = 1; }},
    {"offload", "passes wait for what goes to the host and comes back", nullptr, expose_offload},
    {"pairs", "DualPipe's two micro batches run one after the other", nullptr, part_pairs},
}};

}  // namespace orrery
