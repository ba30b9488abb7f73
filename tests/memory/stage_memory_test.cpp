// SPDX-License-Identifier: Apache-2.0
//
// The memory of a stage from round numbers: what each line is made of, and that they sum.
#include "memory/stage_memory.h"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "memory/peak_moment.h"
#include "memory/recipe.h"
#include "parallel/framework.h"
#include "parallel/schedules/walk.h"
#include "parallel/strategy.h"
#include "support/about.h"

using namespace orrery;

namespace {

using Chunk = ChunkActivations<double>;
using Saved = BlockActivations<double>;

constexpr StateRecipe kRecipe{2, 4, 12, 4, 2};

// 100 bytes kept, 1000 with nothing recomputed, an input of 10.
Saved layer() {
  Saved b;
  b.kept = Bytes(100);
  b.kept_all = Bytes(1000);
  b.input = Bytes(10);
  b.transient = Bytes(7);
  return b;
}

Saved head() {
  Saved b;
  b.kept = b.kept_all = Bytes(60);
  b.logits = Bytes(50);
  return b;
}

// `again` of the layers run again in full; under selective recompute modules of the others do.
Chunk chunk_of(const Strategy& s, std::int64_t layers, std::int64_t again, bool with_head = false) {
  static const Saved kLayer = layer();
  static const Saved kHead = head();
  const bool in_part = s.recompute == Recompute::selective;
  std::vector<BlockGroup<double>> groups = {{&kLayer, layers, again, in_part ? layers : 0}};
  if (with_head) groups.push_back({&kHead, 1, 0});
  return chunk_activations<double>(s, groups);
}

Chunk activations(double kept, double logits = 0) {
  Chunk c;
  c.kept = Bytes(kept);
  c.logits = Bytes(logits);
  c.working = Bytes(5);
  c.transient = Bytes(3);
  c.largest = c.moved = Bytes(kept / 4);
  return c;
}

Strategy pipeline(std::int64_t pp, std::int64_t vpp, std::int64_t m, ScheduleId schedule) {
  Strategy s;
  s.pp = pp;
  s.vpp = vpp;
  s.micro_batches = m;
  s.schedule = schedule;
  return s;
}

StageMemory<double> memory_of(const Strategy& s, std::int64_t stage,
                              const std::vector<Chunk>& chunks, const Framework& f = Framework{}) {
  StageHoldings h;
  h.parameters = {1000, 0};
  h.largest_layer = {100, 0};
  h.largest_module = {30, 0};
  h.ends = {50, 0};
  h.gathered_bytes = 2;
  h.groups = 3;
  const PipelineShape shape = {s.pp, s.vpp, s.micro_batches};
  return stage_memory<double>(
      s, f, kRecipe, h,
      stage_activations<double>(s.schedule, shape, stage, {}, chunks, s.offload.activations));
}

double sum_of(const StageMemory<double>& m) {
  double sum = 0;
  for (const Bytes& line : m.lines) sum += line.si();
  return sum;
}

Strategy full(RecomputeMethod method, std::int64_t layers) {
  Strategy s;
  s.recompute = Recompute::full;
  s.recompute_method = method;
  s.recompute_layers = layers;
  return s;
}

}  // namespace

TEST_CASE("1F1B holds as many micro batches as stages come after, and itself") {
  const Strategy s = pipeline(4, 1, 16, ScheduleId::one_f_one_b);
  for (std::int64_t stage = 0; stage < 4; ++stage) {
    const StageMemory<double> m = memory_of(s, stage, {activations(100)});
    CHECK(m.in_flight == 4 - stage);
    CHECK(m[MemoryLine::activations].si() == 100 * static_cast<double>(4 - stage));
  }
  const Strategy few = pipeline(4, 1, 2, ScheduleId::one_f_one_b);
  CHECK(memory_of(few, 0, {activations(100)})[MemoryLine::activations].si() == 200);
}

TEST_CASE("GPipe holds all micro batches everywhere") {
  const Strategy s = pipeline(4, 1, 16, ScheduleId::gpipe);
  CHECK(memory_of(s, 3, {activations(100)})[MemoryLine::activations].si() == 1600);
}

TEST_CASE("interleaving holds 1 + (p − 1)/(pv) of all layers on the first stage") {
  const Strategy s = pipeline(4, 2, 16, ScheduleId::interleaved);
  const StageMemory<double> m = memory_of(s, 0, {activations(100), activations(100)});
  CHECK(m.in_flight == 4 * 2 + 3);
  CHECK(m[MemoryLine::activations].si() == 1100);
}

TEST_CASE("logits have a line of their own, and the last stage holds them once") {
  const Strategy s = pipeline(4, 1, 16, ScheduleId::one_f_one_b);
  const StageMemory<double> m = memory_of(s, 3, {activations(100, 50)});
  CHECK(m[MemoryLine::activations].si() == 100);
  CHECK(m[MemoryLine::logits].si() == 50);
}

TEST_CASE("lines sum to the peak, with overheads on what they are shares of") {
  Strategy s;
  s.dp = 4;
  Framework f;
  f.allocator.state_overhead = 0.1;
  f.allocator.activation_overhead = 0.2;
  f.buffers.context = Bytes(1000);
  f.buffers.group = Bytes(10);
  f.buffers.bucket = Bytes(100);
  const StageMemory<double> m = memory_of(s, 0, {activations(200, 50)}, f);
  const double states = 1000 * 18;
  const double work = 200 + 50 + 100;  // at the loss: nothing is recomputed yet
  CHECK(m.allocated.si() == states + work);
  CHECK(m[MemoryLine::fragmentation].si() == testing::about(0.1 * states + 0.2 * work));
  CHECK(m.reserved.si() == testing::about(1.1 * states + 1.2 * work));
  CHECK(m.peak.si() == testing::about(1.1 * states + 1.2 * work + 1000 + 30));
  CHECK(sum_of(m) == testing::about(m.peak.si()));
  CHECK(m.bytes_per_parameter == 18);
  s.dp = 1;
  CHECK(memory_of(s, 0, {activations(200)}, f)[MemoryLine::buckets] == Bytes());
  s.dp = 2;
  CHECK(memory_of(s, 0, {activations(200)}, f)[MemoryLine::buckets].si() == 100);
}

// Dense parameters have 8 replicas here, experts 4. The optimizer's of 2 + 4 + 12 bytes are sharded
// over 2 replicas, and over all.
TEST_CASE("bytes a parameter are those of experts too") {
  Strategy s;
  s.dp = 8;
  s.ep = 2;
  StageHoldings h;
  h.parameters = {600, 0};
  const std::vector<Chunk> chunks = {activations(100)};
  const auto bytes = [&] {
    const auto held = stage_activations<double>(s.schedule, PipelineShape{1, 1, 1}, 0, {}, chunks,
                                                OffloadTarget::none);
    return stage_memory<double>(s, Framework{}, kRecipe, h, held).bytes_per_parameter;
  };
  CHECK(bytes() == 18);
  h.parameters = {600, 400};
  s.partition = {1, 1, 2};
  CHECK(bytes() == testing::about(2 + 4 + 12.0 / 2));
  h.parameters = {0, 400};
  s.partition = {1, 1, 8};
  CHECK(bytes() == testing::about(2 + 4 + 12.0 / 4));
}

TEST_CASE("a backward pass holds its logits or what its layers work on, whichever is more") {
  const Strategy s = pipeline(4, 1, 16, ScheduleId::gpipe);
  const StageMemory<double> at_loss = memory_of(s, 3, {activations(100, 50)});
  CHECK(at_loss[MemoryLine::logits].si() == 16 * 50);
  CHECK(at_loss[MemoryLine::recompute_working] == Bytes());
  CHECK(at_loss[MemoryLine::transient] == Bytes());
  const StageMemory<double> in_layers = memory_of(s, 3, {activations(100, 7)});
  CHECK(in_layers[MemoryLine::logits].si() == 15 * 7);
  CHECK(in_layers[MemoryLine::recompute_working].si() == 5);
  CHECK(in_layers[MemoryLine::transient].si() == 3);
}

TEST_CASE("cached blocks are given back before a device is full, states' rounding is not") {
  Framework f;
  f.allocator.state_overhead = 0.1;
  f.allocator.activation_overhead = 0.5;
  StageMemory<double> m;
  m[MemoryLine::weights] = Bytes(1000);
  m[MemoryLine::activations] = Bytes(400);
  m[MemoryLine::context] = Bytes(100);
  settle<double>(m, f, Bytes());
  CHECK(m.peak.si() == testing::about(1000 + 400 + 100 + 100 + 200));
  CHECK(m.needed.si() == testing::about(1000 + 400 + 100 + 100));
  settle<double>(m, f, Bytes(1700));
  CHECK(m.needed.si() == testing::about(1600));
  CHECK(m.peak.si() == testing::about(1700));
  CHECK(m.peak <= Bytes(1700));
  CHECK(m[MemoryLine::fragmentation].si() == testing::about(200));
  settle<double>(m, f, Bytes(1500));
  CHECK(m.peak.si() == testing::about(1600));
  CHECK(m[MemoryLine::fragmentation].si() == testing::about(100));
}

TEST_CASE("blocks cut into parts in use stay when the device is full") {
  Framework f;
  f.allocator.activation_overhead = 0.5;
  StageMemory<double> m;
  m[MemoryLine::activations] = Bytes(400);
  settle<double>(m, f, Bytes());
  const Bytes empty = m.peak;
  f.allocator.fragments_kept = 0.25;
  settle<double>(m, f, Bytes());
  CHECK(m.peak == empty);
  settle<double>(m, f, Bytes(420));
  CHECK(m.peak.si() == testing::about(400 + 0.25 * 200));
  CHECK(m.needed == m.peak);
}

TEST_CASE("blocks that fit into none of the cached ones are reserved, not allocated") {
  StageMemory<double> m;
  m[MemoryLine::activations] = Bytes(1000);
  m.outsized = Bytes(300);
  settle<double>(m, Framework{}, Bytes());
  CHECK(m.allocated.si() == 1000);
  CHECK(m.reserved.si() == 1300);
  settle<double>(m, Framework{}, Bytes(1100));  // a full device takes them back
  CHECK(m.reserved.si() == testing::about(1100));
}

namespace {

constexpr StateRecipe kNarrow{2, 2, 12, 2, 2};

// A stage of a thousand dense parameters, without activations.
StageMemory<double> states_of_thousand(const Strategy& s, const Framework& f,
                                       const StateRecipe& recipe) {
  StageHoldings h;
  h.parameters = {1000, 0};
  return stage_memory<double>(s, f, recipe, h, StageActivations<double>{});
}

}  // namespace

TEST_CASE("16-bit gradients that are kept lie beside their fp32 sum") {
  Strategy s;
  Framework f;
  const auto gradients = [&](const StateRecipe& recipe) {
    return states_of_thousand(s, f, recipe)[MemoryLine::gradients].si();
  };
  CHECK(gradients(kRecipe) == 1000 * 4);
  f.gradients.kept_in_16_bits = true;
  CHECK(gradients(kRecipe) == 1000 * (4 + 2));
  CHECK(gradients(kNarrow) == 1000 * 2);
}

// Where nothing is sharded over several replicas; a bucket holds what autograd leaves.
TEST_CASE("buckets of gradients are a second set of them") {
  Strategy s;
  Framework f;
  const auto gradients = [&](const StateRecipe& recipe) {
    return states_of_thousand(s, f, recipe)[MemoryLine::gradients].si();
  };
  f.gradients.copied_to_buckets = true;
  CHECK(gradients(kNarrow) == 1000 * 2);
  s.dp = 8;
  CHECK(gradients(kNarrow) == 1000 * (2 + 2));
  CHECK(gradients(kRecipe) == 1000 * (4 + 2));
  f.gradients.kept_in_16_bits = true;  // in those buckets
  CHECK(gradients(kRecipe) == 1000 * (4 + 2));
  s.partition.optimizer = 8;
  CHECK(gradients(kNarrow) == 1000 * 2);
}

TEST_CASE("each stack keeps the inputs of its own layers under full recompute") {
  const Saved decoder = layer();
  Saved tower = layer();
  tower.input = Bytes(3);
  const Saved frozen{};  // without a backward pass
  const auto kept = [&](const Strategy& s, const Saved& encoder) {
    const std::vector<BlockGroup<double>> groups = {
        {&decoder, 5, 5}, {&decoder, 2, 2}, {&encoder, 4, 4}};
    return chunk_activations<double>(s, groups).kept.si();
  };
  CHECK(kept(full(RecomputeMethod::uniform, 1), tower) == 7 * 10 + 4 * 3);
  CHECK(kept(full(RecomputeMethod::uniform, 3), tower) == 3 * 10 + 2 * 3);
  CHECK(kept(full(RecomputeMethod::uniform, 1), frozen) == 7 * 10);
}

TEST_CASE("the largest layer is what one keeps, or the input of one that runs again") {
  const Strategy s = full(RecomputeMethod::block, 1);
  CHECK(chunk_of(s, 4, 0).largest.si() == 1000);
  CHECK(chunk_of(s, 4, 4).largest.si() == 10);
  CHECK(chunk_of(s, 4, 1).largest.si() == 1000);
  const Saved alone = head();
  const std::vector<BlockGroup<double>> groups = {{&alone, 1, 0}};
  CHECK(chunk_activations<double>(s, groups).largest.si() == 60 - 50);
}

TEST_CASE("a written-out schedule is judged at its fullest moment, wherever that is") {
  const std::vector<Chunk> chunks = {activations(100), activations(40)};
  const std::vector<HeldChunk> moments = {{1, 0}, {1, 0}, {2, 0}, {3, 0}, {3, 0}, {0, 2}};
  const StageActivations<double> a = stage_activations<double>(
      ScheduleId::zb_v, {2, 2, 4}, 0, moments, chunks, OffloadTarget::none);
  CHECK(a.in_flight == 5);
  CHECK(a.kept.si() == 2 * 100 + 3 * 40);
  const std::vector<HeldChunk> backwards(moments.rbegin() + 2, moments.rend());
  CHECK(stage_activations<double>(ScheduleId::zb_v, {2, 2, 4}, 0, backwards, chunks,
                                  OffloadTarget::none)
            .kept.si() == 3 * 100 + 2 * 40);
}

// The most bytes at any step of one stage, from the steps themselves.
double fullest(ScheduleId id, const PipelineShape& shape, std::int64_t stage,
               const std::vector<Chunk>& chunks) {
  const auto bytes = [&](std::int64_t c) {
    const Chunk& chunk = chunks[static_cast<std::size_t>(c)];
    return (chunk.kept + chunk.logits).si();
  };
  double held = 0;
  double most = 0;
  walk_stage({id}, shape, stage, [&](const Step& step) {
    held += has_forward(step.kind) ? bytes(step.chunk) : -bytes(step.chunk);
    most = std::max(most, held);
  });
  return most;
}

TEST_CASE("interleaving is judged at the moment with the most bytes, logits included") {
  for (const double kept : {10.0, 30.0, 100.0}) {
    for (const double of_last : {10.0, 45.0, 100.0}) {
      for (const double logits : {0.0, 25.0, 70.0, 400.0}) {
        const std::vector<Chunk> chunks = {activations(kept), activations(of_last, logits)};
        for (std::int64_t stage = 0; stage < 4; ++stage) {
          const PipelineShape shape = {4, 2, 16};
          const auto a = stage_activations<double>(ScheduleId::interleaved, shape, stage, {},
                                                   chunks, OffloadTarget::none);
          CHECK((a.kept + a.logits).si() ==
                testing::about(fullest(ScheduleId::interleaved, shape, stage, chunks)));
        }
      }
    }
  }
}

// The first chunks keep so much that the last holds nothing when they are fullest.
TEST_CASE("the largest pass counts though its chunk holds nothing at the fullest moment") {
  std::vector<Chunk> chunks = {activations(100), activations(100), activations(1)};
  for (Chunk& c : chunks) c.working = c.transient = Bytes();
  chunks[2].working = Bytes(1000);
  chunks[2].logits = Bytes(10);
  const PipelineShape shape = {7, 3, 21};
  const auto a =
      stage_activations<double>(ScheduleId::interleaved, shape, 0, {}, chunks, OffloadTarget::none);
  CHECK(a.kept.si() == 2700);  // 27 of the first two
  CHECK(a.working.si() == 1000);
  CHECK(a.logits.si() >= 0);
}

TEST_CASE("one rule for the backward pass, over the lines and over the curve") {
  StageActivations<double> a;
  a.kept = Bytes(100);
  a.logits = Bytes(60);
  add_backward(a, activations(100, 50));  // at its loss
  CHECK(a.logits.si() == 60);
  CHECK(a.working == Bytes());
  add_backward(a, activations(100, 7));  // in a layer
  CHECK(a.logits.si() == 53);
  CHECK(a.working.si() == 5);
  CHECK(a.transient.si() == 3);
  Strategy s;
  StageMemory<double> m;
  CHECK(set_activations(m, s, a) == Bytes());
  CHECK(m[MemoryLine::activations].si() == 100);
  s.offload.activations = OffloadTarget::host;
  a.largest = a.moved = Bytes(30);
  CHECK(set_activations(m, s, a).si() == 40);
  CHECK(m[MemoryLine::activations].si() == 60);
}

TEST_CASE("recompute: none keeps all, selective what its modules leave, full the inputs") {
  Strategy s;
  CHECK(chunk_of(s, 8, 0).kept.si() == 8000);
  CHECK(chunk_of(s, 8, 0).working == Bytes());
  s.recompute = Recompute::selective;
  CHECK(chunk_of(s, 8, 0).kept.si() == 800);
  CHECK(chunk_of(s, 8, 0).working.si() == 900);
  s.recompute = Recompute::full;
  CHECK(chunk_of(s, 8, 8).kept.si() == 80);
  CHECK(chunk_of(s, 8, 8).working.si() == 1000);
}

TEST_CASE("uniform full recompute keeps one input a group and brings back a whole group") {
  const Strategy by_4 = full(RecomputeMethod::uniform, 4);
  CHECK(chunk_of(by_4, 8, 8).kept.si() == 20);
  CHECK(chunk_of(by_4, 8, 8).working.si() == 4000);
  CHECK(chunk_of(by_4, 9, 9).kept.si() == 30);
  CHECK(chunk_of(by_4, 2, 2).working.si() == 2000);
}

TEST_CASE("layers with all three recomputes keep what each keeps") {
  const Saved one = layer();
  const std::vector<BlockGroup<double>> groups = {{&one, 9, 2, 3}};
  const Chunk c = chunk_activations<double>(Strategy(), groups);
  CHECK(c.kept.si() == 4 * 1000 + 3 * 100 + 2 * 10);
  CHECK(c.working.si() == 1000);
  CHECK(c.largest.si() == 1000);
  const std::vector<BlockGroup<double>> no_whole = {{&one, 5, 2, 3}};
  const Chunk d = chunk_activations<double>(Strategy(), no_whole);
  CHECK(d.kept.si() == 3 * 100 + 2 * 10);
  CHECK(d.largest.si() == 100);
}

TEST_CASE("block full recompute keeps the rest of the layers whole") {
  const Strategy three = full(RecomputeMethod::block, 3);
  CHECK(chunk_of(three, 8, 3).kept.si() == 3 * 10 + 5 * 1000);
  CHECK(chunk_of(three, 8, 3).working.si() == 1000);
  CHECK(chunk_of(three, 2, 2).kept.si() == 20);
}

TEST_CASE("head and embedding are never recomputed") {
  const Chunk c = chunk_of(full(RecomputeMethod::uniform, 0), 8, 8, true);
  CHECK(c.kept.si() == 80 + 60 - 50);
  CHECK(c.logits.si() == 50);
  CHECK(c.working.si() == 1000);
}

TEST_CASE("logits inside a recomputed block are counted once") {
  Saved prediction = layer();
  prediction.kept_all = prediction.kept = Bytes(1000);
  prediction.logits = Bytes(400);
  const std::vector<BlockGroup<double>> groups = {{&prediction, 1, 1}};
  const Chunk c = chunk_activations<double>(full(RecomputeMethod::uniform, 0), groups);
  CHECK((c.kept + c.working + c.logits).si() == 10 + 1000);
}

// Layers of two kinds, 4 of each: 8 layers in order, whichever they are.
TEST_CASE("layers of several kinds are recomputed as the layers of one chunk") {
  Saved other = layer();
  other.kept = Bytes(300);
  other.kept_all = Bytes(3000);
  const Saved one = layer();
  const std::vector<BlockGroup<double>> four = {{&one, 4, 2}, {&other, 4, 2}};
  const Chunk block = chunk_activations<double>(full(RecomputeMethod::block, 4), four);
  CHECK(block.kept.si() == 4 * 10 + 2 * 1000 + 2 * 3000);
  const std::vector<BlockGroup<double>> all = {{&one, 4, 4}, {&other, 4, 4}};
  const Chunk uniform = chunk_activations<double>(full(RecomputeMethod::uniform, 8), all);
  CHECK(uniform.kept.si() == 10);
  // A bound, as the order is not known: no less than there is, no more than the larger kind.
  CHECK(uniform.working.si() >= 4 * 1000 + 4 * 3000);
  CHECK(uniform.working.si() <= 8 * 3000);
}

TEST_CASE("what is offloaded leaves the device, to the byte") {
  Strategy s = pipeline(4, 1, 16, ScheduleId::one_f_one_b);
  const StageMemory<double> here = memory_of(s, 0, {activations(100)});
  s.offload.optimizer = OffloadTarget::host;
  s.offload.optimizer_fraction = 0.75;
  StageMemory<double> away = memory_of(s, 0, {activations(100)});
  // Gradients leave with the optimizer: those of the layer at work, 100 parameters, stay.
  const double gradients = here[MemoryLine::gradients].si();
  CHECK(away.host.si() == 0.75 * (12000 + gradients));
  CHECK(away[MemoryLine::optimizer].si() == 0.25 * 12000);
  CHECK(away[MemoryLine::gradients].si() == 0.25 * gradients + 100 * 4);
  CHECK((here.peak - away.peak).si() == 0.75 * (12000 + gradients) - 100 * 4);

  s.offload = {};
  s.offload.activations = OffloadTarget::host;
  away = memory_of(s, 0, {activations(100)});
  CHECK(away[MemoryLine::activations].si() == 50);  // the layer at work, and one on its way
  CHECK(away.host.si() == 350);
  CHECK(memory_of(s, 3, {activations(100)}).host.si() == 50);

  s.offload = {};
  s.offload.parameters = OffloadTarget::host;
  away = memory_of(s, 0, {activations(100)});
  CHECK(away[MemoryLine::weights] == Bytes());
  CHECK(away.host.si() == 2000);
  CHECK(away[MemoryLine::gathered_weights].si() == (2 * 100 + 50) * 2 + 100 * 4);
}

// 1000 parameters of 4 bytes of gradients on 4 ranks, each of which updates 250. ZeRO 0: every rank
// updates all, and holds them until they are reduced. ZeRO 1: it sends 1000 bytes and holds the
// other 3000 until they are reduced. ZeRO 2: it holds no others, so that the layer at work (100
// parameters) alone stays.
TEST_CASE("a rank sends the gradients that it updates to the host, and no others") {
  struct Case {
    Partition partition;
    double sent;
    double stays;
  };
  for (const Case& c : {Case{{1, 1, 1}, 4000, 4000}, Case{{1, 1, 4}, 1000, 3000 + 400},
                        Case{{1, 4, 4}, 1000, 400}, Case{{1, 2, 4}, 1000, 1000 + 400}}) {
    Strategy s = pipeline(1, 1, 4, ScheduleId::one_f_one_b);
    s.dp = 4;
    s.partition = c.partition;
    s.offload.optimizer = OffloadTarget::host;
    const StageMemory<double> m = memory_of(s, 0, {activations(100)});
    const double states = 12000.0 / static_cast<double>(c.partition.optimizer);
    CHECK(m.host.si() == states + c.sent);
    CHECK(m[MemoryLine::gradients].si() == c.stays);
  }
}

TEST_CASE("what goes to the drives does not fill the host") {
  Strategy s = pipeline(4, 1, 16, ScheduleId::one_f_one_b);
  s.offload.optimizer = OffloadTarget::nvme;
  s.offload.parameters = OffloadTarget::nvme;
  s.offload.activations = OffloadTarget::nvme;
  const StageMemory<double> m = memory_of(s, 0, {activations(100)});
  // Gradients wait in the host's memory for the update.
  CHECK(m.host.si() == 1000 * 4);
  CHECK(m.drives.si() == 12000 + 2000 + 350);
  CHECK(m[MemoryLine::optimizer] == Bytes());
  CHECK(m[MemoryLine::activations].si() == 50);
}

TEST_CASE("sharded weights are gathered layer by layer, or once a step") {
  Strategy s;
  s.dp = 4;
  s.partition = {4, 4, 4};
  const StageMemory<double> m = memory_of(s, 0, {activations(100)});
  CHECK(m[MemoryLine::weights].si() == 500);
  CHECK(m[MemoryLine::gathered_weights].si() == (2 * 100 + 50) * 2 + 100 * 4);
  Framework whole;  // from forward to backward
  whole.gathers.kept = mask_of(KeptGathered::layers);
  CHECK(memory_of(s, 0, {activations(100)}, whole)[MemoryLine::gathered_weights].si() ==
        1000 * 2 + 100 * 4);
  s.pp = 2;
  Framework keeps;
  keeps.gathers.kept = mask_of(KeptGathered::pipeline);
  CHECK(memory_of(s, 0, {activations(100)}, keeps)[MemoryLine::gathered_weights].si() ==
        1000 * (2 + 4) + 100 * 2);  // one layer's gradients as computed, in 16 bits
  s.partition = {1, 4, 4};
  CHECK(memory_of(s, 0, {activations(100)})[MemoryLine::gathered_weights] == Bytes());
}

// DeepSpeed's stage3_max_live_parameters: modules stay gathered, 2 bytes a parameter, until that
// many live, beside the one that is fetched; the largest one's gradient, 4 bytes, waits to be
// reduced.
TEST_CASE("weights gathered module by module are as many as may live beside the largest module") {
  Strategy s;
  s.dp = 4;
  s.partition = {4, 4, 4};
  const auto gathered = [&](std::int64_t live) {
    Framework f;
    f.gathers.max_live = live;
    return memory_of(s, 0, {activations(100)}, f)[MemoryLine::gathered_weights].si();
  };
  CHECK(gathered(64) == (64 + 30) * 2 + 30 * 4);
  CHECK(gathered(16) == (16 + 30) * 2 + 30 * 4);
  CHECK(gathered(4000) == 1000 * 2 + 30 * 4);
}
