// SPDX-License-Identifier: Apache-2.0
#include "rl/resolve_learner.h"

#include <cmath>
#include <utility>

#include "core/json.h"
#include "core/json_path.h"
#include "core/one_line.h"
#include "core/units.h"
#include "estimate/estimate.h"
#include "estimate/open_resolve.h"
#include "estimate/rl_keys.h"
#include "estimate/rl_run.h"
#include "estimate/workspace.h"
#include "rl/phase_memory.h"

namespace orrery {
namespace {

constexpr const char* kShare = key_path<&RolloutRequest::memory_share>;

RlMemory memory_of_phases(const ResolvedRun& r, const Answer& update, const Rollout& rollout) {
  return memory_of(r.run, *r.rl, update, rollout);
}

void take_share(double share, ResolvedRun& out) {
  const double engines = out.rl->work.share;
  auto rl = std::make_shared<RlRun>(*out.rl);
  rl->work.share = share;
  out.rl = std::move(rl);
  const std::string value = brief(Json(share));
  Json inputs = *out.inputs;
  set_at(inputs, kShare, Json(share));
  out.inputs = std::move(inputs);
  const std::string why = "the largest that leaves the learner in place; " + out.rl->engine_name +
                          " by itself takes " + brief(Json(engines));
  std::erase_if(out.assumed, [](const Fact& f) { return f.path == kShare; });
  out.assumed.push_back({kShare, value, why, Known::open, out.rl->engine_name});
  out.open.push_back({kShare, value, why, {}});
}

class PhasesOfLearner {
 public:
  explicit PhasesOfLearner(ResolvedRun& out) : out_(out), update_(estimate(out.run, workspace_)) {
    if (out.rl->generates) rollout_ = play_rollout(out.rl->generator, out.rl->work);
  }

  void settle_share() {
    const bool colocated = out_.rl->placement.kind == PlacementKind::colocated;
    if (!colocated || !out_.rl->generates) return;
    const MomentMemory m = memory_of_phases(out_, update_, rollout_)[RlMoment::generate];
    if (m.fits()) return;
    const double share = share_beside(m, rollout_);
    if (!(share > 0) || !(share < out_.rl->work.share)) return;
    take_share(share, out_);
    rollout_ = play_rollout(out_.rl->generator, out_.rl->work);
  }

  void settle_recompute() {
    const MomentMemory m = memory_of_phases(out_, update_, rollout_)[RlMoment::update];
    if (m.fits()) return;
    predict_recompute_beside(m.all() - m.learner, out_);
  }

 private:
  ResolvedRun& out_;
  Workspace workspace_;
  Answer update_;
  Rollout rollout_;
};

}  // namespace

double share_beside(const MomentMemory& generate, const Rollout& rollout) {
  const Bytes left =
      generate.capacity - generate.learner - generate.reference - rollout.pool.graphs;
  constexpr double kGrid = 20;
  return std::floor(left / generate.capacity * kGrid) / kGrid;
}

ResolvedRun resolve_learner(const Json& run, const std::string& file, const ConfigLookup& lookup,
                            const std::vector<Fact>& changes) {
  ResolvedRun out = resolve_with_rl(run, file, lookup, changes);
  if (!out.rl) return out;
  const bool share_open = value_at(run, kShare).is_null();
  if (!share_open && !out.recompute_open) return out;
  PhasesOfLearner phases(out);
  if (share_open) phases.settle_share();
  if (out.recompute_open) phases.settle_recompute();
  return out;
}

}  // namespace orrery
