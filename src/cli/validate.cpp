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
  const bool markdown = request.erase("markdown") > 0;
  if (markdown && (s.json || s.csv || request.contains("html"))) {
    throw UsageError("--markdown: give it without --json, --csv and --html");
  }
  take_html(request, s);
  if (markdown) request["format"] = "markdown";
}

// A directory stands for its files.
void open_directories(Json& request) {
  if (!request.contains("files")) return;
  Json files = Json::array();
  for (const Json& given : request["files"]) {
    for (const std::string& file : json_files(given["file"].get<std::string>())) {
      files.push_back({{"file", file}});
    }
  }
  request["files"] = files;
}

}  // namespace

ExitCode run_validate(Json request, const Session& s) {
  choose_format(request, s);
  open_directories(request);
  const CommandAnswer answer = asked("validate", request, s);
  if (request.contains("write_configs")) {
    for (const NamedText& file : answer.files) {
      make_directory(std::filesystem::path(file.name).parent_path().string());
    }
  }
  return give_answer(s, answer);
}

void declare_validate(CLI::App& app, Json& request) {
  declare_html(app, request, "answer as an HTML page with tables and a plot of every row");
  add_option(app, request, {{OptionKind::flag}, "--markdown", "", "answer as Markdown"});
}

}  // namespace orrery
