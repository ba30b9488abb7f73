// SPDX-License-Identifier: Apache-2.0
#include "insight/limiter.h"

#include <algorithm>
#include <array>

#include "core/units.h"
#include "document/words.h"
#include "estimate/run.h"
#include "parallel/strategy_json.h"

namespace orrery {
namespace {

// Words for each part of the step as the limit.
constexpr EnumArray<Term, const char*> kWhat = {
    "kernels below the dense peak",
    "recomputation",
    "tensor-parallel communication",
    "context-parallel communication",
    "expert-parallel communication",
    "sends between pipeline stages",
    "pipeline bubble",
    "data-parallel communication",
    "optimizer update",
    "transfers to host or NVMe",
    "launching kernels from the host",
    "fixed costs of a step",
};

std::string share(Seconds part, Seconds whole) {
  return percent(part / whole, 0) + " of the step, " + pretty(part, 3);
}

// The part of compute beyond model FLOPs at the peak.
Seconds lost(const Answer& a, Term t) {
  const Seconds term = a.breakdown[t];
  if (t != Term::compute) return term;
  const Seconds ideal = a.model_flops / a.peak_rate;
  return ideal < term ? term - ideal : Seconds();
}

Term largest_loss(const Answer& a) {
  return *std::max_element(kAllOf<Term>.begin(), kAllOf<Term>.end(),
                           [&](Term x, Term y) { return lost(a, x) < lost(a, y); });
}

std::string kernels_detail(const Answer& a) {
  const Seconds compute = a.breakdown[Term::compute];
  return ": " + pretty(compute, 3) + " where the peak of " + pretty(a.peak_rate, 4) +
         " would need " + pretty(a.model_flops / a.peak_rate, 3);
}

std::string where_it_goes(const Run& run, const Answer& a, Term t) {
  const Strategy& s = run.strategy;
  const auto n = [](std::int64_t x) { return grouped(x); };
  switch (t) {
    case Term::compute:
      return kernels_detail(a);
    case Term::recompute:
      return ": " + std::string(name_of(s.recompute)) + " recompute runs forward kernels again";
    case Term::pp_bubble:
      return ": " + n(s.pp) + " stages, " + n(s.micro_batches) + " micro batches, " +
             counted(s.vpp, "chunk") + " a stage";
    case Term::tp_exposed:
      return ": tp " + n(s.tp);
    case Term::cp_exposed:
      return ": cp " + n(s.cp);
    case Term::ep_exposed:
      return ": ep " + n(s.ep);
    case Term::dp_exposed:
      return ": " + n(s.dp * s.cp) + " replicas, " +
             (s.partition == partition_of(s.zero, dense_replicas(s)) ? "ZeRO " + n(s.zero)
                                                                     : "a partition of its own");
    case Term::pp_exposed:
    case Term::optimizer:
    case Term::offload_exposed:
    case Term::other:
      return "";
    case Term::host_exposed:
      return ": its processor launches slower than the GPU runs";
  }
  return "";
}

std::string memory_sentence(const Answer& a) {
  return "memory: " + gib_text(a.memory.peak, 1) + " > " + gib_text(a.capacity, 1) + " on stage " +
         std::to_string(a.memory_stage) + ", of which " + largest_line(a.memory);
}

}  // namespace

std::string largest_line(const StageMemory<double>& m) {
  const MemoryLine largest =
      *std::max_element(kAllOf<MemoryLine>.begin(), kAllOf<MemoryLine>.end(),
                        [&](MemoryLine a, MemoryLine b) { return m[a] < m[b]; });
  return std::string(name_of(largest)) + " " + gib_text(m[largest], 1);
}

std::string filled_words(const StageMemory<double>& m) {
  return "cached blocks fill it, which the allocator gives back; " + gib_text(m.allocated, 1) +
         " are allocated, " + gib_text(m.needed, 1) + " needed";
}

std::string limiter(const Run& run, const Answer& a) {
  if (a.reason == Reason::device_memory) return memory_sentence(a);
  if (a.reason == Reason::host_memory) {
    return "host memory: " + gib_text(a.host_needed, 1) + " > " + gib_text(a.host_capacity, 1) +
           " of a node";
  }
  const Term t = largest_loss(a);
  return std::string(kWhat[t]) + ", " + share(lost(a, t), a.step_time) + where_it_goes(run, a, t);
}

}  // namespace orrery
