// SPDX-License-Identifier: Apache-2.0
//
// The pipeline of each class of replicas, joined from the priced kinds.
#include <algorithm>

#include "estimate/boundary_sends.h"
#include "estimate/classes.h"
#include "estimate/mixed_estimate.h"
#include "estimate/mixed_links.h"
#include "estimate/pipeline_time.h"
#include "estimate/run.h"
#include "estimate/sends.h"
#include "estimate/stage_contents.h"

namespace orrery {
namespace {

// All kinds that hold a stage together with this one.
std::vector<std::size_t> partners_of(const MixedRun& run, std::size_t kind) {
  std::vector<std::size_t> all;
  for (std::int64_t i = 0; i < stages_of(run); ++i) {
    const std::vector<std::size_t> here = kinds_of_stage(run, i);
    if (std::find(here.begin(), here.end(), kind) == here.end()) continue;
    all.insert(all.end(), here.begin(), here.end());
  }
  return all;
}

// In-place: forward and backward of two classes, term by term the slower pass of the two.
template <Number R>
void take_slower(const WorkspaceOf<R>& other, WorkspaceOf<R>& w) {
  for (std::size_t j = 0; j < w.class_of.size(); ++j) {
    const StageCosts<R>& theirs = other.classes[other.class_of[j]].costs;
    StageCosts<R>& mine = w.classes[w.class_of[j]].costs;
    if (plain(theirs.forward_time + theirs.backward_time) <=
        plain(mine.forward_time + mine.backward_time)) {
      continue;
    }
    mine.forward = theirs.forward;
    mine.backward = theirs.backward;
    mine.forward_time = theirs.forward_time;
    mine.backward_time = theirs.backward_time;
    mine.weight_time = theirs.weight_time;
  }
}

template <Number R>
class Joiner {
 public:
  Joiner(const MixedRun& run, std::size_t c, const std::vector<WorkspaceOf<R>>& kinds,
         WorkspaceOf<R>& w)
      : run_(run), class_(run.replicas[c]), kinds_(kinds), w_(w), of_class_(run_of_class(run, c)) {}

  void join() {
    const std::size_t parts = kinds_.front().class_of.size();
    take_classes(parts);
    take_times(parts);
    take_sends(parts);
  }

 private:
  std::int64_t stage_of(std::size_t part) const {
    return seat_of(schedule_of(of_class_).layout(), pipeline_shape(of_class_),
                   static_cast<std::int64_t>(part), 0)
        .stage;
  }

  std::size_t kind_of(std::int64_t stage) const {
    return class_.kind_of_stage[static_cast<std::size_t>(stage)];
  }

  // One class a part: stages of unlike kinds share none.
  void take_classes(std::size_t parts) {
    w_.classes.clear();
    w_.class_of.resize(parts);
    w_.swept = {};
    for (std::size_t j = 0; j < parts; ++j) {
      const WorkspaceOf<R>& k = kinds_[kind_of(stage_of(j))];
      w_.class_of[j] = static_cast<std::uint16_t>(j);
      w_.classes.push_back(k.classes[k.class_of[j]]);
    }
    if (!run_.in_step) return;
    for (std::size_t k = 0; k < run_.kinds.size(); ++k) take_slower<R>(kinds_[k], w_);
  }

  void take_times(std::size_t parts) {
    w_.forward.resize(parts);
    w_.backward.resize(parts);
    const bool split = schedule_of(of_class_).entry().written_out;
    for (auto* v : {&w_.input_gradient, &w_.weight_gradient, &w_.pair, &w_.hidden}) {
      v->assign(split ? parts : 0, SecondsOf<R>{});
    }
    for (std::size_t j = 0; j < parts; ++j) {
      const WorkspaceOf<R>& k = kinds_[kind_of(stage_of(j))];
      w_.forward[j] = w_.classes[j].costs.forward_time;
      w_.backward[j] = w_.classes[j].costs.backward_time;
      if (!split) continue;
      w_.weight_gradient[j] = w_.classes[j].costs.weight_time;
      w_.input_gradient[j] = w_.backward[j] - w_.weight_gradient[j];
      w_.pair[j] = k.pair[j];
      w_.hidden[j] = k.hidden[j];
    }
  }

  // Stages of the kind before this one, which stand on nodes of their own.
  std::int64_t place_in_kind(std::int64_t stage) const {
    std::int64_t before = 0;
    for (std::int64_t i = 0; i < stage; ++i) before += kind_of(i) == kind_of(stage) ? 1 : 0;
    return before;
  }

  SecondsOf<R> send_time(std::int64_t from, std::int64_t to) const {
    if (from == to) return {};
    const std::size_t kind = kind_of(from);
    if (kind != kind_of(to)) {
      return send_between<R>(run_, {kind, from}, {kind_of(to), to}).time;
    }
    const std::int64_t first = std::min(from, to);
    // The last stage sends to the first: as far as it is in a pipeline of that kind alone.
    const bool round = to < from && stages_of(run_) > 2 && to == 0;
    const std::int64_t at = round ? from : place_in_kind(first);
    const RecordedPart part(part_of_kind(kind));
    return send_cost<R>(run_.kinds[kind], kinds_[kind].prices.placement, at).time;
  }

  void take_sends(std::size_t parts) {
    w_.send_forward.assign(parts - 1, SecondsOf<R>{});
    for (std::size_t j = 0; j + 1 < parts; ++j) {
      w_.send_forward[j] = send_time(stage_of(j), stage_of(j + 1));
    }
    w_.send_backward = w_.send_forward;
    for (std::size_t j = 0; j + 1 < parts; ++j) {
      if (takes_gradient<R>(w_, static_cast<std::int64_t>(j))) break;  // and all after it do
      w_.send_backward[j] = SecondsOf<R>{};
    }
  }

  const MixedRun& run_;
  const ReplicaClass& class_;
  const std::vector<WorkspaceOf<R>>& kinds_;
  WorkspaceOf<R>& w_;
  Run of_class_;
};

}  // namespace

Run run_of_class(const MixedRun& run, std::size_t c) {
  const ReplicaClass& r = run.replicas[c];
  Run one = run.kinds[r.kind_of_stage.front()];
  one.strategy.micro_batches = r.micro_batches;
  return one;
}

template <Number R>
void fill_mixed(const MixedRun& run, MixedWorkspaceOf<R>& w) {
  // A workspace keeps what it has grown to.
  w.kinds.resize(std::max(w.kinds.size(), run.kinds.size()));
  w.replicas.resize(std::max(w.replicas.size(), run.replicas.size()));
  for (std::size_t k = 0; k < run.kinds.size(); ++k) {
    const RecordedPart part(part_of_kind(k));
    fill_classes<R>(run.kinds[k], w.kinds[k]);
    const std::vector<std::size_t> partners = partners_of(run, k);
    if (run.in_step && partners.size() > 1) {
      const RecordedPart beside(part_beside(run, k, partners));
      fill_costs<R>(run_beside(run, k, partners), w.kinds[k]);
    }
  }
  for (std::size_t c = 0; c < run.replicas.size(); ++c) {
    Joiner<R>(run, c, w.kinds, w.replicas[c]).join();
  }
}

Seconds pipeline_of_class(const MixedRun& run, std::size_t c, std::int64_t micro_batches,
                          MixedWorkspace& w) {
  Run one = run_of_class(run, c);
  one.strategy.micro_batches = micro_batches;
  Workspace& joined = w.replicas[c];
  if (one.strategy.pp == 1) {
    return (joined.forward.front() + joined.backward.front()) * static_cast<double>(micro_batches);
  }
  joined.swept = {};
  return pipeline_time<double>(one, joined).all;
}

template void fill_mixed(const MixedRun&, MixedWorkspaceOf<double>&);
template void fill_mixed(const MixedRun&, MixedWorkspaceOf<Traced>&);

}  // namespace orrery
