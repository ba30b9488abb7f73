// SPDX-License-Identifier: Apache-2.0
#include "report/rl_validation.h"

#include <array>

#include "core/json.h"
#include "core/units.h"
#include "document/words.h"
#include "report/frame_json.h"
#include "validate/decode_rows.h"
#include "validate/rl_rows.h"

namespace orrery {
namespace {

std::vector<Cell> median_cells(const ErrorSummary& e) {
  return {percent(e.median), percent(e.p90), signed_percent(e.bias)};
}

Json errors_json(const ErrorSummary& e) {
  return {{"rows", e.count}, {"median", e.median}, {"p90", e.p90}, {"bias", e.bias}};
}

void append(std::vector<Cell>& row, std::vector<Cell> cells) {
  for (Cell& c : cells) row.push_back(std::move(c));
}

Section decode_summary(const DecodeReport& r) {
  Table t({{"rows"},
           {"series", true},
           {"rows", true},
           {"median", true},
           {"p90", true},
           {"bias", true},
           {"left out: median", true},
           {"p90", true},
           {"bias", true}},
          2);
  for (const DecodeSummary& s : r.summaries) {
    std::vector<Cell> row = {s.scope, grouped(s.series), grouped(s.shipped.count)};
    append(row, median_cells(s.shipped));
    append(row, median_cells(s.left_out));
    t.add(row);
  }
  return {bold("Errors") +
              " of the time: by the engines' constants, and by constants fitted without the row's "
              "series",
          {t}};
}

struct RateColumn {
  const char* name;
  std::string (*text)(const EngineRates&);
};
constexpr std::array kRateColumns = {
    RateColumn{"weights", [](const EngineRates& r) { return fixed(r.weights, 3); }},
    RateColumn{"cache", [](const EngineRates& r) { return fixed(r.cache, 3); }},
    RateColumn{"products", [](const EngineRates& r) { return fixed(r.products, 3); }},
    RateColumn{"prefill", [](const EngineRates& r) { return fixed(r.prefill, 3); }},
    RateColumn{"kernel", [](const EngineRates& r) { return pretty(r.kernel, 3); }},
    RateColumn{"exchange", [](const EngineRates& r) { return pretty(r.exchange, 3); }},
    RateColumn{"token", [](const EngineRates& r) { return pretty(r.token, 3); }},
    RateColumn{"sequence", [](const EngineRates& r) { return pretty(r.sequence, 3); }}};

Section fitted_section(const DecodeReport& r) {
  std::vector<Column> columns = {{"engine"}};
  for (const RateColumn& c : kRateColumns) columns.emplace_back(c.name, true);
  Table t(columns, 2);
  for (const FittedRates& f : r.fitted) {
    std::vector<Cell> row = {f.engine};
    for (const RateColumn& c : kRateColumns) row.emplace_back(c.text(f.rates));
    t.add(row);
  }
  return {bold("Constants") + " fitted on all rows", {t}};
}

Table decode_rows(const DecodeReport& r) {
  Table t({{"row", "id"},
           {"kind", "kind"},
           {"measured", "measured", true},
           {"predicted", "predicted", true},
           {"error", "error", true},
           {"left out", "left_out_error", true}});
  for (const DecodePoint& p : r.points) {
    t.add({p.row.id, name_of(p.row.kind), Cell(significant(p.measured, 4), p.measured),
           Cell(significant(p.predicted, 4), p.predicted),
           Cell(signed_percent(p.error(p.predicted)), p.error(p.predicted)),
           Cell(signed_percent(p.error(p.left_out)), p.error(p.left_out))});
  }
  return t;
}

std::string seconds_or_dash(const std::optional<double>& s) {
  return s ? significant(*s, 4) : std::string("–");
}

Table rl_rows(const RlValidation& v) {
  Table t({{"row", "id"},
           {"tool", "tool"},
           {"quantity", "quantity"},
           {"measured", "measured", true},
           {"predicted", "predicted", true},
           {"error", "error", true}});
  for (const JudgedRl& r : v.rows) {
    if (r.row.fits && r.is_judged) {
      const auto words = [](bool fits) { return std::string(fits ? "fits" : "does not fit"); };
      t.add({r.row.id, r.row.tool, "memory", words(*r.row.fits), words(r.fits),
             *r.row.fits == r.fits ? "" : "wrong"});
    }
    if (!r.refused.empty()) {
      if (!r.row.fits) t.add({r.row.id, r.row.tool, "not predicted: " + r.refused, "", "", ""});
      continue;
    }
    for (const RlQuantity& q : kRlQuantities) {
      const auto measured = r.row.measured.*q.value;
      const auto predicted = r.predicted.*q.value;
      if (!measured || !predicted) continue;
      const double error = *predicted / *measured - 1;
      t.add({r.row.id, r.row.tool, q.name, Cell(seconds_or_dash(measured), *measured),
             Cell(seconds_or_dash(predicted), *predicted), Cell(signed_percent(error), error)});
    }
  }
  return t;
}

Section ratio_section(const RlValidation& v) {
  Table t({{"colocated"}, {"async"}, {"measured", true}, {"predicted", true}, {"error", true}}, 2);
  for (const RlRatio& r : v.ratios) {
    t.add({r.colocated, r.async, fixed(r.measured, 2), fixed(r.predicted, 2),
           signed_percent(r.predicted / r.measured - 1)});
  }
  return {bold("Times as fast") + " asynchronous as colocated, on as many GPUs (bar: within 15 %)",
          {t}};
}

}  // namespace

AnswerDocument decode_document(const DecodeReport& r) {
  AnswerDocument d{"Decode and prefill of serving engines", {}, decode_rows(r)};
  d.sections = {decode_summary(r), fitted_section(r), {bold("Rows"), {decode_rows(r)}}};
  return d;
}

Json decode_json(const DecodeReport& r) {
  Json j = Json::object();
  j["summaries"] = json_list(r.summaries, [](const DecodeSummary& s) -> Json {
    return {{"scope", s.scope},
            {"series", s.series},
            {"shipped", errors_json(s.shipped)},
            {"left_out", errors_json(s.left_out)}};
  });
  j["fitted"] = json_list(r.fitted, [](const FittedRates& f) -> Json {
    return {{"engine", f.engine},
            {"weights", f.rates.weights},
            {"cache", f.rates.cache},
            {"products", f.rates.products},
            {"prefill", f.rates.prefill},
            {"kernel_s", f.rates.kernel.si()},
            {"exchange_s", f.rates.exchange.si()},
            {"token_s", f.rates.token.si()},
            {"sequence_s", f.rates.sequence.si()}};
  });
  j["rows"] = json_list(r.points, [](const DecodePoint& p) -> Json {
    return {{"id", p.row.id},
            {"series", p.row.series},
            {"kind", name_of(p.row.kind)},
            {"tier", name_of(p.row.tier)},
            {"measured", p.measured},
            {"predicted", p.predicted},
            {"error", p.error(p.predicted)},
            {"left_out_error", p.error(p.left_out)}};
  });
  return versioned(std::move(j));
}

AnswerDocument rl_validation_document(const RlValidation& v) {
  AnswerDocument d{"Steps of reinforcement learning", {}, rl_rows(v)};
  Table t({{"quantity"},
           {"rows of"},
           {"tools", true},
           {"rows", true},
           {"median", true},
           {"p90", true},
           {"bias", true}},
          2);
  for (const RlSummary& s : v.summaries) {
    std::vector<Cell> row = {s.quantity, s.scope, grouped(s.tools), grouped(s.errors.count)};
    append(row, median_cells(s.errors));
    t.add(row);
  }
  Section errors{bold("Errors") +
                     " by phase of rows whose lengths are known; no constant of generation or "
                     "learning rests on a row",
                 {t}};
  errors.add(Paragraph{"the faster of two placements is named rightly in " +
                           grouped(v.pairs.right) + " of " + grouped(v.pairs.all) +
                           " pairs of rows that differ by it and by more than 5 %",
                       2});
  errors.add(Paragraph{"of the rows that say it, " + grouped(v.ran.right) + " of " +
                           grouped(v.ran.all) + " that ran are judged to fit, " +
                           grouped(v.ran_out.right) + " of " + grouped(v.ran_out.all) +
                           " that ran out of memory not to",
                       2});
  errors.add(
      Paragraph{"noise: one file differs by 15.7 % between two jobs of one cluster "
                "(NVIDIA-NeMo/RL @94178bcf3), one recipe by 22 % between releases (the same, "
                "docs/about/performance-summary.md)",
                2});
  d.sections = {errors, ratio_section(v), {bold("Rows") + ", in seconds a step", {rl_rows(v)}}};
  return d;
}

Json rl_validation_json(const RlValidation& v) {
  Json j = Json::object();
  j["summaries"] = json_list(v.summaries, [](const RlSummary& s) -> Json {
    return {{"quantity", s.quantity},
            {"scope", s.scope},
            {"tools", s.tools},
            {"errors", errors_json(s.errors)}};
  });
  j["pairs"] = {{"right", v.pairs.right}, {"all", v.pairs.all}};
  j["fits"] = {{"right", v.ran.right + v.ran_out.right}, {"all", v.ran.all + v.ran_out.all}};
  j["ran_out_of_memory"] = {{"right", v.ran_out.right}, {"all", v.ran_out.all}};
  j["async_over_colocated"] = json_list(v.ratios, [](const RlRatio& r) -> Json {
    return {{"colocated", r.colocated},
            {"async", r.async},
            {"measured", r.measured},
            {"predicted", r.predicted}};
  });
  j["rows"] = json_list(v.rows, [](const JudgedRl& r) -> Json {
    Json row = {{"id", r.row.id}, {"tool", r.row.tool}, {"fits", r.fits}};
    if (r.row.fits) row["fitted"] = *r.row.fits;
    if (!r.refused.empty()) row["refused"] = r.refused;
    for (const RlQuantity& q : kRlQuantities) {
      const auto measured = r.row.measured.*q.value;
      const auto predicted = r.predicted.*q.value;
      if (measured && predicted) row[q.name] = {{"measured", *measured}, {"predicted", *predicted}};
    }
    return row;
  });
  return versioned(std::move(j));
}

}  // namespace orrery
