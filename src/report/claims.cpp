// SPDX-License-Identifier: Apache-2.0
#include "report/claims.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "report/frame_json.h"
#include "report/number_table.h"

namespace orrery {
namespace {

// Four significant digits, without exponent where it can be read.
std::string claim_number(double x) {
  const double size = std::abs(x);
  constexpr double kPlain = 1e7;
  const bool is_count = size < kPlain && x == std::floor(x);
  const bool reads_well = size >= 1000 && size < kPlain;
  return is_count || reads_well ? fixed(x, 0) : significant(x, 4);
}

std::string with_unit(double x, const std::string& unit) {
  return claim_number(x) + (unit.empty() ? "" : " " + unit);
}

std::string verdict_text(const JudgedCheck& c) {
  std::string text(name_of(c.verdict));
  if (c.verdict == Verdict::holds_if) return text + " " + c.why;
  return c.why.empty() ? text : text + ": " + c.why;
}

std::string head_of(const ClaimQuantity& q) {
  return q.unit.empty() ? q.name : q.name + " (" + q.unit + ")";
}

std::string explained(const ClaimQuantity& q) {
  return q.meaning.empty() ? q.name : q.name + ": " + q.meaning;
}

// A quantity's values at the points that were computed.
std::vector<double> values_of(const JudgedClaim& j, std::size_t quantity) {
  std::vector<double> values;
  for (const ClaimPoint& p : j.points) {
    if (p.refusal.empty()) values.push_back(p.values[quantity]);
  }
  return values;
}

bool varies(const JudgedClaim& j, std::size_t quantity) {
  const std::vector<double> values = values_of(j, quantity);
  return std::any_of(values.begin(), values.end(),
                     [&](double x) { return claim_number(x) != claim_number(values[0]); });
}

// "3.2 s", "3.2 to 4.8 s" over the map, "refused" where no point was computed.
std::string computed_text(const JudgedClaim& j, std::size_t quantity) {
  const std::vector<double> values = values_of(j, quantity);
  if (values.empty()) return "refused";
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const std::string& unit = j.claim.quantities[quantity].unit;
  if (!varies(j, quantity)) return with_unit(*least, unit);
  return claim_number(*least) + " to " + with_unit(*most, unit);
}

// One row a quantity: the claim beside the computed value.
Table quantity_table(const JudgedClaim& j) {
  Table rows = number_table({"quantity", "claimed", "computed"});
  for (std::size_t i = 0; i < j.claim.quantities.size(); ++i) {
    const ClaimQuantity& q = j.claim.quantities[i];
    rows.add({explained(q), q.claimed ? with_unit(*q.claimed, q.unit) : "", computed_text(j, i)});
  }
  return rows;
}

// Columns that differ from point to point.
struct MapColumns {
  std::vector<std::size_t> quantities;
  std::vector<std::size_t> checks;
};

MapColumns columns_of(const JudgedClaim& j) {
  MapColumns columns;
  for (std::size_t i = 0; i < j.claim.quantities.size(); ++i) {
    if (varies(j, i)) columns.quantities.push_back(i);
  }
  for (std::size_t i = 0; i < j.checks.size(); ++i) {
    if (j.checks[i].verdict == Verdict::holds_if) columns.checks.push_back(i);
  }
  return columns;
}

std::vector<std::string> map_head(const JudgedClaim& j, const MapColumns& columns) {
  std::vector<std::string> head;
  for (const ClaimAxis& a : j.claim.axes) head.push_back(a.name);
  for (const std::size_t i : columns.quantities) head.push_back(head_of(j.claim.quantities[i]));
  for (const std::size_t i : columns.checks) head.push_back("check " + std::to_string(i + 1));
  return head;
}

std::vector<std::string> map_row(const JudgedClaim& j, const MapColumns& columns,
                                 const ClaimPoint& p) {
  std::vector<std::string> row;
  for (std::size_t a = 0; a < p.at.size(); ++a) {
    row.push_back(j.claim.axes[a].values[p.at[a]].label);
  }
  const bool refused = !p.refusal.empty();
  for (const std::size_t i : columns.quantities) {
    row.push_back(refused ? "refused" : claim_number(p.values[i]));
  }
  for (const std::size_t i : columns.checks) {
    row.push_back(refused ? "" : p.holds[i] ? "yes" : "no");
  }
  return row;
}

// One row a point of the map: its values, and the quantities and checks that vary. No rows where
// none does.
Table map_table(const JudgedClaim& j) {
  const MapColumns columns = columns_of(j);
  if (columns.quantities.empty() && columns.checks.empty()) return Table();
  Table rows = number_table(map_head(j, columns));
  for (const ClaimPoint& p : j.points) rows.add(map_row(j, columns, p));
  return rows;
}

std::vector<std::string> refusals(const JudgedClaim& j) {
  std::vector<std::string> list;
  for (const ClaimPoint& p : j.points) {
    if (p.refusal.empty()) continue;
    if (list.empty() || list.back() != p.refusal) list.push_back(p.refusal);
  }
  return list;
}

std::vector<std::string> assumed(const Claim& c) {
  std::vector<std::string> list = c.assumptions;
  for (const ClaimAxis& a : c.axes) list.push_back("open, in the map: " + a.name + ". " + a.why);
  return list;
}

// A paragraph whose text hangs in a column of its own below its first words.
Paragraph reported(const std::string& as, const std::string& text) {
  return {as + ": " + text, 4, 2};
}

Section claim_section(const Claim& c) {
  Section s{c.title};
  s.add(reported("claim", c.claim));
  s.add(reported("source", c.source + (c.url.empty() ? "" : ", " + c.url)));
  for (const std::string& a : assumed(c)) s.add(reported("assumed", a));
  return s;
}

Section verdict_section(const JudgedClaim& j) {
  Section s;
  for (const std::string& r : refusals(j)) s.add(reported("refused", r));
  for (std::size_t i = 0; i < j.checks.size(); ++i) {
    s.add(Paragraph{std::to_string(i + 1) + ". " + j.claim.checks[i].text, 5, 2});
    s.add(Paragraph{bold(verdict_text(j.checks[i])), 5, 5});
  }
  for (const std::string& remark : j.claim.remarks) s.add(Paragraph{remark, 2, 2});
  return s;
}

Json point_json(const JudgedClaim& j, const ClaimPoint& p) {
  Json point = Json::object();
  for (std::size_t a = 0; a < p.at.size(); ++a) {
    point["at"][j.claim.axes[a].name] = j.claim.axes[a].values[p.at[a]].label;
  }
  if (!p.refusal.empty()) {
    point["refusal"] = p.refusal;
    return point;
  }
  point["computed"] = Json::object();
  for (std::size_t i = 0; i < p.values.size(); ++i) {
    point["computed"][j.claim.quantities[i].name] = p.values[i];
  }
  point["holds"] = Json::array();
  for (std::size_t i = 0; i < p.holds.size(); ++i) {
    point["holds"].push_back(j.claim.checks[i].holds ? Json(bool(p.holds[i])) : Json());
  }
  return point;
}

Json claim_json(const JudgedClaim& j) {
  const Claim& c = j.claim;
  Json claim = {{"title", c.title}, {"claim", c.claim}, {"source", c.source}, {"url", c.url}};
  claim["assumptions"] = assumed(c);
  claim["quantities"] = Json::array();
  for (const ClaimQuantity& q : c.quantities) {
    claim["quantities"].push_back({{"name", q.name},
                                   {"is", q.is.text()},
                                   {"unit", q.unit},
                                   {"meaning", q.meaning},
                                   {"claimed", q.claimed ? Json(*q.claimed) : Json()}});
  }
  claim["points"] = json_list(j.points, [&](const ClaimPoint& p) { return point_json(j, p); });
  claim["checks"] = Json::array();
  for (std::size_t i = 0; i < j.checks.size(); ++i) {
    claim["checks"].push_back(
        {{"text", c.checks[i].text},
         {"holds", c.checks[i].holds ? Json(c.checks[i].holds->text()) : Json()},
         {"verdict", name_of(j.checks[i].verdict)},
         {"why", j.checks[i].why}});
  }
  claim["remarks"] = c.remarks;
  return claim;
}

std::size_t count_of(const JudgedClaim& j, Verdict v) {
  return static_cast<std::size_t>(std::count_if(
      j.checks.begin(), j.checks.end(), [&](const JudgedCheck& c) { return c.verdict == v; }));
}

// One row a claim: how many of its checks got which verdict; the last is all of them.
Table verdict_table(const std::vector<JudgedClaim>& claims) {
  std::vector<std::string> titles = {"claim"};
  for (const std::string_view name : kNamesOf<Verdict>) titles.emplace_back(name);
  Table table = number_table(titles);
  EnumArray<Verdict, std::size_t> all;
  for (const JudgedClaim& j : claims) {
    std::vector<std::string> row = {j.claim.title};
    for (const Verdict v : kAllOf<Verdict>) {
      const std::size_t n = count_of(j, v);
      all[v] += n;
      row.push_back(n == 0 ? "" : std::to_string(n));
    }
    table.add(row);
  }
  std::vector<std::string> last = {"all"};
  for (const std::size_t n : all) last.push_back(std::to_string(n));
  table.add(last);
  return table;
}

}  // namespace

AnswerDocument claims_document(const std::vector<JudgedClaim>& claims) {
  AnswerDocument d{"Claims"};
  for (const JudgedClaim& j : claims) {
    d.add(claim_section(j.claim));
    add_table(d, quantity_table(j));
    add_table(d, map_table(j));
    d.add(verdict_section(j));
  }
  if (claims.size() > 1) add_table(d, verdict_table(claims));
  return d;
}

Json claims_json(const std::vector<JudgedClaim>& claims) {
  return {{"claims", json_list(claims, claim_json)}};
}

}  // namespace orrery
