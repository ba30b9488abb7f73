// SPDX-License-Identifier: Apache-2.0
#include "sim/overlaps.h"

#include "estimate/run.h"

namespace orrery {
namespace {

// Copies that ran beside their pass follow it.
void expose_offload(StepPlan& plan) {
  const auto expose = [](Seconds& pass, Terms<double>& terms, Seconds& copies) {
    pass += copies;
    terms[Term::offload_exposed] += copies;
    copies = Seconds();
  };
  for (PassPlan& p : plan.passes) {
    expose(p.forward, p.forward_terms, p.forward_copies);
    expose(p.backward, p.backward_terms, p.backward_copies);
  }
}

void part_pairs(StepPlan& plan) {
  for (PassPlan& p : plan.passes) p.hidden = Seconds();
}

void stand_still(StepPlan& plan) {
  plan.save.stall = plan.save.stopped;
  plan.save.copy = Seconds();
}

}  // namespace

const std::array<Overlap, kOverlaps> kOverlapTable = {{
    {"grad-reduce", "gradients are reduced after the passes, not beside them",
     [](Framework& f) { f.overlap.grad_reduce = false; }},
    {"param-gather", "weights are gathered before what needs them, not beside passes",
     [](Framework& f) { f.overlap.param_gather = false; }},
    {"tp", "nothing runs beside tensor parallelism's collectives",
     [](Framework& f) {
       f.overlap.tp_exposed = 1;
       f.overlap.tp_backward = false;
     }},
    {"cp", "attention waits for every step of the ring",
     [](Framework& f) { f.overlap.cp = false; }},
    {"ep", "nothing runs beside the exchanges of experts",
     [](Framework& f) {
       f.overlap.ep_exposed = 1;
       f.overlap.ep_exposed_interleaved = 1;
       f.overlap.ep_paired = false;
     }},
    {"offload", "passes wait for what goes to the host and comes back", nullptr, expose_offload},
    {"pairs", "DualPipe's two micro batches run one after the other", nullptr, part_pairs},
    {"checkpoint", "training stands still until a checkpoint is written", nullptr, stand_still},
    {"reshard", "weights gathered for forward stay for backward, in memory too",
     [](Framework& f) { f.gathers.kept |= mask_of(KeptGathered::layers); }},
}};

}  // namespace orrery
