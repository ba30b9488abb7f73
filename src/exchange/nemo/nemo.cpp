// SPDX-License-Identifier: Apache-2.0
#include "exchange/nemo/nemo.h"

#include <algorithm>

#include "core/json_path.h"
#include "exchange/adapters.h"
#include "exchange/hub_names.h"
#include "exchange/nemo/names.h"
#include "exchange/text_lines.h"
#include "exchange/yaml.h"

namespace orrery::nemo {
namespace {

class Reading {
 public:
  Reading(const std::string& file, const Json& document, NamedSettings& out)
      : file_(file), document_(document), out_(out) {}

  void read() {
    for (const NamedPath& n : kNames) copy(n.path, n.name);
    precision();
    second_model();
    activation();
    words();
    sharding();
    world();
    other_model();
    if (at("model.peft").is_object()) adapter();
    rest();
  }

 private:
  const Json& at(std::string_view path) const { return value_at(document_, path); }
  bool is_on(std::string_view path) const { return at(path) == true; }

  std::string text(std::string_view path) const {
    const Json& value = at(path);
    if (value.is_string()) return value.get<std::string>();
    return value.is_null() || value.is_structured() ? "" : value.dump();
  }

  void add(std::string_view name, std::string_view path, Json value) {
    taken_.emplace_back(path);
    out_.settings.add({std::string(name), std::string(path), std::move(value), file_});
  }

  void copy(std::string_view path, std::string_view name) {
    if (!at(path).is_null()) add(name, path, at(path));
  }

  // model.fp8 goes over the trainer's precision.
  void precision() {
    const std::string word = text("trainer.precision");
    taken_.emplace_back("trainer.precision");
    // Weights are then fp32 under autocast: utils_funcs.torch_dtype_from_precision().
    if (at("model.megatron_amp_O2") == false)
      add("params_dtype", "model.megatron_amp_O2", "float32");
    const bool engine = word == "transformer-engine" || word == "transformer_engine";
    if (begins_with(word, "bf16") || engine) add("bf16", "trainer.precision", true);
    if (begins_with(word, "16")) add("fp16", "trainer.precision", true);
    taken_.emplace_back("model.fp8");
    if (is_on("model.fp8"))
      add("fp8_format", "model.fp8", is_on("model.fp8_e4m3") ? "e4m3" : "hybrid");
  }

  // NeMo-Aligner's trainings.
  void second_model() {
    for (const char* part : {"model.dpo", "model.ppo", "model.kto", "model.rpo", "model.spin",
                             "model.steerlm2", "trainer.dpo", "trainer.ppo", "trainer.kto",
                             "trainer.rm", "trainer.spin", "trainer.grpo", "trainer.reinforce"}) {
      if (!at(part).is_null())
        return out_.left.push_back(
            {part, "a training with a second model or with generation", "", true});
    }
  }

  void activation() {
    const std::string word = text("model.activation");
    taken_.emplace_back("model.activation");
    for (const NamedPath& a : kActivations) {
      if (a.path == word) add(a.name, "model.activation", true);
    }
  }

  void words() {
    const std::string norm = text("model.normalization");
    if (begins_with(norm, "layernorm")) add("normalization", "model.normalization", "LayerNorm");
    if (norm == "rmsnorm") add("normalization", "model.normalization", "RMSNorm");
    const Json& shares = at("model.share_embeddings_and_output_weights");
    if (shares.is_boolean()) {
      add("untie_embeddings_and_output_weights", "model.share_embeddings_and_output_weights",
          !shares.get<bool>());
    }
    if (!at("model.num_query_groups").is_null()) {
      add("group_query_attention", "model.num_query_groups", true);
      copy("model.num_query_groups", "num_query_groups");
    }
    const Json& flash = at("model.use_flash_attention");
    if (flash.is_boolean()) add("use_flash_attention", "model.use_flash_attention", flash);
    // NeMo's own layers, which Megatron-Core's replace.
    if (at("model.transformer_engine") == false && at("model.mcore_gpt") != true)
      add("transformer_impl", "model.transformer_engine", "local");
    const std::string device = text("trainer.accelerator");
    if (device == "cpu" || device == "tpu" || device == "hpu")
      out_.left.push_back(
          {"trainer.accelerator " + device, "no GPUs; Orrery models GPUs alone", "", true});
    if (at("model.data.seq_length").is_number() && at("model.encoder_seq_length").is_null())
      copy("model.data.seq_length", "seq_length");
    const Json& tuning = at("model.data.train_ds.max_seq_length");
    if (tuning.is_number() && at("model.encoder_seq_length").is_null() &&
        !at("model.data.seq_length").is_number())
      copy("model.data.train_ds.max_seq_length", "seq_length");
    if (contains(text("model.tokenizer.type"), "GPT2BPE"))
      add("merge_file", "model.tokenizer.type", "gpt2");
    if (text("model.tokenizer.library") == "huggingface")
      add("tokenizer_model", "model.tokenizer.type", text("model.tokenizer.type"));
  }

  // Apex's optimizer shards gradients and states, Megatron-Core's the states.
  void sharding() {
    const std::string name = text("model.optim.name");
    taken_.emplace_back("model.optim.name");
    taken_.emplace_back("model.fsdp");
    const bool apex = name == "distributed_fused_adam";
    if (is_on("model.fsdp")) {
      const std::string strategy = text("model.fsdp_sharding_strategy");
      add("zero_stage", "model.fsdp_sharding_strategy", strategy == "grad" ? 2 : 3);
      // fp32 unless it is said [from memory].
      const std::string sent = text("model.fsdp_grad_reduce_dtype");
      add("fsdp_grad_reduce_dtype", "model.fsdp_grad_reduce_dtype", sent.empty() ? "32" : sent);
      if (strategy == "hybrid")
        out_.left.push_back({"model.fsdp_sharding_strategy hybrid",
                             "of how many ranks; --set parallel.zero_shard_group=N",
                             "parallel.zero_shard_group", true});
    } else if (apex) {
      add("zero_stage", "model.optim.name", 2);
    } else if (!name.empty()) {
      add("use_distributed_optimizer", "model.optim.name", contains(name, "distributed"));
    }
    gradients(name);
    const bool adam = name.empty() || contains(name, "adam") || contains(name, "distributed_optim");
    if (!adam) add("optimizer", "model.optim.name", name);
  }

  // Gradients are held as they are reduced; the optimizer of Apex keeps no fp32 copy of them.
  void gradients(const std::string& optimizer) {
    const std::string type = text("model.optim.grad_sync_dtype");
    taken_.emplace_back("model.optim.grad_sync_dtype");
    if (type.empty()) return;
    const bool wide = contains(type, "32");
    if (!wide && optimizer == "distributed_fused_adam")
      return add("main_grads_dtype", "model.optim.grad_sync_dtype", type);
    add("accumulate_allreduce_grads_in_fp32", "model.optim.grad_sync_dtype", wide);
  }

  void world() {
    const Json& nodes = at("trainer.num_nodes");
    const Json& devices = at("trainer.devices");
    if (!nodes.is_null()) add("nnodes", "trainer.num_nodes", nodes);
    if (!nodes.is_null() && !devices.is_null()) add("nproc_per_node", "trainer.devices", devices);
  }

  // Encoders have keys of their own, and others are known by their names.
  void other_model() {
    const std::string name = text("name");
    std::string_view part;
    for (const std::string_view other : kOtherModels) {
      if (contains(name, other)) part = other;
    }
    if (!at("model.bert_binary_head").is_null()) part = "bert";
    if (at("model.encoder").is_object()) part = "t5";
    if (!part.empty()) {
      out_.left.push_back({"name megatron_" + std::string(part),
                           "no decoder alone; give the model's config.json with --model", "model",
                           true});
    }
    if (at("model.mcore_customization_config.parallel_attention") == true) {
      out_.left.push_back({"model.mcore_customization_config.parallel_attention",
                           "attention beside the MLP; --assume model.use_parallel_residual=true",
                           "model.use_parallel_residual", true});
    }
  }

  // The model is that of a checkpoint.
  void adapter() {
    const std::string checkpoint = text("model.restore_from_path");
    if (at("model.num_layers").is_null() && !checkpoint.empty())
      out_.model = shipped_model(checkpoint);
    const std::string scheme = text("model.peft.peft_scheme");
    if (scheme.empty() || scheme == "none" || scheme == "null" || scheme == "false") return;
    if (scheme != "lora" && scheme != "qlora") {
      return out_.left.push_back({"model.peft.peft_scheme " + scheme,
                                  "adapters of another kind; ours are lora and qlora", "", true});
    }
    constexpr AdapterSettings kNames = {.rank = "adapter_dim",
                                        .usual_rank = 32,
                                        .targets = "target_modules",
                                        .usual_targets = "attention_qkv",
                                        .dropout = "adapter_dropout"};
    Settings settings = settings_of(at("model.peft.lora_tuning"), file_);
    out_.adapter = read_adapter(kNames, scheme == "qlora" ? StoredBase::nf4 : StoredBase::half,
                                settings, out_.left);
  }

  // All other settings of [model] have Megatron-LM's names.
  void rest() {
    for (ForeignSetting& s : flat_leaves(document_)) {
      const bool taken = std::find(taken_.begin(), taken_.end(), s.name) != taken_.end();
      if (taken || begins_with(s.name, "model.peft.")) continue;
      const bool known = ImportDraft{Settings(""), kWithoutEffect}.is_without_effect(s.name);
      if (known) continue;
      if (begins_with(s.name, "model.")) s.name = s.name.substr(6);
      if (!out_.settings.has(s.name)) out_.settings.add(std::move(s));
    }
  }

  const std::string& file_;
  const Json& document_;
  NamedSettings& out_;
  std::vector<std::string> taken_;
};

// An experiment of NeMo 2, as nemo-run writes it.
class Experiment {
 public:
  Experiment(const std::string& file, const Json& document, NamedSettings& out)
      : file_(file), document_(document), leaves_(flat_leaves(document)), out_(out) {}

  void read() {
    for (const NamedPath& n : kNames2) {
      for (const ForeignSetting& s : leaves_) {
        if (s.name == n.path) add(n.name, s);
      }
    }
    precision();
    model();
    callbacks();
    if (!at("peft").is_null()) {
      const auto adapter = read_megatron_adapter(at("peft"), "peft", out_.left);
      if (adapter) out_.adapter = *adapter;
    }
    rest();
  }

 private:
  const Json& at(std::string_view path) const { return value_at(document_, path); }

  void add(std::string_view name, const ForeignSetting& s) {
    const bool off = s.value == false && (name == "fp8_format");
    const std::string& written = s.name.empty() ? s.written : s.name;
    if (!off) out_.settings.add({std::string(name), written, s.value, file_});
  }

  // The plugin's word, or the trainer's.
  void precision() {
    const char* path = at("trainer.plugins.precision").is_string() ? "trainer.plugins.precision"
                                                                   : "trainer.precision";
    const std::string word = at(path).is_string() ? at(path).get<std::string>() : "";
    if (begins_with(word, "bf16")) add("bf16", {"", path, true});
    if (begins_with(word, "16")) add("fp16", {"", path, true});
    if (word.empty() && !at("trainer.plugins").is_null()) {
      out_.left.push_back(
          {"trainer.plugins", "a plugin of no known precision", "training.precision", true});
    }
  }

  // Llama31Config70B, which says all that is not said beside it.
  void model() {
    const Json& target = at("model.config._target_").is_string() ? at("model.config._target_")
                                                                 : at("model._target_");
    std::string name = target.is_string() ? target.get<std::string>() : "";
    name = name.substr(name.rfind('.') + 1);
    const std::size_t config = name.find("Config");
    if (config != std::string::npos) name.erase(config, 6);
    out_.model = shipped_model(name);
    if (out_.model.empty() && at("model.config.num_layers").is_null())
      out_.left.push_back({"model " + name, "no model of ours; --model says it", "model", true});
  }

  // Overlap of communication stands in a callback.
  void callbacks() {
    const Json& list = at("trainer.callbacks");
    if (!list.is_array()) return;
    for (const Json& each : list) {
      if (!each.is_object()) continue;
      for (const char* key : {"tp_comm_overlap", "overlap_grad_reduce", "overlap_param_gather",
                              "defer_embedding_wgrad_compute"}) {
        if (each.contains(key) && each[key].is_boolean())
          add(key, {"", std::string("trainer.callbacks.") + key, each[key]});
      }
    }
  }

  void rest() {
    const ImportDraft known{Settings(""), kWithoutEffect2};
    for (const ForeignSetting& s : leaves_) {
      const bool own = std::any_of(std::begin(kOwn2), std::end(kOwn2),
                                   [&](std::string_view p) { return begins_with(s.name, p); });
      const bool named = std::any_of(kNames2.begin(), kNames2.end(),
                                     [&](const NamedPath& n) { return n.path == s.name; });
      if (!own || named || known.is_without_effect(s.name)) continue;
      const std::string last = s.name.substr(s.name.rfind('.') + 1);
      if (!out_.settings.has(last)) add(last, s);
    }
  }

  const std::string& file_;
  const Json& document_;
  std::vector<ForeignSetting> leaves_;
  NamedSettings& out_;
};

}  // namespace

NamedSettings read_named(const std::vector<ForeignFile>& files) {
  NamedSettings out{Settings(files.front().name)};
  for (const ForeignFile& f : files) {
    Json document = read_yaml(f.text, f.name);
    follow_references(document);
    if (value_at(document, "trainer.strategy").is_object()) {
      Experiment(f.name, document, out).read();
    } else {
      Reading(f.name, document, out).read();
    }
  }
  return out;
}

}  // namespace orrery::nemo
