// SPDX-License-Identifier: Apache-2.0
//
// Days and rent of a training on groups of nodes, beside the search and the price book.
#include "capacity/mixed_purchase.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "core/json.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Json pair_of_kinds() {
  return json_of(R"({
    "model": {"name": "m", "num_hidden_layers": 8, "hidden_size": 2048,
              "num_attention_heads": 16, "num_key_value_heads": 8, "intermediate_size": 8192,
              "vocab_size": 32000, "hidden_act": "swiglu"},
    "cluster": {"groups": [{"name": "a", "node": "dgx-a100-80gb", "gpus": 8},
                           {"name": "h", "node": "dgx-h100", "gpus": 8}],
                "links": [{"bandwidth": "100 GB/s", "latency": "10 us"}]},
    "training": {"sequence_length": 2048, "global_batch": 32, "tokens": 1000000000},
    "framework": "megatron-core"})");
}

MixedPurchaseQuestion question(std::vector<std::int64_t> sizes) {
  MixedPurchaseQuestion q;
  q.run = pair_of_kinds();
  q.file = "run.json";
  q.lookup = shipped_configs();
  q.sizes = std::move(sizes);
  return q;
}

}  // namespace

TEST_CASE("each number of GPUs has the time of its fastest placement, and their rent") {
  MixedPurchaseQuestion q = question({0, 8});
  PriceBook book;
  book.gpus["a100-sxm4-80gb"].rent = exactly(MoneyPerSecond(1.0 / 3600, Currency()));
  book.gpus["h100-sxm5-80gb"].rent = exactly(MoneyPerSecond(3.0 / 3600, Currency()));
  q.prices = book;
  const MixedPurchase p = mixed_purchase(q);
  CHECK(p.group == "h");
  REQUIRE(p.rows.size() == 2);
  const MixedTraining& alone = p.rows[0].training;
  const MixedTraining& both = p.rows[1].training;
  CHECK(p.rows[0].all == 8);
  CHECK(p.rows[1].all == 16);
  REQUIRE(alone.best);
  REQUIRE(both.best);
  CHECK(alone.best->groups == std::vector<std::string>{"a"});
  // A billion tokens in steps of 32·2,048: 15,258.8, whole steps.
  CHECK(alone.time.value.si() == about(15259 * alone.best->step.si()).epsilon(1e-12));
  CHECK(both.time.value < alone.time.value);
  CHECK(alone.rent->amount() == about(8 * alone.time.value.si() / 3600).epsilon(1e-12));
  CHECK(alone.grown_rent->amount() == 0);
  CHECK(both.rent->amount() == about((8 + 24) * both.time.value.si() / 3600).epsilon(1e-12));
  CHECK(both.grown_rent->amount() == about(24 * both.time.value.si() / 3600).epsilon(1e-12));
  CHECK(p.own.time.value == both.time.value);
}

TEST_CASE("one node more of each kind never takes longer, and the numbers are the search's") {
  MixedPurchaseQuestion q = question({8});
  q.group = "a";
  const MixedPurchase p = mixed_purchase(q);
  REQUIRE(p.more.size() == 2);
  MixedSearchOptions one;
  one.top = 1;
  const std::vector<MixedMarginal> m =
      marginals_of(pair_of_kinds(), "run.json", shipped_configs(), one, p.own.best->step);
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(p.more[k].group == m[k].group);
    CHECK(p.more[k].training.best->step == *m[k].step);
    CHECK(p.more[k].training.time.value <= p.own.time.value * (1 + 1e-12));
  }
  CHECK(!p.own.rent);
  CHECK(p.without_rent.empty());
}

TEST_CASE("a kind without a rent has no sum, and a training needs tokens") {
  MixedPurchaseQuestion q = question({8});
  PriceBook book;
  book.gpus["h100-sxm5-80gb"].rent = exactly(MoneyPerSecond(3.0 / 3600, Currency()));
  q.prices = book;
  const MixedPurchase p = mixed_purchase(q);
  CHECK(!p.own.rent);
  CHECK(p.own.grown_rent);
  CHECK(p.without_rent == std::vector<std::string>{"a100-sxm4-80gb"});
  Json run = pair_of_kinds();
  run["training"].erase("tokens");
  q.run = run;
  CHECK_THROWS_WITH_AS(mixed_purchase(q), doctest::Contains("no number of tokens"), InputError);
  q.run = pair_of_kinds();
  q.group = "b";
  CHECK_THROWS_WITH_AS(mixed_purchase(q), doctest::Contains("--grow"), InputError);
}
