// SPDX-License-Identifier: Apache-2.0
#include "capacity/capacity.h"

#include <doctest/doctest.h>

#include <cmath>

#include "capacity/shipped_plans.h"
#include "core/error.h"
#include "support/about.h"

namespace orrery {
namespace {

using testing::answered;

const char* const kPriced = R"(
  "energy": ["by-load", {"pue": {"value": 1.2, "low": 1.1, "high": 1.3}, "carbon_intensity": "400 g/kWh"}],
  "prices": {"gpus": {"a100-sxm4-80gb": {"rent": {"value": "2 USD/h", "low": "1 USD/h", "high": "3 USD/h", "source": "s", "date": "2026-11"},
                                         "purchase": {"value": "10000 USD", "source": "s", "date": "2026-11"}}},
             "electricity": {"value": "0.1 USD/kWh", "source": "s", "date": "2026-11"},
             "lifetime": {"value": "1461 d", "source": "s", "date": "2026-11"},
             "utilisation": {"value": 0.8, "source": "s", "date": "2026-11"},
             "network": {"value": 0.15, "source": "s", "date": "2026-11"},
             "storage": {"value": 0.05, "source": "s", "date": "2026-11"},
             "support": {"value": 0.1, "source": "s", "date": "2026-11"}, "pay": "PAY"})";

std::string priced(const std::string& pay) {
  std::string text = kPriced;
  text.replace(text.find("PAY"), 3, pay);
  return R"({"run": "gpt3-175b-1024-a100", "failures": "llama-3", "storage": "selene",)" + text +
         "}";
}

TEST_CASE("money and energy are the sums of their parts, bought or rented") {
  for (const char* pay : {"rent", "purchase"}) {
    CAPTURE(pay);
    const auto a = answered(priced(pay));
    const OptionAnswer& o = a->answer.options[0];
    double sum = 0;
    for (const auto& part : o.outcome.bill.parts) sum += part ? part->amount() : 0;
    REQUIRE(o.outcome.cost);
    CHECK(o.outcome.cost->amount() == testing::about(sum).epsilon(1e-12));
    CHECK(o.outcome.energy.facility.si() ==
          testing::about(o.outcome.energy.nodes.si() * 1.2).epsilon(1e-12));
    CHECK(o.outcome.energy.average.si() * o.outcome.wall.si() ==
          testing::about(o.outcome.energy.facility.si()).epsilon(1e-12));
    CHECK(o.outcome.energy.average < o.outcome.energy.peak);
  }
}

TEST_CASE("a bill by hand: rent is GPUs × hours × price, spares paid too") {
  const auto a = answered(priced("rent"));
  const OptionAnswer& o = a->answer.options[0];
  const double gpus = 1024 + 8.0 * static_cast<double>(o.inputs.spares);
  CHECK(o.outcome.cost->amount() ==
        testing::about(2 * gpus * o.outcome.wall.si() / 3600).epsilon(1e-12));
}

TEST_CASE("a bill by hand: what is bought is written off over its life and its use") {
  const auto a = answered(priced("purchase"));
  const OptionAnswer& o = a->answer.options[0];
  const double gpus = 1024 + 8.0 * static_cast<double>(o.inputs.spares);
  const double days = o.outcome.wall.si() / 86400;
  const double hardware = 10000 * gpus * days / 1461 / 0.8;
  CHECK(o.outcome.bill.parts[CostPart::hardware]->amount() == testing::about(hardware));
  CHECK(o.outcome.bill.parts[CostPart::network]->amount() == testing::about(0.15 * hardware));
  CHECK(o.outcome.bill.parts[CostPart::support]->amount() ==
        testing::about(0.1 * 10000 * gpus * days / 365.25 / 0.8));
  CHECK(o.outcome.bill.parts[CostPart::electricity]->amount() ==
        testing::about(0.1 * o.outcome.energy.facility.si() / 3.6e6));
  CHECK(o.outcome.energy.carbon->kg ==
        testing::about(0.4 * o.outcome.energy.facility.si() / 3.6e6));
}

// A rack of 72 fails, is spared and draws power by its trays of 4. 32 GPUs are 8 trays; with a
// spare tray 36 are rented, and a whole rack is bought where racks have the price.
TEST_CASE("a rate that is achieved takes the place of the predicted step, with its own range") {
  const auto a = answered(R"({"run": "gpt3-175b-1024-a100", "goal": {"tokens": 300e9},
      "achieved": {"value": "100 TFLOP/s", "low": "80 TFLOP/s", "high": "125 TFLOP/s"}})");
  const OptionAnswer& o = a->answer.options[0];
  // 1.0764e12 FLOPs a token of 175B at 2,048 tokens; 1,536 sequences, 1,024 GPUs.
  const double step = 1.0764e12 * 1536 * 2048 / 1024 / 1e14;
  const Ranged<Seconds>& found = o.training.pieces[0].step;
  CHECK(found.value.si() == testing::about(step).epsilon(1e-3));
  CHECK(found.low.si() == testing::about(found.value.si() * 0.8));
  CHECK(found.high.si() == testing::about(found.value.si() * 1.25));
}

TEST_CASE("checkpoints are a whole number of steps apart") {
  const auto a = answered(priced("rent"));
  const OptionAnswer& o = a->answer.options[0];
  const double steps = o.outcome.goodput.interval.si() / o.inputs.stretches[0].longest_step.si();
  CHECK(steps == testing::about(std::round(steps)).epsilon(1e-12));
}

TEST_CASE("a checkpoint beside training keeps the interval that bounds it") {
  const auto a = answered(priced("rent"));
  OutcomeInputs in = a->answer.options[0].inputs;
  in.storage = {"fast", BytesPerSecond(1e15), BytesPerSecond(1e15), BytesPerSecond(1e15), {}};
  in.stretches[0].longest_step = Seconds(1);
  in.policy.mode = CheckpointMode::asynchronous;
  const double mean = 1 / outcome_of(in).largest.recovery.failures.si();
  REQUIRE(mean > 15'000);
  CHECK(outcome_of(in).largest.bound == IntervalBound::lost_work);
  CHECK(outcome_of(in).goodput.interval == kShortestWorth);
  // More failures: a hundredth of the time, half an interval each.
  in.interruptions.classes = {{"all", PerSecond(1.0 / (10'000.0 * 8)), 0, FaultSign::error, {}, 0}};
  in.cluster.gpus = 8;
  const Outcome often = outcome_of(in);
  CHECK(often.largest.bound == IntervalBound::lost_work);
  CHECK(often.goodput.interval.si() == testing::about(200));
  CHECK(often.goodput.lost_work < 0.012);  // and what is not safe yet
  // Storage that takes longer, a step that takes longer, an interval that is given.
  in.storage.write = in.stretches[0].checkpoint / Seconds(1000);
  CHECK(outcome_of(in).largest.bound == IntervalBound::written);
  for (const double step : {0.7, 1.0, 3.0, 7.0, 64.0}) {
    in.stretches[0].longest_step = Seconds(step);
    const Outcome o = outcome_of(in);
    const double steps = o.goodput.interval.si() / step;
    CHECK(o.goodput.interval + o.largest.recovery.stall >= o.largest.recovery.durable);
    CHECK(steps == testing::about(std::round(steps)));
  }
  in.stretches[0].longest_step = Seconds(1);
  in.policy.interval = Seconds(10);
  CHECK(outcome_of(in).largest.bound == IntervalBound::written);
  in.policy.interval = Seconds(5000);
  CHECK(outcome_of(in).largest.bound == IntervalBound::given);
  CHECK(outcome_of(in).goodput.interval == Seconds(5000));
  // No checkpoint within a step: up to the next whole one.
  in.stretches[0].longest_step = Seconds(3000);
  CHECK(outcome_of(in).largest.bound == IntervalBound::given);
  CHECK(outcome_of(in).goodput.interval == Seconds(6000));
  in.policy = {CheckpointMode::synchronous, Seconds(1)};
  CHECK(outcome_of(in).goodput.interval == Seconds(3000));
  in.policy = {};
  in.stretches[0].longest_step = Seconds(9000);
  CHECK(outcome_of(in).largest.bound == IntervalBound::a_step);
}

TEST_CASE("a checkpoint that stops training keeps the optimum") {
  const auto a = answered(priced("rent"));
  OutcomeInputs in = a->answer.options[0].inputs;
  in.policy.mode = CheckpointMode::synchronous;
  in.storage = {"quick", in.stretches[0].checkpoint / Seconds(0.1), {}, BytesPerSecond(1e15), {}};
  in.stretches[0].longest_step = Seconds(1e-3);
  const Outcome o = outcome_of(in);
  CHECK(o.largest.bound == IntervalBound::optimum);
  CHECK(o.goodput.interval.si() ==
        testing::about(optimal_interval(o.largest.recovery, Seconds()).si()).epsilon(1e-3));
}

// The rent of an option whose prices are `prices`.
double rent_by(const std::string& prices) {
  const auto a = answered(
      R"({"run": "gpt3-175b-1024-a100", "goal": {"tokens": 300e9}, "prices": )" + prices + "}");
  const OptionAnswer& o = a->answer.options[0];
  REQUIRE(o.outcome.cost);
  bool is_marked = false;
  for (const Assumption& x : o.assumptions) is_marked = is_marked || x.source == "given by you";
  CHECK(is_marked);
  return o.outcome.cost->amount() / gpu_hours(o.inputs, o.outcome.wall);
}

TEST_CASE("a bare price counts as it stands, and that of every GPU goes before those by name") {
  CHECK(rent_by(R"({"rent": 2.5})") == testing::about(2.5));
  CHECK(rent_by(R"({"rent": "2.5 USD/h"})") == testing::about(2.5));
  CHECK(rent_by(R"({"gpus": {"a100-sxm4-80gb": {"rent": 2.5}}})") == testing::about(2.5));
  CHECK(rent_by(R"(["market-2026", {"rent": 2.5}])") == testing::about(2.5));
  CHECK(rent_by(R"(["market-2026", {"gpus": {"a100-sxm4-80gb": {"rent": "60 USD/d"}}}])") ==
        testing::about(2.5));
  // A year's support as a bare number could be an hour's.
  CHECK_THROWS_AS(rent_by(R"({"rent": 2.5, "nodes": {"dgx-a100-80gb": {"support": 9}}})"),
                  InputError);
}

TEST_CASE("storage of the rate to buy stops training for 1 % of the time") {
  const auto a = answered(priced("rent"));
  const OptionAnswer& o = a->answer.options[0];
  REQUIRE(o.needs.write.si() > 0);
  const double stall = o.inputs.stretches[0].checkpoint.si() / o.needs.write.si();
  CHECK(stall / (stall + o.needs.write_every.si()) == testing::about(0.01).epsilon(1e-6));
  OutcomeInputs in = o.inputs;
  in.storage = {};
  in.storage.write = o.needs.write;
  in.storage.client = o.needs.write;  // of one node: all of it
  CHECK(outcome_of(in).goodput.checkpoint == testing::about(0.01).epsilon(0.05));
  // The network: with the least of it a step is 5 % longer.
  REQUIRE(o.needs.sent.si() > 0);
  Run slower = o.run->run;
  for (std::size_t i = 0; i < slower.cluster.tier_count; ++i) {
    Tier& t = slower.cluster.tiers[i];
    if (is_fabric(t.kind)) t.bandwidth = t.bandwidth * (o.needs.least / o.needs.has);
  }
  CHECK(estimate(slower).step_time / o.answer.step_time == testing::about(1.05).epsilon(1e-6));
}

TEST_CASE("the overhead of a checkpoint leaves its write less time, or none") {
  const auto a = answered(priced("rent"));
  const OptionAnswer& o = a->answer.options[0];
  const auto needs = [&](Seconds overhead, Seconds interval) {
    OutcomeInputs in = o.inputs;
    in.policy.overhead = overhead;
    in.policy.interval = interval;
    return purchase_needs(in, outcome_of(in), o.run->run);
  };
  for (const double interval : {0.0, 7200.0}) {
    CAPTURE(interval);
    const PurchaseNeeds n = needs(Seconds(10), Seconds(interval));
    const double stall = o.inputs.stretches[0].checkpoint / n.write / Seconds(1) + 10;
    CHECK(stall / (stall + n.write_every.si()) == testing::about(0.01).epsilon(1e-6));
    CHECK(needs({}, Seconds(interval)).write < n.write);
    CHECK_FALSE(n.no_rate_will_do);
    const PurchaseNeeds none = needs(Seconds(1200), Seconds(interval));
    CHECK(none.write == BytesPerSecond());
    CHECK(none.no_rate_will_do);
  }
}

// Llama 3 8B on 16 GPUs of two nodes, all data parallel: one ring, which leaves a node once.
TEST_CASE("a node sends to others what its rings carry out of it, once each") {
  const std::string run = R"("run": {"model": "llama-3-8b",
      "cluster": {"node": "dgx-h100", "gpus": 16},
      "training": {"sequence_length": 8192, "global_batch": 128, "tokens": 1e9},
      "parallel": {TP "zero": 1, "recompute": "full"}, "framework": "megatron-core"})";
  const auto sent_with = [&](const std::string& tp) {
    std::string text = "{" + run + "}";
    const auto a = answered(text.replace(text.find("TP"), 2, tp));
    const OptionAnswer& o = a->answer.options[0];
    Bytes of_one{};
    for (std::size_t i = 0; i < o.answer.comm_count; ++i) {
      const bool gradients = o.answer.comm[i].dimension == CommDimension::dp;
      if (gradients) of_one += o.answer.comm[i].bytes;
    }
    CHECK(o.needs.sent < o.needs.has);
    return o.needs.sent * o.answer.step_time / of_one;
  };
  CHECK(sent_with("") == testing::about(1).epsilon(1e-12));             // eight ranks a node
  CHECK(sent_with(R"("tp": 4,)") == testing::about(4).epsilon(1e-12));  // four rings of two a node
  CHECK(sent_with(R"("tp": 8,)") == testing::about(8).epsilon(1e-12));  // eight rings of one
}

TEST_CASE("gradients that arrive late save at most what their exchange shows of") {
  const auto a = answered(priced("rent"));
  const OptionAnswer& o = a->answer.options[0];
  const Seconds exposed = o.answer.breakdown[Term::dp_exposed];
  REQUIRE(o.late_gradients);
  CHECK(*o.late_gradients < o.outcome.wall);
  const double most = exposed / o.answer.step_time;
  CHECK(*o.late_gradients / o.outcome.wall >= 1 - most - 1e-3);
}

TEST_CASE("bought hardware whose bill lacks a part stands after what is rented") {
  const auto plan = [](const std::string& more) {
    return answered(R"({"run": "gpt3-175b-1024-a100", "scenarios": [
        {"name": "buy", "cluster": {"node": "dgx-a100-80gb", "gpus": 1024}, "prices": [{"pay": "purchase"},
          {"gpus": {"a100-sxm4-80gb": {"purchase": {"value": "1 USD", "source": "s", "date": "d"}}},
           "lifetime": {"value": "1461 d", "source": "s", "date": "2026-11"},
           "utilisation": {"value": 1, "source": "s", "date": "2026-11"})" +
                    more + R"(}]},
        {"name": "rent", "cluster": {"node": "dgx-a100-80gb", "gpus": 1024}, "prices": {"gpus":
          {"a100-sxm4-80gb": {"rent": {"value": "2 USD/h", "source": "s", "date": "2026-11"}}}}}]})");
  };
  const auto a = plan("");
  CHECK(a->answer.options[0].outcome.cost < a->answer.options[1].outcome.cost);
  CHECK(a->answer.ranked == std::vector<std::size_t>{1, 0});
}

TEST_CASE("what is bought costs at once all of which a run pays its share") {
  const auto a = answered(priced("purchase"));
  const Bill& b = a->answer.options[0].outcome.bill;
  REQUIRE(b.up_front);
  const double gpus = static_cast<double>(paid_gpus(a->answer.options[0].inputs));
  CHECK(b.up_front->amount() == testing::about(gpus * 10000 * (1 + 0.15 + 0.05)).epsilon(1e-12));
  CHECK_FALSE(answered(priced("rent"))->answer.options[0].outcome.bill.up_front);
}

TEST_CASE("a part without a price is named and not guessed") {
  const auto a = answered(R"({"run": "gpt3-175b-1024-a100"})");
  const OptionAnswer& o = a->answer.options[0];
  CHECK_FALSE(o.outcome.cost);
  CHECK(not_counted(o.outcome.bill) == "rent");
  CHECK_FALSE(o.outcome.energy.carbon);
}

TEST_CASE("money of two currencies is never added") {
  const Money dollars(1, {});
  const Money euros(1, Currency{{'E', 'U', 'R'}});
  CHECK_THROWS_AS(dollars + euros, std::logic_error);
}

TEST_CASE("the range holds its middle and is as wide as its widest part at least") {
  const auto a = answered(priced("rent"));
  const OptionAnswer& o = a->answer.options[0];
  CHECK(o.range.wall.low < o.outcome.wall);
  CHECK(o.outcome.wall < o.range.wall.high);
  REQUIRE(o.sensitivities.size() > 3);
  for (const Sensitivity& s : o.sensitivities) {
    if (s.what_if) continue;
    CAPTURE(s.what);
    CHECK(o.range.cost.low <= std::min(s.cost.low, s.cost.high) * (1 + 1e-12));
    CHECK(o.range.cost.high >= std::max(s.cost.low, s.cost.high) * (1 - 1e-12));
  }
}

TEST_CASE("more of what is lost never ends a run sooner") {
  const auto a = answered(priced("rent"));
  const OutcomeInputs base = a->answer.options[0].inputs;
  const double before = outcome_of(base).wall.si();
  const auto longer = [&](auto change) {
    OutcomeInputs in = base;
    change(in);
    return outcome_of(in).wall.si() >= before;
  };
  CHECK(longer([](OutcomeInputs& in) { in.interruptions.classes[0].rate = PerSecond(1e-8); }));
  CHECK(longer([](OutcomeInputs& in) { in.interruptions.restart.value = Seconds(7200); }));
  CHECK(longer([](OutcomeInputs& in) { in.interruptions.detection.value = Seconds(7200); }));
  CHECK(longer([](OutcomeInputs& in) { in.storage.write = BytesPerSecond(1e9); }));
  CHECK(longer([](OutcomeInputs& in) { in.interruptions.stragglers = {0.05, 0.5}; }));
  CHECK(longer([](OutcomeInputs& in) { in.spares = 0; }));
}

TEST_CASE("the smallest cluster for a deadline meets it, and the next smaller one does not") {
  const auto a = answered(
      R"({"run": "gpt3-175b-1024-a100", "gpus": "smallest", "require": {"deadline": "60 d"}})");
  const RequirementAnswer& r = a->answer.requirements[0];
  REQUIRE(r.smallest);
  const OptionAnswer& found = a->answer.options[*r.smallest];
  CHECK(found.outcome.wall <= Seconds(60 * 86400));
  for (const OptionAnswer& o : a->answer.options) {
    if (o.gpus < found.gpus) CHECK(o.outcome.wall > Seconds(60 * 86400));
  }
}

TEST_CASE("a deadline nothing meets names what comes nearest") {
  const auto a = answered(
      R"({"run": "gpt3-175b-1024-a100", "gpus": [512, 1024], "require": {"deadline": "1 d"}})");
  const RequirementAnswer& r = a->answer.requirements[0];
  CHECK(r.met.empty());
  REQUIRE(r.nearest);
  CHECK(a->answer.options[*r.nearest].gpus == 1024);
}

TEST_CASE("what meets the requirement stands first, the cheapest of it before the rest") {
  const auto a = answered(
      R"({"run": "gpt3-175b-1024-a100", "prices": "market-2026", "gpus": [128, 512, 1024],
          "require": {"deadline": "60 d"}})");
  const auto& order = a->answer.ranked;
  REQUIRE(order.size() == 3);
  // 128 GPUs are the cheapest and take half a year.
  CHECK(a->answer.options[order[2]].gpus == 128);
  const auto cost = [&](std::size_t i) { return *a->answer.options[order[i]].outcome.cost; };
  CHECK(cost(0) < cost(1));
  CHECK(cost(2) < cost(0));
}

TEST_CASE("a deadline is judged where a price for the budget lacks") {
  const auto a = answered(
      R"({"run": "gpt3-175b-1024-a100", "gpus": [128, 512, 1024],
          "require": {"deadline": "60 d", "budget": "50e6 USD"}})");
  const RequirementAnswer& r = a->answer.requirements[0];
  CHECK(r.met.empty());
  CHECK_FALSE(r.nearest);
  REQUIRE(r.unpriced.size() == 2);
  CHECK(a->answer.options[*r.smallest].gpus == 512);
  // Without a price the fewest GPUs that meet the deadline lead, not the fastest.
  CHECK(a->answer.rank == RankBy::gpus);
  CHECK(a->answer.options[a->answer.ranked[0]].gpus == 512);
}

TEST_CASE("of two deadlines each has its smallest cluster") {
  const auto a = answered(
      R"({"run": "gpt3-175b-1024-a100", "gpus": "smallest",
          "require": [{"deadline": "60 d"}, {"deadline": "20 d"}]})");
  REQUIRE(a->answer.requirements.size() == 2);
  for (const RequirementAnswer& r : a->answer.requirements) REQUIRE(r.smallest);
  CHECK(a->answer.options[*a->answer.requirements[0].smallest].gpus <
        a->answer.options[*a->answer.requirements[1].smallest].gpus);
}

TEST_CASE("the smallest cluster is sought between 2ⁿ and 3·2ⁿ nodes too") {
  // 9 nodes: 72 = 4 × 3 stages × 6 replicas; 8 are no multiple of 3, 12 more than needed.
  const std::string plan =
      R"({"run": "gpt3-175b-1024-a100", "goal": {"tokens": 1e9}, "gpus": GPUS,
          "set": {"model": "turing-nlg-17.2b", "training.sequence_length": 1024, "parallel.tp": 4,
                  "parallel.pp": 3, "parallel.dp": "auto", "parallel.vpp": 1, "parallel.recompute": "full"}, REQUIRE})";
  const auto with = [&](const std::string& gpus, const std::string& require) {
    std::string text = plan;
    text.replace(text.find("GPUS"), 4, gpus);
    text.replace(text.find("REQUIRE"), 7, require);
    return answered(text);
  };
  const auto fixed = with("72", R"("rank": "time")");
  const double days = fixed->answer.options[0].outcome.wall.si() / 86400;
  const auto found = with(
      "\"smallest\"", "\"require\": {\"deadline\": \"" + std::to_string(days * 1.001) + " d\"}");
  CHECK(found->answer.options[*found->answer.requirements[0].smallest].gpus == 72);
}

TEST_CASE("storage by the TB and month is data and kept checkpoints times days") {
  const auto a = answered(
      R"({"run": "gpt3-175b-1024-a100", "checkpoint": {"keep": 3}, "prices": ["market-2026",
          {"storage_space": {"value": "20 USD/TB/month", "source": "s", "date": "2026-11"}}]})");
  const OptionAnswer& o = a->answer.options[0];
  const double months = o.outcome.wall.si() / (365.25 / 12 * 86400);
  const double terabytes = (300e9 * 4 + 3 * o.inputs.stretches[0].checkpoint.si()) / 1e12;
  CHECK(o.outcome.bill.parts[CostPart::storage]->amount() ==
        testing::about(20 * terabytes * months).epsilon(1e-12));
  CHECK(o.outcome.cost->amount() ==
        testing::about(o.outcome.bill.parts[CostPart::rent]->amount() +
                       o.outcome.bill.parts[CostPart::storage]->amount()));
}

TEST_CASE("a narrower link never ends a run sooner, and a wider one never later") {
  const auto a = answered(R"({"run": "gpt3-175b-1024-a100"})");
  const OptionAnswer& o = a->answer.options[0];
  std::size_t seen = 0;
  for (const Sensitivity& s : o.sensitivities) {
    if (!s.what_if) continue;
    CAPTURE(s.what);
    ++seen;
    CHECK(s.wall.low >= s.wall.value);
    CHECK(s.wall.high <= s.wall.value);
  }
  CHECK(seen >= 2);  // between nodes and inside them
}

TEST_CASE("nothing on the front is beaten, and what is off it is") {
  const auto a = answered(
      R"({"run": "gpt3-175b-1024-a100", "prices": "market-2026", "gpus": [128, 256, 512, 1024],
          "scenarios": [{"name": "a", "cluster": {"node": "dgx-a100-80gb"}},
                        {"name": "b", "cluster": {"node": "a100-80gb-4x200g"}}]})");
  const auto& all = a->answer.options;
  const auto beats = [](const OptionAnswer& x, const OptionAnswer& y) {
    const Outcome& p = x.outcome;
    const Outcome& q = y.outcome;
    const bool as_good =
        p.wall <= q.wall && !(*q.cost < *p.cost) && p.energy.facility <= q.energy.facility;
    return as_good &&
           (p.wall < q.wall || *p.cost < *q.cost || p.energy.facility < q.energy.facility);
  };
  REQUIRE(all.size() == 8);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool beaten = std::any_of(all.begin(), all.end(),
                                    [&](const OptionAnswer& o) { return beats(o, all[i]); });
    const auto& front = a->answer.front;
    CHECK(beaten == (std::find(front.begin(), front.end(), i) == front.end()));
  }
}

TEST_CASE("phases and a growing batch add up, and train what is asked") {
  const auto a = answered(
      R"({"run": "gpt3-175b-1024-a100", "phases": [
           {"name": "main", "goal": {"tokens": 300e9},
            "batch_ramp": [{"global_batch": 384, "tokens": 10e9}, {"global_batch": 768, "tokens": 20e9}]},
           {"name": "short", "goal": {"tokens": 20e9}, "set": {"training.sequence_length": 1024}}]})");
  const TrainingTime& t = a->answer.options[0].training;
  REQUIRE(t.pieces.size() == 4);
  CHECK(t.tokens == 320e9);
  double sum = 0;
  for (const PieceTime& p : t.pieces) sum += p.time.value.si();
  CHECK(t.time.value.si() == testing::about(sum).epsilon(1e-14));
  CHECK(t.pieces[0].global_batch == 384);
  CHECK(t.pieces[0].steps == 12716);  // 10e9 / (384 × 2048), rounded up
  // A small batch has more of its step in the bubble: fewer tokens a second.
  CHECK(t.pieces[0].tokens / t.pieces[0].time.value.si() <
        t.pieces[2].tokens / t.pieces[2].time.value.si());
}

TEST_CASE("a phase writes the checkpoints of its own model") {
  const std::string site =
      R"("failures": "llama-3", "storage": {"write": "100 GB/s"}, "spares": 4, "goal": {"tokens": 5e11},)";
  const std::string small =
      R"("run": "llama-3-8b-8-h100", "set": {"training.global_batch": 256}, )";
  const std::string large =
      R"("run": "llama-3-70b-64-h100", "set": {"training.global_batch": 256}, )";
  const auto alone = [&](const std::string& phase) {
    return answered("{" + site + phase + R"("gpus": 64})");
  };
  const auto both = answered("{" + site + R"("gpus": 64, "phases": [{)" + large +
                             R"("name": "large"}, {)" + small + R"("name": "small"}]})");
  const auto first = alone(large);
  const auto second = alone(small);
  const OptionAnswer& o = both->answer.options[0];
  const OptionAnswer& a = first->answer.options[0];
  const OptionAnswer& b = second->answer.options[0];
  REQUIRE(o.outcome.stretches.size() == 2);
  CHECK(o.inputs.stretches[1].phases == "small");
  CHECK(o.outcome.stretches[1].checkpoint.size == b.outcome.largest.checkpoint.size);
  CHECK(o.outcome.largest.checkpoint.size == a.outcome.largest.checkpoint.size);
  CHECK(o.data.checkpoints == a.data.checkpoints);
  CHECK(o.outcome.wall.si() ==
        testing::about((a.outcome.wall + b.outcome.wall).si()).epsilon(1e-12));
  CHECK(o.outcome.failures == testing::about(a.outcome.failures + b.outcome.failures));
  CHECK(o.simulated.wall.value / o.outcome.wall == testing::about(1).epsilon(0.01));
  // Phases of one model are one stretch.
  const auto same =
      answered("{" + site + large + R"("gpus": 64, "phases": [{"name": "a"}, {"name": "b"}]})");
  REQUIRE(same->answer.options[0].inputs.stretches.size() == 1);
  CHECK(same->answer.options[0].inputs.stretches[0].phases == "a, b");
}

TEST_CASE("replicas that cannot hold all states do not train alone") {
  const auto days = [](const std::string& run) {
    const auto a = answered(R"({"goal": {"tokens": 1e11}, "run": ")" + run + "\"}");
    return a->answer.options[0].periodic;
  };
  const PeriodicSyncs large = days("llama-3-405b-16384-h100");
  CHECK(large.replicas == 128);
  CHECK_FALSE(large.fits);
  CHECK(large.peak > Bytes(100 * kGiB.si()));
  CHECK(large.at.empty());
  const PeriodicSyncs small = days("gpt3-175b-1024-a100");
  CHECK(small.fits);
  CHECK(small.at.size() == kSyncEvery.size());
}

TEST_CASE("the FLOPs of a training are counted as its goal counts them") {
  const auto training = [](const std::string& goal) {
    const auto a = answered(R"({"run": "gpt3-175b-1024-a100", "goal": )" + goal + "}");
    return a->answer.options[0].training;
  };
  const TrainingTime by_6n = training(R"({"flops": 3.15e23})");
  CHECK(by_6n.convention == FlopsConvention::six_n);
  CHECK(by_6n.model_flops.si() == testing::about(3.15e23).epsilon(1e-4));  // whole steps
  const TrainingTime by_palm = training(R"({"flops": 3.15e23, "flops_convention": "palm"})");
  CHECK(by_palm.model_flops.si() == testing::about(3.15e23).epsilon(1e-4));
  CHECK(training(R"({"tokens": 300e9})").convention == FlopsConvention::megatron);
}

TEST_CASE("slow ranks take from the effective time") {
  const std::string plan =
      R"({"run": "gpt3-175b-1024-a100", "failures": ["llama-3", {"stragglers": )";
  const auto a = answered(plan + R"({"slowdown": 0.3, "share": 0.5}}]})");
  const OptionAnswer& o = a->answer.options[0];
  CHECK(o.outcome.training / o.training.time.value == testing::about(1.15));
  CHECK(o.outcome.effective == testing::about(o.training.time.value / o.outcome.wall));
}

TEST_CASE("a FLOP budget, and tokens a parameter, become tokens") {
  const auto budget = answered(R"({"run": "gpt3-175b-1024-a100", "goal": {"flops": 3.15e23}})");
  // 6·N·D = 3.15e23 at N = 175 B is D = 300 B.
  CHECK(budget->answer.options[0].training.tokens == testing::about(300e9).epsilon(0.01));
  const auto optimal =
      answered(R"({"run": "gpt3-175b-1024-a100", "goal": {"tokens_per_parameter": 20}})");
  CHECK(optimal->answer.options[0].training.tokens == testing::about(3.5e12).epsilon(0.01));
}

TEST_CASE("checkpoint bytes are the published ones") {
  // SC21 (arXiv:2104.04473): 13.8 TB for 1,008 B parameters, at 14 bytes a parameter.
  const auto a =
      answered(R"({"run": "megatron-1t-512-a100", "goal": {"tokens": 1e9}, "storage": "selene"})");
  const CheckpointCost& c = a->answer.options[0].outcome.largest.checkpoint;
  CHECK(c.size.si() == testing::about(13.8e12).epsilon(0.03));
  CHECK(c.stall.si() == testing::about(52).epsilon(0.03));  // at 273 GB/s
}

TEST_CASE("dates") {
  CHECK(text_of(*parse_date("2028-02-29")) == "2028-02-29");
  CHECK_FALSE(parse_date("2027-02-29"));
  CHECK_FALSE(parse_date("27-02-01"));
  for (const char* wrong : {"1969-12-31", "2200-01-01", "2100-02-29", "2026-13-01", "2026-00-10",
                            "2026-04-31", "2026-04-00", "2026-+4-01", "2026/04/01"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_date(wrong));
  }
  CHECK(text_of(after(*parse_date("2027-12-31"), Seconds(86400))) == "2028-01-01");
  CHECK(text_of(after(*parse_date("2026-03-01"), Seconds(1e30))) == "2199-12-31");
}

std::string complaint(const std::string& plan) {
  try {
    answered(plan);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a wrong plan is refused in one line, with the place of the fault") {
  const std::string run = R"("run": "gpt3-175b-1024-a100")";
  const auto plan = [&](const std::string& more) { return "{" + run + "," + more + "}"; };
  const auto rent = [&](const std::string& value) {
    return plan(R"("prices": {"gpus": {"a100-sxm4-80gb": {"rent": )" + value + "}}}");
  };
  CHECK(has(complaint(rent(R"({"value": -2.5, "source": "s", "date": "d"})")),
            "prices.gpus.a100-sxm4-80gb.rent"));
  CHECK(has(complaint(rent(R"({"value": "2.5", "source": "s", "date": "d"})")), "currency"));
  CHECK(has(complaint(rent(R"({"value": "2.5 EUR/h", "source": "s", "date": "d"})")), "exchange"));
  CHECK(has(complaint(rent(R"({"value": "2.5 USD/kWh", "source": "s", "date": "d"})")), "USD/h"));
  CHECK(has(complaint(rent(R"({"value": "2.5 USD/h"})")), "source"));
  CHECK(complaint(rent(R"("2.5 USD/h")")).empty());  // given by you
  CHECK(has(complaint(plan(R"("failures": {"classes": [{"name": "x", "per_gpu_hour": -1}]})")),
            "failures.classes[0].per_gpu_hour: found -1"));
  CHECK(has(complaint(plan(R"("scenarios": [{"name": "x"}])")), "no cluster"));
  CHECK(has(complaint(plan(R"("failures": "lama-3")")), "did you mean \"llama-3\""));
  CHECK(has(complaint(plan(R"("start": "2027-02-30")")), "start: found"));
  CHECK(has(complaint(plan(R"("goal": {"tokens": 1e9, "flops": 1e20})")), "one of tokens"));
  CHECK(has(complaint(plan(R"("gpu": 8)")), "unknown key"));
  CHECK(has(complaint(plan(R"("require": {})")), "deadline, budget or power"));
  CHECK(has(complaint(plan(R"("require": {"deadline": "60"})")), "with its unit"));
  CHECK(has(complaint(plan(R"("require": {"power": "10"})")), "with its unit"));
  CHECK(has(complaint(plan(R"("require": {"deadline": "-3 d"})")), "above zero"));
  CHECK(has(
      complaint(plan(
          R"("energy": {"load": {"compute": 1, "memory": 1, "waiting": 1, "idle": 1}, "pue": 0.9})")),
      "pue: found 0.9"));
  CHECK(has(complaint(R"({"goal": {"tokens": 1}})"), "no run"));
}

TEST_CASE("a slowdown that is meant as a factor is refused") {
  const std::string plan =
      R"({"run": "gpt3-175b-1024-a100", "failures": {"stragglers": {"slowdown": )";
  CHECK(
      has(complaint(plan + "1.3}}}"), "failures.stragglers.slowdown: found 1.3; allowed: 0 to 1"));
  CHECK(complaint(plan + "1}}}").empty());
}

TEST_CASE("a cluster of one phase alone is refused, and a second number of GPUs") {
  const std::string run = R"({"run": "gpt3-175b-1024-a100", "goal": {"tokens": 1e9}, )";
  const auto phases = [&](const std::string& second) {
    return complaint(run + R"("phases": [{"name": "a"}, {"name": "b", )" + second + "}]}");
  };
  CHECK(has(phases(R"("set": {"cluster.gpus": 128})"), "phases[1].set.cluster.gpus: found"));
  CHECK(has(phases(R"("set": {"cluster": {"node": "dgx-h100"}})"), "phases[1].set.cluster: found"));
  CHECK(has(phases(R"("set": 3)"), "phases[1].set: found 3"));
  CHECK(has(phases(R"("run": "llama-3-8b-8-h100")"), "phases[1].run: found a run on"));
  CHECK(phases(R"("set": {"training.sequence_length": 1024})").empty());
  const std::string gpus = R"("gpus": [512], "set": {"cluster.gpus": 1024}})";
  CHECK(has(complaint(run + gpus), "set.cluster.gpus: found 1024 beside `gpus`"));
  CHECK(has(
      complaint(run + R"("models": [{"name": "m", "set": {"cluster": {"gpus": 8}}}], "gpus": 8})"),
      "models[0].set.cluster: found"));
  CHECK(complaint(run + R"("set": {"cluster.gpus": 512}})").empty());
}

}  // namespace
}  // namespace orrery
