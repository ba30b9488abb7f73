// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu_prices.h"

#include "capacity/plan_sites.h"
#include "engine/overrides.h"
#include "engine/plan_context.h"

namespace orrery {

Json with_source(Json given, const std::string& option) {
  if (given.is_array()) {
    for (Json& one : given) one = with_source(std::move(one), option);
  } else if (given.is_object() && !given.contains("source")) {
    given["source"] = "the option " + option;
  }
  return given;
}

void add_rent(const Json& rent, Json& work) {
  Json all = Json::array();
  if (work.contains(kPricesKey)) {
    const Json& old = work[kPricesKey];
    all = old.is_array() ? old : Json::array({old});
  }
  all.push_back(with_source({{kRentKey, rent}, {"pay", "rent"}}, "--rent"));
  work[kPricesKey] = std::move(all);
}

void read_price_flag(Request& request, const std::string& key, GivenPrices& out) {
  auto given = given_override(request, key, key);
  if (!given) return;
  (key == kPricesKey ? out.prices : out.rent) = std::move(given->value);
}

std::optional<PriceBook> price_book(const GivenPrices& given, const CommandContext& context,
                                    const std::string& beside) {
  if (!given.any()) return {};
  Json work = Json::object();
  if (!given.prices.is_null()) work[kPricesKey] = with_source(given.prices, "--prices");
  if (!given.rent.is_null()) add_rent(given.rent, work);
  const PlanContext plan = plan_context(context, beside, 1);
  const std::string file = "command line";
  const ExchangeRates dollars{Currency(), {}};
  return read_price_documents(Reader(work[kPricesKey], file, kPricesKey), {plan, file, dollars});
}

}  // namespace orrery
