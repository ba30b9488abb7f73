// SPDX-License-Identifier: Apache-2.0
#include "exchange/sorted_files.h"

#include <algorithm>

#include "core/json_path.h"
#include "exchange/other_tools.h"
#include "exchange/programs.h"
#include "exchange/recognise.h"
#include "exchange/text_lines.h"
#include "exchange/tools/inline_deepspeed.h"
#include "exchange/tools/tool.h"
#include "exchange/yaml.h"

namespace orrery {
namespace {

class Sorter {
 public:
  explicit Sorter(ImportJob& job) : job_(job) {}

  SortedFiles files() {
    for (ForeignFile& f : job_.files) {
      if (job_.from || !is_binary(f.text)) make_plain(f.text);
    }
    if (!job_.from) take_inner_files(job_, out_);
    for (const ForeignFile& f : job_.files) {
      if (!job_.from && is_of_another(f)) job_.scripts[base_name(f.name)] = f.text;
    }
    for (const ForeignFile& f : job_.files) {
      if (job_.scripts.count(base_name(f.name)) > 0) continue;
      if (job_.from) {
        out_.training.push_back({f, *job_.from, job_.tools.find(job_.from_tool)});
        continue;
      }
      const Recognised r = recognised(f);
      if (r.kind == FileKind::training) {
        out_.training.push_back({f, *r.format, r.tool});
        if (r.tool != nullptr) add_own_deepspeed();
        if (r.format == ForeignFormat::sbatch) add_started(f);
        if (r.tool != nullptr && contains(f.text, "#SBATCH"))
          out_.training.push_back({f, ForeignFormat::sbatch});
      } else if (r.kind == FileKind::machine) {
        out_.machine.push_back(f);
      } else if (r.kind == FileKind::model) {
        model(f);
      } else if (is_of_primus(f)) {
        out_.training.push_back({f, ForeignFormat::primus});
      } else if (!(r.looks == kFsdpConfig && is_named(f)) && !is_included(f) &&
                 (!is_script(f) || !add_started(f))) {
        refuse_kind(f, r);
      }
    }
    own_programs();
    return std::move(out_);
  }

 private:
  // A job's header is read beside a training, and not in place of one.
  void own_programs() {
    const auto is_header = [](const TrainingFile& f) { return f.format == ForeignFormat::sbatch; };
    std::vector<ForeignFile> others;
    for (const TrainingFile& f : out_.training) {
      if (!is_header(f)) others.push_back(f.file);
    }
    for (const TrainingFile& f : out_.training) {
      const auto same = [&](const ForeignFile& g) { return g.name == f.file.name; };
      const bool read = std::any_of(others.begin(), others.end(), same) ||
                        std::any_of(out_.started.begin(), out_.started.end(), same);
      if (!is_header(f) || job_.from || read) continue;
      for (const StartedProgram& p : started_programs(f.file, job_.scripts)) {
        if (others.empty()) refuse_program(f.file, p.name);
        if (!p.marked) continue;  // beside a training any command may prepare it
        ImportedRun part;
        part.ignored = unread_command(p, others);
        out_.add(f, std::move(part));
      }
    }
  }

  // By its content, or by the tool whose command starts it: a launcher's own file apart.
  Recognised recognised(const ForeignFile& f) const {
    const Recognised r = recognise(f, job_.tools);
    // Primus hands its files to another tool.
    if (r.tool != nullptr && is_of_primus(f)) return {FileKind::training, ForeignFormat::primus};
    const auto started = job_.started_tools.find(f.name);
    const bool launches = r.tool != nullptr && !r.tool->trains;
    if (started == job_.started_tools.end() || launches) return r;
    return {FileKind::training, ForeignFormat::tool, "", "", job_.tools.find(started->second)};
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
    const std::string own = tools::take_deepspeed(out_.training.back().file);
    if (own.empty()) return;
    out_.training.push_back({{out_.training.back().file.name, own}, ForeignFormat::deepspeed});
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
      out_.training.push_back({f, *r.format, r.tool});
      return true;
    }
    return false;
  }

  // True of a file that stands in place of a value of another one.
  bool is_included(const ForeignFile& f) const {
    return std::any_of(job_.files.begin(), job_.files.end(), [&](const auto& g) {
      return contains(g.text, kIncludes) && contains(g.text, base_name(f.name));
    });
  }

  // A config.json of Hugging Face, as it stands.
  void model(const ForeignFile& f) {
    ImportedRun part;
    part.file = f.name;
    part.run["model"] = parse_json(f.text, f.name);
    out_.parts.push_back(std::move(part));
  }

  ImportJob& job_;
  SortedFiles out_;
};

}  // namespace

SortedFiles sorted_files(ImportJob& job) { return Sorter(job).files(); }

}  // namespace orrery
