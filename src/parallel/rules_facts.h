// SPDX-License-Identifier: Apache-2.0
//
// The facts that a broken rule shows: "tp 6, num_attention_heads 64". Run file's and Hugging Face's
// names. Errors: none.
#pragma once

#include <cstdint>
#include <string>

#include "model/architecture.h"
#include "parallel/rules.h"
#include "parallel/strategy.h"

namespace orrery {

struct RuleCase {
  const Strategy& s;
  const Architecture& a;
  const RunShape& run;
};

enum class RuleFact : std::uint8_t {
  none,
  tp,
  cp,
  pp,
  vpp,
  dp,
  ep,
  etp,
  micro_batch,
  micro_batches,
  schedule_runs,
  zero,
  weights,
  gradients,
  optimizer,
  zeropp,
  weight_bits,
  gradient_bits,
  recompute_layers,
  layer_ranges,
  stage_layers,
  order,
  cp_type,
  schedule,
  recompute,
  offload,
  gpus,
  sequence,
  global_batch,
  layers,
  hidden,
  heads,
  kv_heads,
  recurrent_heads,
  intermediate,
  expert_intermediate,
  shared_intermediate,
  experts,
};

std::string fact_text(RuleFact fact, const RuleCase& c);

}  // namespace orrery
