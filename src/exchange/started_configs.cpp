// SPDX-License-Identifier: Apache-2.0
#include "exchange/started_configs.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>

#include "core/error.h"
#include "core/json_path.h"
#include "core/units.h"
#include "exchange/arguments.h"
#include "exchange/flat.h"
#include "exchange/launcher_flags.h"
#include "exchange/recognise.h"
#include "exchange/shell/shell.h"
#include "exchange/text_lines.h"
#include "exchange/tools/named.h"
#include "exchange/tools/tool.h"
#include "exchange/yaml.h"

namespace orrery {
namespace {

using Words = std::vector<std::string>;

// YAML, or a configuration in Python that a tool reads.
bool is_config(const ForeignFile& f, const ImportJob& job) {
  if (f.name.ends_with(".yaml") || f.name.ends_with(".yml")) return true;
  return begins_with(f.text, kOfPythonValues) && recognise(f, job.tools).kind == FileKind::training;
}

void write(const Json& document, ForeignFile& f) {
  const bool is_python = begins_with(f.text, kOfPythonValues);
  f.text = (is_python ? kOfPythonValues : "") + write_yaml(document);
}

std::string stem(const std::string& name) { return name.substr(0, name.rfind('.')); }

// "--config-name" to "config_name".
std::string plain_flag(std::string_view word) {
  std::string name(word.substr(0, word.find('=')));
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool is_flag(const std::string& word) { return begins_with(word, "--"); }

// A flag's value, behind a blank or "=".
std::optional<std::string> value_of(const Words& words, std::string_view flag) {
  std::optional<std::string> value;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_flag(words[i]) || plain_flag(words[i]) != flag) continue;
    const std::size_t equals = words[i].find('=');
    if (equals != std::string::npos) value = words[i].substr(equals + 1);
    if (equals == std::string::npos && i + 1 < words.size()) value = words[i + 1];
  }
  return value;
}

constexpr std::string_view kLaunched = "training=";
constexpr std::string_view kOfLaunched = "training.";

// The command names the file by its path, or by its stem behind --config and --config-name.
bool names_file(const Words& words, const std::string& file) {
  const std::string name = base_name(file);
  for (const std::string& w : words) {
    const std::size_t equals = is_flag(w) ? w.find('=') : std::string::npos;
    if (base_name(equals == std::string::npos ? w : w.substr(equals + 1)) == name) return true;
  }
  // NeMo's launcher: training=llama/llama2_7b.
  if (std::any_of(words.begin(), words.end(), [&](const std::string& w) {
        return begins_with(w, kLaunched) && base_name(w.substr(kLaunched.size())) == stem(name);
      }))
    return true;
  for (const char* flag : {"config", "config_name", "config_file"}) {
    const auto value = value_of(words, flag);
    if (value && base_name(*value) == stem(name)) return true;
  }
  return false;
}

// Hydra's "a.b=c", "+a=c", "++a=c" and "~a".
bool is_override(const std::string& word) {
  const std::size_t first = word.find_first_not_of("+~");
  constexpr std::size_t kMostMarks = 2;
  if (first > kMostMarks) return false;  // also npos
  if (std::isalpha(static_cast<unsigned char>(word[first])) == 0) return false;
  const std::size_t end = word.find_first_not_of(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@", first);
  const bool removes = word[0] == '~' && end == std::string::npos;
  return removes || (end != std::string::npos && word[end] == '=');
}

// The launcher whose file the document is; nullptr for another file.
const tools::Tool* launcher_of(const Json& document, const ImportJob& job) {
  const tools::Tool* tool = job.tools.of_document(document).tool;
  return tool != nullptr && !tool->trains ? tool : nullptr;
}

std::int64_t whole(const std::optional<std::string>& text) {
  const auto x = text ? parse_number(*text) : std::nullopt;
  return x && *x >= 1 && *x <= static_cast<double>(kMostDegree) ? static_cast<std::int64_t>(*x) : 0;
}

// "--micro_batch_size 2" of Primus goes over the file's overrides.
void arguments_over(Json& document, const Words& words, const std::string& file) {
  const char* path = "modules.pre_trainer.overrides";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_flag(words[i])) continue;
    const std::size_t equals = words[i].find('=');
    const bool next = equals == std::string::npos && i + 1 < words.size() && !is_flag(words[i + 1]);
    const std::string value = equals != std::string::npos ? words[i].substr(equals + 1)
                              : next                      ? words[i + 1]
                                                          : "true";
    const Json typed = read_yaml("value: " + value + "\n", file);
    set_named(document, std::string(path) + "." + plain_flag(words[i]), value_at(typed, "value"),
              file);
  }
}

// Files of Hugging Face's world, which their programs' flags change.
bool is_trainer(const Json& document) {
  return document.contains("model_name_or_path") || document.contains("base_model") ||
         document.contains("per_device_train_batch_size");
}

Words::const_iterator program_of(const Words& words) {
  return std::find_if(words.begin(), words.end(), [](const std::string& w) {
    return w.ends_with(".py") || w == "trl" || begins_with(w, "axolotl") ||
           begins_with(w, "llamafactory");
  });
}

// `sft.py --config sft.yaml --packing true`: those behind the program.
void flags_behind(Json& document, const Words& words, const tools::Tool* tool,
                  const std::string& file) {
  const auto own = tool == nullptr ? words.end() : tools::program_in(*tool, words);
  const auto program = own == words.end() ? program_of(words) : own;
  const Settings settings = settings_of_words({program, words.end()}, file);
  for (const ForeignSetting& s : settings.all()) {
    if (s.name == "config" || s.name == "config_file") continue;
    const Json typed = s.value.is_string() ? yaml_scalar(s.value.get<std::string>()) : s.value;
    document[s.name] = typed.is_null() ? Json(true) : typed;
  }
}

bool is_primus(const Json& document) {
  return value_at(document, "modules.pre_trainer.overrides").is_object();
}

bool is_automodel(const Json& document) { return document.contains("step_scheduler"); }

// `finetune.py --config a.yaml --distributed.tp_size 2 --seed=1`: dotted names, and keys that the
// file has.
void dotted_flags(Json& document, const Words& words, const std::string& file) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_flag(words[i])) continue;
    const std::size_t equals = words[i].find('=');
    const std::string path = words[i].substr(2, equals == std::string::npos ? equals : equals - 2);
    if (!contains(path, ".") && !document.contains(path)) continue;
    const bool next = equals == std::string::npos && i + 1 < words.size() && !is_flag(words[i + 1]);
    const std::string value = equals != std::string::npos ? words[i].substr(equals + 1)
                              : next                      ? words[i + 1]
                                                          : "true";
    const Json typed = read_yaml("value: " + value + "\n", file);
    set_named(document, path, value_at(typed, "value"), file);
  }
}

// Primus's EXP=config.yaml, beside the command that takes it from there.
const std::string* named_by_variable(const ImportJob& job, const ShellVariables& variables) {
  for (const ForeignFile& f : job.files) {
    if (!is_config(f, job)) continue;
    for (const auto& [name, values] : variables) {
      if (values.size() == 1 && base_name(values.front()) == base_name(f.name)) return &f.name;
    }
  }
  return nullptr;
}

// Variables of a script reach the files that it starts and those that these name.
void environment_over(ImportJob& job, const ShellVariables& variables) {
  for (ForeignFile& f : job.files) {
    if (!is_config(f, job) || !contains(f.text, "${")) continue;
    Json document = read_yaml(f.text, f.name);
    const Json before = document;
    set_environment(document, variables);
    if (document != before) write(document, f);
  }
}

// A command starts nothing of the job's, a program under Accelerate's file alone, or a file with
// settings of a training.
enum class Started : std::uint8_t { nothing, launch, training };

// The command's overrides then stand in the file that it starts.
Started has_more(const Words& words, ImportJob& job) {
  Started started = Started::nothing;
  bool overridden = false;
  for (ForeignFile& f : job.files) {
    if (!is_config(f, job) || !names_file(words, f.name)) continue;
    Json document = read_yaml(f.text, f.name);
    const tools::Tool* launcher = launcher_of(document, job);
    const bool launch = launcher != nullptr;
    if (!launch || started == Started::nothing)
      started = launch ? Started::launch : Started::training;
    if (!document.is_object()) continue;
    const Json before = document;
    if (launch) {
      Settings flags = settings_of_words({words.begin(), program_of(words)}, f.name);
      flags.remove(launcher->commands.front().config);
      tools::flags_over(*launcher, flags, document);
    } else if (is_primus(document)) {
      arguments_over(document, words, f.name);
    } else if (is_automodel(document)) {
      dotted_flags(document, words, f.name);
    } else if (!overridden) {
      overridden = true;
      const bool launcher = std::any_of(words.begin(), words.end(), [](const std::string& w) {
        return begins_with(w, kLaunched);
      });
      for (const std::string& w : words) {
        if (!is_override(w)) continue;
        if (!launcher) override_with(document, w, f.name);
        if (launcher && begins_with(w, kOfLaunched))
          override_with(document, w.substr(kOfLaunched.size()), f.name);
      }
      const tools::Tool* own = job.tools.of_document(document).tool;
      const bool flags = own != nullptr && own->speaks.empty();
      if (flags || is_trainer(document)) flags_behind(document, words, own, f.name);
    }
    if (document != before) write(document, f);
  }
  return started;
}

// Leaves that another start of the same file sets otherwise are of neither: no reader knows them.
void leave_open(Json& document, const Json& other) {
  for (const auto& [key, value] : other.items()) {
    Json& own = document[key];
    if (own.is_object() && value.is_object()) {
      leave_open(own, value);
    } else if (own != value) {
      own = "$(" + bare_text(own) + " or " + bare_text(value) + ")";
    }
  }
  for (auto& [key, value] : document.items()) {
    if (!other.contains(key)) value = "$(" + bare_text(value) + " or nothing)";
  }
}

// A loop's further rounds, and further commands, that start the same files.
void compare_with_another(const Words& words, const ShellVariables& variables,
                          const std::vector<ForeignFile>& before, ImportJob& job) {
  ImportJob other;
  other.files = before;
  other.tools = job.tools;
  if (has_more(words, other) != Started::training) return;
  environment_over(other, variables);
  for (std::size_t i = 0; i < before.size(); ++i) {
    ForeignFile& f = job.files[i];
    if (!is_config(f, job) || f.text == other.files[i].text) continue;
    Json document = read_yaml(f.text, f.name);
    leave_open(document, read_yaml(other.files[i].text, f.name));
    write(document, f);
  }
}

// The settings of the training stand behind the program that Accelerate launches.
bool starts_the_training(const ForeignFile& script, const ImportJob& job) {
  return recognise(script, job.tools).tool != nullptr;
}

// DeepSpeed's "host:0,1@other:0,1"; 0 where a host has all of its GPUs.
std::int64_t slots_of(const std::string& hosts) {
  std::int64_t all = 0;
  for (const std::string_view host : fields_of(hosts, '@')) {
    const std::size_t colon = host.find(':');
    if (colon == std::string_view::npos) return 0;
    all += 1 + std::count(host.begin() + static_cast<std::ptrdiff_t>(colon), host.end(), ',');
  }
  return all;
}

// CUDA_VISIBLE_DEVICES=0,1 before a launcher that starts a process on each visible GPU, or one GPU
// before any program; 0 before others.
std::int64_t visible_gpus(const Words& words, const ShellVariables& variables) {
  const std::string visible = shell_value(variables, "CUDA_VISIBLE_DEVICES");
  const bool launcher = std::any_of(words.begin(), words.end(), [](const std::string& w) {
    return base_name(w) == "llamafactory-cli" || base_name(w) == "deepspeed";
  });
  const bool list = visible.find_first_not_of("0123456789,") == std::string::npos;
  const std::int64_t slots = list && !visible.empty() ? slots_of(":" + visible) : 0;
  return launcher || slots == 1 ? slots : 0;
}

// paddle.distributed.launch starts a process on each GPU of a list, `--gpus "0,1,2,3"`.
std::int64_t listed_gpus(const Words& words) {
  const bool paddle = std::any_of(words.begin(), words.end(), [](const std::string& w) {
    return w == "paddle.distributed.launch" || base_name(w) == "fleetrun";
  });
  for (const char* flag : {"gpus", "devices", "selected_gpus"}) {
    const std::string list = paddle ? value_of(words, flag).value_or("") : "";
    if (!list.empty() && list.find_first_not_of("0123456789,") == std::string::npos)
      return slots_of(":" + list);
  }
  return 0;
}

// xpk's `--device-type h100-80gb-8 --num-nodes 2`: the type ends with the GPUs of a node.
std::int64_t gpus_of_xpk(const Words& words) {
  const auto is_xpk = [](const std::string& w) {
    return base_name(w) == "xpk" || base_name(w) == "xpk.py";
  };
  const auto type = value_of(words, "device_type");
  if (!type || std::none_of(words.begin(), words.end(), is_xpk)) return 0;
  const std::int64_t one = whole(type->substr(type->rfind('-') + 1));
  const auto nodes = value_of(words, "num_nodes");
  return nodes ? one * whole(nodes) : one;
}

// `srun -N 8 torchrun`: a launcher on each node, whose own words are of its node alone.
std::optional<std::string> nodes_of_srun(const Words& words, const ShellVariables& variables) {
  const auto srun = std::find(words.begin(), words.end(), "srun");
  if (srun == words.end()) return {};
  if (const auto stated = value_of(words, "nodes")) return stated;
  const auto flag =
      std::find_if(srun, words.end(), [](const std::string& w) { return begins_with(w, "-N"); });
  if (flag != words.end() && flag->size() > 2) return flag->substr(2);
  if (flag != words.end() && flag + 1 != words.end()) return *(flag + 1);
  const std::string header = shell_value(variables, "SLURM_NNODES");
  return header.empty() ? std::nullopt : std::optional(header);
}

// The files that a tool's own command starts are the tool's, whatever they look like.
void note_tool(const ForeignFile& script, const Words& words, ImportJob& job) {
  const tools::Tool* tool = job.tools.of_script(script.text);
  if (tool == nullptr) return;
  const tools::StartCommand* command = nullptr;
  const auto program = tools::program_in(*tool, words, &command);
  for (const ForeignFile& f : job.files) {
    if (!is_config(f, job) || !names_file(words, f.name)) continue;
    job.started_tools[f.name] = tool->name;
    if (program != words.end()) job.started_programs[f.name] = tools::name_of(*program, *command);
  }
}

}  // namespace

void override_with(Json& document, const std::string& word, const std::string& file) {
  const std::size_t first = word.find_first_not_of("+~");
  const std::size_t equals = word.find('=');
  const std::string path = word.substr(first, equals - first);
  if (word[0] == '~') return erase_at(document, path);
  const Json value = read_yaml("value: " + word.substr(equals + 1) + "\n", file);
  set_named(document, path, value_at(value, "value"), file);
}

ForeignFormat read_overrides(const std::string& file, ForeignFormat format, ImportJob& job,
                             NamedSettings& named) {
  if (named.overrides.empty()) return format;
  Json document = Json::object();
  for (const std::string& word : named.overrides) override_with(document, word, file);
  const std::vector<ForeignFile> own = {{file, write_yaml(document)}};
  const Recognised r = recognise({file + ".yaml", own.front().text}, job.tools);
  const bool read = r.format == ForeignFormat::nemo || r.format == ForeignFormat::bridge;
  if (!read || r.kind != FileKind::training) {
    for (const std::string& word : named.overrides)
      named.left.push_back({word, "changes a configuration that is not given", "", true});
    return format;
  }
  NamedSettings more = tools::read_named(own, *r.format, job);
  named.settings.add_all(more.settings);
  named.left.insert(named.left.end(), more.left.begin(), more.left.end());
  named.model = more.model;
  named.adapter = more.adapter;
  return *r.format;
}

std::int64_t launched_processes(const std::vector<std::string>& words,
                                const ShellVariables& variables) {
  const auto first = [&](std::initializer_list<const char*> flags,
                         const char* variable) -> std::optional<std::string> {
    for (const char* f : flags) {
      if (const auto value = value_of(words, f)) return value;
    }
    const std::string value = shell_value(variables, variable);
    return value.empty() ? std::nullopt : std::optional(value);
  };
  if (const std::int64_t all = whole(value_of(words, "num_processes"))) return all;
  if (const std::string gpus = included_gpus(words); !gpus.empty()) return slots_of(gpus);
  if (const std::int64_t gpus = gpus_of_xpk(words); gpus > 0) return gpus;
  std::int64_t one = whole(first({"nproc_per_node", "num_gpus"}, "NPROC_PER_NODE"));
  if (one == 0) one = whole(first({}, "GPUS_PER_NODE"));
  if (one == 0) one = listed_gpus(words);
  if (one == 0) one = visible_gpus(words, variables);
  auto nodes = first({"nnodes", "num_nodes"}, "NNODES");
  if (!nodes) nodes = nodes_of_srun(words, variables);
  return nodes ? one * whole(nodes) : one;
}

std::vector<StartedConfig> apply_started_configs(ImportJob& job) {
  std::vector<StartedConfig> started;
  const auto is_one = [&](const ForeignFile& f) { return is_config(f, job); };
  if (std::none_of(job.files.begin(), job.files.end(), is_one)) return started;
  for (std::size_t i = 0; i < job.files.size(); ++i) {
    const ForeignFile script = job.files[i];
    if (!is_script(script)) continue;
    // A variable may be part of its name.
    const bool starts = std::any_of(job.files.begin(), job.files.end(), [&](const auto& f) {
      return is_one(f) &&
             (contains(script.text, stem(base_name(f.name))) || contains(script.text, "$"));
    });
    if (!starts) continue;
    const ShellRun run = run_shell(script.text, script.name);
    const std::vector<ForeignFile> before = job.files;
    bool any = false;
    for (const ShellCommand& c : run.commands) {
      const Words words = words_of(run, c);
      if (any) {
        compare_with_another(words, run.variables, before, job);
        continue;
      }
      const Started what = has_more(words, job);
      if (what == Started::nothing) continue;
      if (what == Started::launch && starts_the_training(script, job)) break;
      environment_over(job, run.variables);
      note_tool(script, words, job);
      started.push_back({script.name, launched_processes(words, run.variables)});
      any = true;
    }
    if (any) continue;
    const std::string* named = named_by_variable(job, run.variables);
    if (named == nullptr || run.commands.empty()) continue;
    const ShellCommand& last = run.commands.back();
    Words words = words_of(run, last);
    words.push_back(*named);
    if (has_more(words, job) == Started::nothing) continue;
    environment_over(job, run.variables);
    started.push_back({script.name, launched_processes(words, run.variables)});
  }
  return started;
}

std::string launch_config_not_given(const ForeignFile& script, const ImportJob& job) {
  if (!contains(script.text, "accelerate") || !contains(script.text, "--config_file")) return "";
  const ShellRun run = run_shell(script.text, script.name);
  for (const ShellCommand& c : run.commands) {
    const Words words = words_of(run, c);
    const auto named = value_of(words, "config_file");
    if (!named || std::find(words.begin(), words.end(), "launch") == words.end()) continue;
    const bool given = std::any_of(job.files.begin(), job.files.end(), [&](const ForeignFile& f) {
      return base_name(f.name) == base_name(*named);
    });
    if (!given) return *named;
  }
  return "";
}

}  // namespace orrery
