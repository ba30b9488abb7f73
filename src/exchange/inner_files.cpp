// SPDX-License-Identifier: Apache-2.0
// Files within others: what a manifest or a notebook wraps, what a script writes, and the YAML that
// it starts.
#include <algorithm>

#include "core/error.h"
#include "core/json_path.h"
#include "exchange/arguments.h"
#include "exchange/assumptions.h"
#include "exchange/programs.h"
#include "exchange/python_calls.h"
#include "exchange/recognise.h"
#include "exchange/sorted_files.h"
#include "exchange/started_configs.h"
#include "exchange/text_lines.h"
#include "exchange/wrappers.h"
#include "exchange/yaml.h"

namespace orrery {
namespace {

// The one command of the job's scripts that starts a Python program.
struct ProgramStart {
  std::string script;
  Settings arguments{""};
  std::int64_t gpus = 0;
};

std::optional<ProgramStart> start_of(const ForeignFile& program, const ImportJob& job) {
  std::optional<ProgramStart> start;
  if (!program.name.ends_with(".py") || !contains(program.text, "parse_args(")) return {};
  for (const ForeignFile& f : job.files) {
    if (!is_script(f) || !contains(f.text, base_name(program.name))) continue;
    const ShellRun run = run_shell(f.text, f.name);
    for (const ShellCommand& c : run.commands) {
      const std::vector<std::string> words = words_of(run, c);
      const std::size_t at = place_of_python(words);
      if (at == words.size() || base_name(words[at]) != base_name(program.name)) continue;
      if (start || job.tools.launcher_in(words) != nullptr) return {};
      const auto first = words.begin() + static_cast<std::ptrdiff_t>(at) + 1;
      start = {f.name, settings_of_words({first, words.end()}, f.name),
               launched_processes(words, run.variables)};
    }
  }
  return start;
}

// A script whose words have become another file's leaves its GPUs.
void leave_script(const std::string& name, std::int64_t gpus, ImportJob& job, SortedFiles& out) {
  const auto script = std::find_if(job.files.begin(), job.files.end(),
                                   [&](const ForeignFile& f) { return f.name == name; });
  if (gpus == 0 && contains(script->text, "#SBATCH"))
    out.training.push_back({*script, ForeignFormat::sbatch});
  if (gpus > 0) {
    ImportedRun part;
    part.format = ForeignFormat::sbatch;
    part.file = name;
    set_at(part.run, "cluster.gpus", gpus);
    if (value_at(job.given, "cluster.gpus").is_null()) {
      set_at(job.given, "cluster.gpus", gpus);
      job.launched = gpus;
    }
    out.parts.push_back(std::move(part));
  }
  out.started.push_back(*script);
  job.files.erase(script);
}

// The content of a manifest, a notebook or the like takes its place.
void unwrap(ImportJob& job, SortedFiles& out) {
  std::vector<ProgramStart> starts;
  for (ForeignFile& f : job.files) {
    if (is_binary(f.text)) continue;
    const auto start = start_of(f, job);
    const auto inner = unwrapped(f, start ? &start->arguments : nullptr);
    if (!inner) continue;
    if (start && begins_with(inner->file.text, kOfPythonCalls)) starts.push_back(*start);
    f = inner->file;
    ImportedRun part;
    part.format = ForeignFormat::sbatch;
    part.file = f.name;
    if (!inner->device.empty())
      part.ignored.push_back({"accelerators " + inner->device, "give the node by --node"});
    if (inner->gpus > 0) set_at(part.run, "cluster.gpus", inner->gpus);
    if (inner->gpus > 0 && value_at(job.given, "cluster.gpus").is_null())
      set_at(job.given, "cluster.gpus", inner->gpus);
    if (inner->gpus > 0 || !inner->device.empty()) out.parts.push_back(std::move(part));
  }
  if (starts.size() == 1) leave_script(starts[0].script, starts[0].gpus, job, out);
}

// A YAML without the lines that only a running shell prints: "$(printf …)".
std::string known_lines(const std::string& text) {
  if (first_character(text) == '{') return text;
  std::string known;
  for (const std::string_view line : lines_of(text)) {
    if (!begins_with(trimmed(line), "$")) known += std::string(line) + "\n";
  }
  return known;
}

bool is_settings(const ForeignFile& file, const ImportJob& job) {
  const bool is_json = first_character(file.text) == '{';
  const bool is_yaml = file.name.ends_with(".yml") || file.name.ends_with(".yaml");
  if (!is_json && !(is_yaml && begins_as_yaml(file.text))) return false;
  try {
    return recognise(file, job.tools).kind == FileKind::training;
  } catch (const InputError&) {
    if (is_json) throw;
    return false;
  }
}

// Settings of a training that a script writes and then names: `cat > ds.json <<E`. The reader of
// Megatron-DeepSpeed's scripts does so itself.
void add_written_files(ImportJob& job) {
  std::vector<ForeignFile> written;
  for (const ForeignFile& f : job.files) {
    if (!is_script(f) || begins_as_yaml(f.text)) continue;
    if (!contains(f.text, "<<") && !contains(f.text, "echo")) continue;
    if (recognise(f, job.tools).format == ForeignFormat::megatron) continue;
    for (const ShellDocument& d : run_shell(f.text, f.name).documents) {
      const ForeignFile file{base_name(d.target), known_lines(d.text)};
      if (is_settings(file, job)) written.push_back(file);
    }
  }
  for (ForeignFile& w : written) job.files.push_back(std::move(w));
}

// A command that launches a training may shard it.
void ask_for_launch_configs(ImportJob& job, SortedFiles& out) {
  for (const ForeignFile& f : job.files) {
    const std::string name = is_script(f) ? launch_config_not_given(f, job) : "";
    if (name.empty()) continue;
    const auto none = std::find_if(job.assumed.begin(), job.assumed.end(), [](const auto& a) {
      return plain_name(a.name) == "config_file";
    });
    if (none != job.assumed.end()) {
      none->used = true;
      continue;
    }
    ImportedRun part;
    part.format = ForeignFormat::sbatch;
    part.file = f.name;
    part.ignored.push_back(
        {"--config_file " + name, "is not given, and may shard the model; give it too", "", true});
    out.parts.push_back(std::move(part));
  }
}

// Scripts that start a YAML file say how many GPUs there are, beside what goes into that file.
void take_started(ImportJob& job, SortedFiles& out) {
  for (const StartedConfig& s : apply_started_configs(job)) {
    leave_script(s.script, s.gpus, job, out);
  }
}

}  // namespace

void take_inner_files(ImportJob& job, SortedFiles& out) {
  unwrap(job, out);
  add_written_files(job);
  ask_for_launch_configs(job, out);
  take_started(job, out);
}

}  // namespace orrery
