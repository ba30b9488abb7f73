// SPDX-License-Identifier: Apache-2.0
#include "exchange/import_files.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/json_path.h"
#include "exchange/assumptions.h"
#include "exchange/bridge/bridge.h"
#include "exchange/combined.h"
#include "exchange/deepspeed/deepspeed.h"
#include "exchange/document.h"
#include "exchange/machine/machine.h"
#include "exchange/megatron/megatron.h"
#include "exchange/mlperf/mlperf.h"
#include "exchange/nemo/nemo.h"
#include "exchange/other_tools.h"
#include "exchange/primus/primus.h"
#include "exchange/programs.h"
#include "exchange/recognise.h"
#include "exchange/several_runs.h"
#include "exchange/slurm/slurm.h"
#include "exchange/started_configs.h"
#include "exchange/text_lines.h"
#include "exchange/tools/inline_deepspeed.h"
#include "exchange/tools/tool_run.h"
#include "exchange/trainer/facts.h"
#include "exchange/wrappers.h"
#include "exchange/yaml.h"

namespace orrery {
namespace {

struct TrainingFile {
  ForeignFile file;
  ForeignFormat format;
  const tools::Tool* tool = nullptr;
};
using TrainingFiles = std::vector<TrainingFile>;

TrainingFiles of_format(const TrainingFiles& all, ForeignFormat format) {
  TrainingFiles some;
  for (const TrainingFile& f : all) {
    if (f.format == format) some.push_back(f);
  }
  return some;
}

std::vector<ForeignFile> files_of(const TrainingFiles& all) {
  std::vector<ForeignFile> files;
  for (const TrainingFile& f : all) files.push_back(f.file);
  return files;
}

NamedSettings read_scripts(const std::vector<ForeignFile>& files, const ShellFiles& scripts) {
  NamedSettings all = megatron::read_named(files.front(), scripts);
  for (std::size_t i = 1; i < files.size(); ++i) {
    NamedSettings more = megatron::read_named(files[i], scripts);
    all.included.insert(all.included.end(), more.included.begin(), more.included.end());
    all.left.insert(all.left.end(), more.left.begin(), more.left.end());
    all.files.insert(all.files.end(), more.files.begin(), more.files.end());
    megatron::add_training(std::move(more), all);
  }
  return all;
}

// Tools whose settings are Megatron-LM's, under these or other names.
struct NamedFormat {
  ForeignFormat format;
  NamedSettings (*read)(const std::vector<ForeignFile>& files, const ShellFiles& scripts);
};

template <NamedSettings (*read)(const std::vector<ForeignFile>&)>
NamedSettings without_scripts(const std::vector<ForeignFile>& files, const ShellFiles&) {
  return read(files);
}
constexpr std::array kNamed = {
    NamedFormat{ForeignFormat::megatron, read_scripts},
    NamedFormat{ForeignFormat::mlperf, mlperf::read_named},
    NamedFormat{ForeignFormat::bridge, without_scripts<bridge::read_named>},
    NamedFormat{ForeignFormat::nemo, without_scripts<nemo::read_named>},
    NamedFormat{ForeignFormat::primus, without_scripts<primus::read_named>},
};

class Import {
 public:
  explicit Import(ImportJob& job) : job_(job) {}

  ImportedRun run() {
    sort();
    headers();
    for (const NamedFormat& n : kNamed) named(n);
    trainer();
    if (!machine_.empty()) parts_.push_back(import_machine(machine_, job_));
    for (const TrainingFile& f : training_) alone(f);
    ImportedRun all = combined(std::move(parts_));
    drop_assumed(job_.assumed, all);
    check_assumed(job_.assumed);
    job_.files.insert(job_.files.end(), started_.begin(), started_.end());
    slurm::compare_with_machine(all, job_.files);
    all.is_training = !training_.empty();
    return all;
  }

 private:
  void sort() {
    for (ForeignFile& f : job_.files) {
      if (job_.from || !is_binary(f.text)) make_plain(f.text);
    }
    if (!job_.from) unwrap();
    if (!job_.from) written_files();
    if (!job_.from) launch_configs();
    if (!job_.from) started();
    for (const ForeignFile& f : job_.files) {
      if (!job_.from && is_of_another(f)) job_.scripts[base_name(f.name)] = f.text;
    }
    for (const ForeignFile& f : job_.files) {
      if (job_.scripts.count(base_name(f.name)) > 0) continue;
      if (job_.from) {
        training_.push_back({f, *job_.from, job_.tools.find(job_.from_tool)});
        continue;
      }
      const Recognised r = recognised(f);
      if (r.kind == FileKind::training) {
        training_.push_back({f, *r.format, r.tool});
        if (r.tool != nullptr) add_own_deepspeed();
        if (r.format == ForeignFormat::sbatch) add_started(f);
        if (r.tool != nullptr && contains(f.text, "#SBATCH"))
          training_.push_back({f, ForeignFormat::sbatch});
      } else if (r.kind == FileKind::machine) {
        machine_.push_back(f);
      } else if (r.kind == FileKind::model) {
        model(f);
      } else if (is_of_primus(f)) {
        training_.push_back({f, ForeignFormat::primus});
      } else if (!(r.looks == kFsdpConfig && is_named(f)) && (!is_script(f) || !add_started(f))) {
        refuse_kind(f, r);
      }
    }
    own_programs();
  }

  // A job's header is read beside a training, and not in place of one.
  void own_programs() {
    const auto is_header = [](const TrainingFile& f) { return f.format == ForeignFormat::sbatch; };
    std::vector<ForeignFile> others;
    for (const TrainingFile& f : training_) {
      if (!is_header(f)) others.push_back(f.file);
    }
    for (const TrainingFile& f : training_) {
      const auto same = [&](const ForeignFile& g) { return g.name == f.file.name; };
      const bool read = std::any_of(others.begin(), others.end(), same) ||
                        std::any_of(started_.begin(), started_.end(), same);
      if (!is_header(f) || job_.from || read) continue;
      for (const StartedProgram& p : started_programs(f.file, job_.scripts)) {
        if (others.empty()) refuse_program(f.file, p.name);
        ImportedRun part;
        part.ignored = unread_command(p, others);
        add(f, std::move(part));
      }
    }
  }

  // By its content, or by the tool whose command starts it: a launcher's own file apart.
  Recognised recognised(const ForeignFile& f) const {
    const Recognised r = recognise(f, job_.tools);
    const auto started = job_.started_tools.find(f.name);
    const bool launches = r.tool != nullptr && !r.tool->trains;
    if (started == job_.started_tools.end() || launches) return r;
    return {FileKind::training, ForeignFormat::tool, "", "", job_.tools.find(started->second)};
  }

  // The content of a manifest, a notebook or the like takes its place.
  void unwrap() {
    for (ForeignFile& f : job_.files) {
      if (is_binary(f.text)) continue;
      const auto inner = unwrapped(f);
      if (!inner) continue;
      f = inner->file;
      ImportedRun part;
      part.format = ForeignFormat::sbatch;
      part.file = f.name;
      if (!inner->device.empty())
        part.ignored.push_back({"accelerators " + inner->device, "give the node by --node"});
      if (inner->gpus > 0) set_at(part.run, "cluster.gpus", inner->gpus);
      if (inner->gpus > 0 && value_at(job_.given, "cluster.gpus").is_null())
        set_at(job_.given, "cluster.gpus", inner->gpus);
      if (inner->gpus > 0 || !inner->device.empty()) parts_.push_back(std::move(part));
    }
  }

  // Settings of a training that a script writes and then names: `cat > ds.json <<E`. The reader of
  // Megatron-DeepSpeed's scripts does so itself.
  void written_files() {
    std::vector<ForeignFile> written;
    for (const ForeignFile& f : job_.files) {
      if (!is_script(f) || !contains(f.text, "{")) continue;
      if (!contains(f.text, "<<") && !contains(f.text, "echo")) continue;
      if (recognise(f, job_.tools).format == ForeignFormat::megatron) continue;
      for (const ShellDocument& d : run_shell(f.text, f.name).documents) {
        const ForeignFile file{base_name(d.target), d.text};
        if (first_character(d.text) == '{' &&
            recognise(file, job_.tools).kind == FileKind::training)
          written.push_back(file);
      }
    }
    for (ForeignFile& w : written) job_.files.push_back(std::move(w));
  }

  // True of a companion that one of Primus's files names.
  bool is_of_primus(const ForeignFile& f) const {
    return f.name.ends_with(".yaml") &&
           std::any_of(job_.files.begin(), job_.files.end(), [&](const ForeignFile& g) {
             return g.name != f.name && contains(g.text, base_name(f.name)) &&
                    recognise(g, job_.tools).format == ForeignFormat::primus;
           });
  }

  void add_own_deepspeed() {
    const std::string own = tools::take_deepspeed(training_.back().file);
    if (own.empty()) return;
    training_.push_back({{training_.back().file.name, own}, ForeignFormat::deepspeed});
  }

  // A command that launches a training may shard it.
  void launch_configs() {
    for (const ForeignFile& f : job_.files) {
      const std::string name = is_script(f) ? launch_config_not_given(f, job_) : "";
      if (name.empty()) continue;
      const auto none = std::find_if(job_.assumed.begin(), job_.assumed.end(), [](const auto& a) {
        return plain_name(a.name) == "config_file";
      });
      if (none != job_.assumed.end()) {
        none->used = true;
        continue;
      }
      ImportedRun part;
      part.format = ForeignFormat::sbatch;
      part.file = f.name;
      part.ignored.push_back({"--config_file " + name,
                              "is not given, and may shard the model; give it too", "", true});
      parts_.push_back(std::move(part));
    }
  }

  // Scripts that start a YAML file say how many GPUs there are, beside what goes into that file.
  void started() {
    for (const StartedConfig& s : apply_started_configs(job_)) {
      const auto script = std::find_if(job_.files.begin(), job_.files.end(),
                                       [&](const ForeignFile& f) { return f.name == s.script; });
      if (s.gpus == 0 && contains(script->text, "#SBATCH"))
        training_.push_back({*script, ForeignFormat::sbatch});
      if (s.gpus > 0) {
        ImportedRun part;
        part.format = ForeignFormat::sbatch;
        part.file = s.script;
        set_at(part.run, "cluster.gpus", s.gpus);
        if (value_at(job_.given, "cluster.gpus").is_null())
          set_at(job_.given, "cluster.gpus", s.gpus);
        parts_.push_back(std::move(part));
      }
      started_.push_back(*script);
      job_.files.erase(script);
    }
  }

  bool is_named(const ForeignFile& f) const {
    return std::any_of(job_.files.begin(), job_.files.end(),
                       [&](const auto& g) { return contains(g.text, base_name(f.name)); });
  }

  // True where another script names this one: it sources or starts it.
  bool is_of_another(const ForeignFile& f) const {
    const std::string name = base_name(f.name);
    const auto names = [](const ForeignFile& by, const std::string& script) {
      return is_script(by) && contains(by.text, script);
    };
    const bool named = std::any_of(job_.files.begin(), job_.files.end(), [&](const auto& g) {
      return base_name(g.name) != name && names(g, name) && !names(f, base_name(g.name));
    });
    return named && is_script(f) && may_be_sourced(recognise(f, job_.tools));
  }

  // Settings of a shell, or variables that are no settings by themselves.
  static bool may_be_sourced(const Recognised& r) {
    if (r.kind == FileKind::other) return r.looks == kNoSetting || r.looks == kOtherProgram;
    return r.format == ForeignFormat::megatron || r.format == ForeignFormat::mlperf ||
           r.format == ForeignFormat::sbatch || (r.tool != nullptr && r.tool->starts_by_flags());
  }

  // The part of a job that is a training, where its header stands in a script that starts another.
  bool add_started(const ForeignFile& f) {
    for (const auto& [name, text] : job_.scripts) {
      const Recognised r = recognise({name, text}, job_.tools);
      const bool training = r.kind == FileKind::training && r.format != ForeignFormat::sbatch;
      if (!training || !contains(f.text, name)) continue;
      training_.push_back({f, *r.format, r.tool});
      return true;
    }
    return false;
  }

  // Scripts that no other one came to read count by themselves.
  void add_unread(ForeignFormat format, const NamedSettings& read,
                  std::vector<ForeignFile>& files) const {
    for (const auto& [name, text] : job_.scripts) {
      const bool included =
          std::find(read.included.begin(), read.included.end(), name) != read.included.end();
      const Recognised r = recognise({name, text}, job_.tools);
      if (!included && r.kind == FileKind::training && r.format == format)
        files.push_back({name, text});
    }
  }

  // A job's GPUs, which formats that count by replica need.
  void headers() {
    for (const TrainingFile& f : of_format(training_, ForeignFormat::sbatch)) {
      add(f, slurm::import_header(f.file));
      const Json& gpus = value_at(parts_.back().run, "cluster.gpus");
      if (value_at(job_.given, "cluster.gpus").is_null() && !gpus.is_null())
        set_at(job_.given, "cluster.gpus", gpus);
    }
  }

  // A config.json of Hugging Face, as it stands.
  void model(const ForeignFile& f) {
    ImportedRun part;
    part.file = f.name;
    part.run["model"] = parse_json(f.text, f.name);
    parts_.push_back(std::move(part));
  }

  void named(const NamedFormat& n) {
    std::vector<ForeignFile> files = files_of(of_format(training_, n.format));
    if (files.empty()) return;
    NamedSettings settings = n.read(files, job_.scripts);
    if (!settings.unknown_program.empty()) refuse_program(files.front(), settings.unknown_program);
    const std::size_t roots = files.size();
    add_unread(n.format, settings, files);
    if (files.size() > roots) settings = n.read(files, job_.scripts);
    const ForeignFormat format = read_overrides(files.front().name, n.format, settings);
    if (settings.settings.all().empty() && settings.model.empty()) {
      throw InputError(files.front().name, "", "no setting of " + std::string(tool_of(n.format)),
                       n.format == ForeignFormat::megatron
                           ? "a script, a list of --arguments, or a log that begins with them"
                           : "its keys");
    }
    for (const ForeignFile& f : settings.files) {
      training_.push_back({f, ForeignFormat::deepspeed});
    }
    if (!settings.tool.empty()) {
      parts_.push_back(by_tool(std::move(settings)));
      parts_.back().file = files.front().name;
      parts_.back().format = n.format;
    } else {
      parts_.push_back(megatron::import_named(std::move(settings), format, job_));
    }
  }

  // Settings of a tool that is data, which stand in another one's files.
  ImportedRun by_tool(NamedSettings named) {
    trainer::Facts facts(job_);
    const tools::Tool* tool = job_.tools.find(named.tool);
    if (tool == nullptr)
      throw InputError(named.settings.file(), "", named.tool, "a tool of configs/tools");
    for (const LeftOver& l : named.left)
      l.is_refused ? facts.leave_key_open(l.key, l.setting, l.why)
                   : facts.mention(l.setting, l.why);
    if (!named.model.empty())
      facts.assume_default(trainer::FactId::model, named.model,
                           "by the name of the file's model");
    tools::read_with(*tool, std::move(named.settings), named.other_defaults.empty(), facts);
    ImportedRun part = facts.finish(false);
    part.assumed.insert(part.assumed.end(), named.assumed.begin(), named.assumed.end());
    return part;
  }

  // False for a file that is no trainer's.
  static bool read_trainer(const TrainingFile& f, trainer::Facts& facts) {
    if (f.tool != nullptr) tools::read_with(*f.tool, f.file, facts);
    return f.tool != nullptr;
  }

  // All of Hugging Face's world is one part.
  void trainer() {
    trainer::Facts facts(job_);
    std::string names;
    const TrainingFile* first = nullptr;
    // Scripts first, whose settings go over those of the files that they name.
    for (const bool document : {false, true}) {
      for (const TrainingFile& f : training_) {
        if (is_document(f.file) != document || facts.includes(f.file.name)) continue;
        if (!read_trainer(f, facts)) continue;
        if (first == nullptr) first = &f;
        names += (names.empty() ? "" : ", ") + f.file.name;
      }
    }
    if (first == nullptr) return;
    const bool deepspeed = !of_format(training_, ForeignFormat::deepspeed).empty();
    ImportedRun part = facts.finish(deepspeed);
    part.format = first->format;
    if (first->tool != nullptr) part.tool = first->tool->name;
    part.file = names;
    // DeepSpeed's file counts its batches by them.
    for (const char* key : {"cluster.gpus", "parallel.tp", "parallel.pp", "parallel.cp"}) {
      const Json& value = value_at(part.run, key);
      if (value_at(job_.given, key).is_null() && !value.is_null()) set_at(job_.given, key, value);
    }
    parts_.push_back(std::move(part));
  }

  void alone(const TrainingFile& f) {
    switch (f.format) {
      case ForeignFormat::deepspeed:
        return add(f, deepspeed::import_run(f.file, job_));
      case ForeignFormat::torchtitan:
      case ForeignFormat::torchtitan_toml:
      case ForeignFormat::megatron:
      case ForeignFormat::mlperf:
      case ForeignFormat::bridge:
      case ForeignFormat::nemo:
      case ForeignFormat::primus:
      case ForeignFormat::accelerate:
      case ForeignFormat::sbatch:
      case ForeignFormat::tool:
        return;
    }
  }

  void add(const TrainingFile& f, ImportedRun part) {
    part.format = f.format;
    part.file = f.file.name;
    parts_.push_back(std::move(part));
  }

  ImportJob& job_;
  TrainingFiles training_;
  std::vector<ForeignFile> machine_;
  std::vector<ForeignFile> started_;  // scripts whose words are in the YAML that they start
  std::vector<ImportedRun> parts_;
};

}  // namespace

ImportedRun import_files(ImportJob job) {
  if (job.lookup != nullptr) job.tools = tools::ToolBook(*job.lookup);
  // Written by code, and read by rules.
  for (const auto& [format, tool] : {std::pair(ForeignFormat::torchtitan, "torchtitan"),
                                     std::pair(ForeignFormat::torchtitan_toml, "torchtitan"),
                                     std::pair(ForeignFormat::accelerate, "accelerate")}) {
    if (job.from != format) continue;
    job.from = ForeignFormat::tool;
    job.from_tool = tool;
    break;
  }
  return Import(job).run();
}

std::string base_name(const std::string& path) { return path.substr(path.find_last_of("/\\") + 1); }

}  // namespace orrery
