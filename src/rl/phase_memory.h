// SPDX-License-Identifier: Apache-2.0
//
// The memory of a GPU in each phase of a step, and whether all of them fit.
//
//   generate     share of the engine + graphs + what the learner leaves on the device
//   log-probs    engine asleep + learner's weights + reference + gathered weights + logits
//   update       engine asleep + the peak of training + reference + what entropy holds
//                (a critic as large as the policy adds its states to each of them)
//   hand-over    learner + bucket + the engine's weights (+ its cache, unless that wakes after)
//
// On GPUs of their own, generator and learner do without each other's part; the learner's hand-over
// then takes a bucket beside its states. Logits of a scoring pass are T·V/tp in 16 and 32 bits, T
// tokens of a micro batch or of a chunk (NVIDIA-NeMo/RL#3005: 4·4,096·151,936·4 B = 9.27 GiB).
// Entropy takes a 32-bit copy of the logits, as the log-probabilities change theirs in place, and a
// 32-bit softmax, which the loss saves (volcengine/verl verl/utils/megatron/tensor_parallel.py
// @0ed0bc08 and megatron_actor.py; THUDM/slime slime/utils/ppo_utils.py @06787cf5). Leaves out:
// what an allocator keeps from phase to phase, host memory of copies. Units: bytes. Errors: none;
// what does not fit is an answer.
#pragma once

#include "core/enum_names.h"
#include "estimate/answer.h"
#include "estimate/resolve.h"
#include "estimate/rl_run.h"

namespace orrery {

enum class RlMoment : std::uint8_t { generate, log_probs, update, handover };
constexpr EnumNames<RlMoment> names_of(RlMoment) {
  return {"generate", "log_probs", "update", "handover"};
}

struct MomentMemory {
  bool happens = false;
  Bytes engine{};     // awake or asleep
  Bytes learner{};    // weights, gradients, optimizer states, activations; a critic's states
  Bytes reference{};  // the frozen copy
  Bytes logits{};     // of a scoring pass; of an update, what entropy adds to those of training
  Bytes capacity{};

  // Beside the engine, which takes the share that is set.
  Bytes predicted() const { return learner + reference + logits; }
  Bytes all() const { return engine + predicted(); }
  bool fits() const { return !happens || !(all() > capacity); }
};

using RlMemory = EnumArray<RlMoment, MomentMemory>;

// The phase that takes most of its device, and its share of it.
RlMoment fullest_moment(const RlMemory& memory);
double fullest_share(const RlMemory& memory);

RlMemory memory_of(const Run& learner, const RlRun& rl, const Answer& update,
                   const Rollout& rollout);

}  // namespace orrery
