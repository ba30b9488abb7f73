// SPDX-License-Identifier: Apache-2.0
#include "report/foreign_text.h"

#include <algorithm>
#include <array>

#include "core/json_path.h"
#include "core/one_line.h"
#include "document/words.h"
#include "estimate/origins.h"
#include "estimate/run.h"
#include "estimate/training_keys.h"
#include "exchange/assumptions.h"
#include "hardware/cluster_keys.h"
#include "parallel/strategy_keys.h"
#include "report/frame_json.h"

namespace orrery {
namespace {

std::string comment(const std::string& mark, const std::string& text) {
  return mark + " " + one_line(text) + "\n";
}

// The run as a person writes it: short objects in one line, long lists an item a line.
std::string laid_out(const Json& run) {
  const auto text_of = [](const Json& j) {
    return j.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string text = "{\n";
  for (const auto& [key, value] : run.items()) {
    text += (text.size() > 2 ? ",\n  " : "  ") + Json(key).dump() + ": ";
    if (key != "assumed") {
      text += text_of(value);
      continue;
    }
    std::string items;
    for (const Json& item : value) items += (items.empty() ? "[\n    " : ",\n    ") + text_of(item);
    text += items + "\n  ]";
  }
  return text + "\n}\n";
}

Json left_over_json(const ImportedRun& r, bool is_refused) {
  Json list = Json::array();
  for (const LeftOver& l : r.ignored) {
    if (l.is_refused != is_refused) continue;
    list.push_back({{"setting", l.setting}, {"why", l.why}});
    if (!l.key.empty()) list.back()["key"] = l.key;
  }
  return list;
}

constexpr std::size_t kMostNamed = 4;

// The keys that a person looks for first, and their words.
struct HeadKey {
  const char* path;
  const char* word;
};
constexpr std::array kHead = {HeadKey{"model.num_hidden_layers", "layers"},
                              HeadKey{"model.hidden_size", "width"},
                              HeadKey{"framework", ""},
                              HeadKey{key_path<&ClusterRequest::node>, ""},
                              HeadKey{key_path<&ClusterRequest::gpus>, "GPUs"},
                              HeadKey{key_path<&TrainingRequest::sequence_length>, "tokens"},
                              HeadKey{key_path<&TrainingRequest::global_batch>, "global batch"},
                              HeadKey{key_path<&TrainingRequest::micro_batch>, "micro batch"},
                              HeadKey{key_path<&TrainingRequest::precision>, ""},
                              HeadKey{key_path<&StrategyRequest::tp>, "tp"},
                              HeadKey{key_path<&StrategyRequest::pp>, "pp"},
                              HeadKey{key_path<&StrategyRequest::cp>, "cp"},
                              HeadKey{key_path<&StrategyRequest::ep>, "ep"},
                              HeadKey{key_path<&StrategyRequest::zero>, "zero"},
                              HeadKey{key_path<&StrategyRequest::recompute>, "recompute"}};

// The tool of the settings; a model or a machine alone is no tool's.
std::string origin_of(const ImportedRun& r) {
  if (!r.tool.empty()) return r.tool;
  if (r.is_training) return tool_of(r.format);
  return value_at(r.run, "model").is_null() ? "a machine" : "a model's config.json";
}

std::string taken_line(const ImportedRun& r) {
  std::string text;
  for (const HeadKey& k : kHead) {
    const Json& value = value_at(r.run, k.path);
    if (value.is_null() || is_assumed(r.assumed, k.path)) continue;
    const std::string word = k.word;
    text += (text.empty() ? "" : ", ") + (word.empty() ? "" : word + " ") +
            shortened(bare_text(value), 40);
  }
  return "taken from " + r.file + " (" + origin_of(r) + ")" + (text.empty() ? "" : ": " + text);
}

std::string words_of(const Fact& a) {
  return a.path + " " + shortened(a.value, 40) + " (" + a.why + ")";
}

// Keys that move the answer most stand first.
constexpr std::array kDecisive = {key_path<&StrategyRequest::zero>,
                                  key_path<&TrainingRequest::states>,
                                  key_path<&ClusterRequest::gpus>,
                                  key_path<&StrategyRequest::recompute>,
                                  key_path<&TrainingRequest::precision>,
                                  key_path<&TrainingRequest::adapter>,
                                  key_path<&TrainingRequest::micro_batch>,
                                  key_path<&TrainingRequest::global_batch>,
                                  key_path<&TrainingRequest::sequence_length>};

// The user's own words come last.
std::size_t place_of(const Fact& a) {
  if (a.why == "--assume") return kDecisive.size() + 2;
  const auto found = std::find_if(kDecisive.begin(), kDecisive.end(),
                                  [&](const char* key) { return a.path == key; });
  if (found != kDecisive.end()) return static_cast<std::size_t>(found - kDecisive.begin());
  return kDecisive.size() + (a.path.starts_with("model.") ? 0 : 1);
}

std::vector<Fact> decisive_first(std::vector<Fact> assumed) {
  std::stable_sort(assumed.begin(), assumed.end(),
                   [](const Fact& a, const Fact& b) { return place_of(a) < place_of(b); });
  return assumed;
}

std::string assumed_line(const ImportedRun& r) {
  std::string text = "assumed:";
  std::size_t n = 0;
  for (const Fact& a : decisive_first(r.assumed)) {
    if (n++ == kMostNamed) break;
    text += (n > 1 ? ", " : " ") + words_of(a);
  }
  const std::size_t rest = r.assumed.size() - std::min(n, r.assumed.size());
  return one_line(text + (rest > 0 ? ", and more: all " + std::to_string(r.assumed.size()) +
                                         " stand in its `assumed`"
                                   : ""));
}

}  // namespace

std::vector<std::string> origin_lines(const ImportedRun& r) {
  std::vector<std::string> lines = {taken_line(r)};
  if (!r.assumed.empty()) lines.push_back(assumed_line(r));
  return lines;
}

std::vector<std::string> import_summary(const ImportedRun& r) {
  std::vector<std::string> lines = origin_lines(r);
  if (!r.without_effect.empty())
    lines.push_back("without effect: " +
                    counted(static_cast<std::int64_t>(r.without_effect.size()), "setting") +
                    "; --json lists them");
  return lines;
}

std::string imported_text(const ImportedRun& r) {
  Json run = r.run;
  if (!r.assumed.empty()) run["assumed"] = facts_json(r.assumed);
  return laid_out(run);
}

// A flag that says what a setting without a key may mean; "" where there is none.
static std::string flag_instead(const std::string& setting) {
  struct Instead {
    std::string_view part;
    const char* flag;
  };
  constexpr std::array kInstead = {
      Instead{"lora", "--lora RANK"}, Instead{"recompute", "--recompute full"},
      Instead{"gradient_checkpointing", "--recompute full"},
      Instead{"galore", "--optimizer galore"}, Instead{"deepspeed", "--zero STAGE"}};
  for (const Instead& i : kInstead) {
    if (setting.find(i.part) != std::string::npos) return std::string(i.flag) + " beside ";
  }
  return "";
}

// A name with signs of the shell stands in quotes.
static std::string assumption(const std::string& name, const std::string& value) {
  const bool is_plain = name.find_first_of(" $()'\"`&;|<>*?") == std::string::npos;
  return "--assume " + (is_plain ? name + "=" + value : "'" + name + "=" + value + "'");
}

std::string refusal_line(const LeftOver& l) {
  // A setting may stand behind its file: "ds.yaml: zero_stage 2".
  const std::size_t file = l.setting.find(": ");
  const std::string setting = file < l.setting.find(' ') ? l.setting.substr(file + 2) : l.setting;
  const std::string name = l.key.empty() ? name_of_setting(setting) : l.key;
  const std::string key =
      l.key.empty() || l.key == l.setting ? "" : " (" + l.key + " is left open)";
  const std::string flag = flag_of_key(l.key);
  const std::string own = l.key.empty() ? flag_instead(name) : "";
  return one_line(l.setting + ": " + l.why + key + "; " +
                  (flag.empty() ? "" : flag + " VALUE, or ") + own +
                  (l.key == key_path<&TrainingRequest::adapter> ? "--lora RANK, or " : "") +
                  assumption(name, l.key.empty() ? "none" : "VALUE"));
}

// A setting of which something is known, but no value of a key, is noted.
static std::string left_line(const LeftOver& l) {
  const char* label = l.why == kNoKeyOfRun ? "not understood: " : "noted: ";
  return label + l.setting + " (" + l.why + ")";
}

std::vector<std::string> import_warnings(const ImportedRun& r, const std::string& keys) {
  std::vector<std::string> lines;
  const auto n = std::count_if(r.ignored.begin(), r.ignored.end(),
                               [](const LeftOver& l) { return !l.is_refused; });
  for (const LeftOver& l : r.ignored) {
    if (!l.is_refused && lines.size() < kMostNamed)
      lines.push_back(one_line(r.file + ": " + left_line(l)));
  }
  if (n > static_cast<std::ptrdiff_t>(kMostNamed))
    lines.push_back(r.file + ": " + std::to_string(n) +
                    " not understood or noted; --json lists them");
  std::vector<std::string> missing = missing_keys(r.run);
  std::erase_if(missing, [&](const std::string& key) {
    const bool asked = std::any_of(r.ignored.begin(), r.ignored.end(),
                                   [&](const LeftOver& l) { return l.is_refused && l.key == key; });
    return asked || !key.starts_with(keys);
  });
  if (!missing.empty()) lines.push_back(r.file + ": still missing: " + joined(missing, ", "));
  return lines;
}

static std::string name_of_tool(const ImportedRun& r) {
  if (!r.is_training && r.tool.empty())
    return value_at(r.run, "model").is_null() ? "machine" : "model";
  return r.tool.empty() ? std::string(name_of(r.format)) : r.tool;
}

Json imported_json(const ImportedRun& r) {
  Json j = {{"format", name_of_tool(r)}, {"file", r.file}, {"run", r.run}};
  j["refused"] = left_over_json(r, true);
  j["not_understood"] = left_over_json(r, false);
  j["assumed"] = facts_json(r.assumed);
  j["without_effect"] = r.without_effect;
  j["missing"] = missing_keys(r.run);
  return versioned(std::move(j));
}

bool has_comments(ForeignFormat format) { return format != ForeignFormat::deepspeed; }

std::string not_expressed_line(ForeignFormat format, const NotExpressed& n) {
  return "no equivalent in " + std::string(tool_of(format)) + ": " + n.path + " = " +
         shortened(bare_text(n.value), 60);
}

// Names what a tool needs and a run file has no key for; "" where its file needs nothing.
constexpr EnumArray<ForeignFormat, const char*> kToAdd = {
    "--tokenizer-type and its model, --train-iters, --lr, --data-path",
    "",
    "--training.steps, --training.dataset, --model.hf_assets_path, --optimizer.lr",
    "training.steps, training.dataset, model.hf_assets_path, optimizer.lr",
    "what the recipe does not say of tokenizer, dataset, train.train_iters and scheduler",
    "",
    "",
    "",
    "",
    "",
    ""};

// The base of rotary positions, where the run does not say it.
static std::string base_to_add(ForeignFormat format, const std::string& text) {
  if (text.find("rotary") != std::string::npos) return "";
  if (format == ForeignFormat::megatron) return "--rotary-base (10000 without it), ";
  return format == ForeignFormat::bridge ? "model.rotary_base, " : "";
}

std::string exported_text(ForeignFormat format, const ExportedRun& exported) {
  if (!has_comments(format)) return exported.text;
  // A script keeps its first line: "#!/bin/bash".
  const bool script = exported.text.starts_with("#!");
  const std::size_t head = script ? exported.text.find('\n') + 1 : 0;
  std::string text = exported.text.substr(0, head);
  for (const NotExpressed& n : exported.not_expressed)
    text += comment("#", not_expressed_line(format, n));
  const std::string to_add = base_to_add(format, exported.text) + kToAdd[format];
  if (!to_add.empty()) text += comment("#", "to add, as a run file has no key for it: " + to_add);
  return text + exported.text.substr(head);
}

Json exported_json(ForeignFormat format, const ExportedRun& exported) {
  Json j = {{"format", name_of(format)}, {"text", exported.text}};
  j["not_said"] = json_list(exported.not_expressed, [&](const NotExpressed& n) -> Json {
    return {{"path", n.path}, {"value", n.value}};
  });
  return versioned(std::move(j));
}

}  // namespace orrery
