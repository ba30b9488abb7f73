// SPDX-License-Identifier: Apache-2.0
#include "estimate/run.h"

namespace orrery {

ListOptions list_options(const Run& run) {
  ListOptions o;
  o.sequence = run.training.sequence;
  o.micro_batch = run.strategy.micro_batch;
  o.precision = run.training.precision;
  o.fused_attention = run.training.fused_attention;
  o.fused_cross_entropy = run.framework.fused_cross_entropy;
  o.vocabulary_multiple = run.framework.vocabulary_multiple *
                          (run.framework.vocabulary_multiple_per_tp ? run.strategy.tp : 1);
  return o;
}

PipelineShape pipeline_shape(const Strategy& s) { return {s.pp, s.vpp, s.micro_batches}; }

}  // namespace orrery
