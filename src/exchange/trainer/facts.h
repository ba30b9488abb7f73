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
};
constexpr EnumNames<FactId> names_of(FactId) {
  return {"model",
          "training.adapter",
          "cluster.gpus",
          "training.micro_batch",
          "training.global_batch",
          "training.global_batch",
          "training.sequence_length",
          "training.precision",
          "training.states",
          "parallel.tp",
          "parallel.pp",
          "parallel.cp",
          "parallel.cp_type",
          "parallel.ep",
          "parallel.sequence_parallel",
          "parallel.zero_shard_group",
          "parallel.zero_shard_group",
          "parallel.zero",
          "parallel.offload.parameters",
          "parallel.offload.optimizer",
          "parallel.offload.activations",
          "parallel.recompute",
          "training.adapter",
          "training.optimizer",
          "training.optimizer_rank",
          "training.states",
          "training.states",
          "training.flash_attention",
          "parallel.framework_options.compile",
          "parallel.framework_options.kernels",
          "parallel.framework_options.loss",
          "parallel.framework_options.reshard_after_forward",
          "parallel.zero",
          "framework",
          "parallel.schedule"};
}

struct FactValue {
  Json value;
  std::string setting;      // with its file
  bool is_default = false;  // a tool's default, which no file says
};

class Facts {
 public:
  explicit Facts(ImportJob& job) : job_(job) {}

  bool trains = false;  // a trainer's file is among them, not only what launches it
  // Weights are loaded in bf16 and trained so where neither FSDP nor DeepSpeed makes them fp32.
  bool loads_narrow = false;
  // The setting by which a checkpoint says the type of the weights; "" where none does.
  std::string unknown_weights = {};
  bool freezes_tower = false;  // an encoder of images is not trained

  // The given file of this name; nullptr for none.
  const ForeignFile* given_file(const std::string& name) const;

  // The settings of a file with --assume's over them.
  Settings settings_of_file(const Json& document, const std::string& file);

  void set(FactId fact, Json value, const std::string& setting);
  // In place of what was said.
  void replace(FactId fact, Json value) {
    given_[static_cast<std::size_t>(fact)]->value = std::move(value);
  }
  // Says a fact that no file has said.
  void set_default(FactId fact, Json value, const std::string& setting);
  // The same of a tool's default, which is listed as assumed.
  void assume_default(FactId fact, Json value, const std::string& setting);
  // "auto" of a trainer: what it picks on the GPU of the command line, open without one.
  void set_picked_precision(const std::string& setting);
  void leave_open(FactId fact, const std::string& setting, const std::string& why);
  void refuse(const std::string& setting, const std::string& why) {
    left_.push_back({setting, why, "", true});
  }
  // A setting that trains on devices that are no GPUs.
  void refuse_devices(const std::string& devices, const std::string& setting) {
    refuse(setting, "trains on " + devices + "; Orrery models GPUs alone");
  }
  void mention(const std::string& setting, const std::string& why) {
    left_.push_back({setting, why});
  }
  void note(FactId fact, const std::string& value, const std::string& why);
  void without_effect(const std::string& setting) { without_effect_.push_back(setting); }

  bool has(FactId fact) const { return at(fact).has_value(); }
  const std::optional<FactValue>& at(FactId fact) const {
    return given_[static_cast<std::size_t>(fact)];
  }
  std::int64_t count(FactId fact, std::int64_t otherwise) const;
  bool is_on(FactId fact) const { return has(fact) && at(fact)->value == true; }

  // A run of all that was said. `deepspeed`: a file of DeepSpeed is among those of the import.
  ImportedRun finish(bool deepspeed);

 private:
  friend class Finish;

  ImportJob& job_;
  std::array<std::optional<FactValue>, kCountOf<FactId>> given_;
  std::array<std::optional<FactValue>, kCountOf<FactId>> weak_;
  std::vector<LeftOver> left_;
  std::vector<Fact> assumed_;
  std::vector<std::string> without_effect_;
  ImportedRun out_;  // what --assume said of settings
};

// Rows of a tool's table: a setting that says a fact as it stands.
struct FactRow {
  std::string_view setting;
  FactId fact;
  NameKind kind = NameKind::count;  // count, degree, boolean
};
void read_facts(std::span<const FactRow> rows, Settings& settings, Facts& facts);

// A trainer's own file: what its table says, and `rest` for what rows cannot say. Names stand with
// blanks between them, and the first that is given counts.
struct Tool {
  std::span<const FactRow> rows;
  std::string_view without_effect;
  std::span<const SettingNote> not_modelled;
  std::string_view model;
  std::string_view optimizer;
  void (*rest)(Settings& settings, Facts& facts);
};
void read_tool(const Tool& tool, const ForeignFile& file, Facts& facts);
// Settings nobody asked for: named, or a stop where they move a number.
void list_others(const Tool& tool, Settings& settings, Facts& facts);
// GPUs of the command that a file's comments show, `--nproc_per_node 4 [--nnodes 2]`, where nothing
// else says them and all such comments agree. `nodes`: of a command that does not say them.
void set_gpus_of_comments(const ForeignFile& file, Facts& facts, std::int64_t nodes = 1);
// `packed`: every row is of the whole length.
void set_length(std::string_view name, bool packed, Settings& settings, Facts& facts);

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
void set_precision(Settings& settings, Facts& facts);  // bf16, fp16, fp8, tf32
void set_model(const std::string& name, const std::string& setting, Facts& facts);

// `setting`: that says that adapters are trained.
void set_adapter(const AdapterSettings& names, StoredBase base, const std::string& setting,
                 Settings& settings, Facts& facts);

// One file each.
namespace automodel {
void read(const ForeignFile& file, Facts& facts);
}
namespace axolotl {
void read(const ForeignFile& file, Facts& facts);
}
namespace llama_factory {
void read(const ForeignFile& file, Facts& facts);
}
namespace torchtune {
void read(const ForeignFile& file, Facts& facts);
}
namespace hf_trainer {
void read(const ForeignFile& file, Facts& facts);
// DeepSpeed's settings that a file of arguments holds in place of a file's name, taken out; ""
// where it holds none.
std::string take_deepspeed(ForeignFile& arguments);
// True where the arguments behind a program are the Trainer's.
bool is_command(const Settings& settings);
}  // namespace hf_trainer

}  // namespace orrery::trainer

namespace orrery::accelerate {
// Flags of `accelerate launch` go over its document.
void flags_over(Json& document, const std::vector<std::string>& words, const std::string& file);
void read(const ForeignFile& file, trainer::Facts& facts);
}  // namespace orrery::accelerate
