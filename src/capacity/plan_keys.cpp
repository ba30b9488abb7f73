// SPDX-License-Identifier: Apache-2.0
#include "capacity/plan_keys.h"

#include <cmath>

#include "core/json.h"
#include "core/units.h"

namespace orrery {
namespace {

constexpr double kMostTokens = 1e18;
constexpr double kMostFlops = 1e36;
constexpr std::size_t kMostSizes = 64;

// A limit has a unit, or is an SI number; the text "60" could mean days or seconds.
template <Dimension D>
Quantity<D> read_limit(const Reader& r, const char* allowed) {
  std::optional<double> si;
  if (r.json().is_number()) si = r.json().get<double>();
  if (r.json().is_string() && !parse_number(r.text())) si = parse_quantity(r.text(), D);
  if (!si || !(*si > 0)) r.fail(allowed);
  return Quantity<D>(*si);
}

Requirement read_requirement(Reader r, std::size_t index, const ExchangeRates& exchange) {
  Requirement q;
  q.name = "requirement " + std::to_string(index + 1);
  if (auto v = r.find("name")) q.name = v->text();
  if (auto v = r.find("deadline")) {
    q.deadline = read_limit<kSeconds>(*v, "a time above zero with its unit: \"60 d\", \"36 h\"");
  }
  if (auto v = r.find("budget")) q.budget = read_amount(*v, exchange, true);
  if (auto v = r.find("sure")) q.sure = v->boolean();
  if (auto v = r.find("power")) {
    q.power = read_limit<kJoules - kSeconds>(
        *v, "a power above zero with its unit: \"10 MW\", \"500 kW\"");
  }
  r.reject_unknown();
  if (!q.deadline && !q.budget && !q.power) r.fail("deadline, budget or power");
  return q;
}

std::vector<std::int64_t> growing(Reader r) {
  const std::int64_t from = r.at("from").integer(1, kMostPlanGpus);
  const std::int64_t to = r.at("to").integer(from, kMostPlanGpus);
  const double factor = r.at("factor").number(1.01, 1000);
  r.reject_unknown();
  std::vector<std::int64_t> sizes;
  const double last = static_cast<double>(to) * (1 + 1e-9);
  for (auto x = static_cast<double>(from); x <= last; x *= factor) {
    sizes.push_back(std::llround(x));
  }
  return sizes;
}

}  // namespace

Goal read_goal(Reader r) {
  Goal g;
  if (auto v = r.find("tokens")) g.tokens = v->number(1, kMostTokens);
  if (auto v = r.find("flops")) g.flops = v->number(1, kMostFlops);
  if (auto v = r.find("tokens_per_parameter")) g.tokens_per_parameter = v->number(0.01, 1e6);
  if (auto v = r.find("flops_convention")) {
    g.convention = v->choice<FlopsConvention>();
  }
  r.reject_unknown();
  const int given = (g.tokens > 0) + (g.flops > 0) + (g.tokens_per_parameter > 0);
  if (given != 1) r.fail("one of tokens, flops and tokens_per_parameter");
  return g;
}

std::vector<RampStep> read_ramp(const Reader& r) {
  std::vector<RampStep> steps;
  for (Reader step : r.items()) {
    steps.push_back({step.at("global_batch").integer(1, std::int64_t{1} << 30U),
                     step.at("tokens").number(1, kMostTokens)});
    step.reject_unknown();
  }
  return steps;
}

std::vector<std::int64_t> read_counts(const Reader& r) {
  std::vector<std::int64_t> sizes;
  if (r.json().is_object()) {
    sizes = growing(r);
  } else if (r.json().is_array()) {
    for (const Reader& v : r.items()) sizes.push_back(v.integer(1, kMostPlanGpus));
  } else {
    sizes.push_back(r.integer(1, kMostPlanGpus));
  }
  if (sizes.empty() || sizes.size() > kMostSizes) r.fail("1 to 64 sizes");
  return sizes;
}

std::vector<Requirement> read_requirements(const Reader& r, const ExchangeRates& exchange) {
  if (!r.json().is_array()) return {read_requirement(r, 0, exchange)};
  std::vector<Requirement> all;
  for (const Reader& one : r.items()) all.push_back(read_requirement(one, all.size(), exchange));
  return all;
}

}  // namespace orrery
