// SPDX-License-Identifier: Apache-2.0
#include "validate/rl_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "core/json_reader.h"
#include "core/key_access.h"
#include "estimate/resolve.h"
#include "rl/resolve_learner.h"

namespace orrery {

namespace rl_row_forms {
inline constexpr Form kRlText = form::text("text");
inline constexpr Form kPhaseSeconds = form::number(kAboveZero, 1e7, "seconds");

void read_rl_run(const Reader& r, KeptJson& out) { out = r.json(); }
}  // namespace rl_row_forms

inline constexpr auto kRlMeasuredRows = [] {
  using namespace rl_row_forms;
  using M = RlMeasured;
  return keys<M>(fact<&M::step>("step", kPhaseSeconds, kNothing, "of a step"),
                 fact<&M::generate>("generate", kPhaseSeconds, kNothing, "of its rollout"),
                 fact<&M::log_probs>("log_probs", kPhaseSeconds, kNothing,
                                     "old and reference, where both are made"),
                 fact<&M::update>("update", kPhaseSeconds, kNothing, "of all its updates"),
                 fact<&M::handover>("handover", kPhaseSeconds, kNothing, "of the weights"));
}();
inline constexpr Keys<RlMeasured> kRlMeasuredKeys{"measured", kRlMeasuredRows};
template <>
struct KeysOf<RlMeasured> {
  static constexpr const Keys<RlMeasured>& table = kRlMeasuredKeys;
};

inline constexpr auto kRlRowRows = [] {
  using namespace rl_row_forms;
  using R = RlRow;
  return keys<R>(
      fact<&R::id>("id", kRlText, kRequired, "its name"),
      fact<&R::tool>("tool", kRlText, kRequired, "who made the step"),
      fact<&R::compares>("compares", kRlText, kNothing, "rows whose order is judged"),
      fact<&R::run>("run", form::any("a run file"), kRequired, "the run")
          .only_read_by<read_rl_run>(),
      fact<&R::measured>("measured", form::object(kRlMeasuredKeys), kRequired, "seconds a step"),
      fact<&R::fits>("fits", form::boolean(), kNothing, "false: it ran out of memory"),
      fact<&R::unknown>("unknown", form::list(kRlText), kNothing, "what the source does not say"),
      fact<&R::source>("source", kRlText, kRequired, "where it is published"));
}();
inline constexpr Keys<RlRow> kRlRowKeys{"", kRlRowRows};

namespace {

RlMeasured predicted_of(const RlStep& s) {
  const auto at = [&](RlPhase p) { return s.phases[p].value.si(); };
  RlMeasured out;
  out.step = s.step.value.si();
  out.generate = at(RlPhase::generate);
  out.log_probs = at(RlPhase::old_log_probs) + at(RlPhase::reference);
  out.update = at(RlPhase::update);
  out.handover = at(RlPhase::handover);
  return out;
}

JudgedRl judged(RlRow row, const std::string& file, const ConfigLookup& lookup) {
  JudgedRl out;
  out.row = std::move(row);
  try {
    const ResolvedRun learner = resolve_learner(*out.row.run, file, lookup);
    out.placement = learner.rl->placement.kind;
    out.gpus = learner.rl->all_gpus;
    const RlStep s = rl_step(learner);
    out.is_judged = true;
    out.fits = s.fits;
    if (s.rollout.fits) {
      out.predicted = predicted_of(s);
    } else {
      out.refused = s.reasons.empty() ? "no answer" : s.reasons.front();
    }
  } catch (const InputError& e) {
    out.refused = e.what();
  }
  return out;
}

// Times of answers whose lengths nobody printed tell nothing; their order still does.
bool has_lengths(const RlRow& row) {
  return std::find(row.unknown.begin(), row.unknown.end(), "training.rl.response") ==
         row.unknown.end();
}

std::optional<double> error_of(const JudgedRl& r, const RlQuantity& q) {
  if (!has_lengths(r.row)) return {};
  const auto measured = r.row.measured.*q.value;
  const auto predicted = r.predicted.*q.value;
  if (!measured || !predicted || *predicted == 0) return {};
  return *predicted / *measured - 1;
}

// Rows over which errors are counted.
struct RlScope {
  const char* name;
  bool (*takes)(const RlRow& row);
};
constexpr const char* kMostRowsOf = "nemo-rl";
constexpr std::array kRlScopes = {
    RlScope{"lengths known", [](const RlRow& /*row*/) { return true; }},
    RlScope{"NeMo RL", [](const RlRow& row) { return row.tool == kMostRowsOf; }},
    RlScope{"other tools", [](const RlRow& row) { return row.tool != kMostRowsOf; }},
    RlScope{"all settings known", [](const RlRow& row) { return row.unknown.empty(); }}};

void add_summary(const std::vector<JudgedRl>& rows, const RlQuantity& q, const RlScope& scope,
                 std::vector<RlSummary>& out) {
  std::vector<double> errors;
  std::set<std::string> tools;
  for (const JudgedRl& r : rows) {
    if (!scope.takes(r.row)) continue;
    if (const auto e = error_of(r, q)) {
      errors.push_back(*e);
      tools.insert(r.row.tool);
    }
  }
  if (errors.empty()) return;
  out.push_back({q.name, scope.name, std::ssize(tools), summarise(errors)});
}

bool are_compared(const JudgedRl& a, const JudgedRl& b) {
  const bool alike = !a.row.compares.empty() && a.row.compares == b.row.compares;
  return alike && a.row.measured.step && b.row.measured.step && a.predicted.step &&
         b.predicted.step;
}

// Pairs that differ by more than a twentieth.
RlPairs pairs_of(const std::vector<JudgedRl>& rows) {
  constexpr double kNoise = 0.05;
  RlPairs out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      const JudgedRl& a = rows[i];
      const JudgedRl& b = rows[j];
      if (!are_compared(a, b)) continue;
      const double measured = *a.row.measured.step / *b.row.measured.step;
      if (std::abs(std::log(measured)) < kNoise) continue;
      ++out.all;
      const double predicted = *a.predicted.step / *b.predicted.step;
      out.right += (measured > 1) == (predicted > 1) ? 1 : 0;
    }
  }
  return out;
}

std::vector<RlRatio> ratios_of(const std::vector<JudgedRl>& rows) {
  std::vector<RlRatio> out;
  for (const JudgedRl& a : rows) {
    for (const JudgedRl& b : rows) {
      const bool are_kinds =
          a.placement == PlacementKind::colocated && b.placement == PlacementKind::async;
      if (!are_kinds || a.gpus != b.gpus || !are_compared(a, b)) continue;
      out.push_back({a.row.id, b.row.id, *a.row.measured.step / *b.row.measured.step,
                     *a.predicted.step / *b.predicted.step});
    }
  }
  return out;
}

// Rows that fitted, or that did not.
RlPairs fits_of(const std::vector<JudgedRl>& rows, bool fitted) {
  RlPairs out;
  for (const JudgedRl& r : rows) {
    if (r.row.fits != fitted || !r.is_judged) continue;
    ++out.all;
    out.right += fitted == r.fits ? 1 : 0;
  }
  return out;
}

}  // namespace

bool is_rl_file(std::string_view text) {
  const Json j = Json::parse(text, nullptr, false, true);
  return j.is_object() && j.value("kind", "") == "rl";
}

RlValidation judge_rl(std::string_view text, const std::string& file, const ConfigLookup& lookup) {
  const Json document = parse_json(text, file);
  Reader root(document, file);
  root.allow("kind");
  RlValidation out;
  for (const Reader& item : root.at("rows").items()) {
    out.rows.push_back(judged(read_keys(kRlRowKeys, item), file, lookup));
  }
  root.reject_unknown();
  for (const RlScope& scope : kRlScopes) {
    for (const RlQuantity& q : kRlQuantities) add_summary(out.rows, q, scope, out.summaries);
  }
  out.pairs = pairs_of(out.rows);
  out.ratios = ratios_of(out.rows);
  out.ran = fits_of(out.rows, true);
  out.ran_out = fits_of(out.rows, false);
  return out;
}

}  // namespace orrery
