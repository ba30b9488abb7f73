// SPDX-License-Identifier: Apache-2.0
#include "rl/phase_memory.h"

#include <algorithm>

#include "rl/handover.h"

namespace orrery {
namespace {

constexpr double kFrozenBytes = 2;     // of a parameter of the frozen copy
constexpr std::int64_t kChunk = 1024;  // tokens of a chunked scoring pass
constexpr double kBytesOfScoredLogit = 2 + 4;
constexpr double kBytesOfEntropy = 4 + 4;  // of a logit: a copy, the softmax

class Moments {
 public:
  Moments(const Run& learner, const RlRun& rl, const Answer& update, const Rollout& rollout)
      : run_(learner), rl_(rl), m_(update.memory), rollout_(rollout) {}

  RlMemory all() const {
    RlMemory out;
    out[RlMoment::generate] = generate();
    out[RlMoment::log_probs] = log_probs();
    out[RlMoment::update] = update();
    out[RlMoment::handover] = handover();
    for (MomentMemory& m : out) {
      if (m.capacity == Bytes()) m.capacity = run_.cluster.device.memory_capacity;
    }
    return out;
  }

 private:
  bool colocated() const { return rl_.placement.kind == PlacementKind::colocated; }
  const EnginePool& pool() const { return rollout_.pool; }

  Bytes states() const {
    return m_[MemoryLine::weights] + m_[MemoryLine::secondary_weights] + m_[MemoryLine::gradients] +
           m_[MemoryLine::optimizer];
  }

  // A critic as large as the policy, while the policy works or both rest: what of its states does
  // not yield.
  Bytes critic() const { return rl_.critic ? states() - yielded_by_learner(rl_, m_) : Bytes(); }

  // Weights, gradients, optimizer: what the learner holds between two steps, less what yields.
  Bytes resident(Bytes yielded) const {
    return states() + m_[MemoryLine::context] + m_[MemoryLine::communicators] - yielded + critic();
  }

  // Memory of the engine while the learner works.
  Bytes asleep() const {
    if (!colocated() || !rl_.generates) return {};
    return rl_.placement.sleep_level == 0 ? pool().all : rl_.generator.engine.memory.asleep;
  }

  // The learner's own adapter taken away leaves the frozen copy (LoRA).
  Bytes reference() const {
    if (!rl_.reference || (run_.training.adapter && !rl_.teacher)) return {};
    return m_[MemoryLine::weights] * rl_.teacher_size *
           (kFrozenBytes / std::max(kFrozenBytes, run_.training.recipe.weights));
  }
  Bytes reference_at_rest() const {
    return rl_.placement.offload_reference ? Bytes() : reference();
  }

  std::int64_t micro_tokens() const {
    return run_.training.sequence * run_.strategy.micro_batch / run_.strategy.cp;
  }

  Bytes of_logits(std::int64_t tokens, double bytes) const {
    return Bytes(static_cast<double>(tokens) * static_cast<double>(run_.model.vocab) /
                 static_cast<double>(run_.strategy.tp) * bytes);
  }

  // Chunks are made and freed one after the other, with their entropy.
  Bytes scored_logits() const {
    const std::int64_t all = micro_tokens();
    const double entropy = rl_.entropy == RlEntropy::none ? 0 : kBytesOfEntropy;
    return of_logits(rl_.chunked_log_probs ? std::min(all, kChunk) : all,
                     kBytesOfScoredLogit + entropy);
  }

  // Saved for the backward pass of the whole micro batch.
  Bytes entropy_of_loss() const {
    if (rl_.entropy != RlEntropy::learned) return {};
    return of_logits(micro_tokens(), kBytesOfEntropy);
  }

  MomentMemory generate() const {
    MomentMemory m;
    m.happens = rl_.generates;
    m.engine = pool().all;
    m.capacity = rl_.generator.cluster.device.memory_capacity;
    if (!colocated()) return m;
    m.learner = resident(yielded_by_learner(rl_, m_));
    m.reference = reference_at_rest();
    return m;
  }

  // Optimizer states that yield come back for the update alone.
  MomentMemory log_probs() const {
    MomentMemory m;
    m.happens = rl_.old_log_probs || rl_.reference;
    m.engine = asleep();
    const bool away = rl_.placement.offload_optimizer && colocated();
    m.learner =
        resident(away ? m_[MemoryLine::optimizer] : Bytes()) + m_[MemoryLine::gathered_weights];
    m.reference = reference();
    m.logits = scored_logits();
    return m;
  }

  MomentMemory update() const {
    MomentMemory m;
    m.happens = true;
    m.engine = asleep();
    m.learner = (m_.needed > Bytes() ? m_.needed : m_.peak) + critic();
    m.reference = reference_at_rest();
    m.logits = entropy_of_loss();
    return m;
  }

  // On GPUs of its own a generator has its weights already.
  MomentMemory handover() const {
    MomentMemory m;
    m.happens = rl_.generates;
    if (!colocated()) {
      m.engine = rl_.generator.engine.handover.bucket;
      m.learner = resident({});
      m.reference = reference_at_rest();
      return m;
    }
    const Bytes cache = rl_.placement.staged_wake ? Bytes() : larger(Bytes(), pool().cache);
    m.engine = pool().weights + rl_.generator.engine.handover.bucket + cache +
               rl_.generator.engine.memory.asleep;
    const bool away = rl_.placement.offload_optimizer;
    m.learner = resident(away ? m_[MemoryLine::optimizer] : Bytes());
    m.reference = reference_at_rest();
    return m;
  }

  const Run& run_;
  const RlRun& rl_;
  const StageMemory<double>& m_;
  const Rollout& rollout_;
};

double share_of(const MomentMemory& m) { return m.happens ? double(m.all() / m.capacity) : 0; }

}  // namespace

RlMoment fullest_moment(const RlMemory& memory) {
  RlMoment most = RlMoment::update;
  for (const RlMoment m : kAllOf<RlMoment>) {
    if (share_of(memory[m]) > share_of(memory[most])) most = m;
  }
  return most;
}

double fullest_share(const RlMemory& memory) { return share_of(memory[fullest_moment(memory)]); }

RlMemory memory_of(const Run& learner, const RlRun& rl, const Answer& update,
                   const Rollout& rollout) {
  return Moments(learner, rl, update, rollout).all();
}

}  // namespace orrery
