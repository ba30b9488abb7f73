// SPDX-License-Identifier: Apache-2.0
//
// Schedules whose backward is two steps, from the sweep to the answer: against a player of programs
// on uneven parts, and what they promise of time and memory.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "estimate/estimate.h"
#include "estimate/workspace.h"
#include "support/about.h"
#include "support/runs.h"
#include "support/sanitized.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

struct PipelineInParts {
  ScheduleId id = ScheduleId::zb_h1;
  PipelineShape shape;
  std::vector<Seconds> forward, backward, weight, pair, down, up;

  PipelineCosts costs() const { return {forward, backward, down, up, weight, pair}; }
};

// Whole numbers, so that sums are exact in any order.
PipelineInParts random_parts(ScheduleId id, const PipelineShape& shape, unsigned seed) {
  std::mt19937 random(seed);
  const auto any = [&](unsigned least, unsigned n) {
    return Seconds(static_cast<double>(least + random() % n));
  };
  PipelineInParts p{id, shape, {}, {}, {}, {}, {}, {}};
  const auto count = static_cast<std::size_t>(parts(schedule_of(id).layout, shape));
  for (std::size_t j = 0; j < count; ++j) {
    p.forward.push_back(any(1, 20));
    p.weight.push_back(any(1, 20));
    p.backward.push_back(p.weight.back() + any(1, 20));
    if (j + 1 < count) p.down.push_back(any(0, 6));
    if (j + 1 < count) p.up.push_back(any(0, 6));
  }
  for (std::size_t j = 0; j < count; ++j) {
    p.pair.push_back(p.forward[j] + p.backward[count - 1 - j] - Seconds(1));
  }
  return p;
}

struct Played {
  std::vector<double> finish, busy;
};

// Stages as actors that know their programs only: whoever can begin its next step does.
Played play(const PipelineInParts& p, std::vector<double> free) {
  const ChunkLayout layout = schedule_of(p.id).layout;
  const Programs programs = programs_of(p.id, p.shape);
  std::map<std::tuple<bool, std::int64_t, std::int64_t>, double> done;
  Played out;
  out.finish = std::move(free);
  out.busy.assign(programs.size(), 0);
  std::vector<std::size_t> next(programs.size(), 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      if (next[i] == programs[i].size()) continue;
      const Step& s = programs[i][next[i]];
      const auto stage = static_cast<std::int64_t>(i);
      const auto j = static_cast<std::size_t>(part_of(layout, p.shape, stage, s.chunk));
      const auto back =
          static_cast<std::size_t>(part_of(layout, p.shape, stage, backward_chunk(s)));
      double ready = out.finish[i];
      bool possible = true;
      for_each_need(layout, p.shape, stage, s, [&](const Result& r) {
        const auto at = done.find({r.forward, r.part, r.micro_batch});
        if (at == done.end()) {
          possible = false;
          return;
        }
        const auto part = static_cast<std::size_t>(r.part);
        double sent = 0;
        if (r.forward && (part != back || r.micro_batch != backward_micro_batch(s))) {
          sent = p.down[part].si();
        }
        if (!r.forward && part != back) sent = p.up[part - 1].si();
        ready = std::max(ready, at->second + sent);
      });
      if (!possible) continue;
      const double time = s.kind == StepKind::forward           ? p.forward[j].si()
                          : s.kind == StepKind::backward        ? p.backward[j].si()
                          : s.kind == StepKind::input_gradient  ? (p.backward[j] - p.weight[j]).si()
                          : s.kind == StepKind::weight_gradient ? p.weight[j].si()
                                                                : p.pair[j].si();
      out.finish[i] = ready + time;
      out.busy[i] += time;
      for_each_result(layout, p.shape, stage, s, [&](const Result& r) {
        done[{r.forward, r.part, r.micro_batch}] = out.finish[i];
      });
      ++next[i];
      moved = true;
    }
  }
  return out;
}

Played play(const PipelineInParts& p) {
  return play(p, std::vector<double>(static_cast<std::size_t>(p.shape.stages), 0));
}

// Mean of very many steps in which no stage waits at the end of a step.
double period_in_the_long_run(const PipelineInParts& p, bool ends_synchronise) {
  std::vector<double> free = play(p).finish;
  double before = 0;
  constexpr int kSteps = 400;
  for (int i = 0; i < kSteps; ++i) {
    if (i == kSteps / 2) before = free[0];
    if (ends_synchronise) free.front() = free.back() = std::max(free.front(), free.back());
    free = play(p, free).finish;
  }
  return (free[0] - before) / (kSteps - kSteps / 2);
}

std::vector<PipelineInParts> random_pipelines() {
  std::vector<PipelineInParts> all;
  unsigned seed = 0;
  for (const Schedule& s : kSchedules) {
    if (s.programs == nullptr) continue;
    for (const std::int64_t p : {2, 3, 4, 7, 8}) {
      if (s.id == ScheduleId::dualpipe && p % 2 == 1) continue;
      for (const std::int64_t m : {1, 2, 9, 2 * static_cast<int>(p), 24}) {
        if (s.pairs && (m < 2 * p || m % 2 == 1)) continue;
        const std::int64_t vpp = s.chunks == ChunksTaken::two ? 2 : 1;
        all.push_back(random_parts(s.id, shape_of_pipeline(s.id, p, vpp, m), ++seed));
        if (s.id == ScheduleId::dualpipe) continue;
        all.push_back(random_parts(s.id, shape_of_pipeline(s.id, p, vpp, 2 * m, 2), ++seed));
      }
    }
  }
  return all;
}

double sum_over(const std::vector<std::int64_t>& counts, const std::vector<Seconds>& costs) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sum += static_cast<double>(counts[i]) * costs[i].si();
  }
  return sum;
}

// Equal layers; next to nothing of embedding and head, no launch time, boundless memory bandwidth.
Json equal_stages() {
  return json_of(R"({
    "model": {"name": "even", "num_hidden_layers": 32, "hidden_size": 8192,
              "num_attention_heads": 64, "vocab_size": 64, "max_position_embeddings": 2048,
              "dropout": false, "tie_word_embeddings": false},
    "cluster": {"node": "dgx-a100-80gb", "gpus": 8,
                "device": {"memory_bandwidth": 1e30, "efficiency": {"launch": 0}}},
    "training": {"sequence_length": 2048, "precision": "fp16", "flash_attention": false,
                 "global_batch": 32},
    "parallel": {"recompute": "none", "dp": 1, "pp": 8}})");
}

Json with_schedule(const std::string& name) {
  Json run = equal_stages();
  run["parallel"]["schedule"] = name;
  return run;
}

Seconds bubble(const Json& run) {
  Answer a = estimate(run_of(run));
  return a.breakdown[Term::pp_bubble];
}

}  // namespace

TEST_CASE("the sweep of a written schedule agrees with its programs played on uneven parts") {
  PipelineWorkspace workspace;  // shared: what an earlier run left in it must not matter
  for (const PipelineInParts& p : random_pipelines()) {
    const Played expected = play(p);
    const PipelineTimes times = sweep(p.id, p.shape, p.costs(), workspace);
    for (std::size_t i = 0; i < expected.finish.size(); ++i) {
      CHECK(times.finish[i].si() == expected.finish[i]);
      CHECK(times.busy[i].si() == testing::about(expected.busy[i]));
    }
  }
}

constexpr std::int64_t kLongestPlayed = testing::kSanitized ? 5 : 9;  // micro batches

TEST_CASE("a period is what a step takes in the long run") {
  PipelineWorkspace workspace;
  for (const PipelineInParts& p : random_pipelines()) {
    if (!schedule_of(p.id).zero_bubble || p.shape.micro_batches > kLongestPlayed) continue;
    for (const bool ends_synchronise : {false, true}) {
      const double period =
          steady_period(p.id, p.shape, p.costs(), ends_synchronise, workspace).si();
      const double expected = period_in_the_long_run(p, ends_synchronise);
      CHECK(period >= expected - 1e-9);
      CHECK(period <= expected * 1.01);
    }
  }
}

TEST_CASE("the critical path of a written schedule adds up, from the beginning and for a period") {
  PipelineWorkspace workspace;
  for (const PipelineInParts& p : random_pipelines()) {
    std::vector<Seconds> input = p.backward;
    for (std::size_t j = 0; j < input.size(); ++j) input[j] = input[j] - p.weight[j];
    const auto check = [&](const CriticalPath& path, Seconds expected) {
      CHECK(path.time == expected);
      CHECK(sum_over(path.forward, p.forward) + sum_over(path.backward, p.backward) +
                sum_over(path.input_gradient, input) + sum_over(path.weight_gradient, p.weight) +
                sum_over(path.pair, p.pair) + sum_over(path.send_forward, p.down) +
                sum_over(path.send_backward, p.up) ==
            path.time.si());
    };
    check(critical_path(p.id, p.shape, p.costs()),
          sweep(p.id, p.shape, p.costs(), workspace).makespan);
    if (!schedule_of(p.id).zero_bubble) continue;
    for (const bool meet : {false, true}) {
      check(path_of_period(p.id, p.shape, p.costs(), meet),
            steady_period(p.id, p.shape, p.costs(), meet, workspace));
    }
  }
}

TEST_CASE("an estimate's bubble is the published formula of its own F, B and W") {
  for (const std::string name : {"zb-h1", "zb-h2", "dualpipe", "dualpipev"}) {
    CAPTURE(name);
    Run run = run_of(with_schedule(name));
    run.framework.level.factor = 1;  // the formula is of passes as they are priced
    Workspace w;
    Answer a = estimate<double>(run, w);
    const std::size_t j = 3;
    const bool pairs = schedule_of(run).entry().pairs;
    // Attention's input gradient is twice its forward; DualPipe's order waits for F where B
    // differs.
    const StepTimes<Seconds> t{w.forward[j], pairs ? w.forward[j] : w.input_gradient[j],
                               w.weight_gradient[j], pairs ? w.pair[j] : Seconds()};
    const Seconds expected = schedule_of(run.strategy.schedule).bubble(pipeline_shape(run), t);
    CHECK(a.breakdown[Term::pp_bubble].si() == testing::about(expected.si()).epsilon(0.015));
  }
}

// Stages that alternate wait for each other's messages too, which this stage's own do not explain.
TEST_CASE("a slower network makes sends longer, not the bubble") {
  const auto at = [](const std::string& bandwidth) {
    Json run = with_schedule("1f1b");
    run["cluster"]["tiers"]["nvswitch"] = {{"bandwidth", bandwidth}, {"latency", 0}, {"launch", 0}};
    Run resolved = run_of(run);
    resolved.framework.level.factor = 1;
    return estimate(resolved);
  };
  Answer fast = at("300 TB/s");
  Answer slow = at("30 GB/s");
  const Seconds bubble = fast.breakdown[Term::pp_bubble];
  CHECK(slow.breakdown[Term::pp_bubble].si() == testing::about(bubble.si()));
  const Seconds added = slow.breakdown[Term::pp_exposed] - fast.breakdown[Term::pp_exposed];
  CHECK(added.si() == testing::about((slow.step_time - fast.step_time).si()));
  CHECK(slow.comm_count > 0);
  const auto sends = std::find_if(slow.comm.begin(), slow.comm.end(), [](const auto& line) {
    return line.dimension == CommDimension::pp;
  });
  CHECK(sends->exposed == slow.breakdown[Term::pp_exposed]);
  CHECK(sends->exposed > sends->time);
}

TEST_CASE("zero bubble waits less than 1F1B, and least where the optimizer waits for nobody") {
  const Seconds plain = bubble(with_schedule("1f1b"));
  const Seconds h1 = bubble(with_schedule("zb-h1"));
  const Seconds h2 = bubble(with_schedule("zb-h2"));
  const Seconds v = bubble(with_schedule("zb-v"));
  CHECK(h1 < 0.5 * plain);
  CHECK(h2 < h1);
  CHECK(v < h1);
  Json waits = with_schedule("zb-v");
  waits["parallel"]["optimizer_post_validation"] = false;
  CHECK(bubble(waits) > v);
  Json tied = with_schedule("zb-h2");  // first and last stage wait for each other
  tied["model"]["tie_word_embeddings"] = true;
  CHECK(bubble(tied) > 2 * h2);
}

TEST_CASE("memory by schedule is what the papers promise") {
  const auto kept = [](const char* name) {
    return estimate(run_of(with_schedule(name))).memory[MemoryLine::activations].si();
  };
  const double of_1f1b = kept("1f1b");
  CHECK(kept("zb-h1") == testing::about(of_1f1b).epsilon(0.2));
  CHECK(kept("zb-v") == testing::about(of_1f1b).epsilon(0.1));
  CHECK(kept("zb-h2") == testing::about(15.0 / 8 * of_1f1b).epsilon(0.1));
  CHECK(kept("v-half") < 0.7 * of_1f1b);
  CHECK(kept("v-min") < 0.5 * of_1f1b);
  CHECK(kept("dualpipe") == testing::about(9.0 / 8 * of_1f1b).epsilon(0.01));
}

TEST_CASE("DualPipe holds its parameters twice, a V the embedding beside the head") {
  const auto weights = [](const char* name) {
    return estimate(run_of(with_schedule(name))).memory[MemoryLine::weights].si();
  };
  CHECK(weights("dualpipe") == testing::about(2 * weights("1f1b")).epsilon(0.01));
  CHECK(weights("zb-v") == testing::about(weights("1f1b")).epsilon(0.01));

  Json run = with_schedule("zb-v");
  run["model"]["vocab_size"] = 262144;
  run["model"]["tie_word_embeddings"] = true;
  const std::vector<StageMemory<double>> stages = memory_by_stage(run_of(run));
  const double table = 262144.0 * 8192 * 2;
  const double difference = (stages[0][MemoryLine::weights] - stages[7][MemoryLine::weights]).si();
  CHECK(difference == testing::about(table).epsilon(0.05));  // once, though both ends use it
  Answer a = estimate(run_of(run));
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    CHECK(a.comm[i].dimension != CommDimension::embedding);
  }
}

TEST_CASE("the peak is that of the fullest stage, also where later stages hold more") {
  Json run = with_schedule("1f1b");
  run["framework"] = "torchtitan";  // its receive buffers grow as fewer inputs are kept
  run["parallel"]["recompute"] = "full";
  run["parallel"]["offload"] = {{"activations", "host"}};
  const Run r = run_of(run);
  Bytes most{};
  for (const StageMemory<double>& m : memory_by_stage(r)) most = std::max(most, m.peak);
  CHECK(estimate(r).memory.peak == most);
  CHECK(estimate(r).memory_stage > 0);
}

TEST_CASE("the lines of memory sum to the peak for every schedule") {
  for (std::size_t i = 0; i < kNamedSchedules; ++i) {
    const auto id = static_cast<ScheduleId>(i);
    Json run = with_schedule(std::string(name_of(id)));
    if (schedule_of(id).chunks == ChunksTaken::several) run["parallel"]["vpp"] = 2;
    const StageMemory<double> m = estimate(run_of(run)).memory;
    Bytes sum{};
    for (const Bytes& line : m.lines) sum += line;
    CHECK(sum.si() == testing::about(m.peak.si()));
  }
}
