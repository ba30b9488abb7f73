// SPDX-License-Identifier: Apache-2.0
#include "exchange/import_files.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "core/error.h"
#include "core/json_path.h"
#include "exchange/assumptions.h"
#include "exchange/combined.h"
#include "exchange/document.h"
#include "exchange/flat.h"
#include "exchange/machine/machine.h"
#include "exchange/megatron/megatron.h"
#include "exchange/primus/primus.h"
#include "exchange/recognise.h"
#include "exchange/slurm/slurm.h"
#include "exchange/sorted_files.h"
#include "exchange/started_configs.h"
#include "exchange/tools/named.h"
#include "exchange/tools/tool.h"
#include "exchange/tools/tool_run.h"
#include "exchange/trainer/facts.h"

namespace orrery {
namespace {

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

NamedSettings read_scripts(const std::vector<ForeignFile>& files, ImportJob& job) {
  NamedSettings all = megatron::read_named(files.front(), job);
  for (std::size_t i = 1; i < files.size(); ++i) {
    NamedSettings more = megatron::read_named(files[i], job);
    all.included.insert(all.included.end(), more.included.begin(), more.included.end());
    all.left.insert(all.left.end(), more.left.begin(), more.left.end());
    all.files.insert(all.files.end(), more.files.begin(), more.files.end());
    megatron::add_training(megatron::own_tool(job.tools), std::move(more), all);
  }
  return all;
}

// Tools whose settings are Megatron-LM's, under these or other names.
struct NamedFormat {
  ForeignFormat format;
  NamedSettings (*read)(const std::vector<ForeignFile>& files, ImportJob& job);
};

NamedSettings of_primus(const std::vector<ForeignFile>& files, ImportJob& job) {
  return primus::read_named(files, job.tools);
}
NamedSettings of_mlperf(const std::vector<ForeignFile>& files, ImportJob& job) {
  return tools::read_variables(files, ForeignFormat::mlperf, job);
}
template <ForeignFormat format>
NamedSettings by_rules(const std::vector<ForeignFile>& files, ImportJob& job) {
  return tools::read_named(files, format, job);
}
constexpr std::array kNamed = {
    NamedFormat{ForeignFormat::megatron, read_scripts},
    NamedFormat{ForeignFormat::mlperf, of_mlperf},
    NamedFormat{ForeignFormat::bridge, by_rules<ForeignFormat::bridge>},
    NamedFormat{ForeignFormat::nemo, by_rules<ForeignFormat::nemo>},
    NamedFormat{ForeignFormat::primus, of_primus},
};

class Import {
 public:
  explicit Import(ImportJob& job) : job_(job), files_(sorted_files(job)) {
    job_.has_engine = !of_format(files_.training, ForeignFormat::deepspeed).empty();
  }

  ImportedRun run() {
    headers();
    for (const NamedFormat& n : kNamed) named(n);
    trainer();
    if (!files_.machine.empty()) files_.parts.push_back(import_machine(files_.machine, job_));
    for (const TrainingFile& f : of_format(files_.training, ForeignFormat::deepspeed)) {
      files_.add(f, engine(f));
      if (f.tool != nullptr && !f.tool->engine) list_shipped(*f.tool, files_.parts.back());
    }
    ImportedRun all = combined(std::move(files_.parts), job_.given);
    drop_assumed(job_.assumed, all);
    check_assumed(job_.assumed);
    job_.files.insert(job_.files.end(), files_.started.begin(), files_.started.end());
    slurm::compare_with_machine(all, job_.files);
    all.is_training = !files_.training.empty();
    return all;
  }

 private:
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
    for (const TrainingFile& f : of_format(files_.training, ForeignFormat::sbatch)) {
      files_.add(f, slurm::import_header(f.file));
      const Json& gpus = value_at(files_.parts.back().run, "cluster.gpus");
      if (value_at(job_.given, "cluster.gpus").is_null() && !gpus.is_null())
        set_at(job_.given, "cluster.gpus", gpus);
    }
  }

  void named(const NamedFormat& n) {
    std::vector<ForeignFile> files = files_of(of_format(files_.training, n.format));
    if (files.empty()) return;
    NamedSettings settings = n.read(files, job_);
    if (!settings.unknown_program.empty()) refuse_program(files.front(), settings.unknown_program);
    const std::size_t roots = files.size();
    add_unread(n.format, settings, files);
    if (files.size() > roots) settings = n.read(files, job_);
    const ForeignFormat format = read_overrides(files.front().name, n.format, job_, settings);
    if (settings.settings.all().empty() && settings.model.empty()) {
      throw InputError(files.front().name, "", "no setting of " + std::string(tool_of(n.format)),
                       n.format == ForeignFormat::megatron
                           ? "a script, a list of --arguments, or a log that begins with them"
                           : "its keys");
    }
    for (const ForeignFile& f : settings.files) {
      files_.training.push_back({f, ForeignFormat::deepspeed});
    }
    if (!settings.tool.empty()) {
      files_.parts.push_back(by_tool(std::move(settings)));
      files_.parts.back().file = files.front().name;
      files_.parts.back().format = n.format;
    } else {
      files_.parts.push_back(megatron::import_named(std::move(settings), format, job_));
    }
    pass_on(files_.parts.back());
  }

  // DeepSpeed's file counts its batches by them.
  void pass_on(const ImportedRun& part) {
    for (const char* key : {"cluster.gpus", "parallel.tp", "parallel.pp", "parallel.cp"}) {
      const Json& value = value_at(part.run, key);
      if (value_at(job_.given, key).is_null() && !value.is_null()) set_at(job_.given, key, value);
    }
  }

  // Settings of a tool that is data, which stand in another one's files.
  ImportedRun by_tool(NamedSettings named) {
    trainer::Facts facts(job_);
    const tools::Tool* tool = job_.tools.find(named.tool);
    if (tool == nullptr)
      throw InputError(named.settings.file(), "", named.tool, "a tool of `orrery list tools`");
    for (const LeftOver& l : named.left)
      l.is_refused ? facts.leave_key_open(l.key, l.setting, l.why)
                   : facts.mention(l.setting, l.why);
    if (!named.model.empty())
      facts.assume_default(trainer::FactId::model, named.model, "by the name of the file's model");
    tools::read_with(*tool, std::move(named.settings), {named.other_defaults.empty()}, facts);
    ImportedRun part = facts.finish(trainer::DeepSpeedFile::none);
    part.assumed.insert(part.assumed.end(), named.assumed.begin(), named.assumed.end());
    return part;
  }

  // Scripts first, whose settings go over those of the files that they name; then what launches a
  // trainer, whose rules count the launcher's GPUs.
  TrainingFiles in_order() const {
    TrainingFiles all = files_.training;
    const auto place = [](const TrainingFile& f) {
      const bool launches = f.tool != nullptr && !f.tool->trains;
      return !is_document(f.file) ? 0 : launches ? 1 : 2;
    };
    std::stable_sort(all.begin(), all.end(), [&](const TrainingFile& a, const TrainingFile& b) {
      return place(a) < place(b);
    });
    return all;
  }

  // Processes of a script that learn are not all of its GPUs.
  void count_generating() {
    if (job_.beside_them == 0) return;
    for (ImportedRun& part : files_.parts) {
      if (value_at(part.run, "cluster.gpus") == job_.launched)
        set_at(part.run, "cluster.gpus", job_.launched + job_.beside_them);
    }
  }

  // False for a file that is no trainer's.
  static bool read_trainer(const TrainingFile& f, trainer::Facts& facts) {
    const bool own = f.tool != nullptr && !f.tool->engine && f.tool->speaks.empty();
    if (own) tools::read_with(*f.tool, f.file, facts);
    return own;
  }

  // DeepSpeed's file, which a trainer's may name, hold or write.
  ImportedRun engine(const TrainingFile& f) {
    const tools::Tool* tool = job_.tools.find(name_of(f.format));
    if (tool == nullptr)
      throw std::logic_error("configs/tools has no " + std::string(name_of(f.format)));
    trainer::Facts facts(job_);
    tools::read_with(*tool, f.file, facts);
    return facts.finish(trainer::DeepSpeedFile::itself);
  }

  // The DeepSpeed file that a trainer's tool ships, where a run names it and does not give it.
  void take_shipped(const tools::Tool* tool, const trainer::Facts& facts) {
    const auto& named = facts.at(trainer::FactId::deepspeed);
    if (tool == nullptr || !named || !of_format(files_.training, ForeignFormat::deepspeed).empty())
      return;
    for (const tools::ShippedFile& f : tool->ships) {
      if (!named->setting.ends_with(f.name)) continue;
      Json document = Json::object();
      for (const auto& [setting, value] : tool->shipped_settings(f.name))
        set_at(document, setting, value);
      files_.training.push_back({{f.name, document.dump()}, ForeignFormat::deepspeed, tool});
      return;
    }
  }

  // A setting of such a file is a default of the tool that ships it.
  static void list_shipped(const tools::Tool& tool, ImportedRun& part) {
    const std::string why = base_name(part.file) + " of " + tool.title + " (" + tool.release +
                            "), whose file is not given";
    for (const ForeignSetting& leaf : flat_leaves(part.run))
      part.assumed.push_back({leaf.name, bare_text(leaf.value), why});
  }

  // All of Hugging Face's world is one part.
  void trainer() {
    trainer::Facts facts(job_);
    std::string names;
    std::optional<TrainingFile> first;
    for (const TrainingFile& f : in_order()) {
      if (facts.includes(f.file.name) || !read_trainer(f, facts)) continue;
      if (!first || !first->tool->trains) first = f;
      names += (names.empty() ? "" : ", ") + f.file.name;
    }
    if (!first) return;
    for (const TrainingFile& f : TrainingFiles(files_.training)) take_shipped(f.tool, facts);
    const bool deepspeed = !of_format(files_.training, ForeignFormat::deepspeed).empty();
    ImportedRun part =
        facts.finish(deepspeed ? trainer::DeepSpeedFile::beside : trainer::DeepSpeedFile::none);
    part.format = first->format;
    if (first->tool != nullptr) part.tool = first->tool->name;
    part.file = names;
    count_generating();
    pass_on(part);
    files_.parts.push_back(std::move(part));
  }

  ImportJob& job_;
  SortedFiles files_;
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
  if (job.from == ForeignFormat::tool && job.tools.find(job.from_tool) == nullptr)
    throw InputError("--from", "", brief(job.from_tool), "a tool of `orrery list tools`");
  // Files of some tools are read as a format's.
  if (job.from == ForeignFormat::tool) {
    const tools::Tool& tool = *job.tools.find(job.from_tool);
    const bool apart = tool.engine || !tool.speaks.empty();
    if (apart) job.from = find_name<ForeignFormat>(tool.format);
  }
  return Import(job).run();
}

std::string base_name(const std::string& path) { return path.substr(path.find_last_of("/\\") + 1); }

}  // namespace orrery
