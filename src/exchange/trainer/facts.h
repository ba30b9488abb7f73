// SPDX-License-Identifier: Apache-2.0
//
// The facts of one training from the files of Hugging Face's world: a trainer's file (Axolotl,
// LLaMA-Factory, torchtune, NeMo Automodel) and the Accelerate file it is launched with.
// DeepSpeed's file is read apart (exchange/deepspeed) and completes it.
//
// A fact that two files say differently is left open. Batches are of a data-parallel replica:
// global = micro x accumulation x replicas, which needs the number of GPUs.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/adapters.h"
#include "exchange/import_files.h"

namespace orrery::trainer {

enum class FactId : std::uint8_t {
  model,        // a hub's name
  packed_base,  // which has its weights in nf4
  gpus,
  micro_batch,
  accumulation,
  replica_batch,   // sequences of a replica in a step
  schedule_batch,  // of them, what one run of the pipeline's schedule takes
  global_batch,
  sequence_length,
  precision,
  narrow,  // weights and states are of the precision's width too
  tp,
  pp,
  cp,
  cp_type,
  ep,
  sequence_parallel,
  replicate,
  shard,
  zero,
  offload_parameters,
  offload_optimizer,
  offload_activations,
  recompute,
  checkpointed_every,  // every n-th layer
  adapter,
  optimizer,  // as a trainer calls it: "adamw_torch_8bit"
  optimizer_rank,
  momentum,
  no_gradients,
  flash,
  compile,
  kernels,
  loss,
  keeps_gathered,  // weights, from forward to backward
  deepspeed,       // the file it names
  framework,
  schedule,
  base_weights,       // how the base of adapters is stored (StoredBase)
  loads_narrow,       // in bf16, and so trained where neither FSDP nor DeepSpeed makes them fp32
  unknown_weights,    // the setting by which the checkpoint tells the type of the weights
  freezes_tower,      // an encoder of images is not trained
  states_of_profile,  // the profile, and not the precision, says the states
  liger_norms,        // Liger's own switches, where a tool has them one by one
  liger_rotary,
  liger_activation,
  liger_loss,
  liger_linear_loss,
  steps,      // of the whole training
  replicas,   // of the data, where nothing says the GPUs
  node_gpus,  // that the job has of a node
};

// The type of a fact in a tool's file.
enum class FactKind : std::uint8_t {
  count,
  degree,
  tokens,
  elements,  // of a buffer, up to kMostElements
  share,     // from 0 to 1
  number,    // from 0 to a million
  boolean,
  word,
  any
};
// Files ask for so many where they want all at once.
inline constexpr std::int64_t kMostElements = 1'000'000'000'000'000'000;
inline constexpr double kMostNumber = 1e6;
std::optional<FactKind> find_fact_kind(std::string_view word);
std::vector<std::string> fact_kind_words();

// The key of the run that the fact is of, and how its values are read.
std::string_view name_of(FactId fact);
FactKind kind_of(FactId fact);
// Steps towards a key, which are no value of it.
bool is_step(FactId fact);
std::optional<FactId> find_fact(std::string_view word);
std::vector<std::string> fact_words();

struct FactValue {
  Json value;
  std::string setting;      // with its file
  bool is_default = false;  // a tool's default, which no file says
};

// A key of the run that a rule sets.
struct KeyValue {
  std::string path;
  FactValue value;
};

// The file of DeepSpeed among those of an import: it completes a trainer's, and says nothing of the
// program by itself.
enum class DeepSpeedFile : std::uint8_t { none, beside, itself };

class Facts {
 public:
  explicit Facts(ImportJob& job) : job_(job) {}

  bool trains = false;  // a trainer's file is among them, not only what launches it

  // The other scripts of the job, which one of them may source.
  const ShellFiles& scripts() const { return job_.scripts; }
  // A file that the settings of another one go over is no part by itself.
  void include(const std::string& file) { included_.push_back(file); }
  bool includes(const std::string& file) const;

  const std::vector<ForeignFile>& files() const { return job_.files; }
  const tools::ToolBook& tools() const { return job_.tools; }
  // The program of a script that starts the file; "" where none does.
  std::string program_of(const std::string& file) const;
  // A file of DeepSpeed is given, which is read apart.
  bool has_engine() const { return job_.has_engine; }
  // The given file of this name; nullptr for none.
  const ForeignFile* given_file(const std::string& name) const;

  // --assume's settings over a file's.
  void assume_settings(Settings& settings);
  // The settings of a file with --assume's over them.
  Settings settings_of_file(const Json& document, const std::string& file);

  void set(FactId fact, Json value, const std::string& setting);
  // In place of what was said.
  void replace(FactId fact, Json value) {
    given_[static_cast<std::size_t>(fact)]->value = std::move(value);
  }
  void forget(FactId fact) { given_[static_cast<std::size_t>(fact)].reset(); }
  // Says a fact that no file has said.
  void set_default(FactId fact, Json value, const std::string& setting);
  // The same of a tool's default, which is listed as assumed.
  void assume_default(FactId fact, Json value, const std::string& setting);
  // "auto" of a trainer: what it picks on the GPU of the command line, open without one.
  void set_picked_precision(const std::string& setting);
  void leave_open(FactId fact, const std::string& setting, const std::string& why);
  void leave_key_open(const std::string& path, const std::string& setting, const std::string& why);
  // The command line's value of a fact's key; null where it has none.
  const Json& of_command_line(FactId fact) const;
  // The processes that a launcher starts, and the GPUs that the user sets; 0 where none does.
  std::int64_t launched() const;
  std::int64_t gpus_of_user() const;
  // GPUs that generate beside the processes that learn.
  void add_generating(std::int64_t gpus);
  // Open unless another file says it.
  void leave_missing(FactId fact, const std::string& setting, const std::string& why);
  // A key of the run, as it is.
  void set_key(const std::string& path, Json value, const std::string& setting, bool is_default);
  // In place of its value.
  void replace_key(const std::string& path, Json value, const std::string& setting);
  // A key that is neither set nor asked for any more.
  void unset_key(const std::string& path);
  // The value that rules gave a key; nullptr for none.
  const FactValue* key(std::string_view path) const;
  // A number of the command line, else of a rule.
  std::int64_t count_of_key(const std::string& path, std::int64_t otherwise) const;
  bool is_open(std::string_view path) const;
  // Open, or a default of the tool's where another one holds, which is not read.
  bool is_unknown(FactId fact) const;
  // A size that the model of another file may say.
  void set_of_width(SizeOfWidth size) { of_width_.push_back(std::move(size)); }
  // A setting of the tool that the file's tool speaks (tools::Tool::speaks).
  void pass(ForeignSetting setting) { passed_.add(std::move(setting)); }
  const Settings& passed() const { return passed_; }
  bool has_passed(std::string_view name) const { return passed_.has(name); }
  void note_passed(const std::string& name, const std::string& value, const std::string& why);
  // Why the tool's own defaults do not hold for keys that begin so; "" where they do.
  void set_other_defaults(const std::string& why, const std::string& of = "") {
    other_defaults_.emplace_back(of, why);
  }
  const std::string& other_defaults(std::string_view path = "") const;
  // All of it, of facts that are settings of the tool that is spoken.
  NamedSettings named(const std::string& file) const;
  void refuse(const std::string& setting, const std::string& why) {
    left_.push_back({setting, why, "", true});
  }
  void mention(const std::string& setting, const std::string& why) {
    left_.push_back({setting, why});
  }
  void note(FactId fact, const std::string& value, const std::string& why);
  void note_key(const std::string& path, const std::string& value, const std::string& why) {
    assumed_.push_back({path, value, why});
  }
  void without_effect(const std::string& setting) { without_effect_.push_back(setting); }

  bool has(FactId fact) const { return at(fact).has_value(); }
  const std::optional<FactValue>& at(FactId fact) const {
    return given_[static_cast<std::size_t>(fact)];
  }
  // A stated fact, else the tool's default.
  const std::optional<FactValue>& seen(FactId fact) const {
    const auto i = static_cast<std::size_t>(fact);
    return given_[i] ? given_[i] : weak_[i];
  }
  std::int64_t count(FactId fact, std::int64_t otherwise) const;
  // A number of the command line, else the fact.
  std::int64_t degree(FactId fact, std::int64_t otherwise = 1) const;
  bool is_on(FactId fact) const { return has(fact) && at(fact)->value == true; }

  // True of a setting that --assume gives.
  bool is_assumed(const std::string& setting) const;

  // The tool whose defaults are taken, with its release.
  void set_tool(const std::string& name) { tool_ = tool_.empty() ? name : tool_; }

  // Layers of the model of the command line, or of the facts; 0 where it is not known.
  std::int64_t layers_of_model() const;
  bool model_has_experts() const;
  // Rows of the vocabulary of the model that a tokenizer is named after; 0 for another name.
  std::int64_t vocabulary_of(const std::string& tokenizer) const;
  // Layers that the rules have set, else those of a model by its name.
  std::int64_t layers() const;
  // Replicas of the data; 0 where the GPUs or a degree are not known.
  std::int64_t replicas() const;
  // True if a name says the model.
  bool names_model() const;
  // Kinds of the model of a name ("experts", "latent"); "dense" for none of them, "" without a
  // name.
  std::string named_kind() const;

  // A run of all that was said.
  ImportedRun finish(DeepSpeedFile deepspeed);

 private:
  friend class Finish;

  Json with_model() const;  // the run's model alone; null where it is not known

  ImportJob& job_;
  std::array<std::optional<FactValue>, kCountOf<FactId>> given_;
  std::array<std::optional<FactValue>, kCountOf<FactId>> weak_;
  std::string tool_;
  std::vector<KeyValue> keys_;
  std::vector<SizeOfWidth> of_width_;
  Settings passed_{""};
  std::vector<std::pair<std::string, std::string>> other_defaults_;  // beginning of keys, why
  std::vector<std::pair<FactId, LeftOver>> missing_;
  std::vector<LeftOver> left_;
  std::vector<Fact> assumed_;
  std::vector<std::string> without_effect_;
  std::vector<std::string> included_;
  ImportedRun out_;  // what --assume said of settings
};

// Settings nobody asked for: named, or a stop where they move a number.
void list_others(std::string_view without_effect, std::span<const SettingNote> not_modelled,
                 Settings& settings, Facts& facts);
// GPUs of the command that a file's comments show, `--nproc_per_node 4 [--nnodes 2]`, where nothing
// else says them and all such comments agree. `nodes`: of a command that does not say them.
void set_gpus_of_comments(const ForeignFile& file, Facts& facts, std::int64_t nodes = 1);

// Liger's own switches, where a tool has them one by one: the kernels of the layers, all three or
// none, and how the loss is computed.
struct LigerSwitches {
  bool norms = false;
  bool rotary = false;
  bool activation = false;
  bool loss = false;
  bool linear_loss = false;
};
void set_liger(const LigerSwitches& on, const std::string& setting, Facts& facts);

// Parts that several tools have.
std::string joined(const std::vector<std::string>& words);  // with a space behind each
// Accelerate's fsdp_config; `words` of an older list beside it: "shard_grad_op auto_wrap".
void set_fsdp(Settings& settings, const std::string& prefix, Facts& facts,
              const std::string& words = "");
void set_model(const std::string& name, const std::string& setting, Facts& facts);

// `setting`: that says that adapters are trained.
void set_adapter(const AdapterSettings& names, StoredBase base, const std::string& setting,
                 Settings& settings, Facts& facts);

}  // namespace orrery::trainer
