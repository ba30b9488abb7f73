// SPDX-License-Identifier: Apache-2.0
#include "engine/foreign_run.h"

#include <algorithm>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "engine/other_tool.h"
#include "estimate/origins.h"
#include "estimate/run_keys.h"
#include "exchange/fit_machine.h"
#include "exchange/import_draft.h"
#include "exchange/open_keys.h"
#include "exchange/recognise.h"
#include "exchange/text_lines.h"
#include "hardware/cluster_keys.h"
#include "report/foreign_text.h"
#include "report/frame_json.h"

namespace orrery {
namespace {

constexpr std::size_t kMostFiles = 16;

// A word of a setting that may be the name of a file: "deepspeed ds/z3.json" has one.
std::vector<std::string> files_in(const std::string& setting) {
  std::vector<std::string> names;
  for (const std::string_view word : words_of(setting)) {
    for (const char* end : {".json", ".yaml", ".yml", ".toml", ".sh"}) {
      if (word.ends_with(end)) names.emplace_back(word);
    }
  }
  return names;
}

// Beside the first file, by its path or by its last part.
std::optional<ForeignFile> file_beside(const std::string& name, const std::string& beside,
                                       const ConfigSource& configs) {
  const std::string folder = beside.empty() ? "" : beside + "/";
  for (const std::string& path : {folder + name, folder + base_name(name)}) {
    if (const auto found = configs.open(path)) return ForeignFile{path, std::string(found->text)};
  }
  return {};
}

// Files that the refusals name and that can be opened; false where there is none.
bool add_companions(const ImportedRun& imported, const std::string& beside,
                    const ConfigSource& configs, std::vector<ForeignFile>& files) {
  const std::size_t before = files.size();
  for (const LeftOver& l : imported.ignored) {
    if (!l.is_refused) continue;
    for (const std::string& name : files_in(l.setting)) {
      const bool known = std::any_of(files.begin(), files.end(), [&](const ForeignFile& f) {
        return base_name(f.name) == base_name(name);
      });
      if (known || files.size() >= kMostFiles) continue;
      if (auto found = file_beside(name, beside, configs)) files.push_back(std::move(*found));
    }
  }
  return files.size() > before;
}

// "--precision bf16" of a key that has a flag, "--set …" of another; what no key says, an import
// can go on without.
std::string answer_to(const LeftOver& l, const std::string& file) {
  if (l.key.empty())
    return "`orrery import " + file + " --assume " + l.setting.substr(0, l.setting.find(' ')) +
           "=none -o run.json`";
  const std::string flag = flag_of_key(l.key);
  return flag.empty() ? "--set " + l.key + "=…" : flag;
}

// Nothing but keys of a run; whether their values are right is for the run's own reader.
bool is_run_file(const Json& json) {
  return std::all_of(json.items().begin(), json.items().end(), [](const auto& item) {
    return item.key() == "$schema" || item.key() == kSearchKey ||
           std::any_of(kRunKeys.keys.begin(), kRunKeys.keys.end(),
                       [&](const Key& k) { return k.name == item.key(); });
  });
}

// JSON as run files have it, with comments; nothing for another text.
std::optional<Json> json_of(const ConfigText& file) {
  try {
    return parse_json(file.text, file.file);
  } catch (const InputError&) {
    return {};
  }
}

bool is_shipped_run(const std::string& name, const ConfigSource& configs) {
  const std::vector<std::string> names = config_names(configs, ConfigKind::run);
  return std::find(names.begin(), names.end(), name) != names.end();
}

// One line, whatever is open: the first reason, and what gives the rest.
[[noreturn]] void refuse_open(const std::string& file, const std::vector<LeftOver>& open) {
  std::vector<std::string> answers;
  for (const LeftOver& l : open) {
    const std::string answer = answer_to(l, file);
    if (std::find(answers.begin(), answers.end(), answer) == answers.end())
      answers.push_back(answer);
  }
  std::string all;
  for (const std::string& a : answers) all += (all.empty() ? "" : ", ") + a;
  const LeftOver& first = open.front();
  const std::string more =
      open.size() == 1 ? "" : " and " + std::to_string(open.size() - 1) + " more open";
  throw InputError(file, first.key, first.setting + ": " + first.why + more,
                   all + "; `orrery import " + file + "` tells of each");
}

}  // namespace

ImportedRun whole_import(ImportJob job, const Json& own, const std::vector<Fact>& assumed,
                         const ConfigLookup& lookup, bool asks) {
  job.lookup = &lookup;
  job.given = own;
  ImportedRun imported = import_files(std::move(job));
  fit_import(imported, own, lookup);
  merge_over(imported.run, own);
  imported.assumed.insert(imported.assumed.end(), assumed.begin(), assumed.end());
  fit_nodes(imported, lookup);
  fit_attention(imported, lookup);
  if (asks) ask_for_open_keys(imported, lookup);
  return imported;
}

namespace {

std::optional<ConfigText> opened(const std::string& name, const ConfigSource& configs) {
  if (!configs.open || is_shipped_run(name, configs)) return {};
  try {
    return configs.open(name);
  } catch (const InputError&) {
    return {};  // a folder, or a file that cannot be read: for the run's own reader
  }
}

FileKind kind_of(const ConfigText& file, const ConfigSource& configs) {
  const tools::ToolBook book(config_lookup(configs));
  return recognise({file.file, std::string(file.text)}, book).kind;
}

}  // namespace

std::optional<ConfigText> foreign_text_at(const std::string& name, const ConfigSource& configs,
                                          bool has_companions) {
  std::optional<ConfigText> found = opened(name, configs);
  if (!found) return {};
  const auto json = json_of(*found);
  if (json && (!json->is_object() || is_run_file(*json))) return {};
  if (!json && found->file.ends_with(".json")) return {};
  // YAML in braces begins as JSON does.
  if (!json && first_character(found->text) != '{') return found;
  const FileKind kind = kind_of(*found, configs);
  const bool is_read = kind == FileKind::training || (kind == FileKind::model && has_companions);
  return is_read ? found : std::nullopt;
}

bool is_model_file(const std::string& name, const ConfigSource& configs) {
  const std::optional<ConfigText> found = opened(name, configs);
  if (!found) return false;
  const auto json = json_of(*found);
  return json && json->is_object() && !is_run_file(*json) &&
         kind_of(*found, configs) == FileKind::model;
}

bool is_of_other_tool(const std::string& name, const ConfigSource& configs) {
  return foreign_text_at(name, configs).has_value() || is_model_file(name, configs);
}

namespace {

// With what they name and what lies beside them.
ImportedRun imported_whole(const ConfigText& file, const std::vector<std::string>& with,
                           const Json& own, const ConfigSource& configs) {
  const std::string beside = directory_of(file.file);
  const ConfigLookup lookup = config_lookup(configs, beside);
  std::vector<ForeignFile> files = {{file.file, std::string(file.text)}};
  for (const std::string& name : with) {
    const auto found = configs.open ? configs.open(name) : std::nullopt;
    if (!found) throw InputError(name, "", "no such file", "a file of the same training");
    files.push_back({found->file, std::string(found->text)});
  }
  ImportedRun imported;
  do {
    ImportJob job;
    job.files = files;
    imported = whole_import(std::move(job), own, {}, lookup);
  } while (add_companions(imported, beside, configs, files));
  return imported;
}

}  // namespace

std::int64_t gpus_of_foreign(const ConfigText& file, const std::vector<std::string>& with,
                             const Json& own, const ConfigSource& configs) {
  try {
    const ImportedRun imported = imported_whole(file, with, own, configs);
    constexpr const char* kGpus = key_path<&ClusterRequest::gpus>;
    const bool by_default = std::any_of(imported.assumed.begin(), imported.assumed.end(),
                                        [](const Fact& f) { return f.path == kGpus; });
    const Json& gpus = value_at(imported.run, kGpus);
    return gpus.is_number_integer() && !by_default ? gpus.get<std::int64_t>() : 0;
  } catch (const InputError&) {
    return 0;
  }
}

Json run_of_foreign(const ConfigText& file, const std::vector<std::string>& with, const Json& own,
                    const ConfigSource& configs, std::vector<std::string>& warnings,
                    std::vector<std::string>& read) {
  ImportedRun imported = imported_whole(file, with, own, configs);
  std::vector<LeftOver> open;
  for (const LeftOver& l : imported.ignored) {
    if (l.is_refused) open.push_back(l);
  }
  for (const std::string& key : missing_keys(imported.run)) {
    const bool asked =
        std::any_of(open.begin(), open.end(), [&](const LeftOver& l) { return l.key == key; });
    if (!asked) open.push_back({key, "no file says it", key, true});
  }
  if (!open.empty()) refuse_open(file.file, open);
  for (std::string& line : import_warnings(imported, "")) warnings.push_back(std::move(line));
  read = origin_lines(imported);
  Json run = std::move(imported.run);
  at_key<&RunRequest::assumed>(run) = facts_json(imported.assumed);
  return run;
}

}  // namespace orrery
