// SPDX-License-Identifier: Apache-2.0
// The fit of constants on published runs, and judging what it did not see.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "shipped_runs.h"
#include "support/about.h"
#include "support/sanitized.h"
#include "validate/config_changes.h"
#include "validate/config_text.h"
#include "validate/cross.h"
#include "validate/left_out_configs.h"

namespace orrery {
namespace {

std::string parameters_text() { return testing::text_of(ORRERY_VALIDATION_DIR "/parameters.json"); }

FitParameters shipped_parameters() { return read_parameters(parameters_text(), "parameters.json"); }

const std::vector<JudgedRow>& rows() { return testing::shipped_report().rows; }

const FitRuns& shipped_fit() {
  static const auto runs = fit_runs(rows(), shipped_parameters());
  return *runs;
}

std::size_t knob(const FitRuns& runs, const std::string& name) {
  for (std::size_t k = 0; k < runs.parameters.parameters.size(); ++k) {
    if (runs.parameters.parameters[k].name == name) return k;
  }
  FAIL(name);
  return 0;
}

TEST_CASE("constants that made the measurements are found again") {
  const FitRuns& shipped = shipped_fit();
  const std::size_t node = knob(shipped, "Jean Zay inside a node");
  const std::size_t attention = knob(shipped, "Hopper cuDNN attention");
  std::vector<double> truth(shipped.problem.knobs.size(), 0);
  truth[node] = -1;
  truth[attention] = 1.5;
  std::vector<JudgedRow> made = rows();
  for (std::size_t i = 0; i < shipped.cases.size(); ++i) {
    JudgedRow& r = made[shipped.cases[i].row];
    r.published.time = estimate(run_at(shipped, i, truth)).step_time;
  }
  const auto runs = fit_runs(made, shipped_parameters());
  const ConstantsFit fit = fit_constants(*runs, everything(*runs), 3);
  CHECK(fit.x[node] == testing::about(-1).epsilon(0.35));
  CHECK(fit.x[attention] == testing::about(1.5).epsilon(0.4));  // the prior pulls it back
  CHECK(fit.constants[node].pinned);
}

TEST_CASE("no step of a fit from its prior ends at the range of a key") {
  // Cut off there, a constant would seem to move nothing, and another would move in its place.
  const FitRuns& shipped = shipped_fit();
  std::set<std::pair<std::size_t, std::string>> looked_at;  // a constant, a device and a framework
  for (const FitCase& c : shipped.cases) {
    const JudgedRow& row = rows()[c.row];
    for (std::size_t k = 0; k < shipped.parameters.parameters.size(); ++k) {
      const FitParameter& p = shipped.parameters.parameters[k];
      const std::string stack = std::string(row.run.cluster.device.name.view()) + row.framework;
      if (!concerns(p, row.run) || !looked_at.insert({k, stack}).second) continue;
      Run run = row.run;
      apply(p, -p.fitted, run);
      const Seconds before = estimate(run).step_time;
      const double step = (p.highest > 0 ? 0.05 : -0.05) * p.spread;
      apply(p, step, run);
      apply(p, -step, run);
      INFO(p.name << ", " << row.row.id);
      CHECK(estimate(run).step_time.si() == testing::about(before.si()).epsilon(1e-9));
    }
  }
}

TEST_CASE("a source left out has no say in its own predictions") {
  if (testing::kSanitized)
    return;  // minutes there; the other cases run the same code on fewer rows
  const FitRuns& shipped = shipped_fit();
  std::vector<JudgedRow> changed = rows();
  for (JudgedRow& r : changed) {
    if (r.row.source.team == "BigScience") r.published.time = r.published.time * 3.0;
  }
  const auto other = fit_runs(changed, shipped_parameters());
  const auto times = [](const std::vector<JudgedRow>& judged, const FitRuns& runs,
                        const char* team) {
    const LeftOut out = left_out_team(judged, runs, testing::shipped_lookup(), team);
    std::vector<double> seconds;
    for (const JudgedRow& r : out.known) seconds.push_back(r.answer.step_time.si());
    for (const JudgedRow& r : out.unknown) seconds.push_back(r.answer.step_time.si());
    return seconds;
  };
  CHECK(times(rows(), shipped, "BigScience") == times(changed, *other, "BigScience"));
  CHECK(times(rows(), shipped, "vtrain-multi") != times(changed, *other, "vtrain-multi"));
}

TEST_CASE("what was fitted before is taken out before the next fit begins") {
  const std::string text = parameters_text();
  FitParameters parameters = shipped_parameters();
  const std::size_t k = knob(shipped_fit(), "A100 products");
  parameters.parameters[k].fitted += 0.1;
  std::vector<JudgedRow> fitted = rows();
  for (JudgedRow& r : fitted) {
    if (is_estimated(r) && concerns(parameters.parameters[k], r.run)) {
      apply(parameters.parameters[k], 0.1, r.run);
    }
  }
  const auto runs = fit_runs(fitted, parameters);
  for (std::size_t i = 0; i < runs->cases.size(); i += 17) {
    CHECK(runs->prior.residuals[i] == testing::about(shipped_fit().prior.residuals[i]));
  }
}

TEST_CASE("sources that are never fitted on, and rows with an assumed batch, move nothing") {
  const FitRuns& runs = shipped_fit();
  const ConstantsFit fit = fit_constants(runs, everything(runs), 0);
  for (const ConstantFit& c : fit.constants) {
    for (const MovedBy& m : c.moved_by) CHECK(m.source != "korthikanti");
  }
  for (const FitCase& c : runs.cases) CHECK(rows()[c.row].assumed.empty());
}

TEST_CASE("constants the data cannot pin stay at their prior") {
  const FitRuns& runs = shipped_fit();
  const ConstantsFit fit = fit_constants(runs, everything(runs), 0);
  int open = 0;
  for (std::size_t k = 0; k < fit.constants.size(); ++k) {
    const FitParameter& p = runs.parameters.parameters[k];
    CAPTURE(p.name);
    if (!fit.constants[k].pinned) {
      ++open;
      CHECK(fit.x[k] == 0);
    } else {
      CHECK(fit.constants[k].spread < p.spread);
    }
    CHECK(fit.constants[k].change >= p.lowest - 1e-9);
    CHECK(fit.constants[k].change <= p.highest + 1e-9);
  }
  CHECK(open > 0);
}

// By the path of a source: the documents as if it had not been seen.
TEST_CASE("a constant that one source alone was fitted on can be left out") {
  const FitParameters parameters = shipped_parameters();
  std::set<std::string> sources;
  for (const JudgedRow& r : rows()) sources.insert(r.row.source.group);
  const ConfigLookup& lookup = testing::shipped_lookup();
  std::size_t in_profiles = 0;
  for (const std::string& source : sources) {
    for (const HardwareKind kind : {HardwareKind::device, HardwareKind::node}) {
      const FitDocument document =
          kind == HardwareKind::device ? FitDocument::device : FitDocument::node;
      for (const std::string& name : lookup.hardware.names(kind)) {
        CAPTURE(name);
        const Json json = parse_json(lookup.hardware.find(kind, name)->text, name);
        CHECK(seen_by_them_alone(json, document, name, {source}, parameters).empty());
      }
    }
    const ConfigLookup left = without_sources(lookup, {source}, parameters);
    for (const std::string& name : lookup.framework_names()) {
      CAPTURE(name);
      const Json before = parse_json(lookup.framework(name)->text, name);
      const Json after = parse_json(left.framework(name)->text, name);
      for (const std::string& path :
           seen_by_them_alone(before, FitDocument::framework, name, {source}, parameters)) {
        CAPTURE(path);
        ++in_profiles;
        static const std::set<std::string> have_default = {
            "gradients.copied_to_buckets", "allocator.fragments_kept", "allocator.records_streams",
            "gradients.kept_in_16_bits", "gathers.kept"};
        const bool has_default = have_default.contains(path);
        CHECK((before.contains("inherits") || has_default));
        CHECK(!value_at(before, path).is_null());
        CHECK(value_at(after, path).is_null());
      }
    }
  }
  CHECK(in_profiles > 5);
}

TEST_CASE("a stack left out by its framework is priced by its class") {
  const Row* row = nullptr;
  for (const JudgedRow& r : rows()) {
    if (r.framework == "nanotron") row = &r.row;
  }
  REQUIRE(row != nullptr);
  const LeftOut out =
      left_out_team(rows(), shipped_fit(), testing::shipped_lookup(), row->source.team);
  for (const JudgedRow& r : out.known) CHECK(r.framework != "nanotron");  // no other team runs it
  for (const JudgedRow& r : out.unknown) {
    if (r.row.source.group != "nanotron") continue;
    CAPTURE(r.refusal);
    REQUIRE(is_estimated(r));
    CHECK(r.run.framework.name.view() == name_of(r.run.framework.stack_class));
    CHECK(r.framework == "nanotron");
  }
}

TEST_CASE("a stack left out keeps the loss that its user chose, and no other option") {
  const Row* row = nullptr;
  for (const JudgedRow& r : rows()) {
    const Json& run = *r.row.run;
    if (!value_at(run, "parallel.framework_options.loss").is_null()) row = &r.row;
  }
  REQUIRE(row != nullptr);
  const LeftOut out =
      left_out_team(rows(), shipped_fit(), testing::shipped_lookup(), row->source.team);
  for (const JudgedRow& r : out.unknown) {
    if (r.row.id != row->id) continue;
    REQUIRE(is_estimated(r));
    CHECK(r.run.framework.loss.method == CrossEntropy::linear_fused);
    CHECK(value_at(*r.row.run, "parallel.framework_options").is_null());
  }
}

TEST_CASE("what a fit changes is read back as what it fitted") {
  const FitRuns& runs = shipped_fit();
  ConstantsFit fit = fit_constants(runs, everything(runs), 0);
  const std::size_t k = knob(runs, "A100 products");
  fit.constants[k].pinned = true;
  fit.constants[k].change = -0.2;
  const ConfigChanges changes =
      config_changes(runs, fit, testing::shipped_lookup(), parameters_text());
  const FitParameters again = read_parameters(changes.parameters, "again");
  CHECK(again.parameters[k].fitted == testing::about(-0.2));
  bool seen = false;
  for (const ChangedDocument& d : changes.documents) {
    static_cast<void>(parse_json(d.text, d.name));
    if (d.name != "a100-sxm4-80gb") continue;
    seen = true;
    const KeyPath path = dotted_path("efficiency.gemm.bf16");
    const double before = std::stod(value_at(
        testing::shipped_lookup().hardware.find(HardwareKind::device, d.name)->text, path));
    const double prior = before * std::exp(-runs.parameters.parameters[k].fitted);
    CHECK(std::stod(value_at(d.text, path)) ==
          testing::about(prior * std::exp(-0.2)).epsilon(0.005));
    CHECK(value_at(d.text, {"sources", "efficiency.gemm.bf16", "kind"}) == "\"fitted\"");
  }
  CHECK(seen);
}

TEST_CASE("a fit with fewer rows than constants is refused") {
  std::vector<JudgedRow> few;
  for (const JudgedRow& r : rows()) {
    if (r.row.source.group == "megatron-lm-readme" && few.size() < 6) few.push_back(r);
  }
  CHECK_THROWS_AS(fit_runs(few, shipped_parameters()), InputError);
}

TEST_CASE("one value of a text is replaced where it stands") {
  std::string text =
      "{\n  // note\n  \"a\": {\"b\": [1, {\"c\": 2}], \"d\": \"x, } y\"},\n  \"d\": 3\n}";
  CHECK(value_at(text, {"a", "d"}) == "\"x, } y\"");
  CHECK(replace_value(text, {"d"}, "44"));
  CHECK(value_at(text, {"d"}) == "44");
  CHECK(value_at(text, {"a", "c"}) == "");
  CHECK(value_at(text, {"a", "b", "1", "c"}) == "2");
  CHECK(value_at(text, {"a", "b", "2"}) == "");
  CHECK(insert_key(text, {"a"}, "e", "7"));
  CHECK(value_at(text, {"a", "e"}) == "7");
  CHECK(insert_key(text, {}, "f", "{}"));
  CHECK(insert_key(text, {"f"}, "g", "1"));
  CHECK(parse_json(text, "t").at("f").at("g") == 1);
}

TEST_CASE("a table of parameters that names what is not there is refused, with the nearest name") {
  const auto message = [](const std::string& from, const std::string& to) {
    std::string text = parameters_text();
    text.replace(text.find(from), from.size(), to);
    try {
      static_cast<void>(read_parameters(text, "p.json"));
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(
      message("efficiency.k_fill", "efficiency.k_fil").find("did you mean \"efficiency.k_fill\"") !=
      std::string::npos);
  CHECK(message("\"spread\": 0.05", "\"spread\": 0").find("spread") != std::string::npos);
  CHECK(message("\"change\": \"scale\"", "\"chnge\": \"scale\"").find("\"change\"") !=
        std::string::npos);
}

}  // namespace
}  // namespace orrery
