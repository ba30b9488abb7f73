// SPDX-License-Identifier: Apache-2.0
#include "exchange/chakra.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/json.h"
#include "exchange/full_buffer.h"
#include "exchange/protobuf.h"

namespace orrery {
namespace {

enum class NodeType : std::uint64_t { compute = 4, send = 5, receive = 6, collective = 7 };

// CollectiveCommType of the schema.
std::uint64_t type_of(Collective c) {
  switch (c) {
    case Collective::all_gather:
      return 2;
    case Collective::all_to_all:
      return 6;
    case Collective::reduce_scatter:
      return 7;
    default:
      return 0;  // all-reduce
  }
}

std::int64_t extent(const Strategy& s, Dim d) {
  switch (d) {
    case Dim::tp:
      return s.tp;
    case Dim::cp:
      return s.cp;
    case Dim::dp:
      return s.dp;
    case Dim::pp:
      return s.pp;
    case Dim::ep:
      return 1;
  }
  return 1;
}

std::int64_t stride_of(const Strategy& s, Dim d) {
  std::int64_t stride = 1;
  for (const Dim o : s.order) {
    if (o == d) break;
    stride *= extent(s, o);
  }
  return stride;
}

std::vector<std::int64_t> varied(const Strategy& s, const std::vector<std::int64_t>& ranks, Dim d) {
  std::vector<std::int64_t> out;
  const std::int64_t stride = stride_of(s, d);
  for (const std::int64_t r : ranks) {
    const std::int64_t first = r - r / stride % extent(s, d) * stride;
    for (std::int64_t i = 0; i < extent(s, d); ++i) out.push_back(first + i * stride);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

enum class GroupKind : std::uint8_t { tp, cp, dp };

std::vector<std::int64_t> members(const Strategy& s, GroupKind kind, std::int64_t rank) {
  if (kind == GroupKind::tp) return varied(s, {rank}, Dim::tp);
  if (kind == GroupKind::cp) return varied(s, {rank}, Dim::cp);
  return varied(s, varied(s, {rank}, Dim::cp), Dim::dp);
}

// Numbers of their own for groups: kind, then the lowest rank.
std::string group_name(const Strategy& s, GroupKind kind, std::int64_t rank) {
  return std::to_string(static_cast<std::int64_t>(kind) * world_size(s) +
                        members(s, kind, rank).front());
}

class Trace {
 public:
  Trace(const Run& run, const Simulation& s, std::int64_t rank)
      : run_(run), s_(s), rank_(rank), stage_(place_of_rank(run.strategy, rank).stage) {}

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

  std::uint64_t collective(const std::string& name, const Deps& deps, Collective c, GroupKind group,
                           std::int64_t ranks, double sent, Seconds time) {
    WireMessage pg;
    pg.text(1, "pg_name").text(29, group_name(run_.strategy, group, rank_));
    return add(name, NodeType::collective, deps, time.si(),
               {attribute("comm_type", 9, type_of(c)),
                number("comm_size", full_buffer(c, ranks, sent)), pg});
  }

  std::int64_t rank_in(std::int64_t stage) const {
    return rank_ + (stage - stage_) * stride_of(run_.strategy, Dim::pp);
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
    if (has_forward(slot.kind)) collectives(s_.exchanges[slot.cell].forward, deps);
    if (has_input_gradient(slot.kind)) {
      collectives(s_.exchanges[slot.backward_cell].backward, deps);
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
      const GroupKind kind = e.group == ExchangeGroup::cp ? GroupKind::cp : GroupKind::tp;
      const bool hidden = !(e.exposed > Seconds());
      const std::uint64_t done =
          collective(std::string(name_of(e.collective)), hidden ? deps : last_, e.collective, kind,
                     e.ranks, e.bytes.si(), e.time);
      last_.push_back(done);
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
    last_ = {compute("update", last_, plan.device_update + plan.host_update)};
    traffic(plan, true);
  }

  void traffic(const StagePlan& plan, bool gathers) {
    for (const CommLine<double>& l : plan.lines) {
      if ((l.collective == Collective::all_gather) != gathers) continue;
      last_ = {collective(gathers ? "gather weights" : "reduce gradients", last_, l.collective,
                          GroupKind::dp, l.ranks, l.bytes.si(), l.time)};
    }
  }

  const Run& run_;
  const Simulation& s_;
  std::int64_t rank_;
  std::int64_t stage_;
  std::string out_;
  std::uint64_t next_ = 0;
  Deps last_;
};

}  // namespace

std::string why_no_chakra(const Run& run) {
  if (is_moe(run.model)) return "groups of experts";
  const Strategy& s = run.strategy;
  const bool parts = s.partition.optimizer > 1 && s.partition.optimizer < s.dp * s.cp;
  return parts ? "states sharded over a part of the replicas" : "";
}

std::string chakra_trace(const Run& run, const Simulation& s, std::int64_t rank) {
  return Trace(run, s, rank).write();
}

std::string chakra_groups(const Run& run, const std::vector<std::int64_t>& ranks) {
  const Strategy& s = run.strategy;
  Json groups = Json::object();
  std::set<std::string> known;
  for (const std::int64_t rank : ranks) {
    for (const GroupKind kind : {GroupKind::tp, GroupKind::cp, GroupKind::dp}) {
      const std::vector<std::int64_t> all = members(s, kind, rank);
      if (all.size() > 1 && known.insert(group_name(s, kind, rank)).second) {
        groups[group_name(s, kind, rank)] = all;
      }
    }
  }
  return groups.dump(1) + "\n";
}

}  // namespace orrery
