// SPDX-License-Identifier: Apache-2.0
#include "sim/streams.h"

#include <algorithm>

#include "estimate/classes.h"
#include "estimate/comm_lines.h"
#include "estimate/data_parallel.h"
#include "estimate/offload.h"
#include "estimate/run.h"

namespace orrery {
namespace {

Stream stream_of(ExchangeGroup g) {
  return g == ExchangeGroup::cp ? Stream::cp : g == ExchangeGroup::ep ? Stream::ep : Stream::tp;
}

StreamUses exposed_of(const Terms<double>& terms) {
  StreamUses u{};
  u[Stream::compute] = {kernels(terms), kernels(terms)};
  u[Stream::tp].exposed = terms[Term::tp_exposed];
  u[Stream::cp].exposed = terms[Term::cp_exposed];
  u[Stream::ep].exposed = terms[Term::ep_exposed];
  u[Stream::dp].exposed = terms[Term::dp_exposed];
  u[Stream::copy].exposed = terms[Term::offload_exposed];
  return u;
}

void add_exchanges(const BlockPrice<double>& block, Phase phase, std::int64_t n, StreamUses& u) {
  const ExchangeTable<double>& table = block.exchanges[phase];
  for (const ExchangeGroup g : kAllOf<ExchangeGroup>) {
    for (const ExchangeSum<double>& e : table[g]) {
      u[stream_of(g)].busy += e.time * static_cast<double>(n);
    }
  }
}

// Exchanges last as long beyond their price as the pass has them: an uneven load of experts.
void lengthen(const Terms<double>& priced, const Terms<double>& planned, StreamUses& u) {
  const auto by = [&](Stream s, Term t) {
    if (priced[t] > Seconds()) u[s].busy = u[s].busy * (planned[t] / priced[t]);
  };
  by(Stream::tp, Term::tp_exposed);
  by(Stream::cp, Term::cp_exposed);
  by(Stream::ep, Term::ep_exposed);
}

Seconds time_of_shards(const Run& run, const Workspace& w, const StageClass<double>& c, Pass pass) {
  Seconds time{};
  for (const CommLine<double>& l : pass_traffic(run, w.prices, c.blocks, pass, c.again.resharded)) {
    time += l.time;
  }
  return time;
}

PassUse pass_use(const Run& run, const Workspace& w, const StageClass<double>& c,
                 const PassPlan& plan) {
  PassUse p{exposed_of(plan.forward_terms), exposed_of(plan.backward_terms)};
  for (const BlockType b : kAllOf<BlockType>) {
    if (c.blocks[b] == 0) continue;
    const BlockPrice<double>& block = w.prices.blocks[b];
    add_exchanges(block, Phase::forward, c.blocks[b], p.forward);
    add_exchanges(block, Phase::backward, c.blocks[b], p.backward);
    add_exchanges(block, Phase::recompute_selective, c.again.selective[b], p.backward);
    add_exchanges(block, Phase::recompute_full, c.again.full[b], p.backward);
  }
  lengthen(c.costs.forward, plan.forward_terms, p.forward);
  lengthen(c.costs.backward, plan.backward_terms, p.backward);
  p.forward[Stream::dp].busy = time_of_shards(run, w, c, Pass::forward);
  p.backward[Stream::dp].busy = time_of_shards(run, w, c, Pass::backward);
  const PassCopies<double> copies = pass_copies<double>(run, c.parameters, c.activations.kept);
  p.forward[Stream::copy].busy = copies.fetch + copies.down;
  p.backward[Stream::copy].busy = copies.fetch + copies.up;
  return p;
}

class StageReader {
 public:
  StageReader(const StepPlan& plan, const std::vector<PassUse>& passes, const StepClock& times,
              std::size_t stage)
      : plan_(plan), passes_(passes), times_(times), stage_(stage) {}

  StageUse read() {
    const auto p = static_cast<std::size_t>(plan_.shape.stages);
    for (std::size_t cell = stage_; cell < plan_.passes.size(); cell += p) add_cell(cell);
    add_ends();
    return use_;
  }

 private:
  void add_cell(std::size_t cell) {
    const double m = micro_batches_through(plan_, cell);
    for (const StreamUses* u : {&passes_[cell].forward, &passes_[cell].backward}) {
      for (const Stream s : kAllOf<Stream>) {
        use_.streams[s].busy += (*u)[s].busy * m;
        use_.streams[s].exposed += (*u)[s].exposed * m;
      }
    }
    use_.streams[Stream::pp].busy += (plan_.sends[cell].forward + plan_.sends[cell].backward) * m;
  }

  void add_ends() {
    const StagePlan& s = plan_.stages[stage_];
    use_.streams[Stream::copy].busy += plan_.save.stall + plan_.save.copy;
    use_.streams[Stream::copy].exposed += plan_.save.stall;
    const ExposedTraffic traffic = exposed_traffic(plan_, times_, stage_);
    const Seconds exposed = traffic.gradients + traffic.weights;
    use_.streams[Stream::dp].busy += s.gradients.hidden + s.weights.hidden + exposed;
    use_.streams[Stream::dp].exposed += exposed;
    const StageTimes& t = times_.stages[stage_];
    use_.streams[Stream::compute].busy += t.device_update;
    use_.streams[Stream::compute].exposed += t.device_update;
    use_.streams[Stream::copy].busy += t.host_update;
    use_.streams[Stream::copy].exposed += t.host_update;
    for (const Rendezvous& r : plan_.rendezvous) {
      if (r.first != stage_ && r.second != stage_) continue;
      use_.streams[Stream::pp].busy += r.time;
      use_.streams[Stream::pp].exposed += r.time;
    }
  }

  const StepPlan& plan_;
  const std::vector<PassUse>& passes_;
  const StepClock& times_;
  std::size_t stage_;
  StageUse use_;
};

// A stage that begins a pass when its message arrives has stood still while it was in flight.
void measure_waits(const PassGraph& graph, const StepClock& times, std::size_t stage,
                   StageUse& use) {
  Seconds free = times.stages[stage].gathered;
  const std::int64_t first = graph.order_begin[stage];
  for (std::int64_t k = first; k < graph.order_begin[stage + 1]; ++k) {
    const auto n = static_cast<std::size_t>(graph.order[static_cast<std::size_t>(k)]);
    const Seconds begin = times.pass_begin[n];
    if (k == first) use.first_pass = begin;
    Seconds sending{};
    for (const std::int32_t r : graph.nodes[n].needs) {
      if (r < 0 || times.arrival[static_cast<std::size_t>(r)] < begin) continue;
      sending = begin - std::max(free, times.pass_end[static_cast<std::size_t>(r / 2)]);
    }
    sending = begin > free ? sending : Seconds();
    use.streams[Stream::pp].exposed += sending;
    use.bubble += begin - free - sending;
    free = times.pass_end[n];
  }
}

}  // namespace

std::vector<PassUse> pass_uses(const Run& run, const Workspace& w, const StepPlan& plan) {
  std::vector<PassUse> uses;
  for (std::size_t cell = 0; cell < plan.passes.size(); ++cell) {
    const std::int64_t part = part_of_cell(plan, static_cast<std::int64_t>(cell));
    uses.push_back(pass_use(run, w, class_of<double>(w, part), plan.passes[cell]));
  }
  return uses;
}

namespace {

void add_to(std::vector<PassExchange>& list, const PassExchange& e) {
  if (!(e.time > Seconds())) return;
  for (PassExchange& known : list) {
    if (known.group != e.group || known.collective != e.collective) continue;
    known.bytes += e.bytes;
    known.time += e.time;
    known.exposed += e.exposed;
    return;
  }
  list.push_back(e);
}

void list_exchanges(const Placement& p, const BlockPrice<double>& block, Phase phase,
                    std::int64_t n, std::vector<PassExchange>& list) {
  const EnumArray<ExchangeGroup, std::int64_t> ranks = {p.tp.ranks, p.cp.ranks, p.ep.ranks,
                                                        p.etp.ranks};
  const ExchangeTable<double>& table = block.exchanges[phase];
  const auto times = static_cast<double>(n);
  for (const ExchangeGroup g : kAllOf<ExchangeGroup>) {
    for (const Collective k : kExchangeKinds) {
      const ExchangeSum<double>& e = table[g][k];
      add_to(list, {g, k, ranks[g], e.bytes * times, e.time * times, e.exposed * times});
    }
  }
}

}  // namespace

PassExchanges shard_moves(const Run& run, const Workspace& w, const BlockCounts& blocks,
                          const BlockCounts& resharded) {
  PassExchanges pass;
  pass.forward_shards = pass_traffic(run, w.prices, blocks, Pass::forward, resharded);
  pass.backward_shards = pass_traffic(run, w.prices, blocks, Pass::backward, resharded);
  return pass;
}

std::vector<PassExchanges> pass_exchanges(const Run& run, const Workspace& w,
                                          const StepPlan& plan) {
  std::vector<PassExchanges> all(plan.passes.size());
  for (std::size_t cell = 0; cell < all.size(); ++cell) {
    const StageClass<double>& c =
        class_of<double>(w, part_of_cell(plan, static_cast<std::int64_t>(cell)));
    all[cell] = shard_moves(run, w, c.blocks, c.again.resharded);
    for (const BlockType b : kAllOf<BlockType>) {
      if (c.blocks[b] == 0) continue;
      const BlockPrice<double>& block = w.prices.blocks[b];
      const Placement& p = w.prices.placement;
      list_exchanges(p, block, Phase::forward, c.blocks[b], all[cell].forward);
      list_exchanges(p, block, Phase::backward, c.blocks[b], all[cell].backward);
      list_exchanges(p, block, Phase::recompute_selective, c.again.selective[b],
                     all[cell].backward);
      list_exchanges(p, block, Phase::recompute_full, c.again.full[b], all[cell].backward);
    }
  }
  return all;
}

std::vector<StageUse> stage_uses(const StepPlan& plan, const std::vector<PassUse>& passes,
                                 const PassGraph& graph, const StepClock& times) {
  std::vector<StageUse> uses;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    StageUse use = StageReader(plan, passes, times, i).read();
    measure_waits(graph, times, i, use);
    const Seconds waits = times.stages[i].copied - ready_to_update(plan, times, i);
    use.streams[Stream::copy].exposed += std::max(Seconds(), waits);
    use.finished = times.stages[i].finished;
    use.reduced = times.stages[i].reduced;
    use.end = times.stages[i].end;
    uses.push_back(use);
  }
  return uses;
}

}  // namespace orrery
