// SPDX-License-Identifier: Apache-2.0
#include "exchange/chakra/chakra.h"

#include <algorithm>
#include <cmath>

#include "core/json.h"
#include "exchange/chakra/protobuf.h"
#include "exchange/collective_names.h"
#include "parallel/partition.h"
#include "parallel/rank_digits.h"
#include "sim/simulate.h"

namespace orrery {
namespace {

GroupKind kind_of(CommDimension d) {
  return d == CommDimension::edp ? GroupKind::expert : GroupKind::dense;
}

Digits digits_of(const Strategy& s, const RankGroup& g) {
  const auto dense = [&s](unsigned dims) { return digits_of(s.order, dense_sizes(s), dims); };
  const auto expert = [&s](unsigned dims) { return digits_of(s.order, expert_sizes(s), dims); };
  switch (g.kind) {
    case GroupKind::tp:
      return dense(bit(Dim::tp));
    case GroupKind::cp:
      return dense(bit(Dim::cp));
    case GroupKind::ep:
      return expert(bit(Dim::ep));
    case GroupKind::etp:
      return expert(bit(Dim::tp));
    case GroupKind::dense:
      return part_of(dense(bit(Dim::dp) | bit(Dim::cp)), g.inner, g.outer);
    case GroupKind::expert:
      return part_of(expert(bit(Dim::dp)), g.inner, g.outer);
    case GroupKind::stages:
      return dense(bit(Dim::pp));
  }
  return {};
}

enum class NodeType : std::uint64_t { compute = 4, send = 5, receive = 6, collective = 7 };

// CollectiveCommType of the schema; 0: all-reduce, as which the last three go.
constexpr EnumArray<Collective, std::uint64_t> kChakraTypes = {0, 2, 7, 6, 0, 0, 0};

// Ranks between neighbours of the pipeline.
std::int64_t stage_stride(const Strategy& s) {
  const Digits stages = digits_of(s.order, dense_sizes(s), bit(Dim::pp));
  return stages.count > 0 ? stages.at[0].stride : 0;
}

class Trace {
 public:
  Trace(const Run& run, const Simulation& s, std::int64_t rank)
      : run_(run),
        s_(s),
        groups_(run, s),
        rank_(rank),
        stage_(place_of_rank(run.strategy, rank).stage) {}

  std::string write() {
    out_ = WireMessage().text(1, "0.0.4").delimited();
    const auto i = static_cast<std::size_t>(stage_);
    for (std::int64_t k = s_.graph.order_begin[i]; k < s_.graph.order_begin[i + 1]; ++k) {
      pass(s_.graph.order[static_cast<std::size_t>(k)]);
    }
    end_of_step();
    return std::move(out_);
  }

 private:
  using Deps = std::vector<std::uint64_t>;

  static WireMessage attribute(const std::string& name, std::uint32_t field, std::uint64_t value) {
    return WireMessage().text(1, name).whole(field, value);
  }
  static WireMessage number(const std::string& name, double value) {
    return attribute(name, 9, static_cast<std::uint64_t>(std::llround(std::max(value, 1.0))));
  }

  std::uint64_t add(const std::string& name, NodeType type, const Deps& deps, double seconds,
                    const std::vector<WireMessage>& attributes) {
    WireMessage node;
    node.whole(1, next_).text(2, name).whole(3, static_cast<std::uint64_t>(type));
    for (const std::uint64_t d : deps) node.whole(5, d);
    node.whole(7, static_cast<std::uint64_t>(std::llround(seconds * 1e6)));
    node.nested(10, attribute("is_cpu_op", 27, 0));
    for (const WireMessage& a : attributes) node.nested(10, a);
    out_ += node.delimited();
    return next_++;
  }

  std::uint64_t compute(const std::string& name, const Deps& deps, Seconds time) {
    const Device& d = run_.cluster.device;
    return add(name, NodeType::compute, deps, time.si(),
               {number("num_ops", time.si() * s_.closed.peak_rate.si()),
                number("tensor_size", time.si() * d.memory_bandwidth.si())});
  }

  std::uint64_t collective(const std::string& name, const Deps& deps, Collective c,
                           const RankGroup& group, std::int64_t ranks, double sent, Seconds time) {
    return whole_collective(name, deps, c, group, full_buffer(c, ranks, sent), time);
  }

  std::uint64_t whole_collective(const std::string& name, const Deps& deps, Collective c,
                                 const RankGroup& group, double size, Seconds time) {
    WireMessage pg;
    pg.text(1, "pg_name").text(29, groups_.name(group, rank_));
    return add(name, NodeType::collective, deps, time.si(),
               {attribute("comm_type", 9, kChakraTypes[c]), number("comm_size", size), pg});
  }

  std::int64_t rank_in(std::int64_t stage) const {
    return rank_ + (stage - stage_) * stage_stride(run_.strategy);
  }

  double sent_bytes() const {
    const Answer& a = s_.closed;
    for (std::uint8_t i = 0; i < a.comm_count; ++i) {
      const CommLine<double>& l = a.comm[i];
      if (l.dimension == CommDimension::pp && l.collective == Collective::point_to_point) {
        return (l.bytes / static_cast<double>(l.count)).si();
      }
    }
    return 1;
  }

  std::uint64_t message(bool send, std::int32_t result, std::int64_t other_stage,
                        const Deps& deps) {
    const auto from = static_cast<std::uint64_t>(send ? rank_ : rank_in(other_stage));
    const auto to = static_cast<std::uint64_t>(send ? rank_in(other_stage) : rank_);
    return add(send ? "send" : "receive", send ? NodeType::send : NodeType::receive, deps, 0,
               {number("comm_size", sent_bytes()), attribute("comm_src", 9, from),
                attribute("comm_dst", 9, to),
                attribute("comm_tag", 9, static_cast<std::uint64_t>(result))});
  }

  void pass(std::int32_t id) {
    const auto n = static_cast<std::size_t>(id);
    const PassNode& node = s_.graph.nodes[n];
    const PassSlot& slot = s_.graph.slots[node.slot];
    Deps deps = last_;
    for (const std::int32_t r : node.needs) {
      if (r < 0) continue;
      deps.push_back(message(false, r, s_.graph.nodes[static_cast<std::size_t>(r / 2)].stage, {}));
    }
    last_ = {compute(pass_name(n, slot), deps, pass_time(s_.plan, slot).kernels)};
    if (has_forward(slot.kind)) {
      collectives(s_.exchanges[slot.cell].forward, deps);
      shards(s_.exchanges[slot.cell].forward_shards, deps);
    }
    if (has_input_gradient(slot.kind)) {
      collectives(s_.exchanges[slot.backward_cell].backward, deps);
      shards(s_.exchanges[slot.backward_cell].backward_shards, deps);
    }
    sends(id);
  }

  std::string pass_name(std::size_t node, const PassSlot& slot) const {
    const auto of = [](std::int32_t micro_batch, std::uint16_t cell) {
      return std::to_string(micro_batch) + " of cell " + std::to_string(cell);
    };
    const std::string up = of(s_.graph.backward_micro_batch[node], slot.backward_cell);
    switch (slot.kind) {
      case StepKind::forward:
        return "forward " + of(s_.graph.micro_batch[node], slot.cell);
      case StepKind::backward:
        return "backward " + up;
      case StepKind::input_gradient:
        return "input gradient " + up;
      case StepKind::weight_gradient:
        return "weight gradient " + up;
      case StepKind::pair:
        return "forward " + of(s_.graph.micro_batch[node], slot.cell) + " and backward " + up;
    }
    return up;
  }

  // A collective that the run hides stands beside its pass, the rest after it.
  void collectives(const std::vector<PassExchange>& exchanges, const Deps& deps) {
    for (const PassExchange& e : exchanges) {
      const bool hidden = !(e.exposed > Seconds());
      const std::uint64_t done =
          collective(std::string(name_of(e.collective)), hidden ? deps : last_, e.collective,
                     group_of(e), e.ranks, e.bytes.si(), e.time);
      last_.push_back(done);
    }
  }

  // Weights gathered and gradients reduced in the pass: beside it where the framework overlaps
  // them.
  void shards(const ShardMoves& moves, const Deps& deps) {
    for (const CommLine<double>& l : moves) {
      const bool gathers = l.collective == Collective::all_gather;
      const Framework& f = run_.framework;
      const bool beside = gathers ? f.overlap.param_gather : f.overlap.grad_reduce;
      last_.push_back(collective(gathers ? "gather weights" : "reduce gradients",
                                 beside ? deps : last_, l.collective, group_in_pass(run_, l),
                                 l.ranks, l.bytes.si(), l.time));
    }
  }

  void sends(std::int32_t id) {
    for (const std::int32_t r : {2 * id, 2 * id + 1}) {
      const std::int32_t to = s_.graph.needed_by[static_cast<std::size_t>(r)];
      if (to >= 0) message(true, r, s_.graph.nodes[static_cast<std::size_t>(to)].stage, last_);
    }
  }

  void end_of_step() {
    const StagePlan& plan = s_.plan.stages[static_cast<std::size_t>(stage_)];
    traffic(plan, false);
    const auto mine = static_cast<std::size_t>(stage_);
    for (const Rendezvous& r : s_.plan.rendezvous) {
      if (r.first != mine && r.second != mine) continue;
      last_ = {whole_collective("reduce shared gradients", last_, Collective::all_reduce,
                                group_of(r), r.message.si(), r.time)};
    }
    last_ = {compute("update", last_, plan.device_update + plan.host_update)};
    traffic(plan, true);
  }

  void traffic(const StagePlan& plan, bool gathers) {
    for (const CommLine<double>& l : plan.lines) {
      if ((l.collective == Collective::all_gather) != gathers) continue;
      last_ = {collective(gathers ? "gather weights" : "reduce gradients", last_, l.collective,
                          group_at_end(run_, l), l.ranks, l.bytes.si(), l.time)};
    }
  }

  const Run& run_;
  const Simulation& s_;
  CommGroups groups_;
  std::int64_t rank_;
  std::int64_t stage_;
  std::string out_;
  std::uint64_t next_ = 0;
  Deps last_;
};

}  // namespace

RankGroup group_of(const PassExchange& e) {
  switch (e.group) {
    case ExchangeGroup::tp:
      return {GroupKind::tp};
    case ExchangeGroup::cp:
      return {GroupKind::cp};
    case ExchangeGroup::ep:
      return {GroupKind::ep};
    case ExchangeGroup::etp:
      return {GroupKind::etp};
  }
  return {};
}

ShardedStates states_of(GroupKind kind) {
  return kind == GroupKind::expert ? ShardedStates::expert : ShardedStates::dense;
}

// Shards are gathered and reduced within their group, and summed over the groups.
RankGroup group_in_pass(const Run& run, const CommLine<double>& l) {
  const GroupKind kind = kind_of(l.dimension);
  if (l.collective != Collective::all_reduce) return {kind, 1, l.ranks};
  const std::int64_t all = replicas(run.strategy, states_of(kind));
  return {kind, all / l.ranks, all};
}

RankGroup group_at_end(const Run& run, const CommLine<double>& l) {
  const GroupKind kind = kind_of(l.dimension);
  const ShardedStates which = states_of(kind);
  const Partition p = partition_of(run.strategy, which);
  const bool shards = reduces_every_micro_batch(run.strategy, run.framework);
  const std::int64_t owners = std::max(p.optimizer, shards ? p.gradients : 1);
  const std::int64_t outer =
      l.collective == Collective::all_reduce ? replicas(run.strategy, which) : owners;
  return {kind, outer / l.ranks, outer};
}

RankGroup group_of(const Rendezvous& r) {
  return {GroupKind::stages, static_cast<std::int64_t>(r.first),
          static_cast<std::int64_t>(r.second)};
}

CommGroups::CommGroups(const Run& run, const Simulation& s) : strategy_(run.strategy) {
  for (const PassExchanges& pass : s.exchanges) {
    for (const PassExchange& e : pass.forward) note(group_of(e));
    for (const PassExchange& e : pass.backward) note(group_of(e));
    for (const CommLine<double>& l : pass.forward_shards) note(group_in_pass(run, l));
    for (const CommLine<double>& l : pass.backward_shards) note(group_in_pass(run, l));
  }
  for (const StagePlan& stage : s.plan.stages) {
    for (const CommLine<double>& l : stage.lines) note(group_at_end(run, l));
  }
  for (const Rendezvous& r : s.plan.rendezvous) note(group_of(r));
}

void CommGroups::note(const RankGroup& g) {
  if (std::find(kinds_.begin(), kinds_.end(), g) == kinds_.end()) kinds_.push_back(g);
}

std::vector<std::int64_t> CommGroups::members(const RankGroup& g, std::int64_t rank) const {
  const std::vector<std::int64_t> all = members_of(digits_of(strategy_, g), rank);
  if (g.kind != GroupKind::stages) return all;
  return {all[static_cast<std::size_t>(g.inner)], all[static_cast<std::size_t>(g.outer)]};
}

std::string CommGroups::name(const RankGroup& g, std::int64_t rank) const {
  const auto kind = std::find(kinds_.begin(), kinds_.end(), g) - kinds_.begin();
  return std::to_string(kind * world_size(strategy_) + members(g, rank).front());
}

std::string why_no_chakra(const Run& run) {
  if (other_zero(run.strategy.layers, run.strategy.zero)) return "layers with a zero of their own";
  return run.strategy.zeropp.qgz > 0 ? "gradients reduced in two quantized hops" : "";
}

std::string chakra_trace(const Run& run, const Simulation& s, std::int64_t rank) {
  return Trace(run, s, rank).write();
}

std::string chakra_groups(const Run& run, const Simulation& s,
                          const std::vector<std::int64_t>& ranks) {
  const CommGroups book(run, s);
  Json groups = Json::object();
  for (const std::int64_t rank : ranks) {
    for (const RankGroup& kind : book.kinds()) {
      const std::vector<std::int64_t> all = book.members(kind, rank);
      const bool is_in = std::find(all.begin(), all.end(), rank) != all.end();
      if (all.size() > 1 && is_in) groups[book.name(kind, rank)] = all;
    }
  }
  return groups.dump(1) + "\n";
}

}  // namespace orrery
