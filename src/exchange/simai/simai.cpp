// SPDX-License-Identifier: Apache-2.0
#include "exchange/simai/simai.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "estimate/sends.h"
#include "exchange/collective_names.h"
#include "parallel/partition.h"
#include "sim/simulate.h"

namespace orrery {
namespace {

// SimAI knows three; it hears of the others as all-reduces.
constexpr EnumArray<Collective, const char*> kSimaiNames = {
    "ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL", "ALLREDUCE", "ALLREDUCE", "ALLREDUCE"};

// One of the three passes of a line.
struct SimaiPart {
  double nanoseconds = 1;
  std::string collective = "NONE";
  double bytes = 0;
};

std::string whole(double value) {
  return std::to_string(static_cast<long long>(std::llround(std::max(value, 0.0))));
}

class Workload {
 public:
  Workload(const Run& run, const Simulation& s)
      : run_(run), s_(s), stage_(static_cast<std::size_t>(s.answer.busy_stage)) {}

  std::string write() {
    traffic(false);
    traffic(true);
    for (std::int64_t m = 0; m < s_.plan.shape.micro_batches; ++m) micro_batch(m);
    const StagePlan& plan = s_.plan.stages[stage_];
    const SimaiPart update{(plan.device_update + plan.host_update).si() * 1e9, "NONE", 0};
    line("optimizer", {update, {}, {}});
    return header() + "\n" + std::to_string(count_) + "\n" + lines_;
  }

 private:
  std::string header() const {
    const Strategy& s = run_.strategy;
    const auto item = [](const char* key, std::int64_t n) {
      return std::string(" ") + key + ": " + std::to_string(n);
    };
    return "HYBRID_TRANSFORMER_FWD_IN_BCKWD" + item("model_parallel_NPU_group", s.tp) +
           item("ep", s.ep) + item("pp", s.pp) + item("vpp", s.vpp) + item("ga", s.micro_batches) +
           item("all_gpus", world_size(s)) + item("checkpoints", 0) +
           item("checkpoint_initiates", 0) + item("pp_comm", std::llround(boundary_bytes()));
  }

  double boundary_bytes() const {
    for (std::uint8_t i = 0; i < s_.closed.comm_count; ++i) {
      const CommLine<double>& l = s_.closed.comm[i];
      if (l.dimension != CommDimension::pp || l.collective != Collective::point_to_point) continue;
      return (l.bytes / static_cast<double>(l.count)).si();
    }
    return 0;
  }

  void line(const std::string& name, const std::array<SimaiPart, 3>& parts) {
    lines_ += name + "\t-1";
    for (const SimaiPart& p : parts) {
      lines_ +=
          "\t" + whole(std::max(1.0, p.nanoseconds)) + "\t" + p.collective + "\t" + whole(p.bytes);
    }
    lines_ += "\t1\n";
    ++count_;
  }

  // In the part that SimAI gives to data parallelism's group, as AICB writes it.
  void traffic(bool gathers) {
    for (const CommLine<double>& l : s_.plan.stages[stage_].lines) {
      if ((l.collective == Collective::all_gather) != gathers) continue;
      const std::string group = l.dimension == CommDimension::edp ? "_DP_EP" : "";
      const SimaiPart moved{1, std::string(kSimaiNames[l.collective]) + group,
                            full_buffer(l.collective, l.ranks, l.bytes.si())};
      line(gathers ? "grad_gather" : "grad_param_comm", {SimaiPart{}, SimaiPart{}, moved});
    }
  }

  void micro_batch(std::int64_t m) {
    const auto p = static_cast<std::size_t>(s_.plan.shape.stages);
    for (std::size_t cell = stage_; cell < s_.plan.passes.size(); cell += p) {
      const MicroBatchRange r = micro_batches_of(s_.plan.schedule.layout(), s_.plan.shape,
                                                 static_cast<std::int64_t>(cell / p));
      if (m >= r.first && m < r.end) chunk(cell, m);
    }
  }

  void chunk(std::size_t cell, std::int64_t m) {
    const PassPlan& plan = s_.plan.passes[cell];
    const std::vector<PassExchange>& down = s_.exchanges[cell].forward;
    const std::vector<PassExchange>& up = s_.exchanges[cell].backward;
    const std::string name =
        "chunk_" + std::to_string(cell / s_.plan.stages.size()) + "_mb_" + std::to_string(m);
    std::array<SimaiPart, 3> parts;
    parts[0].nanoseconds = kernels(plan.forward_terms).si() * 1e9;
    parts[1].nanoseconds = (kernels(plan.backward_terms) - plan.weight).si() * 1e9;
    parts[2].nanoseconds = plan.weight.si() * 1e9;
    for (std::size_t i = 0; i < std::max<std::size_t>(1, std::max(down.size(), up.size())); ++i) {
      if (i > 0) parts = {};
      if (i < down.size()) add(down[i], parts[0]);
      if (i < up.size()) add(up[i], parts[1]);
      line(name, parts);
    }
  }

  static void add(const PassExchange& e, SimaiPart& part) {
    part.collective =
        std::string(kSimaiNames[e.collective]) + (e.group == ExchangeGroup::ep ? "_EP" : "");
    part.bytes = full_buffer(e.collective, e.ranks, e.bytes.si());
  }

  const Run& run_;
  const Simulation& s_;
  std::size_t stage_;
  std::string lines_;
  std::int64_t count_ = 0;
};

}  // namespace

std::string why_no_simai(const Run& run) {
  if (run.strategy.cp > 1) return "groups of context parallelism";
  if (other_zero(run.strategy.layers, run.strategy.zero)) return "layers with a zero of their own";
  const bool streams = reduces_every_micro_batch(run.strategy, run.framework);
  return streams ? "weights or gradients sharded in every micro batch" : "";
}

std::string simai_workload(const Run& run, const Simulation& s) { return Workload(run, s).write(); }

}  // namespace orrery
