// SPDX-License-Identifier: Apache-2.0
//
// Tariffs as documents: each price is an amount in a currency, with its source and date.
//
//   {"gpus": {"h100-sxm5-80gb": {"rent": {"value": "2.99 USD/h", "low": "2.49 USD/h",
//                                         "source": "…", "date": "2026-11"}}},
//    "nodes": {"dgx-h100": {"purchase": {"value": "199000 USD", …}, "support": {"…": "… USD/y"}}},
//    "electricity": {"value": "0.08 USD/kWh", …}, "pay": "purchase",
//    "lifetime": {"value": "1461 d", …}, "utilisation": {"value": 0.8, …},
//    "parts": {"qm9700": "30000 USD", "link": …}, "network": {"value": 0.15, …}, "storage": …,
//    "support": …,
//    "storage_space": {"value": "20 USD/TB/month", …},   instead of storage; also beside rent
//    "egress": {"value": "0.02 USD/GB", …}}   of what a site of several sends to the others
//
// A price may also be a bare value, "2.99 USD/h" or 2.99 (of the plan's currency, by the hour, the
// kWh, the TB and month, the GB): the answer then says "given by you". "rent" beside "gpus" is that
// of every GPU, whatever "gpus" says. Errors: InputError: no currency, an object without source or
// date, a currency without a rate of exchange.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capacity/bill.h"
#include "core/json_reader.h"

namespace orrery {

// A number that a plan assumes, for the list in the report.
struct Assumption {
  std::string what;
  std::string value;
  std::string source;
  std::string date;
};

// The currency of the answer, and the rates of others in it.
struct ExchangeRates {
  Currency currency;
  std::map<std::string, double> worth;
};

Currency read_currency(const Reader& r);
ExchangeRates read_exchange(std::optional<Reader> r, Currency currency);

// "50e6 USD"; a number without a currency is in the plan's, if `bare_allowed`.
Money read_amount(const Reader& r, const ExchangeRates& x, bool bare_allowed);

struct PriceBook {
  std::optional<Payment> payment;
  std::map<std::string, Tariff> gpus;                          // rent, gpu
  std::map<std::string, Tariff> nodes;                         // node, node_support
  PartPrices parts;                                            // of a bill of materials
  Tariff common;                                               // the rest
  std::map<std::string, std::vector<Assumption>> assumptions;  // by name of device or node, or ""
};

PriceBook read_prices(Reader r, const ExchangeRates& x);

// True where it says what an hour of a GPU costs.
bool is_rent(const Assumption& a);

// The tariff of one kind of node, and its assumptions.
Tariff prices_of(const PriceBook& book, const std::string& device, const std::string& node,
                 std::vector<Assumption>& assumptions);

}  // namespace orrery
