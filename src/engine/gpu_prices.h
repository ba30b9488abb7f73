// SPDX-License-Identifier: Apache-2.0
//
// Prices that flags give (`--prices NAME`, `--rent MONEY`), for commands that read no plan, and the
// same flags over a plan. A rent of the user's own goes before the document's. Errors: InputError.
#pragma once

#include <optional>
#include <string>

#include "capacity/prices_json.h"
#include "core/json.h"
#include "engine/hooks.h"
#include "engine/request.h"

namespace orrery {

// Names an option as the source of an object that names none.
Json with_source(Json given, const std::string& option);

// A rent over the prices that `work` has, by name or not.
void add_rent(const Json& rent, Json& work);

// Keys of a request, and of a plan.
inline constexpr const char* kPricesKey = "prices";
inline constexpr const char* kRentKey = "rent";

struct GivenPrices {
  Json prices;  // null: not given
  Json rent;

  bool any() const { return !prices.is_null() || !rent.is_null(); }
};

// The options `prices` and `rent`.
void read_price_flag(Request& request, const std::string& key, GivenPrices& out);

// Nothing where neither is given. `beside`: the directory that paths start from. Amounts are in
// dollars; other currencies need a plan with their rate (`exchange`).
std::optional<PriceBook> price_book(const GivenPrices& given, const CommandContext& context,
                                    const std::string& beside);

}  // namespace orrery
