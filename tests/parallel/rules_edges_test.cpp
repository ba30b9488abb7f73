// SPDX-License-Identifier: Apache-2.0
// The last strategy that each bound of a rule allows, and the first that it refuses; what an error
// shows of a strategy.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "parallel/rules.h"
#include "parallel/rules_facts.h"
#include "parallel/schedules/table.h"

namespace orrery {
namespace {

// 32 layers of 64 heads on 128 GPUs: tp 2, pp 4, dp 16, 32 micro batches.
struct Edge {
  Strategy s;
  Architecture a;
  RunShape run{128, 4096, 512, true, true};

  Edge() {
    a.layers = 32;
    a.hidden = 4096;
    a.heads = a.kv_heads = 64;
    a.intermediate = 16384;
    s.tp = 2;
    s.pp = 4;
    s.dp = 16;
    s.micro_batches = 32;
  }

  RuleId broken() const { return first_broken(s, a, run); }

  // This number of micro batches, and the batch to match.
  void take(std::int64_t micro_batches) {
    s.micro_batches = micro_batches;
    run.global_batch = micro_batches * s.dp * s.micro_batch;
  }

  // The GPUs that the degrees need.
  void fill() { run.gpus = s.tp * s.cp * s.pp * s.dp; }

  void make_mixture() {
    a.moe.experts = 8;
    a.moe.expert_intermediate = 1024;
    a.moe.shared_intermediate = 1024;
    a.moe.layer_freq = 1;
    s.sequence_parallel = true;
  }
};

template <class Change>
RuleId after(Change&& change) {
  Edge e;
  change(e);
  return e.broken();
}

}  // namespace

TEST_CASE("chunks have a pipeline, and interleaved ones several") {
  CHECK(after([](Edge&) {}) == RuleId::none);
  const auto chunks = [](std::int64_t pp, std::int64_t vpp, ScheduleId id) {
    return after([=](Edge& e) {
      e.s.pp = pp;
      e.s.vpp = vpp;
      e.s.schedule = id;
      e.fill();
    });
  };
  CHECK(chunks(1, 1, ScheduleId::one_f_one_b) == RuleId::none);
  CHECK(chunks(2, 2, ScheduleId::interleaved) == RuleId::none);
  CHECK(chunks(1, 2, ScheduleId::interleaved) == RuleId::vpp_pipeline);
  CHECK(chunks(2, 1, ScheduleId::interleaved) == RuleId::interleaved_chunks);
  CHECK(chunks(2, 2, ScheduleId::one_f_one_b) == RuleId::schedule_chunks);
  CHECK(chunks(2, 2, ScheduleId::zb_v) == RuleId::none);
  CHECK(chunks(2, 3, ScheduleId::zb_v) == RuleId::two_chunks);
  CHECK(chunks(2, 1, ScheduleId::zb_v) == RuleId::two_chunks);
  // 34 chunks: 32 layers, the embedding and the head.
  CHECK(chunks(2, 17, ScheduleId::breadth_first) == RuleId::none);
  CHECK(chunks(2, 18, ScheduleId::breadth_first) == RuleId::empty_chunk);
}

TEST_CASE("a pipeline is at most 1024 chunks long") {
  const auto long_pipeline = [](std::int64_t pp, std::int64_t vpp) {
    return after([=](Edge& e) {
      e.a.layers = 1022;
      e.s.pp = pp;
      e.s.vpp = vpp;
      e.s.schedule = vpp > 1 ? ScheduleId::interleaved : ScheduleId::one_f_one_b;
      e.fill();
      e.take(1024);
    });
  };
  CHECK(long_pipeline(1024, 1) == RuleId::none);
  CHECK(long_pipeline(1025, 1) == RuleId::stages);
  CHECK(long_pipeline(256, 4) == RuleId::none);
  CHECK(long_pipeline(256, 5) == RuleId::stages);
}

TEST_CASE("micro batches are as many as the schedule's stages need") {
  const auto with = [](ScheduleId id, std::int64_t pp, std::int64_t vpp, std::int64_t m) {
    return after([=](Edge& e) {
      e.s.schedule = id;
      e.s.pp = pp;
      e.s.vpp = vpp;
      e.fill();
      e.take(m);
    });
  };
  CHECK(with(ScheduleId::interleaved, 4, 2, 8) == RuleId::none);
  CHECK(with(ScheduleId::interleaved, 4, 2, 6) == RuleId::interleaved_micro_batches);
  CHECK(with(ScheduleId::one_f_one_b, 4, 1, 6) == RuleId::none);
  CHECK(with(ScheduleId::breadth_first, 4, 2, 4) == RuleId::none);
  CHECK(with(ScheduleId::breadth_first, 4, 2, 3) == RuleId::breadth_first_micro_batches);
  CHECK(with(ScheduleId::dualpipe, 4, 1, 8) == RuleId::none);
  CHECK(with(ScheduleId::dualpipe, 4, 1, 6) == RuleId::dualpipe_micro_batches);
  CHECK(with(ScheduleId::dualpipe, 4, 1, 9) == RuleId::dualpipe_micro_batches);
  CHECK(with(ScheduleId::dualpipe, 3, 1, 8) == RuleId::dualpipe_stages);
  CHECK(with(ScheduleId::dualpipev, 4, 2, 8) == RuleId::none);
  CHECK(with(ScheduleId::dualpipev, 4, 2, 9) == RuleId::none);
  CHECK(with(ScheduleId::dualpipev, 4, 2, 7) == RuleId::dualpipev_micro_batches);
  // 2^22 steps over 4 stages; 2^20 where backward is split; a stage alone has none to sweep.
  CHECK(with(ScheduleId::one_f_one_b, 4, 1, 1 << 20) == RuleId::none);
  CHECK(with(ScheduleId::one_f_one_b, 4, 1, (1 << 20) + 1) == RuleId::schedule_steps);
  CHECK(with(ScheduleId::zb_h1, 4, 1, 1 << 18) == RuleId::none);
  CHECK(with(ScheduleId::zb_h1, 4, 1, (1 << 18) + 1) == RuleId::schedule_steps);
  CHECK(with(ScheduleId::one_f_one_b, 1, 1, 1 << 23) == RuleId::none);
}

TEST_CASE("a step plays a schedule several times only where a pipeline has one to play") {
  const auto with = [](ScheduleId id, std::int64_t pp) {
    return after([=](Edge& e) {
      e.s.schedule = id;
      e.s.pp = pp;
      e.s.schedule_runs = 2;
      e.fill();
      e.take(16);
    });
  };
  CHECK(with(ScheduleId::one_f_one_b, 4) == RuleId::none);
  CHECK(with(ScheduleId::one_f_one_b, 1) == RuleId::schedule_runs);
  CHECK(with(ScheduleId::dualpipe, 4) == RuleId::schedule_runs);
}

TEST_CASE("a range holds a layer of its kind before its end") {
  const auto with = [](std::int16_t end) {
    return after([=](Edge& e) {
      e.make_mixture();
      e.a.moe.first_k_dense = 3;
      e.s.layers.rules[0] = {0, end, LayerKindOf::experts, Recompute::full};
      e.s.layers.count = 1;
    });
  };
  CHECK(with(3) == RuleId::layer_ranges);
  CHECK(with(4) == RuleId::none);
}

TEST_CASE("an encoder's stage has a pipeline of two at least, images, and no list of layers") {
  const auto vision = [](std::int64_t pp, std::int64_t tower, bool listed) {
    return after([=](Edge& e) {
      e.s.vision_stage = true;
      e.s.pp = pp;
      e.a.tower.layers = tower;
      e.s.listed_stages = listed;
      for (std::size_t i = 0; i < 4; ++i) e.s.stage_layers[i] = 8;
      e.fill();
    });
  };
  CHECK(vision(2, 24, false) == RuleId::none);
  CHECK(vision(4, 1, false) == RuleId::none);
  CHECK(vision(1, 24, false) == RuleId::vision_stage);
  CHECK(vision(4, 24, true) == RuleId::vision_stage);
  CHECK(vision(4, 0, false) == RuleId::vision_stage);
}

TEST_CASE("experts divide over their ranks, which divide those of the rest") {
  const auto experts = [](std::int64_t ep, std::int64_t etp) {
    return after([=](Edge& e) {
      e.make_mixture();
      e.s.ep = ep;
      e.s.etp = etp;
    });
  };
  CHECK(experts(8, 1) == RuleId::none);
  CHECK(experts(8, 4) == RuleId::none);  // of 32 ranks
  CHECK(experts(8, 8) == RuleId::ep_ranks);
  CHECK(experts(3, 1) == RuleId::ep_experts);
  CHECK(experts(16, 1) == RuleId::ep_experts);
  CHECK(after([](Edge& e) { e.s.ep = 2; }) == RuleId::ep_dense);
  CHECK(after([](Edge& e) { e.s.etp = 2; }) == RuleId::ep_dense);
  CHECK(after([](Edge& e) {
          e.make_mixture();
          e.s.sequence_parallel = false;
        }) == RuleId::moe_sequence_parallel);
  CHECK(after([](Edge& e) {
          e.make_mixture();
          e.s.sequence_parallel = false;
          e.s.tp = 1;
          e.fill();
        }) == RuleId::none);
}

TEST_CASE("pp comes last where experts have fewer replicas than the rest") {
  const auto order = [](std::int64_t ep, std::int64_t pp, Dim last) {
    return after([=](Edge& e) {
      e.make_mixture();
      e.s.ep = ep;
      e.s.pp = pp;
      e.s.etp = 2;
      e.s.order = last == Dim::pp ? RankOrder{Dim::tp, Dim::cp, Dim::ep, Dim::dp, Dim::pp}
                                  : RankOrder{Dim::tp, Dim::cp, Dim::ep, Dim::pp, Dim::dp};
      e.fill();
    });
  };
  CHECK(order(8, 4, Dim::pp) == RuleId::none);
  CHECK(order(8, 4, Dim::dp) == RuleId::expert_order);
  CHECK(order(1, 4, Dim::dp) == RuleId::none);  // as many replicas: 32/2 = 16
  CHECK(order(8, 1, Dim::dp) == RuleId::none);
}

TEST_CASE("states are sharded over divisors of all replicas, their copy over two at least") {
  const auto sharded = [](Partition p, ZeroPlusPlus z = {}) {
    return after([=](Edge& e) {
      e.s.partition = p;
      e.s.zeropp = z;
      e.run.weight_bits = 16;
      e.run.gradient_bits = 32;
    });
  };
  CHECK(sharded({1, 8, 16}) == RuleId::none);
  CHECK(sharded({1, 1, 32}) == RuleId::partition);
  CHECK(sharded({3, 1, 1}) == RuleId::partition);
  CHECK(sharded({1, 3, 1}) == RuleId::partition);
  CHECK(sharded({0, 1, 1}) == RuleId::partition);
  CHECK(sharded({16, 16, 16}, {16, 2, 32}) == RuleId::none);
  CHECK(sharded({16, 16, 16}, {17, 0, 0}) == RuleId::zeropp_bits);
  CHECK(sharded({16, 16, 16}, {0, 0, 33}) == RuleId::zeropp_bits);
  CHECK(sharded({16, 16, 16}, {0, 1, 0}) == RuleId::hpz_group);
  CHECK(sharded({16, 16, 16}, {0, 3, 0}) == RuleId::hpz_group);
  CHECK(sharded({1, 16, 16}, {8, 0, 0}) == RuleId::zeropp_weights);
  CHECK(sharded({1, 16, 16}, {0, 2, 0}) == RuleId::zeropp_weights);
  CHECK(sharded({1, 1, 16}, {0, 0, 4}) == RuleId::none);
  CHECK(sharded({1, 16, 1}, {0, 0, 4}) == RuleId::none);
  CHECK(sharded({1, 1, 1}, {0, 0, 4}) == RuleId::zeropp_gradients);
  for (const std::int64_t zero : {0, 3}) {
    CHECK(after([=](Edge& e) { e.s.zero = zero; }) == RuleId::none);
  }
  CHECK(after([](Edge& e) { e.s.zero = 4; }) == RuleId::zero);
  CHECK(after([](Edge& e) { e.s.zero = -1; }) == RuleId::zero);
}

TEST_CASE("one codec compresses gathers, one reductions") {
  const auto both = [](ZeroPlusPlus z, bool weights, bool gradients) {
    return after([=](Edge& e) {
      e.s.partition = {16, 16, 16};
      e.s.zeropp = z;
      e.run.weight_bits = e.run.gradient_bits = 16;
      e.run.compresses_weights = weights;
      e.run.compresses_gradients = gradients;
    });
  };
  CHECK(both({8, 0, 0}, false, true) == RuleId::none);
  CHECK(both({8, 0, 0}, true, false) == RuleId::zeropp_compression);
  CHECK(both({0, 0, 4}, true, false) == RuleId::none);
  CHECK(both({0, 0, 4}, false, true) == RuleId::zeropp_compression);
}

TEST_CASE("recompute is of parts that the model has, and of layers of a chunk") {
  const auto full = [](std::int64_t layers) {
    return after([=](Edge& e) {
      e.s.recompute = Recompute::full;
      e.s.recompute_layers = layers;
    });
  };
  CHECK(full(0) == RuleId::none);
  CHECK(full(8) == RuleId::none);  // 32 layers over 4 stages
  CHECK(full(9) == RuleId::recompute_layers_chunk);
  CHECK(full(-1) == RuleId::recompute_layers_chunk);
  const auto selective = [](ModuleMask modules, bool mixture) {
    return after([=](Edge& e) {
      if (mixture) e.make_mixture();
      e.s.recompute = Recompute::selective;
      e.s.recompute_modules = modules;
    });
  };
  CHECK(selective(mask_of(Module::mlp), false) == RuleId::none);
  CHECK(selective(mask_of(Module::mlp_act), false) == RuleId::none);
  CHECK(selective(mask_of(Module::moe), false) == RuleId::recompute_moe);
  CHECK(selective(mask_of(Module::moe), true) == RuleId::none);
  CHECK(selective(mask_of(Module::mla_up_proj), true) == RuleId::recompute_mla);
  const auto fraction = [](double share) {
    return after([=](Edge& e) { e.s.offload.optimizer_fraction = share; });
  };
  CHECK(fraction(0) == RuleId::none);
  CHECK(fraction(1) == RuleId::none);
  CHECK(fraction(1.001) == RuleId::offload_fraction);
  CHECK(fraction(-0.001) == RuleId::offload_fraction);
}

TEST_CASE("an error shows the keys of its rule with their values") {
  Edge e;
  e.s.cp = 3;
  e.s.vpp = 5;
  e.s.etp = 6;
  e.s.ep = 7;
  e.s.micro_batch = 9;
  e.s.partition = {10, 11, 12};
  e.s.zeropp = {13, 14, 15};
  e.run.weight_bits = 16;
  e.run.gradient_bits = 17.5;
  e.s.recompute = Recompute::selective;
  e.s.recompute_modules = mask_of(Module::core_attn, Module::mlp);
  e.s.offload.parameters = OffloadTarget::host;
  e.a.recurrent.value_heads = 18;
  e.a.moe.experts = 19;
  e.a.moe.expert_intermediate = 20;
  e.a.moe.shared_intermediate = 21;
  const auto text = [&](RuleFact f) { return fact_text(f, RuleCase{e.s, e.a, e.run}); };
  CHECK(text(RuleFact::tp) == "tp 2");
  CHECK(text(RuleFact::cp) == "cp 3");
  CHECK(text(RuleFact::pp) == "pp 4");
  CHECK(text(RuleFact::vpp) == "vpp 5");
  CHECK(text(RuleFact::dp) == "dp 16");
  CHECK(text(RuleFact::ep) == "ep 7");
  CHECK(text(RuleFact::etp) == "etp 6");
  CHECK(text(RuleFact::micro_batch) == "micro_batch 9");
  CHECK(text(RuleFact::micro_batches) == "micro batches 32");
  CHECK(text(RuleFact::weights) == "weights 10");
  CHECK(text(RuleFact::gradients) == "gradients 11");
  CHECK(text(RuleFact::optimizer) == "optimizer 12");
  CHECK(text(RuleFact::zeropp) == "qwz 13, hpz 14, qgz 15");
  CHECK(text(RuleFact::weight_bits) == "a gathered weight of 16 bits");
  CHECK(text(RuleFact::gradient_bits) == "a reduced gradient of 17.5 bits");
  CHECK(text(RuleFact::recompute) == "recompute selective core_attn mlp");
  CHECK(text(RuleFact::order) == "tp-cp-ep-dp-pp");
  CHECK(text(RuleFact::offload) ==
        "optimizer none, parameters host, activations none, optimizer_fraction 1, "
        "activations_fraction 1");
  CHECK(text(RuleFact::gpus) == "gpus 128");
  CHECK(text(RuleFact::sequence) == "sequence_length 4096");
  CHECK(text(RuleFact::global_batch) == "global_batch 512");
  CHECK(text(RuleFact::layers) == "num_hidden_layers 32");
  CHECK(text(RuleFact::hidden) == "hidden_size 4096");
  CHECK(text(RuleFact::heads) == "num_attention_heads 64");
  CHECK(text(RuleFact::recurrent_heads) == "linear_num_value_heads 18");
  CHECK(text(RuleFact::intermediate) == "intermediate_size 16384");
  CHECK(text(RuleFact::experts) == "num_local_experts 19");
  CHECK(text(RuleFact::expert_intermediate) == "moe_intermediate_size 20");
  CHECK(text(RuleFact::shared_intermediate) == "width of the shared experts 21");
  e.s.listed_stages = true;
  e.s.pp = 2;
  e.s.vpp = 1;
  e.s.stage_layers[0] = 5;
  e.s.stage_layers[1] = 6;
  CHECK(text(RuleFact::stage_layers) == "stage_layers of sum 11");
}

// Megatron-LM's and DeepSpeed's schedules, GPipe and breadth-first have closed forms; those that
// split backward or run both ways are lists of steps.
TEST_CASE("schedules that split backward are written out") {
  const std::set<ScheduleId> closed = {ScheduleId::gpipe, ScheduleId::one_f_one_b,
                                       ScheduleId::interleaved, ScheduleId::breadth_first,
                                       ScheduleId::deepspeed};
  for (const ScheduleId id : kAllOf<ScheduleId>) {
    CAPTURE(name_of(id));
    CHECK(kSchedules[id].written_out == (closed.count(id) == 0));
  }
}

}  // namespace orrery
