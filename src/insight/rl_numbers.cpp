// SPDX-License-Identifier: Apache-2.0
#include "insight/rl_numbers.h"

#include "core/units.h"

namespace orrery {
namespace {

using Kind = RlNumberKind;

std::vector<RlNumber> step_numbers() {
  const auto per_second = [](double x, const RlStep& s) {
    return s.step.value > Seconds() ? x / s.step.value.si() : 0.0;
  };
  return {
      {"step_time_s", Kind::step, true,
       [](const RlRun&, const RlStep& s) { return s.step.value.si(); }},
      {"interval_80.low_s", Kind::step, true,
       [](const RlRun&, const RlStep& s) { return s.step.low.si(); }},
      {"interval_80.high_s", Kind::step, true,
       [](const RlRun&, const RlStep& s) { return s.step.high.si(); }},
      {"samples_per_s", Kind::step, false,
       [=](const RlRun&, const RlStep& s) { return per_second(s.samples, s); }},
      {"tokens_per_s", Kind::step, false,
       [=](const RlRun&, const RlStep& s) { return per_second(s.tokens, s); }},
      {"tokens_per_s_per_gpu", Kind::step, false,
       [=](const RlRun& rl, const RlStep& s) {
         return per_second(s.tokens, s) / static_cast<double>(rl.all_gpus);
       }},
  };
}

void add_phases(std::vector<RlNumber>& out) {
  for (const RlPhase p : kAllOf<RlPhase>) {
    out.push_back({"rl.phases." + std::string(name_of(p)) + "_s", Kind::phase, true,
                   [p](const RlRun&, const RlStep& s) { return s.phases[p].value.si(); }});
  }
}

void add_waits(std::vector<RlNumber>& out) {
  const auto of_queue = [&](const char* key, Seconds QueuePeriod::*member) {
    out.push_back({key, Kind::wait, true, [member](const RlRun& rl, const RlStep& s) {
                     const bool queued = rl.placement.kind == PlacementKind::async;
                     return queued ? (s.queue.*member).si() : 0.0;
                   }});
  };
  of_queue("rl.queue.generator_waits_s", &QueuePeriod::generator_waits);
  of_queue("rl.queue.learner_waits_s", &QueuePeriod::learner_waits);
}

void add_generation(std::vector<RlNumber>& out) {
  const auto add = [&](const char* key, bool is_time, double (*of)(const Rollout&)) {
    out.push_back({std::string("rl.generation.") + key, Kind::generation, is_time,
                   [of](const RlRun&, const RlStep& s) { return of(s.rollout); }});
  };
  add("prefill_s", true, [](const Rollout& r) { return r.slowest.prefill.si(); });
  add("last_tenth_s", true, [](const Rollout& r) { return r.last_tenth.si(); });
  add("last_fiftieth_s", true, [](const Rollout& r) { return r.last_fiftieth.si(); });
  add("mean_running", false, [](const Rollout& r) { return r.slowest.mean_batch; });
  add("passes", false, [](const Rollout& r) { return r.slowest.passes; });
  add("dropped", false, [](const Rollout& r) { return static_cast<double>(r.slowest.dropped); });
}

void add_memory(std::vector<RlNumber>& out) {
  out.push_back({"memory.peak_gib", Kind::memory, false, [](const RlRun&, const RlStep& s) {
                   return s.memory[fullest_moment(s.memory)].all() / kGiB;
                 }});
  for (const RlMoment m : kAllOf<RlMoment>) {
    out.push_back({"rl.memory." + std::string(name_of(m)) + "_gib", Kind::memory, false,
                   [m](const RlRun&, const RlStep& s) {
                     return s.memory[m].happens ? s.memory[m].all() / kGiB : 0.0;
                   }});
  }
}

}  // namespace

const std::vector<RlNumber>& rl_numbers() {
  static const std::vector<RlNumber> kAll = [] {
    std::vector<RlNumber> all = step_numbers();
    add_phases(all);
    add_waits(all);
    add_generation(all);
    add_memory(all);
    return all;
  }();
  return kAll;
}

}  // namespace orrery
