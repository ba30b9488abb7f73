// SPDX-License-Identifier: Apache-2.0
#include "sim/streams.h"

#include <algorithm>

#include "estimate/classes.h"
#include "estimate/data_parallel.h"
#include "estimate/offload.h"

namespace orrery {
namespace {

class StageReader {
 public:
  StageReader(const Run& run, const Workspace& w, const StepPlan& plan, std::size_t stage)
      : run_(run), w_(w), plan_(plan), stage_(stage) {}

  StageUse read() {
    const auto p = static_cast<std::size_t>(plan_.shape.stages);
    for (std::size_t j = stage_; j < plan_.passes.size(); j += p) add_chunk(j);
    add_sharded_traffic();
    add_ends();
    return use_;
  }

 private:
  double micro_batches() const { return static_cast<double>(plan_.shape.micro_batches); }

  void add(Stream s, Seconds busy, Seconds exposed) {
    at(use_, s).busy += busy * micro_batches();
    at(use_, s).exposed += exposed * micro_batches();
  }

  void add_chunk(std::size_t cell) {
    const StageClass<double>& c =
        class_of<double>(w_, part_of_cell(plan_, static_cast<std::int64_t>(cell)));
    for (const Terms<double>* t : {&c.costs.forward, &c.costs.backward}) {
      const auto term = [t](Term i) { return (*t)[static_cast<std::size_t>(i)]; };
      add(Stream::compute, kernels(*t), kernels(*t));
      add(Stream::tp, {}, term(Term::tp_exposed));
      add(Stream::cp, {}, term(Term::cp_exposed));
      add(Stream::ep, {}, term(Term::ep_exposed));
      add(Stream::dp, {}, term(Term::dp_exposed));
      add(Stream::copy, {}, term(Term::offload_exposed));
    }
    for (std::size_t b = 0; b < kBlockTypes; ++b) add_block(b, c.blocks[b], c.replayed[b]);
    for (std::size_t b = 0; b < kBlockTypes; ++b) blocks_[b] += c.blocks[b];
    add_copies(c);
    add(Stream::pp, plan_.sends[cell].forward + plan_.sends[cell].backward, {});
  }

  void add_block(std::size_t b, std::int64_t n, std::int64_t replayed) {
    if (n == 0) return;
    for (std::size_t phase = 0; phase < kPhases; ++phase) {
      const bool replay = static_cast<Phase>(phase) == Phase::replay;
      const auto times = static_cast<double>(replay ? replayed : n);
      const ExchangeTable<double>& table = w_.prices.blocks[b].exchanges[phase];
      for (std::size_t g = 0; g < kExchangeGroups; ++g) {
        for (const ExchangeSum<double>& e : table[g]) {
          add(stream_of(static_cast<ExchangeGroup>(g)), e.time * times, {});
        }
      }
    }
  }

  static Stream stream_of(ExchangeGroup g) {
    return g == ExchangeGroup::cp ? Stream::cp : g == ExchangeGroup::ep ? Stream::ep : Stream::tp;
  }

  void add_copies(const StageClass<double>& c) {
    const Offload& o = run_.strategy.offload;
    const Bytes kept = c.activations.kept;
    const Bytes weights =
        state_bytes<double>(run_.training.recipe, c.parameters, run_.strategy).weights;
    add(Stream::copy,
        streamed_time<double>(run_, o.activations, true, kept) +
            streamed_time<double>(run_, o.activations, false, kept) +
            streamed_time<double>(run_, o.parameters, false, weights) * 2.0,
        {});
  }

  void add_sharded_traffic() {
    Answer lines;
    add_micro_batch_traffic<double>(run_, w_.prices, blocks_, at(use_, Stream::dp).exposed,
                                    CommSink<double>{lines});
    for (std::uint8_t i = 0; i < lines.comm_count; ++i) {
      at(use_, Stream::dp).busy += lines.comm[i].time;
    }
  }

  void add_ends() {
    const StagePlan& s = plan_.stages[stage_];
    for (const StepTraffic& t : {s.gradients, s.weights}) {
      at(use_, Stream::dp).busy += t.hidden + t.exposed;
      at(use_, Stream::dp).exposed += t.exposed;
    }
    at(use_, Stream::compute).busy += s.device_update;
    at(use_, Stream::compute).exposed += s.device_update;
    at(use_, Stream::copy).busy += s.host_update;
    at(use_, Stream::copy).exposed += s.host_update;
    const bool tied = stage_ == 0 || stage_ + 1 == plan_.stages.size();
    if (tied) at(use_, Stream::pp).busy += plan_.tied;
    if (tied) at(use_, Stream::pp).exposed += plan_.tied;
  }

  const Run& run_;
  const Workspace& w_;
  const StepPlan& plan_;
  std::size_t stage_;
  BlockCounts blocks_{};
  StageUse use_;
};

// A stage that begins a pass when its message arrives stood still while that was on its way.
void measure_waits(const PassGraph& graph, const StepClock& times, std::size_t stage,
                   StageUse& use) {
  double free = times.stages[stage].gathered;
  const std::int64_t first = graph.order_begin[stage];
  for (std::int64_t k = first; k < graph.order_begin[stage + 1]; ++k) {
    const auto n = static_cast<std::size_t>(graph.order[static_cast<std::size_t>(k)]);
    const double begin = times.pass_begin[n];
    if (k == first) use.first_pass = Seconds(begin);
    double sending = 0;
    for (const std::int32_t r : graph.nodes[n].needs) {
      if (r < 0 || times.arrival[static_cast<std::size_t>(r)] < begin) continue;
      sending = begin - std::max(free, times.pass_end[static_cast<std::size_t>(r / 2)]);
    }
    sending = begin > free ? sending : 0;
    at(use, Stream::pp).exposed += Seconds(sending);
    use.bubble += Seconds(begin - free - sending);
    free = times.pass_end[n];
  }
}

}  // namespace

std::vector<StageUse> stage_uses(const Run& run, const Workspace& w, const StepPlan& plan,
                                 const PassGraph& graph, const StepClock& times) {
  std::vector<StageUse> uses;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    StageUse use = StageReader(run, w, plan, i).read();
    measure_waits(graph, times, i, use);
    use.finished = Seconds(times.stages[i].finished);
    use.reduced = Seconds(times.stages[i].reduced);
    use.end = Seconds(times.stages[i].end);
    uses.push_back(use);
  }
  return uses;
}

}  // namespace orrery
