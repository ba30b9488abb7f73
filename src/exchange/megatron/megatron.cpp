// SPDX-License-Identifier: Apache-2.0
#include "exchange/megatron/megatron.h"

#include <algorithm>
#include <cctype>

#include "core/json_path.h"
#include "estimate/run.h"
#include "exchange/arguments.h"
#include "exchange/megatron/names.h"
#include "exchange/programs.h"
#include "exchange/several_runs.h"
#include "exchange/shell/cursor.h"
#include "exchange/shell/shell.h"
#include "exchange/text_lines.h"
#include "exchange/yaml.h"

namespace orrery::megatron {
namespace {

constexpr std::string_view kBegin = "- arguments -";
constexpr std::string_view kEnd = "- end of arguments -";
constexpr const char* kVariables[] = {"WORLD_SIZE"};

// "None", "True", "8", "['core_attn', 'mlp']", "torch.bfloat16" as Python prints them.
Json python_value(std::string_view text) {
  if (text == "True") return true;
  if (text == "False") return false;
  const bool list = text.size() >= 2 && text.front() == '[' && text.back() == ']' &&
                    text.find('*') == std::string_view::npos;
  if (!list) return std::string(text);
  Json values = Json::array();
  for (std::string_view field : fields_of(text.substr(1, text.size() - 2), ',')) {
    const bool quoted = field.size() >= 2 && (field.front() == '\'' || field.front() == '"');
    if (quoted) field = field.substr(1, field.size() - 2);
    if (!field.empty()) values.push_back(std::string(field));
  }
  return values.empty() ? Json("None") : values;
}

// "  tensor_model_parallel_size ...................... 8", whatever the log puts before it.
void add_line(std::string_view line, Settings& settings) {
  const std::size_t dots = line.find(" ...");
  if (dots == std::string_view::npos) return;
  const std::size_t start = line.find_last_of(" \t", dots == 0 ? 0 : dots - 1);
  const std::string name(line.substr(start == std::string_view::npos ? 0 : start + 1,
                                     dots - (start == std::string_view::npos ? 0 : start + 1)));
  const std::size_t value = line.find_first_not_of('.', dots + 1);
  if (value == std::string_view::npos || name.empty()) return;
  const std::size_t first = line.find_first_not_of(' ', value);
  const std::string_view text = first == std::string_view::npos ? "" : line.substr(first);
  if (text.empty() || text == "None") return;
  settings.add({name, name, python_value(text)});
}

Settings settings_of_log(std::string_view text, const std::string& file) {
  Settings settings(file);
  const std::size_t begin = text.find(kBegin);
  for (const std::string_view line : lines_of(text.substr(begin + kBegin.size()))) {
    if (line.find(kEnd) != std::string_view::npos) break;
    add_line(line, settings);
  }
  return settings;
}

// MODEL_ARGS of a functional test of Megatron-LM (tests/functional_tests), as words of a command:
// `--swiglu: true` is a flag, `--recompute-modules: "[a b]"` has two values.
std::vector<std::string> words_of_test(const Json& arguments) {
  std::vector<std::string> words;
  for (const auto& [name, value] : arguments.items()) {
    if (value.is_null() || value == false) continue;
    words.push_back(name);
    if (value == true) continue;
    if (value.is_array()) {
      for (const Json& each : value) words.push_back(bare_text(each));
      continue;
    }
    std::string text = bare_text(value);
    if (text.size() > 1 && text.front() == '[' && text.back() == ']')
      text = text.substr(1, text.size() - 2);
    for (const std::string_view word : orrery::words_of(text)) words.emplace_back(word);
  }
  return words;
}

NamedSettings settings_of_test(const ForeignFile& file) {
  const Json document = read_yaml(file.text, file.name);
  const Json& arguments = value_at(document, "MODEL_ARGS");
  NamedSettings named{settings_of_words(words_of_test(arguments), file.name)};
  if (const char* why = other_program("", named.settings))
    named.left.push_back({"MODEL_ARGS", why, "model", true});
  return named;
}

// A setting of a branch that may be taken, unless the script sets the same value anyway.
void add_doubt(const ShellDoubt& doubt, const ForeignSetting& s, NamedSettings& named) {
  Settings one(named.settings.file());
  one.add(s);
  rename_settings(one);
  if (one.all().empty()) return;
  const ForeignSetting& renamed = one.all().front();
  const std::string_view key = key_of_setting(renamed.name);
  for (const ForeignSetting& known : named.settings.all()) {
    if (known.name == s.name && known.value == s.value) return;
  }
  const std::string where = "line " + std::to_string(doubt.line) + ": whether this branch (" +
                            doubt.condition + ") is taken, only the shell knows";
  const bool harmless = ImportDraft{Settings(""), kWithoutEffect}.is_without_effect(renamed.name);
  if (harmless) return;
  if (!key.empty()) named.settings.remove(s.name);
  const bool is_refused = !key.empty() || moves_a_number(renamed.name);
  named.left.push_back({text_of(renamed), where, std::string(key), is_refused});
}

// "model.tensor_model_parallel_size=4", "+trainer.max_steps=5": Hydra's.
bool is_override(const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::size_t first = word.find_first_not_of("+~");
  const std::string name = word.substr(0, equals);
  return equals != std::string::npos && first < equals &&
         std::isalpha(static_cast<unsigned char>(word[first])) != 0 &&
         name.find('.') != std::string::npos &&
         name.find_first_of("/:$-", first) == std::string::npos;
}

// "model.tensor_model_parallel_size" of "+model.tensor_model_parallel_size=4".
std::string path_of_override(const std::string& word) {
  const std::size_t first = word.find_first_not_of("+~");
  return word.substr(first, word.find('=') - first);
}

std::string_view key_of_override(const ForeignSetting& s) {
  Settings one("");
  one.add({s.name.substr(s.name.rfind('.') + 1), s.written, s.value});
  rename_settings(one);
  return one.all().empty() ? std::string_view() : key_of_setting(one.all().front().name);
}

// Overrides of a configuration that is not given; those in which several commands differ are open.
void add_overrides(const ShellRun& run, NamedSettings& named) {
  std::vector<Settings> each;
  std::vector<std::size_t> lines;
  Settings all(named.settings.file());
  for (const ShellCommand& c : run.commands) {
    const std::vector<std::string> words = orrery::words_of(run, c);
    Settings own(named.settings.file());
    for (std::size_t i = place_of_python(words) + 1; i < words.size(); ++i) {
      if (!is_override(words[i])) continue;
      const std::string path = path_of_override(words[i]);
      own.add({path, path, words[i].substr(words[i].find('=') + 1)});
      named.overrides.push_back(words[i]);
    }
    if (own.all().empty()) continue;
    all.add_all(own);
    each.push_back(std::move(own));
    lines.push_back(c.line);
  }
  if (each.empty()) return;
  named.other_defaults = "the configuration that its overrides change is not given";
  std::vector<OneRun> runs;
  for (std::size_t i = 0; i < each.size(); ++i) runs.push_back({&each[i], lines[i]});
  const auto is_harmless = [](const ForeignSetting& s) {
    return key_of_override(s).empty() && !moves_a_number(s.name);
  };
  const auto left = take_differing(runs, {key_of_override, is_harmless}, all);
  named.left.insert(named.left.end(), left.begin(), left.end());
  std::erase_if(named.overrides,
                [&](const std::string& w) { return !all.has(path_of_override(w)); });
}

// Words behind the program that may be more arguments: "$MORE", "$(python3 more.py)". "$@" and "$1"
// are what the user adds.
void add_unknown_words(const ShellRun& run, NamedSettings& named) {
  bool behind = false;
  bool value = false;  // of the argument before
  for (const std::string& w : run.words) {
    const bool argument = begins_with(w, "--");
    const bool program = w.ends_with(".py");
    const bool unknown = behind && !value && !program && w.size() > 1 && w[0] == '$';
    if (w == ";") behind = false;
    if (w == "-m" || program) behind = true;
    std::string name = argument ? w.substr(2) : "";
    std::replace(name.begin(), name.end(), '-', '_');
    value = argument && w.find('=') == std::string::npos &&
            std::find(kFlags.begin(), kFlags.end(), name) == kFlags.end();
    if (!unknown) continue;
    const std::size_t begin = w[1] == '{' ? 2 : 1;
    const std::string variable = w.substr(begin, shell::end_of_name(w, begin) - begin);
    const bool computed = w[1] == '(';
    if (!computed && (variable.empty() || std::isdigit(static_cast<unsigned char>(variable[0]))))
      continue;
    // The branch of a doubted variable reports the values that it may have.
    if (std::find(run.doubted.begin(), run.doubted.end(), variable) != run.doubted.end()) continue;
    const bool assigned = computed || run.variables.count(variable) > 0;
    const std::string why = assigned ? "arguments that only the shell knows"
                            : run.sources.empty()
                                ? "is not set in this file: taken as no arguments"
                                : "is set elsewhere, perhaps in " + run.sources.front();
    const std::string setting = computed ? w : "$" + variable;
    if (std::any_of(named.left.begin(), named.left.end(),
                    [&](const LeftOver& l) { return l.setting == setting; }))
      continue;
    named.left.push_back({setting, why, "", assigned || !run.sources.empty()});
  }
}

bool is_log(std::string_view text) { return text.find(kBegin) != std::string_view::npos; }

// A model of ours by its name, from the files or the command line.
void read_name(const std::string& name, const ImportJob& job, ImportDraft& d) {
  if (!name.empty()) d.assume_model(name, "by the name of the file's model");
  const Json& model = d.at("model").is_string() ? d.at("model") : value_at(d.given, "model");
  if (job.lookup == nullptr || model.is_null()) return;
  d.layers_of_named = layers_of_model({{"model", model}}, *job.lookup);
  d.experts_of_named = !name.empty() && has_experts({{"model", model}}, *job.lookup);
}

// Trainings of Megatron-LM and its forks that have a second model, or generate.
void second_model(ImportDraft& d) {
  for (const char* name : {"kd", "mos", "perform_rl_step"}) {
    if (d.is_on(name))
      d.refuse(d.settings.written(name), "a training with a second model or with generation");
  }
}

// A checkpoint's own model goes over these settings, and its defaults are not Megatron-LM's. A file
// of the model's arguments says all of the model, whatever command takes it.
void read_own_model(ImportDraft& d, bool is_fragment) {
  const std::string others = d.other_defaults;
  if (is_fragment && d.settings.has("num_layers")) d.other_defaults.clear();
  if (d.is_on("use_checkpoint_args") && others.empty())
    d.other_defaults = "the checkpoint says it, with --use-checkpoint-args";
  read_model_of(d);
  d.other_defaults = others;
}

// The vocabulary of the model that the tokenizer is named after, unless a setting says it.
void read_tokenizer(const ImportJob& job, ImportDraft& d) {
  const auto name = d.settings.word("tokenizer_model");
  if (!name || job.lookup == nullptr || d.is_open("model") || !d.at("model.vocab_size").is_null())
    return;
  const std::int64_t n = vocabulary_of_tokenizer(*name, *job.lookup);
  if (n == 0) return;
  d.note("model.vocab_size", std::to_string(n),
         "the vocabulary of the model that tokenizer " + *name + " is named after");
  d.set("model.vocab_size", n);
}

// Offload and precision are unknown without DeepSpeed's file.
void read_deepspeed_config(const ImportJob& job, const std::vector<ForeignFile>& own,
                           ImportDraft& d) {
  const auto named = d.settings.word("deepspeed_config");
  const bool deepspeed = d.is_on("deepspeed");
  if (!named || *named == "None" || !deepspeed) return;
  const auto same = [&](const ForeignFile& f) { return base_name(f.name) == base_name(*named); };
  if (std::any_of(job.files.begin(), job.files.end(), same)) return;
  if (std::any_of(own.begin(), own.end(), same)) return;
  d.refuse(d.settings.written("deepspeed_config"),
           "is not given; what it says of offload and of states is unknown; give it too");
}

// Positions that are no table of the model have no size.
void read_positions(ImportDraft& d) {
  const Json& kind = d.at("model.position_embedding");
  if (kind.is_null() || kind == "learned") return;
  std::erase_if(d.out.ignored, [&](const LeftOver& l) {
    if (l.key != "model.max_position_embeddings") return false;
    d.out.without_effect.push_back(l.setting);
    return true;
  });
}

void read_framework(ImportDraft& d) {
  const bool deepspeed = d.is_on("deepspeed");
  const bool primus = d.out.format == ForeignFormat::primus;
  const char* name = deepspeed ? "megatron-deepspeed"
                     : primus  ? "megatron-core-rocm"
                               : "megatron-core";
  d.note("framework", name, deepspeed ? "--deepspeed" : "--framework takes another profile");
  d.set("framework", name);
}

}  // namespace

std::string_view key_of_setting(std::string_view name) {
  for (const std::span<const NameRow> rows :
       {std::span<const NameRow>(kModelRows), std::span<const NameRow>(kExpertRows),
        std::span<const NameRow>(kLatentRows), std::span<const NameRow>(kTrainingRows),
        std::span<const NameRow>(kParallelRows), std::span<const NameRow>(kSwitchRows)}) {
    for (const NameRow& row : rows) {
      if (row.theirs == name) return row.ours;
    }
  }
  for (const Rename& r : kOtherKeys) {
    if (r.theirs == name) return r.ours;
  }
  return "";
}

NamedSettings read_named(const ForeignFile& file, const ShellFiles& scripts) {
  NamedSettings named{is_log(file.text) ? settings_of_log(file.text, file.name)
                                        : Settings(file.name)};
  if (is_log(file.text)) return named;
  if (begins_as_yaml(file.text) && contains(file.text, "MODEL_ARGS:"))
    return settings_of_test(file);
  ShellRun run = run_shell(file.text, file.name, {}, scripts);
  named = settings_of_script(run, file.name);
  named.included = run.included;
  for (const char* name : kVariables) {
    const std::string value = shell_value(run.variables, name);
    // A launcher sets its own.
    const bool launcher = named.settings.has("nproc_per_node") && is_unknown_to_us(value);
    if (!value.empty() && !launcher && !named.settings.has(name))
      named.settings.add({name, name, value});
  }
  for (const ShellDoubt& doubt : run.doubts) {
    const Settings settings = settings_of_words(doubt.words, file.name);
    for (const ForeignSetting& s : settings.all()) add_doubt(doubt, s, named);
  }
  add_overrides(run, named);
  add_unknown_words(run, named);
  for (ShellDocument& d : run.documents) {
    if (first_character(d.text) == '{')
      named.files.push_back({d.target.empty() ? file.name : d.target, d.text});
  }
  return named;
}

void rename_settings(Settings& settings) {
  Settings renamed(settings.file());
  for (ForeignSetting s : settings.all()) {
    const auto found = std::find_if(kRenames.begin(), kRenames.end(),
                                    [&](const Rename& r) { return r.theirs == s.name; });
    if (found != kRenames.end()) s.name = found->ours;
    if (s.value == "None" || s.value == "null") continue;
    if (s.value.is_array() && s.value.size() == 1) s.value = Json(s.value[0]);
    // Older switches of fp8 are flags.
    if ((s.name == "fp8_format" || s.name == "fp4_format") && s.value == false) continue;
    if (s.name == "fp8_format" && (s.value.is_null() || s.value == true)) s.value = "hybrid";
    // Megatron-DeepSpeed's dense models have one expert.
    if (s.name == "num_experts" && (s.value == "1" || s.value == 1)) continue;
    const bool flag = std::find(kFlags.begin(), kFlags.end(), s.name) != kFlags.end();
    if (flag && is_unknown_to_us(s.value)) s.value = Json();
    renamed.add(std::move(s));
  }
  settings = std::move(renamed);
}

ImportedRun import_named(NamedSettings named, ForeignFormat format, ImportJob& job) {
  rename_settings(named.settings);
  ImportDraft d{
      std::move(named.settings),      kWithoutEffect, kNotModelled, key_of_setting, job.given,
      std::move(named.other_defaults)};
  d.out.format = format;
  d.out.file = d.settings.file();
  apply(job.assumed, d.settings, d.out);
  d.out.assumed.insert(d.out.assumed.end(), named.assumed.begin(), named.assumed.end());
  d.out.without_effect = std::move(named.without_effect);
  for (const LeftOver& l : named.left) {
    // --assume MORE_ARGS=none: there are none.
    const auto none = std::find_if(job.assumed.begin(), job.assumed.end(), [&](const auto& a) {
      return (l.setting == "$" + a.name || l.setting == a.name) && a.value == "none";
    });
    if (none != job.assumed.end()) {
      none->used = true;
      d.note(l.setting, "none", "--assume");
      continue;
    }
    l.is_refused ? d.open(l.key, l.setting, l.why) : d.ignored(l.setting, l.why);
  }
  if (const auto config = d.settings.text("yaml_cfg"))
    d.other_defaults = "it is in " + *config + ", which is not read";
  read_name(named.model, job, d);
  second_model(d);
  // Merges are those of GPT-2, wherever their file is.
  if (d.settings.has("merge_file")) d.settings.add({"merge_file", "merge_file", "gpt2"});
  d.set_aside_unknown_values();
  compare_with_named(named.model, job, d);
  read_images(d);
  read_spec(d);
  read_own_model(d, named.is_fragment);
  read_positions(d);
  read_tokenizer(job, d);
  read_training_of(d);
  if (!named.adapter.is_null()) d.set("training.adapter", named.adapter);
  read_parallel_of(d);
  read_deepspeed_config(job, named.files, d);
  read_framework(d);
  d.list_leftovers();
  return std::move(d.out);
}

}  // namespace orrery::megatron
