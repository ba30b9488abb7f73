// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/json_in.h"
#include "core/json_path.h"
#include "core/key_words.h"
#include "core/unknown_name.h"
#include "engine/commands/commands.h"
#include "engine/config_source.h"
#include "engine/foreign_run.h"
#include "engine/given_run.h"
#include "engine/other_tool.h"
#include "engine/printed_run.h"
#include "estimate/resolve.h"
#include "estimate/run_keys.h"
#include "model/architecture_keys.h"
#include "report/foreign_text.h"
#include "rl/resolve_learner.h"

namespace orrery {
namespace {

// "NAME=VALUE", where the value is JSON or else text.
GivenSetting assumption(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    throw InputError("--assume", "", "\"" + text + "\"", "NAME=VALUE");
  }
  const std::string value = text.substr(equals + 1);
  return {text.substr(0, equals), json_in(value).value_or(Json(value))};
}

// Under a part of the run that the tables list, and not in them: a file's own setting of that name.
bool is_setting_alone(const std::string& name) {
  static const std::set<std::string> kPaths = [] {
    std::set<std::string> paths;
    for (const KeyLine& line : key_lines(kRunKeys)) paths.insert(line.path);
    for (const KeyLine& line : key_lines(kModelKeys)) paths.insert("model." + line.path);
    for (const char* whole : {"training", "parallel", "model"}) paths.erase(whole);
    return paths;
  }();
  const bool is_listed =
      name.starts_with("training.") || name.starts_with("parallel.") || name.starts_with("model.");
  return is_listed && std::none_of(kPaths.begin(), kPaths.end(),
                                   [&](const std::string& path) { return lies_at(name, path); });
}

bool is_run_key(const std::string& name) {
  if (is_setting_alone(name)) return false;
  for (const char* part :
       {"model", "cluster.", "training.", "parallel.", "framework", "rollout.", "placement."}) {
    if (name.starts_with(part)) return true;
  }
  return false;
}

// The request's own run, as far as there is any.
Json run_of(const GivenRun& given, const CommandContext& context) {
  Json run = Json::object();
  if (has_changes(given)) {
    use_run(given, context, [&](const RunSource& source) {
      run = source.json;
      // The files say how many GPUs train, where no flag does: not the whole of a named node.
      for (const Fact& f : source.changes) {
        if (f.path == "cluster.gpus" && f.why == kWholeNode) erase_at(run, f.path);
      }
    });
  }
  return run;
}

// A whole run must be one that `estimate` takes, and a whole model a legal one; an error names the
// imported file.
void check(const Json& run, const std::string& file, const ConfigLookup& lookup) {
  const std::vector<std::string> missing = missing_keys(run);
  if (missing.empty()) {
    resolve_with_rl(run, file, lookup);
    return;
  }
  const bool model = std::any_of(missing.begin(), missing.end(),
                                 [](const std::string& key) { return key.starts_with("model"); });
  if (!model) check_model(run, file, lookup);
}

// Keys of the run go over it; settings of the files stay for their readers.
std::vector<Fact> take_keys(std::vector<GivenSetting>& all, Json& run) {
  std::vector<Fact> taken;
  std::erase_if(all, [&](const GivenSetting& a) {
    if (!is_run_key(a.name)) return false;
    set_at(run, a.name, a.value);
    taken.push_back({a.name, bare_text(a.value), "--assume"});
    return true;
  });
  return taken;
}

CommandAnswer imported_answer(const ImportedRun& imported, AnswerFormat format, bool cluster) {
  CommandAnswer answer;
  if (cluster) {
    const Json& found = value_at(imported.run, "cluster");
    answer.text = AnswerText(found.is_null() ? Json::object() : Json(found));
  } else {
    answer.text = format == AnswerFormat::json ? AnswerText(imported_json(imported))
                                               : imported_text(imported);
  }
  for (const LeftOver& l : imported.ignored) {
    if (!l.is_refused) continue;
    // A loop's rounds ask for the same.
    const std::string refusal = refusal_line(l);
    const bool named = refusal.starts_with(imported.file + ": ");
    std::string line = "orrery: " + (named ? "" : imported.file + ": ") + refusal;
    if (std::find(answer.broken.begin(), answer.broken.end(), line) == answer.broken.end())
      answer.broken.push_back(std::move(line));
  }
  if (!answer.broken.empty()) answer.code = ExitCode::wrong_input;
  answer.warnings = import_warnings(imported, cluster ? "cluster." : "");
  if (cluster || format == AnswerFormat::json) return answer;
  answer.summary = import_summary(imported);
  // An estimate asks for parts of the model that are missing; GPUs and the node are its flags.
  const std::vector<std::string> missing = missing_keys(imported.run);
  const bool model = std::any_of(missing.begin(), missing.end(),
                                 [](const std::string& key) { return key.starts_with("model"); });
  if (answer.broken.empty() && !model) answer.next = "orrery estimate";
  return answer;
}

// Formats that code reads, and tools that configs/tools describes.
std::vector<std::string> readable_formats() {
  std::vector<std::string> names = names_in<ForeignFormat>();
  std::erase(names, name_of(ForeignFormat::tool));
  for (std::string& name : config_names(builtin_configs(), ConfigKind::tool)) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  return names;
}

// A tool of the user's own configs has a name too.
void set_format(const std::string& from, const ConfigSource& configs, ImportJob& job) {
  if (from.empty()) return;
  const auto known = find_name<ForeignFormat>(from);
  if (known && *known != ForeignFormat::tool) {
    job.from = *known;
    return;
  }
  std::vector<std::string> names = readable_formats();
  for (std::string& own : config_names(configs, ConfigKind::tool)) {
    if (std::find(names.begin(), names.end(), own) == names.end()) names.push_back(std::move(own));
  }
  if (std::find(names.begin(), names.end(), from) == names.end()) {
    throw InputError(ErrorCode::unknown_name, "--from", "", "\"" + from + "\"", alternatives(names),
                     nearest_name(from, names));
  }
  job.from = ForeignFormat::tool;
  job.from_tool = from;
}

struct ImportChoice {
  std::vector<NamedText> files;
  std::string from;
  std::string as;
  std::vector<std::string> assume;
  GivenRun run;
};

constexpr auto kImportOptions = [] {
  using C = ImportChoice;
  return std::array{
      Option{into<&C::files>(), "FILE", "",
             "scripts, logs, YAML, JSON, TOML or XML that describe one run; - for standard input"},
      Option{into<&C::from>(readable_formats), "--from", "FORMAT",
             "format of the files (recognised by their content): "},
      Option{into<&C::as>(), "--as", "WHAT",
             "run, or cluster: what files of a machine say, for orrery collective --cluster (run)"},
      Option{
          into<&C::assume>(), "--assume", "NAME=VALUE",
          "value of a setting, or of a key of the run, that the files leave open; once for each"},
      Option{into<&C::run>(OptionKind::run_flags)},
  };
}();

struct ExportChoice {
  GivenRun run;
  std::string as = "run";
};

constexpr std::array kExportOptions = {
    Option{into<&ExportChoice::run>()},
    Option{into<&ExportChoice::as>(printed_formats), "--as", "FORMAT", "format to write (run): "},
};

CommandAnswer answer_import(Request& request, const CommandContext& context) {
  const auto [files, from, as, assume, given] = read_options<ImportChoice>(kImportOptions, request);
  ImportJob job;
  for (const NamedText& f : files) job.files.push_back({f.name, f.text});
  set_format(from, context.configs, job);
  for (const std::string& a : assume) job.assumed.push_back(assumption(a));
  const AnswerFormat format = request.format({AnswerFormat::json, AnswerFormat::text});
  request.done();
  if (!as.empty() && as != "run" && as != "cluster")
    throw InputError("--as", "", "\"" + as + "\"", "run or cluster");
  if (job.files.empty()) {
    throw InputError("orrery import", "", "no file", "a script, log, YAML, JSON, TOML or XML");
  }
  Json own = run_of(given, context);
  const std::vector<Fact> assumed = take_keys(job.assumed, own);
  const std::string name = job.files.front().name;
  const ConfigLookup lookup = config_lookup(context.configs);
  const ImportedRun imported = whole_import(std::move(job), own, assumed, lookup, as != "cluster");
  const bool whole = std::none_of(imported.ignored.begin(), imported.ignored.end(),
                                  [](const LeftOver& l) { return l.is_refused; });
  if (whole) check(imported.run, name, lookup);
  if (as == "cluster" && whole && value_at(imported.run, "cluster").is_null())
    throw InputError(name, "", "no file of a machine", "one, for --as cluster");
  return imported_answer(imported, format, as == "cluster");
}

CommandAnswer answer_export(Request& request, const CommandContext& context) {
  const auto choice = read_options<ExportChoice>(kExportOptions, request);
  check_printed_format(request, "as", choice.as);
  const bool json = request.format({AnswerFormat::json, AnswerFormat::text}) == AnswerFormat::json;
  request.done();
  CommandAnswer answer;
  use_run(choice.run, context, [&](const RunSource& source) {
    const auto resolve = choice.as == "run" ? resolve_learner : resolve_run;
    const ResolvedRun resolved = resolve(source.json, source.file, source.lookup, {});
    answer = printed_run(choice.as, resolved, source.json, source.lookup, json);
  });
  return answer;
}

}  // namespace

const CommandRow kImportCommand = {"import", answer_import, kImportOptions};
const CommandRow kExportCommand = {"export", answer_export, kExportOptions};

}  // namespace orrery
