// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "cli/command.h"
#include "cli/flags.h"
#include "engine/answer.h"
#include "io/files.h"

namespace orrery {
namespace {

// --html and --markdown are formats of the answer.
void choose_format(Json& request, const Session& s) {
  const bool html = request.erase("html") > 0;
  const bool markdown = request.erase("markdown") > 0;
  if (markdown && (s.json || s.csv || html)) {
    throw UsageError("--markdown: give it without --json, --csv and --html");
  }
  if (html && (s.json || s.csv)) throw UsageError("--html: give it without --json and --csv");
  if (html || markdown) request["format"] = html ? "html" : "markdown";
}

}  // namespace

ExitCode run_validate(Json request, const Session& s) {
  choose_format(request, s);
  const CommandAnswer answer = asked("validate", request, s);
  if (request.contains("write_configs")) {
    for (const NamedText& file : answer.files) {
      make_directory(std::filesystem::path(file.name).parent_path().string());
    }
  }
  return give_answer(s, answer);
}

void declare_validate(CLI::App& app, Json& request) {
  app.add_option_function<std::vector<std::string>>(
         "FILE",
         [&request](const std::vector<std::string>& paths) {
           for (const std::string& path : paths) {
             for (const std::string& file : json_files(path)) {
               request["files"].push_back({{"file", file}});
             }
           }
         },
         "published runs or claims: files or directories (the published runs that ship)")
      ->type_name("FILE");
  add_file(app, request, "--tolerance",
           "bounds on the errors: [{\"scope\": \"tier A\", \"median\": 0.1}]; exit code 4 if one "
           "is broken")
      ->type_name("FILE");
  add_switch(app, request, "--fit", "fit the constants of configs on the rows and print them");
  add_switch(app, request, "--cross", "judge each source by constants fitted on the others alone");
  add_switch(
      app, request, "--ablate",
      "accuracy lost on left-out sources if a constant keeps its prior, for each constant (slow)");
  add_switch(app, request, "--check",
             "check that each row agrees with itself: seconds, tokens, FLOP/s; exit code 4 if not");
  add_flag_of(app, request, "--write-configs", "with --fit: write the changed documents below DIR")
      ->type_name("DIR");
  add_flag_of(app, request, "--write-accuracy",
              "with --cross: write the table of intervals, configs/accuracy.json")
      ->type_name("FILE");
  add_file(app, request, "--parameters",
           "constants that a fit may change (validation/parameters.json)")
      ->type_name("FILE");
  add_flag_of(app, request, "--calibration",
              "constants fitted on measurements, applied to the rows of their device: name or path")
      ->type_name("FILE");
  add_switch(app, request, "--html", "answer as an HTML page with tables and a plot of every row");
  add_switch(app, request, "--markdown", "answer as Markdown");
}

}  // namespace orrery
