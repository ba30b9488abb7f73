// SPDX-License-Identifier: Apache-2.0
#include "capacity/prices_json.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "capacity/ranged_json.h"
#include "capacity/training_time.h"
#include "core/error.h"
#include "core/provenance.h"
#include "core/units.h"

namespace orrery {
namespace {

constexpr double kMostMoney = 1e18;
constexpr double kMostShare = 100;

struct Per {
  std::string_view text;
  double si;
};

// Units that a price may be per, by dimension.
constexpr std::array kPerTime = {Per{"/h", kHour.si()}, Per{"/d", kDay.si()},
                                 Per{"/y", kYear.si()}};
constexpr std::array kPerEnergy = {Per{"/kWh", kKilowattHour.si()},
                                   Per{"/MWh", 1e3 * kKilowattHour.si()}};
constexpr double kMonth = kYear.si() / 12;
constexpr std::array kPerSpace = {Per{"/TB/month", 1e12 * kMonth}, Per{"/GB/month", 1e9 * kMonth},
                                  Per{"/PB/month", 1e15 * kMonth}, Per{"/TB/y", 1e12 * kYear.si()}};
constexpr std::array kPerBytes = {Per{"/GB", 1e9}, Per{"/TB", 1e12}, Per{"/PB", 1e15}};
constexpr std::array kPerNothing = {Per{"", 1}};

struct PriceForm {
  std::span<const Per> units;
  const char* example;
};

template <Dimension D>
PriceForm price_form() {
  if constexpr (D == kSeconds) return {kPerTime, "an amount and its currency: \"2.49 USD/h\""};
  if constexpr (D == kJoules) return {kPerEnergy, "an amount and its currency: \"0.08 USD/kWh\""};
  if constexpr (D == kBytes + kSeconds) {
    return {kPerSpace, "an amount and its currency: \"20 USD/TB/month\""};
  }
  if constexpr (D == kBytes) return {kPerBytes, "an amount and its currency: \"0.02 USD/GB\""};
  return {kPerNothing, "an amount and its currency: \"25000 USD\""};
}

bool is_code(std::string_view text) {
  if (text.size() != 3) return false;
  for (const char c : text) {
    if (c < 'A' || c > 'Z') return false;
  }
  return true;
}

Currency currency_of(std::string_view code) { return {{code[0], code[1], code[2]}}; }

// The amount in the plan's currency, per SI unit.
double amount(const Reader& r, const ExchangeRates& x, const PriceForm& in) {
  if (r.json().is_number()) return r.number(0, kMostMoney) / in.units.front().si;
  if (!r.json().is_string()) r.fail(in.example);
  const std::string text = r.text();
  const std::size_t space = text.find(' ');
  const std::size_t slash = std::min(text.find('/'), text.size());
  if (space == std::string::npos || space > slash) r.fail(in.example);
  const auto number = parse_number(text.substr(0, space));
  const std::string code = text.substr(space + 1, slash - space - 1);
  if (!number || *number < 0 || *number > kMostMoney || !is_code(code)) r.fail(in.example);
  double worth = 1;
  if (code != x.currency.text()) {
    const auto known = x.worth.find(code);
    if (known == x.worth.end()) {
      r.fail("\"" + text + "\"",
             x.currency.text() + ", the plan's currency, or one that `exchange` knows");
    }
    worth = known->second;
  }
  for (const Per& per : in.units) {
    if (text.substr(slash) == per.text) return *number * worth / per.si;
  }
  r.fail(in.example);
}

template <Dimension D>
MoneyPer<D> read_money(const Reader& r, const ExchangeRates& x) {
  return {amount(r, x, price_form<D>()), x.currency};
}

constexpr const char* kGivenByYou = "given by you";

std::string text_of(const Reader& value, const std::string& unit) {
  if (value.json().is_string()) return value.text();
  return brief(value.json()) + (value.json().is_number() ? unit : "");
}

class BookReader {
 public:
  BookReader(PriceBook& book, const ExchangeRates& x) : book_(book), x_(x) {}

  // `unit`: what a bare number is in.
  void note(const std::string& of, const std::string& what, Reader r, const std::string& unit) {
    std::vector<Assumption>& notes = book_.assumptions[of];
    if (!r.json().is_object()) {
      notes.push_back({what, text_of(r, unit), kGivenByYou, ""});
      return;
    }
    notes.push_back(
        {what, text_of(r.at("value"), unit), r.at("source").text(), r.at("date").text()});
  }

  template <Dimension D>
  void price(Reader r, const std::string& of, const char* key, const char* what,
             std::optional<Ranged<MoneyPer<D>>>& to) {
    auto found = r.find(key);
    if (!found) return;
    const std::string unit =
        " " + x_.currency.text() + std::string(price_form<D>().units.front().text);
    note(of, (of.empty() ? "" : of + ": ") + what, *found, unit);
    to = read_ranged<MoneyPer<D>>(
        *found, [&](const Reader& v) { return read_money<D>(v, x_); },
        [](MoneyPer<D> m) { return m.amount(); });
  }

  void share(Reader r, const char* key, const char* what, double lowest, double highest,
             std::optional<Ranged<double>>& to) {
    auto found = r.find(key);
    if (!found) return;
    note("", what, *found, "");
    to = read_ranged_number(*found, lowest, highest);
  }

  void lifetime(Reader r, std::optional<Ranged<Seconds>>& to) {
    auto found = r.find("lifetime");
    if (!found) return;
    note("", "lifetime of bought hardware", *found, " s");
    to = read_ranged_quantity<kSeconds>(*found, false);
  }

 private:
  PriceBook& book_;
  const ExchangeRates& x_;
};

constexpr const char* kRentOfGpu = "rent of a GPU";

bool is_rent_of(const std::string& device, const Assumption& a) {
  return a.what == device + ": " + kRentOfGpu;
}

void read_gpus(std::optional<Reader> r, BookReader& read, PriceBook& book) {
  if (!r) return;
  for (const std::string& name : r->keys()) {
    Reader gpu = r->at(name);
    Tariff& p = book.gpus[name];
    read.price<kSeconds>(gpu, name, "rent", kRentOfGpu, p.rent);
    read.price<kNone>(gpu, name, "purchase", "price of a GPU", p.gpu);
    gpu.reject_unknown();
  }
}

void read_nodes(std::optional<Reader> r, BookReader& read, PriceBook& book) {
  if (!r) return;
  for (const std::string& name : r->keys()) {
    Reader node = r->at(name);
    Tariff& p = book.nodes[name];
    read.price<kNone>(node, name, "purchase", "price of a node", p.node);
    if (auto v = node.find("support"); v && v->json().is_number()) {
      v->fail("an amount, its currency and its time: \"39800 USD/y\"");
    }
    read.price<kSeconds>(node, name, "support", "support of a node", p.node_support);
    node.reject_unknown();
  }
}

// Prices of a bill of materials; they pay for no run.
void read_parts(std::optional<Reader> r, BookReader& read, PriceBook& book) {
  if (!r) return;
  for (const std::string& name : r->keys()) {
    std::optional<Ranged<Money>> price;
    read.price<kNone>(*r, name, name.c_str(), "price of one", price);
    if (price) book.parts[name] = *price;
  }
}

struct Scale {
  std::string_view word;
  int exponent;
};

// Money has no thousandths, so that m is million.
constexpr std::array kScales = {
    Scale{"thousand", 3}, Scale{"million", 6}, Scale{"billion", 9}, Scale{"mn", 6}, Scale{"bn", 9},
    Scale{"k", 3},        Scale{"M", 6},       Scale{"m", 6},       Scale{"G", 9},  Scale{"B", 9},
};

// Takes `word` and the blanks behind it from the front.
bool take(std::string_view word, std::string_view& text) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(std::min(text.size(), word.size()));
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
  return true;
}

// "$" or "€" as a code; "" where there is neither.
std::string take_sign(std::string_view& text) {
  return take("$", text) ? "USD" : take("€", text) ? "EUR" : "";
}

// "30,000,000" without its commas; nothing where they stand elsewhere than at thousands.
std::optional<std::string> take_digits(std::string_view& text) {
  const std::string_view all = text.substr(0, text.find_first_not_of("0123456789.,"));
  const std::string_view whole = all.substr(0, all.find('.'));
  const std::size_t first = whole.find(',');
  std::string digits;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != ',') {
      digits += all[i];
    } else if (i > whole.size() || first > 3 || i == 0 || (whole.size() - i) % 4 != 0) {
      return {};
    }
  }
  for (std::size_t i = first; i < whole.size(); i += 4) {
    if (whole[i] != ',') return {};
  }
  text.remove_prefix(all.size());
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
  return digits;
}

// An amount as people write it: "30 M$", "$30M", "5M", "30 million", "30,000,000", "500k EUR";
// nothing if it is none of these.
std::optional<std::string> spelled_out(const std::string& given) {
  std::string_view text = given;
  std::string code = take_sign(text);
  if (text.empty() || text[0] < '0' || text[0] > '9') return {};
  const std::optional<std::string> digits = take_digits(text);
  if (!digits) return {};
  const auto scale = std::find_if(kScales.begin(), kScales.end(), [&](const Scale& s) {
    return text.starts_with(s.word) && !is_code(std::string(text));
  });
  if (scale != kScales.end()) take(scale->word, text);
  if (code.empty()) code = take_sign(text);
  if (code.empty() && is_code(std::string(text))) {
    code = text;
    text = {};
  }
  if (!text.empty()) return {};
  if (code.empty() && scale == kScales.end() && *digits == given) return {};
  const std::string number =
      *digits + (scale == kScales.end() ? "" : "e" + std::to_string(scale->exponent));
  return code.empty() ? number : number + " " + code;
}

}  // namespace

Currency read_currency(const Reader& r) {
  if (!r.json().is_string() || !is_code(r.text())) {
    r.fail("a currency by its three letters: \"USD\", \"EUR\"");
  }
  return currency_of(r.text());
}

ExchangeRates read_exchange(std::optional<Reader> r, Currency currency) {
  ExchangeRates x{currency, {}};
  if (!r) return x;
  for (const std::string& code : r->keys()) {
    Reader rate = r->at(code);
    if (!is_code(code)) rate.fail("\"" + code + "\"", "a currency by its three letters");
    const double worth = amount(rate.at("value"), {currency, {}}, price_form<kNone>());
    static_cast<void>(rate.at("source").text());
    static_cast<void>(rate.at("date").text());
    rate.reject_unknown();
    if (worth <= 0) rate.fail("a rate of 0", "what one is worth in " + currency.text());
    x.worth[code] = worth;
  }
  return x;
}

Money read_amount(const Reader& given, const ExchangeRates& x, bool bare_allowed) {
  const std::optional<std::string> spelled =
      given.json().is_string() ? spelled_out(given.text()) : std::nullopt;
  const Json text = spelled ? Json(*spelled) : given.json();
  const Reader r(text, given.file(), given.path());
  if (bare_allowed) {
    if (r.json().is_number()) return {r.number(0, kMostMoney), x.currency};
    const auto bare = r.json().is_string() ? parse_number(r.text()) : std::nullopt;
    if (bare && *bare >= 0 && *bare <= kMostMoney) return {*bare, x.currency};
  }
  return read_money<kNone>(r, x);
}

PriceBook read_prices(Reader r, const ExchangeRates& x) {
  r.must_be_object();
  check_sources(r);
  PriceBook book;
  BookReader read(book, x);
  if (auto v = r.find("pay")) book.payment = v->choice<Payment>();
  read_gpus(r.find("gpus"), read, book);
  read_nodes(r.find("nodes"), read, book);
  read_parts(r.find("parts"), read, book);
  Tariff& common = book.common;
  read.price<kSeconds>(r, "", "rent", "rent of a GPU, of every kind", common.rent);
  read.price<kJoules>(r, "", "electricity", "electricity", common.electricity);
  read.share(r, "network", "network, of the hardware's price", 0, kMostShare, common.network);
  read.share(r, "storage", "storage, of the hardware's price", 0, kMostShare, common.storage);
  read.price<kBytes + kSeconds>(r, "", "storage_space", "storage by what it holds",
                                common.storage_space);
  read.price<kBytes>(r, "", "egress", "egress", common.egress);
  if (common.storage && common.storage_space) {
    r.fail("storage and storage_space",
           "one of them: a share of the hardware, or by what it holds");
  }
  read.share(r, "support", "support a year, of the hardware's price", 0, kMostShare,
             common.support);
  read.share(r, "utilisation", "utilisation of bought hardware", 0.001, 1, common.utilisation);
  read.lifetime(r, common.lifetime);
  r.reject_unknown();
  return book;
}

bool is_rent(const Assumption& a) { return a.what.find(kRentOfGpu) != std::string::npos; }

Tariff prices_of(const PriceBook& book, const std::string& device, const std::string& node,
                 std::vector<Assumption>& assumptions) {
  Tariff p = book.common;
  const auto gpu = book.gpus.find(device);
  if (gpu != book.gpus.end()) {
    if (!p.rent) p.rent = gpu->second.rent;
    p.gpu = gpu->second.gpu;
  }
  const auto whole = book.nodes.find(node);
  if (whole != book.nodes.end()) {
    p.node = whole->second.node;
    p.node_support = whole->second.node_support;
  }
  p.payment =
      book.payment.value_or(p.rent || !(p.gpu || p.node) ? Payment::rent : Payment::purchase);
  for (const std::string& name : {device, node, std::string()}) {
    const auto known = book.assumptions.find(name);
    if (known == book.assumptions.end()) continue;
    for (const Assumption& a : known->second) {
      if (!book.common.rent || !is_rent_of(device, a)) assumptions.push_back(a);
    }
  }
  return p;
}

}  // namespace orrery
