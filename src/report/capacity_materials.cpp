// SPDX-License-Identifier: Apache-2.0
#include <type_traits>
#include <variant>

#include "core/json.h"
#include "core/units.h"
#include "document/words.h"
#include "report/capacity_outcome.h"
#include "report/capacity_words.h"
#include "report/frame_json.h"
#include "report/money_json.h"

namespace orrery {
namespace {

// The number and the unit of an amount: {null, ""} where it is not known.
struct AmountCell {
  Json number;
  const char* unit = "";
};

AmountCell plain_amount(const Amount& a) {
  struct Visit {
    AmountCell operator()(std::monostate) const { return {}; }
    AmountCell operator()(std::int64_t n) const { return {n, ""}; }
    AmountCell operator()(Bytes b) const { return {b.si(), "B"}; }
    AmountCell operator()(BytesPerSecond r) const { return {r.si(), "B/s"}; }
    AmountCell operator()(Watts w) const { return {w.si(), "W"}; }
  };
  return std::visit(Visit{}, a);
}

std::string amount_text(const Amount& a) {
  struct Visit {
    std::string operator()(std::monostate) const { return "–"; }
    std::string operator()(std::int64_t n) const { return grouped(n); }
    std::string operator()(Bytes b) const { return pretty(b, 3); }
    std::string operator()(BytesPerSecond r) const { return pretty(r, 3); }
    std::string operator()(Watts w) const { return pretty(w, 3); }
  };
  return std::visit(Visit{}, a);
}

std::string money_cell(const std::optional<Money>& m) { return m ? money_text(*m) : ""; }

std::vector<Cell> row_of(const OptionAnswer& o, const MaterialLine& line) {
  const AmountCell amount = plain_amount(line.amount);
  const auto money = [](const std::optional<Money>& m) {
    return m ? plain_number(m->amount()) : std::string();
  };
  const std::string number =
      amount.number.is_null() ? "" : plain_number(amount.number.get<double>());
  return {o.scenario, o.model,     std::to_string(o.gpus), name_of(line.group),   line.item,
          number,     amount.unit, money(line.each),       money(price_of(line)), line.basis};
}

}  // namespace

Section materials_section(const OptionAnswer& o) {
  if (o.materials.empty()) return {};
  Table table({"item",
               {"amount", true},
               {"each", true},
               {"in all", true},
               Column("how it is counted").wrapped()},
              2);
  for (const MaterialLine& line : o.materials) {
    table.add({line.item, amount_text(line.amount), money_cell(line.each),
               money_cell(price_of(line)), line.basis});
  }
  Section s{"Bill of materials"};
  s.add(table);
  const std::optional<Money> sum = sum_of(o.materials);
  s.add(Paragraph{sum ? "priced lines: " + money_text(*sum) +
                            "; lines without a price are left out (`prices.nodes`, `prices.parts`)"
                      : std::string("no line has a price (`prices.nodes`, `prices.parts`)"),
                  2, 2});
  return s;
}

Table materials_rows(const CapacityReport& r) {
  const std::string currency = r.plan.currency.text();
  Table table({"scenario", "model", "gpus", "group", "item", "amount", "unit", "each_" + currency,
               "total_" + currency, "basis"});
  for (const OptionAnswer& o : r.answer.options) {
    for (const MaterialLine& line : o.materials) table.add(row_of(o, line));
  }
  return table;
}

Json materials_json(const OptionAnswer& o) {
  return json_list(o.materials, [](const MaterialLine& line) -> Json {
    const AmountCell amount = plain_amount(line.amount);
    return {{"group", name_of(line.group)},
            {"item", line.item},
            {"amount", amount.number},
            {"unit", amount.unit},
            {"each", money_json(line.each)},
            {"total", money_json(price_of(line))},
            {"basis", line.basis}};
  });
}

}  // namespace orrery
