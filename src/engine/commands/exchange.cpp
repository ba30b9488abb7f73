// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"
#include "engine/commands/commands.h"
#include "engine/given_run.h"
#include "engine/printed_run.h"
#include "exchange/import_draft.h"
#include "report/foreign_text.h"
#include "report/frame.h"

namespace orrery {
namespace {

std::vector<std::string> foreign_names() {
  return {kNamesOf<ForeignFormat>.begin(), kNamesOf<ForeignFormat>.end()};
}

ForeignFormat format_of(const std::string& name, const std::string& text) {
  if (name.empty()) return guess_format(text);
  if (const auto format = find_name<ForeignFormat>(name)) return *format;
  const std::vector<std::string> names = foreign_names();
  throw InputError("--from", "", "\"" + name + "\"", alternatives(names),
                   nearest_name(name, names));
}

// The request's own run, as far as there is any.
Json run_of(const GivenRun& given, const CommandContext& context) {
  Json run = Json::object();
  if (has_changes(given)) {
    use_run(given, context, [&](const RunSource& source) { run = source.json; });
  }
  return run;
}

// A whole run must be one that `estimate` takes; what is wrong in it is the file's.
void check(const Json& run, const std::string& file, const ConfigLookup& lookup) {
  if (missing_keys(run).empty()) resolve_run(run, file, lookup);
}

}  // namespace

CommandAnswer answer_import(Request& request, const CommandContext& context) {
  const GivenRun given = given_run(request);
  const auto file = request.file("file");
  const std::string from = request.text("from");
  const AnswerFormat format = request.format({AnswerFormat::json, AnswerFormat::text});
  request.done();
  if (!file) throw InputError("orrery import", "", "no file", "a script, log, JSON or TOML");
  const Json own = run_of(given, context);
  const ConfigLookup lookup = config_lookup(context.configs);
  ImportedRun imported = import_run(format_of(from, file->text), file->text, file->name, own);
  fit_import(imported, own, lookup);
  merge_over(imported.run, own);
  check(imported.run, file->name, lookup);
  CommandAnswer answer{ExitCode::answer, format == AnswerFormat::json
                                             ? dump(imported_json(imported))
                                             : imported_text(imported, file->name)};
  const std::size_t unknown = imported.not_understood.size();
  if (unknown > 0) {
    answer.warnings.push_back(file->name + ": " + std::to_string(unknown) +
                              " not understood, listed in the answer");
  }
  return answer;
}

CommandAnswer answer_export(Request& request, const CommandContext& context) {
  const GivenRun given = given_run(request);
  const std::string format = printed_format(request, "as", "run");
  const bool json = request.format({AnswerFormat::json, AnswerFormat::text}) == AnswerFormat::json;
  request.done();
  CommandAnswer answer;
  use_run(given, context, [&](const RunSource& source) {
    const ResolvedRun resolved = resolve_run(source.json, source.file, source.lookup);
    answer = printed_run(format, resolved, source.json, source.lookup, json);
  });
  return answer;
}

}  // namespace orrery
