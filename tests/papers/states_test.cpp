// SPDX-License-Identifier: Apache-2.0
//
// Model states as published: ZeRO's table, recipes, partitions in levels.
#include "memory/states.h"

#include <doctest/doctest.h>

#include "papers/golden.h"
#include "parallel/strategy_json.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Strategy data_parallel(std::int64_t ranks, const Partition& partition) {
  Strategy s;
  s.dp = ranks;
  s.partition = partition;
  return s;
}

double state_total(const std::string& recipe, std::int64_t parameters, const Strategy& s) {
  const NamedRecipe* found = find_recipe(recipe);
  REQUIRE(found != nullptr);
  const StateBytes<double> b = state_bytes<double>(found->recipe, {parameters, 0}, s);
  return (b.weights + b.gradients + b.optimizer + b.secondary).si();
}

}  // namespace

TEST_CASE("model states by ZeRO stage (ZeRO, Figure 1)") {
  check_golden("zero-memory", 8, [](const Json& in) {
    const std::int64_t n = integer(in, "ranks");
    const std::int64_t parameters = integer(in, "parameters");
    const auto total = [&](std::int64_t zero) {
      return state_total("adam-mixed-16", parameters, data_parallel(n, partition_of(zero, n)));
    };
    const std::int64_t zero = integer(in, "zero");
    return in.value("ratio", false) ? total(0) / total(zero) : total(zero) / kGB.si();
  });
}

TEST_CASE("model states over a card, a node and all ranks (Frontier)") {
  check_golden("frontier-partition", 3, [](const Json& in) {
    const Partition p{integer(in, "weights"), integer(in, "gradients"), integer(in, "optimizer")};
    Strategy s = data_parallel(integer(in, "ranks"), p);
    s.zeropp.hpz = integer(in, "hpz");
    return state_total("adam-mixed-16", integer(in, "parameters"), s) / kGB.si();
  });
}

TEST_CASE("bytes a parameter of every recipe") {
  check_golden("recipes", kRecipes.size() + 3, [](const Json& in) {
    const std::int64_t n = integer(in, "ranks");
    const std::int64_t zero = in.value("zero", std::int64_t{0});
    const std::int64_t parameters = 1 << 20;
    const Strategy s = data_parallel(n, partition_of(zero, n));
    return state_total(in.at("states").get<std::string>(), parameters, s) /
           static_cast<double>(parameters);
  });
}
