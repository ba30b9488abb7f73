// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/calibrated_rows.h"
#include "cli/claims.h"
#include "cli/command.h"
#include "core/error.h"
#include "engine/usage_error.h"
#include "io/files.h"
#include "report/estimate_json.h"
#include "validate/accuracy_page.h"
#include "validate/consistency.h"
#include "validate/fit_report.h"
#include "validate/report.h"
#include "validate/tolerance.h"

namespace orrery {
namespace {

// Of slopes in a fit of all rows, and in each of the fits without a source.
constexpr int kLooks = 3;
constexpr int kLooksLeftOut = 1;

struct ValidateArguments {
  std::vector<std::string> files;
  std::string tolerance;
  std::string parameters;
  std::string write_configs;
  bool markdown = false;
  bool fit = false;
  bool cross = false;
  bool ablate = false;
  bool check = false;
  bool html = false;
  bool accuracy = false;
  std::string write_accuracy;
  std::string calibration;
};

std::string parameters_file(const ValidateArguments& arguments, const ConfigDirs& dirs) {
  const std::string file = arguments.parameters.empty() ? validation_file(dirs, "parameters.json")
                                                        : arguments.parameters;
  if (file.empty()) throw UsageError("no table of parameters beside the configurations");
  return file;
}

std::vector<Row> rows_of(const std::vector<std::string>& given, const ConfigDirs& dirs) {
  const std::vector<std::string> files = given.empty() ? validation_files(dirs) : given;
  if (files.empty()) throw UsageError("no published runs beside the configurations: give files");
  std::vector<Row> rows;
  for (const std::string& file : files) {
    for (Row& row : read_rows(read_text(file), file)) rows.push_back(std::move(row));
  }
  if (rows.empty()) {
    throw InputError(files.front(), "", "no rows", "an array of at least one published run");
  }
  return rows;
}

std::string text_of(const ValidationReport& report, const ValidateArguments& a, const Session& s) {
  if (a.html) return validation_html(report);
  if (a.markdown) return validation_markdown(report);
  if (s.json) return dump(validation_json(report));
  return s.csv ? validation_csv(report) : validation_text(report);
}

void write_configs(const ConfigChanges& changes, const std::string& directory) {
  const auto file = [&](const std::string& name) {
    const std::filesystem::path path = std::filesystem::path(directory) / name;
    std::filesystem::create_directories(path.parent_path());
    return path.string();
  };
  for (const ChangedDocument& d : changes.documents) {
    constexpr std::array<const char*, 3> kFolders = {"hardware/devices/", "frameworks/",
                                                     "hardware/nodes/"};
    const std::string folder = kFolders[static_cast<std::size_t>(d.kind)];
    write_text(file(folder + d.name + ".json"), d.text);
  }
  write_text(file("parameters.json"), changes.parameters);
}

ExitCode run_fit(const ValidateArguments& arguments, const FitRuns& runs, const ConfigDirs& dirs,
                 const Session& s) {
  const ConstantsFit fit = fit_constants(runs, everything(runs), kLooks);
  const ConfigChanges changes =
      config_changes(runs, fit, config_lookup(dirs), read_text(parameters_file(arguments, dirs)));
  if (!arguments.write_configs.empty()) write_configs(changes, arguments.write_configs);
  give(s, s.json ? dump(fit_json(runs, fit, changes)) : fit_text(runs, fit, changes));
  return ExitCode::answer;
}

ExitCode run_ablate(const FitRuns& runs, const Session& s) {
  const AblationReport report = ablate(runs);
  give(s, s.json ? dump(ablation_json(runs, report)) : ablation_text(runs, report));
  return ExitCode::answer;
}

void refuse_contradictions(const ValidateArguments& a, const Session& s) {
  if (a.markdown && (s.json || s.csv || a.html)) {
    throw UsageError("--markdown: give it without --json, --csv and --html");
  }
  if (a.html && (s.json || s.csv)) throw UsageError("--html: give it without --json and --csv");
  if (a.fit + a.cross + a.ablate + a.check + a.accuracy > 1) {
    throw UsageError("--fit, --cross, --ablate, --check, --accuracy: give one of them");
  }
  if ((a.fit || a.ablate || a.check || a.accuracy) &&
      (a.markdown || a.html || s.csv || !a.tolerance.empty())) {
    throw UsageError(
        "--fit, --ablate, --check and --accuracy: give them without --markdown, --html, --csv and "
        "--tolerance");
  }
  if (a.accuracy && s.json) throw UsageError("--accuracy: give it without --json");
  if (!a.calibration.empty() &&
      (a.fit || a.cross || a.ablate || a.check || a.accuracy || a.markdown || a.html)) {
    throw UsageError(
        "--calibration: give it without --fit, --cross, --ablate, --check, --accuracy, --markdown "
        "and --html, which are about the documents");
  }
  if (!a.fit && !a.write_configs.empty()) throw UsageError("--write-configs: give it with --fit");
  if (!a.cross && !a.write_accuracy.empty()) {
    throw UsageError("--write-accuracy: give it with --cross");
  }
  if (!(a.fit || a.cross || a.ablate || a.accuracy) && !a.parameters.empty()) {
    throw UsageError("--parameters: give it with --fit, --cross, --ablate or --accuracy");
  }
}

ExitCode give_text(const ValidateArguments& arguments, const ValidationReport& report,
                   const std::string& text, const Session& s) {
  // A tolerance that is wrong is said before a long answer, not after it.
  const std::vector<std::string> broken =
      arguments.tolerance.empty()
          ? std::vector<std::string>()
          : broken_tolerances(read_text(arguments.tolerance), arguments.tolerance, report);
  give(s, text);
  for (const std::string& line : broken) std::fprintf(stderr, "%s\n", line.c_str());
  return broken.empty() ? ExitCode::answer : ExitCode::out_of_tolerance;
}

ExitCode give_report(const ValidateArguments& arguments, const ValidationReport& report,
                     const Session& s) {
  return give_text(arguments, report, text_of(report, arguments, s), s);
}

// The rows of the calibration's machine by it, the others by the documents.
ExitCode run_calibrated(const ValidateArguments& a, const std::vector<std::string>& files,
                        const ConfigDirs& dirs, const Session& s) {
  std::vector<Row> rows = rows_of(files, dirs);
  const CalibratedRows calibrated = calibrate_rows(a.calibration, dirs, rows);
  const ValidationReport report = validate(rows, config_lookup(dirs));
  if (s.csv) return give_report(a, report, s);
  if (!s.json) return give_text(a, report, calibrated_line(calibrated) + text_of(report, a, s), s);
  Json j = validation_json(report);
  j["calibration"] = calibrated_json(calibrated);
  return give_text(a, report, dump(j), s);
}

struct LeftOut {
  ValidationReport report;
  Accuracy table;
};

LeftOut left_out(const ValidationReport& report, const FitRuns& runs) {
  LeftOut out;
  out.report = report_of(left_out_rows(report.rows, runs, everything(runs), kLooksLeftOut), true);
  out.table = accuracy_from(left_out_residuals(out.report.rows));
  out.report.summaries.push_back(three_observed(out.report.rows, out.table));
  out.report.doubts = report.doubts;
  return out;
}

ExitCode run_cross(const ValidateArguments& arguments, const ValidationReport& report,
                   const FitRuns& runs, const Session& s) {
  const LeftOut cross = left_out(report, runs);
  if (!arguments.write_accuracy.empty()) {
    write_text(arguments.write_accuracy, accuracy_json(cross.table));
  }
  return give_report(arguments, cross.report, s);
}

// The page docs/accuracy.md: bars, what is reached of them, where the rest of the error sits.
ExitCode run_accuracy(const ValidateArguments& arguments, const ValidationReport& report,
                      const FitRuns& runs, const ConfigDirs& dirs, const Session& s) {
  const std::string file = validation_file(dirs, "bars.json");
  if (file.empty()) throw UsageError("no bars.json beside the configurations");
  const std::vector<Bar> bars = read_bars(read_text(file), file);
  const LeftOut cross = left_out(report, runs);
  if (arguments.files.empty()) check_scopes(bars, {report, cross.report}, file);
  give(s, accuracy_page(bars, {report, cross.report}));
  return ExitCode::answer;
}

std::vector<Doubt> doubts_in(const ConfigDirs& dirs) {
  const std::string file = validation_file(dirs, "doubts.json");
  return file.empty() ? std::vector<Doubt>() : read_doubts(read_text(file), file);
}

// The page docs/validation.md: everything about the rows at once.
ExitCode run_markdown(const ValidateArguments& arguments, const ValidationReport& report,
                      const FitRuns& runs, const Session& s) {
  MarkdownExtras extras;
  extras.left_out = left_out(report, runs).report;
  const ConstantsFit fit = fit_constants(runs, everything(runs), kLooks);
  const AblationReport ablation = ablate(runs);
  extras.tables = {
      {"Constants fitted, and what each is worth", constant_table(runs, fit, ablation)},
      {"Constants of each device and framework", count_table(runs, fit)}};
  return give_text(arguments, report, validation_markdown(report, &extras), s);
}

ExitCode run_validate(const ValidateArguments& arguments, const Session& s) {
  refuse_contradictions(arguments, s);
  const std::vector<std::string> files = expanded(arguments.files);
  if (are_claims(files)) {
    if (arguments.fit || arguments.cross || arguments.ablate || arguments.check || arguments.html ||
        arguments.accuracy || !arguments.tolerance.empty() || !arguments.calibration.empty()) {
      throw UsageError(
          "claims: give them without --fit, --cross, --ablate, --check, --accuracy, --html, "
          "--tolerance, --calibration");
    }
    return run_claims(files, arguments.markdown, s);
  }
  const ConfigDirs dirs = dirs_of(s);
  if (!arguments.calibration.empty()) return run_calibrated(arguments, files, dirs, s);
  ValidationReport report = validate(rows_of(files, dirs), config_lookup(dirs));
  if (arguments.check) {
    const ConsistencyReport checked = check_rows(report.rows);
    give(s, s.json ? dump(consistency_json(checked)) : consistency_text(checked));
    return checked.contradictions.empty() ? ExitCode::answer : ExitCode::out_of_tolerance;
  }
  report.doubts = doubts_in(dirs);
  const bool page = arguments.markdown && !arguments.cross && arguments.files.empty();
  if (!(arguments.fit || arguments.cross || arguments.ablate || arguments.accuracy || page)) {
    return give_report(arguments, report, s);
  }
  const std::string file = parameters_file(arguments, dirs);
  const auto runs = fit_runs(report.rows, read_parameters(read_text(file), file));
  if (page) return run_markdown(arguments, report, *runs, s);
  if (arguments.accuracy) return run_accuracy(arguments, report, *runs, dirs, s);
  if (arguments.fit) return run_fit(arguments, *runs, dirs, s);
  if (arguments.ablate) return run_ablate(*runs, s);
  return run_cross(arguments, report, *runs, s);
}

}  // namespace

Action declare_validate(CLI::App& app) {
  auto arguments = std::make_shared<ValidateArguments>();
  app.add_option("files", arguments->files,
                 "files of published runs or of claims, or directories of them; without: the "
                 "published runs shipped")
      ->type_name("FILE");
  app.add_option("--tolerance", arguments->tolerance,
                 "bounds to keep: [{\"scope\": \"tier A\", \"median\": 0.1}]; exit code 4 if not")
      ->type_name("FILE");
  app.add_flag("--fit", arguments->fit, "fit the constants of configs on the rows; writes nothing");
  app.add_flag("--cross", arguments->cross,
               "judge each source by constants fitted on the others alone");
  app.add_flag("--ablate", arguments->ablate,
               "what leaving each constant at its prior costs on sources left out (slow)");
  app.add_flag("--check", arguments->check,
               "whether each row agrees with itself: seconds, tokens, FLOP/s; exit code 4 if not");
  app.add_flag("--accuracy", arguments->accuracy,
               "the page docs/accuracy.md: bars, what is reached, where the rest of the error is");
  app.add_option("--write-configs", arguments->write_configs,
                 "with --fit: write the documents it changes below DIR")
      ->type_name("DIR");
  app.add_option("--write-accuracy", arguments->write_accuracy,
                 "with --cross: write the table of intervals, configs/accuracy.json")
      ->type_name("FILE");
  app.add_option("--parameters", arguments->parameters,
                 "what a fit may move; without: validation/parameters.json")
      ->type_name("FILE");
  app.add_option("--calibration", arguments->calibration,
                 "constants fitted on measurements, over the rows of their device: name or path")
      ->type_name("FILE");
  app.add_flag("--html", arguments->html, "one page with the tables and plots of every row");
  app.add_flag("--markdown", arguments->markdown,
               "the page docs/validation.md, or of claims docs/claims.md");
  return [arguments](const Session& s) { return run_validate(*arguments, s); };
}

}  // namespace orrery
