// SPDX-License-Identifier: Apache-2.0
#include "capacity/plan_keys.h"

#include <cmath>

#include "core/json.h"
#include "core/units.h"

namespace orrery {
namespace {

constexpr auto kPlanRows =
    joined(kFrameRows, kPlanListRows, without_required(kWorkRows), kScenarioRows);

// A limit has a unit, or is an SI number; the text "60" could mean days or seconds.
template <Dimension D>
Quantity<D> read_limit(const Reader& r, const char* allowed) {
  std::optional<double> si;
  if (r.json().is_number()) si = r.json().get<double>();
  if (r.json().is_string() && !parse_number(r.text())) si = parse_quantity(r.text(), D);
  if (!si || !(*si > 0)) r.fail(allowed);
  return Quantity<D>(*si);
}

Requirement read_requirement(const Reader& r, std::size_t index, const ExchangeRates& exchange) {
  RequirementKeys asked;
  asked.name = "requirement " + std::to_string(index + 1);
  read_all(kRequirementKeys, r, asked);
  Requirement q{asked.name, asked.deadline, {}, asked.power, asked.sure};
  if (asked.budget) q.budget = read_amount(*asked.budget, exchange, true);
  if (!q.deadline && !q.budget && !q.power) r.fail("deadline, budget or power");
  return q;
}

std::vector<std::int64_t> growing(const Reader& r) {
  const Growth g = read_keys(kGrowthKeys, r);
  if (g.to < g.from) Reader(r).at("to").fail("at least from, " + std::to_string(g.from));
  std::vector<std::int64_t> sizes;
  const double last = static_cast<double>(g.to) * (1 + 1e-9);
  for (auto x = static_cast<double>(g.from); x <= last; x *= g.factor) {
    sizes.push_back(std::llround(x));
  }
  return sizes;
}

}  // namespace

constinit const KeyTable kPlanDocument = {"", kPlanRows};

void read_deadline(const Reader& r, std::optional<Seconds>& out) {
  out = read_limit<kSeconds>(r, "a time above zero with its unit: \"60 d\", \"36 h\"");
}

void read_power(const Reader& r, std::optional<Watts>& out) {
  out = read_limit<kPower>(r, "a power above zero with its unit: \"10 MW\", \"500 kW\"");
}

void read_flops(const Reader& r, Flops& out) {
  const Form& f = kGoalRows.rows[1].forms.front();
  out = Flops(r.number(f.least, f.most));
}

void read_goal(const Reader& r, std::optional<Goal>& out) {
  out = read_keys(kGoalKeys, r);
  const int given = (out->tokens > 0) + (out->flops > Flops()) + (out->tokens_per_parameter > 0);
  if (given != 1) r.fail("one of tokens, flops and tokens_per_parameter");
}

void read_start(const Reader& r, std::optional<Date>& out) {
  out = parse_date(r.text());
  if (!out) r.fail("a date: \"2027-01-31\"");
}

void read_plan_currency(const Reader& r, Currency& out) { out = read_currency(r); }

std::vector<std::int64_t> read_counts(const Reader& r) {
  std::vector<std::int64_t> sizes;
  if (r.json().is_object()) {
    sizes = growing(r);
  } else if (r.json().is_array()) {
    for (const Reader& v : r.items()) sizes.push_back(v.integer(1, kMostPlanGpus));
  } else {
    sizes.push_back(r.integer(1, kMostPlanGpus));
  }
  if (sizes.empty() || sizes.size() > kMostPlanSizes) r.fail("1 to 64 sizes");
  return sizes;
}

std::vector<Requirement> read_requirements(const Reader& r, const ExchangeRates& exchange) {
  if (!r.json().is_array()) return {read_requirement(r, 0, exchange)};
  std::vector<Requirement> all;
  for (const Reader& one : r.items()) all.push_back(read_requirement(one, all.size(), exchange));
  return all;
}

}  // namespace orrery
