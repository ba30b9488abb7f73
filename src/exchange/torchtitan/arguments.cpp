// SPDX-License-Identifier: Apache-2.0
// Command lines of torchtitan, and the TOML that one names.
#include "exchange/arguments.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/json_path.h"
#include "core/units.h"
#include "exchange/several_runs.h"
#include "exchange/shell/shell.h"
#include "exchange/slurm/slurm.h"
#include "exchange/text_lines.h"
#include "exchange/torchtitan/signs.h"
#include "exchange/torchtitan/toml.h"
#include "exchange/torchtitan/torchtitan.h"

namespace orrery::torchtitan {
namespace {

// 0 where it does not say them.
std::int64_t gpus_of_header(const ForeignFile& file) {
  const ImportedRun header = slurm::import_header(file);
  const Json& gpus = value_at(header.run, "cluster.gpus");
  return gpus.is_null() ? 0 : gpus.get<std::int64_t>();
}

bool has_dot(const ForeignSetting& s) { return s.name.find('.') != std::string::npos; }

constexpr const char* kRegistered = "the registered configuration says it, which is not given";
constexpr const char* kNotGiven = "the file that --job.config_file names says it";

// Variables that torchtitan's own run_train.sh turns into arguments.
constexpr std::array<std::array<const char*, 2>, 4> kOfRunTrain = {
    {{"NGPU", "nproc_per_node"},
     {"CONFIG_FILE", "job.config_file"},
     {"MODULE", "module"},
     {"CONFIG", "config"}}};

void add_of_run_train(const ShellRun& run, Settings& settings) {
  const bool started = std::any_of(run.words.begin(), run.words.end(), [](const std::string& w) {
    return base_name(w) == "run_train.sh";
  });
  for (const auto& [variable, name] : kOfRunTrain) {
    const std::string value = shell_value(run.variables, variable);
    if (started && !value.empty() && !settings.has(name)) settings.add({name, variable, value});
  }
}

bool is_own(const std::vector<std::string>& words, const Settings& own) {
  std::string text;
  for (const std::string& w : words) text += w + " ";
  return is_sign(text) || std::any_of(own.all().begin(), own.all().end(), has_dot);
}

// Commands that have settings of torchtitan, and arguments without a command; all commands where
// none has. A setting in which several commands differ is open.
Settings settings_of_script(const ShellRun& run, const std::string& file,
                            std::vector<LeftOver>& left) {
  Settings settings(file);
  std::vector<Settings> each;
  std::vector<std::size_t> lines;
  for (const ShellCommand& c : run.commands) {
    const std::vector<std::string> words = words_of(run, c);
    Settings own = settings_of_words(words, file);
    const bool is_one = is_own(words, own);
    if (is_one || (!words.empty() && words.front().starts_with("--"))) settings.add_all(own);
    if (!is_one) continue;
    each.push_back(std::move(own));
    lines.push_back(c.line);
  }
  if (each.empty()) settings = settings_of_words(run.words, file);
  std::vector<OneRun> runs;
  for (std::size_t i = 0; i < each.size(); ++i) runs.push_back({&each[i], lines[i]});
  left = take_differing(runs, {key_of_setting, is_harmless}, settings);
  add_of_run_train(run, settings);
  return settings;
}

// The TOML that a command line names; "" where it names none.
std::string named_config(const Settings& settings) {
  for (const ForeignSetting& s : settings.all()) {
    if (s.name == "job.config_file" && s.value.is_string()) return s.value.get<std::string>();
  }
  return "";
}

std::vector<std::string> configs_in(const ImportJob& job) {
  std::vector<std::string> names;
  for (const ForeignFile& f : job.files) {
    if (f.name.ends_with(".toml")) names.push_back(f.name);
  }
  return names;
}

}  // namespace

std::string config_of(const ForeignFile& script, const ImportJob& job) {
  std::vector<LeftOver> left;
  const Settings settings =
      settings_of_script(run_shell(script.text, script.name, {}, job.scripts), script.name, left);
  const std::vector<std::string> given = configs_in(job);
  const std::string named = named_config(settings);
  if (named.empty()) return "";
  for (const std::string& name : given) {
    if (base_name(name) == base_name(named)) return name;
  }
  // The script's own name is often a default.
  return given.size() == 1 ? given.front() : "";
}

ImportedRun import_arguments(const ForeignFile& file, ImportJob& job) {
  const ShellRun run = run_shell(file.text, file.name, {}, job.scripts);
  NamedSettings named{Settings(file.name)};
  named.settings = settings_of_script(run, file.name, named.left);
  Settings& settings = named.settings;
  // The launcher's GPUs, where it says them in numbers.
  const auto number = [&](const char* name) -> std::int64_t {
    const auto n = parse_number(settings.word(name).value_or(""));
    return n && *n >= 1 && *n <= static_cast<double>(kMostDegree) ? std::llround(*n) : 0;
  };
  std::int64_t gpus = number("nproc_per_node") * (settings.has("nnodes") ? number("nnodes") : 1);
  if (gpus == 0 && contains(file.text, "#SBATCH")) gpus = gpus_of_header(file);
  const bool stated = gpus > 0 && value_at(job.given, "cluster.gpus").is_null();
  if (stated) set_at(job.given, "cluster.gpus", gpus);
  const std::string config = config_of(file, job);
  const std::string named_in_script = named_config(settings);
  for (const ForeignFile& f : job.files) {
    if (config.empty() || f.name != config) continue;
    Settings whole = read_toml(f.text, f.name);
    whole.add_all(settings);
    named.settings = std::move(whole);
  }
  if (!named_in_script.empty() && config.empty()) {
    named.left.push_back(
        {"--job.config_file " + named_in_script, "is not given; give it too", "", true});
  }
  // Releases of 2025 have defaults of their own where they name no file.
  if (settings.has("config") || settings.has("module")) named.other_defaults = kRegistered;
  if (config.empty() && !named_in_script.empty()) named.other_defaults = kNotGiven;
  ImportedRun out = import_settings(named, job, !config.empty());
  if (stated) set_at(out.run, "cluster.gpus", gpus);
  if (!config.empty() && base_name(config) != base_name(named_in_script))
    out.assumed.push_back(
        {"job.config_file", config, "the file given; the script names " + named_in_script});
  return out;
}

}  // namespace orrery::torchtitan
