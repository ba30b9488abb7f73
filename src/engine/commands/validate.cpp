// SPDX-License-Identifier: Apache-2.0
#include "report/validate.h"

#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "core/key_access.h"
#include "engine/answer.h"
#include "engine/claims.h"
#include "engine/commands/calibrate_site.h"
#include "engine/commands/commands.h"
#include "engine/commands/validate_generation.h"
#include "engine/config_source.h"
#include "estimate/run_keys.h"
#include "hardware/calibration.h"
#include "hardware/cluster_keys.h"
#include "hardware/cluster_reader.h"
#include "report/frame_json.h"
#include "validate/rows.h"
#include "validate/tolerance.h"

namespace orrery {
namespace {

struct CalibratedRows {
  std::string name;
  std::string rests_on;
  std::string device;
  std::string node;  // "": any
  std::size_t rows = 0;
  std::size_t of = 0;
};

constexpr const char* kCalibrationFlag = "--calibration";

Calibration named_calibration(const std::string& name, const ConfigLookup& lookup) {
  const Json given = name;
  Json document;
  return calibration_at(Reader(given, "orrery validate", kCalibrationFlag), lookup.hardware,
                        document);
}

// A row whose cluster cannot be read is judged, and refused, where all rows are.
bool is_of(const Calibration& c, const Row& row, const HardwareLookup& lookup) {
  try {
    const Cluster cluster = read_cluster(Reader(*row.run, row.file).at("cluster"), lookup).cluster;
    return cluster.device.name.view() == c.device &&
           (c.node.empty() || cluster.node.view() == c.node);
  } catch (const InputError&) {
    return false;
  }
}

void add_calibration(Json& cluster, const std::string& name) {
  Json& given = at_key<&ClusterRequest::calibration>(cluster);
  if (given.is_null()) {
    given = name;
  } else if (given.is_array()) {
    given.push_back(name);
  } else {
    given = Json::array({given, name});
  }
}

// Sets `cluster.calibration` of the rows whose device it is of, and whose node where it has one;
// the others stay. Errors: InputError where it is none, and where no row is of it.
CalibratedRows calibrate_rows(const std::string& name, const ConfigSource& configs,
                              std::vector<Row>& rows) {
  const ConfigLookup lookup = config_lookup(configs);
  const Calibration c = named_calibration(name, lookup);
  CalibratedRows out{c.name, std::string(name_of(c.rests_on)), c.device, c.node, 0, rows.size()};
  for (Row& row : rows) {
    if (!is_of(c, row, lookup.hardware)) continue;
    Json run = *row.run;
    add_calibration(at_key<&RunRequest::cluster>(run), name);
    row.run = std::move(run);
    ++out.rows;
  }
  if (out.rows == 0) {
    throw InputError("orrery validate", kCalibrationFlag,
                     "a calibration of " + (c.node.empty() ? c.device : c.node),
                     "one of a device and node that some row has");
  }
  return out;
}

Section calibrated_section(const CalibratedRows& c) {
  return {{},
          {Paragraph{"rests on: " + c.name + " (" + c.rests_on + ") over " +
                     std::to_string(c.rows) + " of " + std::to_string(c.of) + " rows, those of " +
                     (c.node.empty() ? c.device : c.node) + "; the others on their documents"}}};
}

Json calibrated_json(const CalibratedRows& c) {
  Json j = {{"name", c.name}, {"rests_on", c.rests_on}, {"device", c.device}};
  if (!c.node.empty()) j["node"] = c.node;
  j["rows"] = c.rows;
  return j;
}

constexpr int kLooks = 3;  // of slopes in a fit of all rows

struct ValidateOptions {
  std::vector<NamedText> files;  // none: the published runs
  std::optional<NamedText> tolerance;
  std::optional<NamedText> parameters;
  std::string write_configs;
  bool fit = false;
  bool cross = false;
  bool ablate = false;
  bool check = false;
  std::string write_accuracy;
  std::string calibration;
  OutputForm output;

  bool json() const { return output.json(); }
  bool markdown() const { return output.format == AnswerFormat::markdown; }
  bool html() const { return output.format == AnswerFormat::html; }
  bool csv() const { return output.csv(); }
};

constexpr auto kValidateOptions = [] {
  using C = ValidateOptions;
  return std::array{
      Option{into<&C::files>(), "FILE", "FILE",
             "published runs or claims: files or directories (the published runs that ship)",
             "files"},
      Option{into<&C::tolerance>(), "--tolerance", "FILE",
             "bounds on the errors: [{\"scope\": \"tier A\", \"median\": 0.1}]; exit code 4 if one "
             "is broken"},
      Option{into<&C::fit>(), "--fit", "",
             "fit the constants of configs on the rows and print them"},
      Option{into<&C::cross>(), "--cross", "",
             "judge each source by constants fitted on the others alone"},
      Option{into<&C::ablate>(), "--ablate", "",
             "accuracy lost on left-out sources if a constant keeps its prior, for each constant "
             "(slow)"},
      Option{into<&C::check>(), "--check", "",
             "check that each row agrees with itself: seconds, tokens, FLOP/s; exit code 4 if not"},
      Option{into<&C::write_configs>(), "--write-configs", "DIR",
             "with --fit: write the changed documents below DIR"},
      Option{into<&C::write_accuracy>(), "--write-accuracy", "FILE",
             "with --cross: write the table of intervals, configs/accuracy.json"},
      Option{into<&C::parameters>(), "--parameters", "FILE",
             "constants that a fit may change (validation/parameters.json)"},
      Option{into<&C::calibration>(), kCalibrationFlag, "FILE",
             "constants fitted on measurements, applied to the rows of their device: name or path",
             "", "", "calibration"},
  };
}();

ValidateOptions read_validate(Request& request) {
  auto o = read_options<ValidateOptions>(kValidateOptions, request);
  o.output = request.output();
  return o;
}

void refuse_contradictions(const ValidateOptions& o) {
  if (o.fit + o.cross + o.ablate + o.check > 1) {
    throw UsageError("--fit, --cross, --ablate, --check: give one of them");
  }
  if ((o.fit || o.ablate || o.check) && (o.markdown() || o.html() || o.csv() || o.tolerance)) {
    throw UsageError(
        "--fit, --ablate and --check: give them without --markdown, --html, --csv and --tolerance");
  }
  if (!o.calibration.empty() &&
      (o.fit || o.cross || o.ablate || o.check || o.markdown() || o.html())) {
    throw UsageError(
        "--calibration: give it without --fit, --cross, --ablate, --check, --markdown and --html, "
        "which are about the documents");
  }
  if (!o.fit && !o.write_configs.empty()) throw UsageError("--write-configs: give it with --fit");
  if (!o.cross && !o.write_accuracy.empty()) {
    throw UsageError("--write-accuracy: give it with --cross");
  }
  if (!(o.fit || o.cross || o.ablate) && o.parameters) {
    throw UsageError("--parameters: give it with --fit, --cross or --ablate");
  }
}

NamedText parameters_file(const ValidateOptions& o, const ConfigSource& configs) {
  if (o.parameters) return *o.parameters;
  const auto found = validation_file(configs, "parameters.json");
  if (!found) throw UsageError("no table of parameters beside the configurations");
  return {found->file, found->text};
}

std::vector<NamedText> files_of(const ValidateOptions& o, const ConfigSource& configs) {
  if (!o.files.empty()) return o.files;
  std::vector<NamedText> files;
  for (ConfigText& f : published_files(configs)) {
    files.push_back({std::move(f.file), f.text});
  }
  if (files.empty()) throw UsageError("no published runs beside the configurations: give files");
  return files;
}

std::vector<Row> rows_of(const ValidateOptions& o, const CommandContext& context) {
  const std::vector<NamedText> files = files_of(o, context.configs);
  std::vector<Row> rows;
  for (const NamedText& file : files) {
    go_on(context.hooks);
    for (Row& row : read_rows(file.text, file.name)) rows.push_back(std::move(row));
  }
  if (rows.empty()) {
    throw InputError(files.front().name, "", "no rows", "an array of at least one published run");
  }
  return rows;
}

CommandAnswer with_tolerance(const ValidateOptions& o, const ValidationReport& report,
                             AnswerText text) {
  CommandAnswer answer{ExitCode::answer, std::move(text)};
  if (!o.tolerance) return answer;
  answer.broken = broken_tolerances(o.tolerance->text, o.tolerance->name, report);
  if (!answer.broken.empty()) answer.code = ExitCode::out_of_tolerance;
  return answer;
}

CommandAnswer answer_report(const ValidateOptions& o, const ValidationReport& report) {
  return with_tolerance(o, report,
                        o.json() ? AnswerText(validation_json(report))
                                 : drawn(validation_document(report), o.output));
}

std::vector<NamedText> changed_files(const ConfigChanges& changes, const std::string& directory) {
  std::vector<NamedText> files;
  for (const ChangedDocument& d : changes.documents) {
    const std::string folder(kConfigFolders[find_name<ConfigKind>(name_of(d.kind)).value()]);
    files.push_back({directory + "/" + folder + "/" + d.name + ".json", d.text});
  }
  files.push_back({directory + "/parameters.json", changes.parameters});
  return files;
}

CommandAnswer answer_fit(const ValidateOptions& o, const FitRuns& runs, const NamedText& parameters,
                         const ConfigSource& configs) {
  const ConstantsFit fit = fit_constants(runs, everything(runs), kLooks);
  const ConfigChanges changes = config_changes(runs, fit, config_lookup(configs), parameters.text);
  CommandAnswer answer{ExitCode::answer, o.json()
                                             ? AnswerText(versioned(fit_json(runs, fit, changes)))
                                             : drawn(fit_document(runs, fit, changes), o.output)};
  if (!o.write_configs.empty()) answer.files = changed_files(changes, o.write_configs);
  return answer;
}

CommandAnswer answer_ablate(const ValidateOptions& o, const FitRuns& runs) {
  const AblationReport report = ablate(runs);
  return {ExitCode::answer, o.json() ? AnswerText(versioned(ablation_json(runs, report)))
                                     : drawn(ablation_document(runs, report), o.output)};
}

CommandAnswer answer_check(const ValidateOptions& o, const ValidationReport& report) {
  const ConsistencyReport checked = check_rows(report.rows);
  return {checked.contradictions.empty() ? ExitCode::answer : ExitCode::out_of_tolerance,
          o.json() ? AnswerText(versioned(consistency_json(checked)))
                   : drawn(consistency_document(checked), o.output)};
}

// The rows of the calibration's machine by it, the others by the documents.
CommandAnswer answer_calibrated(const ValidateOptions& o, const CommandContext& context,
                                const ConfigSource& configs) {
  std::vector<Row> rows = rows_of(o, context);
  const CalibratedRows calibrated = calibrate_rows(o.calibration, configs, rows);
  const ValidationReport report = validate(rows, config_lookup(configs));
  if (o.csv()) return answer_report(o, report);
  if (!o.json()) {
    AnswerDocument d = validation_document(report);
    d.sections.insert(d.sections.begin(), calibrated_section(calibrated));
    return with_tolerance(o, report, drawn(d, o.output));
  }
  Json j = validation_json(report);
  j["calibration"] = calibrated_json(calibrated);
  return with_tolerance(o, report, AnswerText(std::move(j)));
}

ValidationReport protocol_report(std::vector<JudgedRow> rows, Protocol protocol,
                                 const Accuracy& table, const SitePrior& site,
                                 bool with_elasticities) {
  for (JudgedRow& r : rows) {
    r.protocol = protocol;
    if (with_elasticities && time_error(r)) r.elasticities = elasticities(r.run);
  }
  OtherModels others = three_of_other_models(rows, site);
  std::vector<Summary> observed = {one_observed(rows, table), three_observed(rows, table),
                                   std::move(others.before),  std::move(others.after),
                                   std::move(others.left),    std::move(others.by_site)};
  ValidationReport report = report_of(std::move(rows));
  for (Summary& s : observed) {
    s.scope = std::string(name_of(protocol)) + ": " + s.scope;
    report.summaries.push_back(std::move(s));
  }
  return report;
}

CommandAnswer answer_cross(const ValidateOptions& o, const ValidationReport& report,
                           const FitRuns& runs, const ConfigSource& configs) {
  const ConfigLookup lookup = config_lookup(configs);
  const SitePrior site = site_prior(configs);
  LeftOut cross = left_out_rows(report.rows, runs, lookup);
  const Accuracy table = accuracy_from(residuals_of(cross));
  CommandAnswer answer = answer_report(
      o, joined(protocol_report(std::move(cross.known), Protocol::known_stack, table, site, false),
                protocol_report(std::move(cross.unknown), Protocol::unknown_stack, table, site,
                                o.json())));
  if (!o.write_accuracy.empty()) {
    answer.files.push_back({o.write_accuracy, accuracy_json(table)});
  }
  return answer;
}

CommandAnswer answer_of_claims(const ValidateOptions& o, const ConfigSource& configs) {
  if (o.fit || o.cross || o.ablate || o.check || o.html() || o.tolerance ||
      !o.calibration.empty()) {
    throw UsageError(
        "claims: give them without --fit, --cross, --ablate, --check, --html, --tolerance, "
        "--calibration");
  }
  return answer_claims(o.files, o.output, configs);
}

// Decode points or steps of reinforcement learning, where the one file holds such.
std::optional<CommandAnswer> answer_generation(const ValidateOptions& o,
                                               const ConfigSource& configs) {
  if (o.files.size() != 1) return {};
  auto answer = validate_generation(o.files.front(), o.output, config_lookup(configs));
  const bool has_options =
      o.fit || o.cross || o.ablate || o.check || o.tolerance || !o.calibration.empty();
  if (answer && has_options) {
    throw UsageError(
        "decode points and steps of reinforcement learning: give them without --fit, --cross, "
        "--ablate, --check, --tolerance and --calibration");
  }
  return answer;
}

CommandAnswer answer_validate(Request& request, const CommandContext& context) {
  const ValidateOptions o = read_validate(request);
  request.done();
  refuse_contradictions(o);
  const ConfigSource configs = until_stopped(context);
  if (auto generation = answer_generation(o, configs)) return *std::move(generation);
  if (are_claims(o.files)) return answer_of_claims(o, configs);
  if (!o.calibration.empty()) return answer_calibrated(o, context, configs);
  const ValidationReport report = validate(rows_of(o, context), config_lookup(configs));
  if (o.check) return answer_check(o, report);
  if (!(o.fit || o.cross || o.ablate)) return answer_report(o, report);
  const NamedText parameters = parameters_file(o, configs);
  const auto runs = fit_runs(report.rows, read_parameters(parameters.text, parameters.name));
  if (o.fit) return answer_fit(o, *runs, parameters, configs);
  if (o.ablate) return answer_ablate(o, *runs);
  return answer_cross(o, report, *runs, configs);
}

}  // namespace

const CommandRow kValidateCommand = {"validate", answer_validate, kValidateOptions};

}  // namespace orrery
