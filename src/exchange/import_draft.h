// SPDX-License-Identifier: Apache-2.0
//
// A run file that is being made, the last form of the facts of all readers, and the checks of what
// is written for another tool.
//
// Reading ends with the part that needs the model and the profile of the run, which the command
// line may name (fit_import()):
// - A switch that the profile lacks: if it was assumed it is dropped; if it was given it becomes
//   our own key if there is one, and is otherwise listed.
// - Every n-th layer checkpointed (ImportedRun::checkpointed_every): the same number of layers at
//   the beginning of each chunk, with the same bytes and the same work.
//
// Writing refuses settings that would train another run: a schedule that the tool lacks; and for
// Megatron-LM and Megatron-Bridge, whose settings are a whole launch, any key of `model`,
// `training` or `parallel` that it cannot express and that changes the predicted step or memory.
// Not refused: a framework's own switches (they say how the software runs, and are listed), the
// states of another framework's profile, and settings that DeepSpeed and torchtitan leave to a
// script.
//
// Errors: InputError for an unknown name of the command line; in writing, with the run's file, the
// key, its value and the tool's values.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_path.h"
#include "core/precision.h"
#include "exchange/foreign.h"
#include "exchange/settings.h"

namespace orrery {

// Settings by name, as in `without_effect`, and what is true of them.
struct SettingNote {
  std::string_view name;
  std::string_view why;
};

// --assume NAME=VALUE: a setting of the file, or a key of the run.
struct GivenSetting {
  std::string name;
  Json value;
  bool used = false;
};

// True where a setting of this name changes memory or time, whatever the tool.
bool moves_a_number(std::string_view name);

// True of a word that says which weights train, whatever the setting is called: "lora".
bool says_what_trains(const Json& value);

// A run that is being made, with the keys that stay open.
struct RunDraft {
  Json given = Json::object();  // the run as far as the command line says it
  ImportedRun out = {};

  bool is_open(std::string_view key) const;
  // Not where the key is open.
  void set(std::string_view path, Json value);
  // The key stays missing, unless the command line says it: then that value is taken.
  void open(std::string_view key, const std::string& setting, const std::string& why);
  // A setting that changes memory or time and has no key.
  void refuse(const std::string& setting, const std::string& why) { open("", setting, why); }
  const Json& at(std::string_view path) const { return value_at(out.run, path); }
  std::int64_t count_at(std::string_view path, std::int64_t otherwise) const;

  void note(const std::string& path, const std::string& value, const std::string& why);
  // The tool's default, where the path has no value yet.
  void assume(const std::string& path, Json value, const std::string& why);
  void ignored(const std::string& setting, const std::string& why);
};

// True of keys that may be a part of a model; a config.json of Hugging Face, whose words are those
// of its family, is whole.
bool is_part_of_model(const Json& model);

// InputError where the run's whole model, by name or inline, is none.
void check_model(const Json& run, const std::string& file, const ConfigLookup& lookup);

// Layers of a run's model, by name or inline; 0 without one.
std::int64_t layers_of_model(const Json& run, const ConfigLookup& lookup);

// True of a model, by name or inline, that has experts.
bool has_experts(const Json& run, const ConfigLookup& lookup);

// True of a model, by name or inline, whose attention has latent vectors.
bool has_latent_attention(const Json& run, const ConfigLookup& lookup);

// True of a model, by name or inline, that has an encoder of images.
bool has_image_tower(const Json& run, const ConfigLookup& lookup);

// Tokens of a tokenizer that is named after a model of ours ("meta-llama/Llama-3.1-8B"); 0
// otherwise.
std::int64_t vocabulary_of_tokenizer(const std::string& name, const ConfigLookup& lookup);

// bf16, or fp16 where the GPU of a run's node or device has no bf16; none where it names neither.
std::optional<Precision> half_precision(const Json& run, const ConfigLookup* lookup);

// A value of a profile, or of the nearest one that it inherits; null where none has it.
Json of_profile(const Json& framework, const char* key, const ConfigLookup& lookup);

// `given`: the run as far as the command line says it.
void fit_import(ImportedRun& imported, const Json& given, const ConfigLookup& lookup);

}  // namespace orrery
