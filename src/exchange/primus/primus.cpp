// SPDX-License-Identifier: Apache-2.0
#include "exchange/primus/primus.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/error.h"
#include "core/json_path.h"
#include "core/limits.h"
#include "exchange/adapters.h"
#include "exchange/flat.h"
#include "exchange/hub_names.h"
#include "exchange/megatron/megatron.h"
#include "exchange/text_lines.h"
#include "exchange/tools/tool.h"
#include "exchange/yaml.h"

namespace orrery::primus {
namespace {

std::string text_at(const Json& j, const char* key) {
  return j.contains(key) && j[key].is_string() ? j[key].get<std::string>() : "";
}

const tools::Tool& own_tool(const tools::ToolBook& tools) {
  const tools::Tool* own = tools.find("primus");
  if (own == nullptr) throw std::logic_error("configs/tools has no primus");
  return *own;
}

class PrimusReading {
 public:
  PrimusReading(const std::vector<ForeignFile>& files, const tools::ToolBook& tools,
                NamedSettings& out)
      : spoken_(megatron::own_tool(tools)), own_(own_tool(tools)), out_(out) {
    for (const ForeignFile& f : files) {
      Json document = read_yaml(f.text, f.name);
      std::vector<TakenDefault> defaults;
      follow_references(document, &defaults);
      for (const TakenDefault& d : defaults) assume(d);
      documents_.push_back({f.name, std::move(document), false});
    }
  }

  void read() {
    const Document* experiment = nullptr;
    for (Document& d : documents_) {
      if (!d.json.contains("modules")) continue;
      if (experiment != nullptr)
        throw InputError(d.name, "modules", "a second experiment beside " + experiment->name,
                         "one file with modules, and those it names");
      experiment = &d;
      modules(d);
    }
    if (experiment != nullptr) {
      list_shipped();
      adapter();
      return refuse_unnamed();
    }
    // Files alone, without one that includes them.
    for (Document& d : documents_) {
      if (d.used) continue;
      // A whole file of torchtitan's tables, as torchforge has them.
      const bool tables = d.json.contains("parallelism") && d.json.contains("training");
      if (tables) out_.tool = "torchtitan";
      if (!tables) unknown_defaults("the file of modules");
      layer(d, 0);
    }
    list_shipped();
    adapter();
  }

 private:
  struct Document {
    std::string name;
    Json json;
    bool used;
  };

  // A variable's default is a choice that the environment of the run may change.
  void assume(const TakenDefault& d) {
    const std::string key = d.path.substr(d.path.rfind('.') + 1);
    const bool names = begins_with(d.path, "modules.") && (key == "model" || key == "config");
    if (!names && !tools::key_of(spoken_, key) && !moves_a_number(key)) return;
    out_.assumed.push_back(
        {d.name, d.value, "its default for " + key + "; no script given sets it"});
  }

  // Where they stand between the defaults and the model, only the file that names them says.
  void refuse_unnamed() {
    std::string missing;
    for (const std::string& name : missing_) missing += (missing.empty() ? "" : ", ") + name;
    for (const Document& d : documents_) {
      if (d.used) continue;
      out_.left.push_back(
          {d.name, "is named by no file given" + (missing.empty() ? "" : "; not given: " + missing),
           "", true});
    }
  }

  void modules(Document& d) {
    d.used = true;
    for (const auto& [name, module] : d.json["modules"].items()) {
      if (!module.is_object()) continue;
      const std::string framework = text_at(module, "framework");
      if (framework == "torchtitan") out_.tool = framework;
      if (!framework.empty() && framework != "megatron" && framework != "torchtitan") {
        throw InputError(d.name, "modules." + name + ".framework", "\"" + framework + "\"",
                         "megatron or torchtitan");
      }
      module_of(d, module, "modules." + name);
      name_others(d, module, name);
      return;
    }
  }

  // Members of the experiment and of its module that are no setting of the training.
  void name_others(const Document& d, const Json& read, const std::string& name) {
    constexpr std::string_view kOfExperiment =
        "work_group user_name exp_name workspace exp_meta_info platform framework config model "
        "overrides name modules env";
    const std::vector<std::string_view> known = fields_of(kOfExperiment, ' ');
    const auto list = [&](const Json& members, const std::string& path) {
      for (const auto& [key, value] : members.items()) {
        if (std::find(known.begin(), known.end(), key) != known.end()) continue;
        out_.left.push_back({path + key, "no member of an experiment", "", value.is_structured()});
      }
    };
    list(d.json, "");
    list(read, "modules." + name + ".");
    for (const auto& [key, value] : d.json["modules"].items()) {
      if (key != name)
        out_.left.push_back({"modules." + key, "a second module beside " + name, "", true});
    }
  }

  void module_of(const Document& d, const Json& module, const std::string& path) {
    defaults(text_at(module, "config"), path + ".config");
    model(text_at(module, "model"), path + ".model");
    if (module.contains("overrides")) add(module["overrides"], d.name, path + ".overrides.");
  }

  void defaults(const std::string& name, const std::string& path) {
    if (name.empty()) return;
    if (include(name, 0)) return;
    missing_.push_back(base_name(name));
    if (!take_shipped(base_name(name))) unknown_defaults(path + " " + name);
  }

  // Primus's own file of that name, and the one it goes over; whether there is one.
  bool take_shipped(const std::string& name) {
    const auto known = std::find_if(own_.ships.begin(), own_.ships.end(),
                                    [&](const tools::ShippedFile& f) { return f.name == name; });
    if (known == own_.ships.end() || !out_.tool.empty()) return false;
    if (!known->over.empty() && !include(known->over, 0)) take_shipped(known->over);
    for (const auto& [setting, value] : known->settings)
      out_.settings.add({setting, setting, value, own_.release});
    return true;
  }

  // Defaults that nothing of the run goes over.
  void list_shipped() {
    for (const ForeignSetting& s : out_.settings.all()) {
      if (s.file != own_.release) continue;
      out_.assumed.push_back({tools::key_of(spoken_, s.name).value_or(s.name), bare_text(s.value),
                              s.name + " of " + own_.release + ", whose file is not given"});
    }
  }

  // A model of ours by its name, where its file is not given.
  void model(const std::string& name, const std::string& path) {
    if (name.empty() || include(name, 0)) return;
    missing_.push_back(base_name(name));
    out_.model = shipped_model(name.substr(0, name.rfind(".yaml")));
    if (!out_.model.empty()) {
      take_shipped("language_model.yaml");
      return;
    }
    out_.left.push_back(
        {path + " " + name, "is not given; give it too, or --model", "model", true});
  }

  void unknown_defaults(const std::string& what) {
    if (!out_.other_defaults.empty()) return;
    out_.other_defaults = "the default is in " + what + ", which is not given";
  }

  bool include(const std::string& name, int depth) {
    for (Document& d : documents_) {
      if (d.json.contains("modules") || base_name(d.name) != base_name(name)) continue;
      layer(d, depth);
      return true;
    }
    return false;
  }

  // The files that this one extends, then its own keys.
  void layer(Document& d, int depth) {
    if (depth > kDeepestNesting) {
      throw InputError(d.name, "extends", "files that extend each other", "at most 64 levels");
    }
    d.used = true;
    for (const std::string_view name : kReferences) {
      const std::string key(name);
      if (!d.json.contains(key)) continue;
      const Json& list = d.json[key];
      for (const Json& each : list.is_array() ? list : Json::array({list})) {
        if (each.is_string()) base(d, each.get<std::string>(), depth);
      }
    }
    add(d.json, d.name, "");
  }

  void base(const Document& d, const std::string& name, int depth) {
    if (include(name, depth + 1)) return;
    missing_.push_back(base_name(name));
    const std::string ours = shipped_model(name.substr(0, name.rfind(".yaml")));
    if (!ours.empty()) {
      out_.model = ours;
    } else if (!take_shipped(base_name(name))) {
      unknown_defaults(base_name(d.name) + "'s " + name);
    }
  }

  // Keys by which a file names those that it goes over.
  static constexpr std::array<std::string_view, 5> kReferences = {"extends", "includes", "include",
                                                                  "bases", "base"};

  static bool is_reference(std::string_view key) {
    return std::find(kReferences.begin(), kReferences.end(), key) != kReferences.end();
  }

  // `lora` of the trainer for fine-tuning. A later file goes over an earlier one key by key; other
  // objects are named leaf by leaf.
  void object(const std::string& key, const Json& value, const std::string& file,
              const std::string& path) {
    if (key == "lora" || key == "peft") return merge_over(adapter_[key], value);
    for (ForeignSetting& s : flat_leaves(value, key)) {
      s.file = file;
      s.written = path + s.written;
      out_.settings.add(std::move(s));
    }
  }

  void adapter() {
    for (const auto& [key, value] : adapter_.items()) {
      if (value_at(value, "enabled") == false) {
        out_.without_effect.push_back(key + " (off)");
        continue;
      }
      Json lora = value;
      const Json kind = key == "peft" ? value_at(value, "type") : Json(key);
      if (!lora.contains("_target_")) lora["_target_"] = kind;
      const auto read = read_megatron_adapter(lora, key, out_.left, out_.without_effect);
      if (read) out_.adapter = *read;
    }
  }

  void add(const Json& keys, const std::string& file, const std::string& path) {
    if (!keys.is_object()) return;
    for (const auto& [key, value] : keys.items()) {
      if (value.is_null() && key == "recompute_granularity") {
        out_.settings.add({key, path + key, "none", file});
      } else if (value.is_null()) {
        out_.settings.remove(key);
      } else if (!out_.tool.empty()) {
        for (ForeignSetting& s : flat_leaves(value, key)) {
          s.file = file;
          out_.settings.add(std::move(s));
        }
      } else if (value.is_object()) {
        object(key, value, file, path);
      } else if (!is_reference(key)) {
        out_.settings.add({key, path + key, value, file});
      }
    }
  }

  const tools::Tool& spoken_;
  const tools::Tool& own_;
  NamedSettings& out_;
  std::vector<Document> documents_;
  std::vector<std::string> missing_;  // files that are named and not given
  Json adapter_ = Json::object();
};

}  // namespace

NamedSettings read_named(const std::vector<ForeignFile>& files, const tools::ToolBook& tools) {
  NamedSettings out{Settings(files.front().name)};
  PrimusReading(files, tools, out).read();
  return out;
}

}  // namespace orrery::primus
