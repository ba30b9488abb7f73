// SPDX-License-Identifier: Apache-2.0
#include "exchange/nemo/nemo.h"

#include <algorithm>

#include "core/json_path.h"
#include "exchange/adapters.h"
#include "exchange/hub_names.h"
#include "exchange/nemo/experiment.h"
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
    lengths();
    batches();
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
    const bool half = begins_with(word, "bf16") || begins_with(word, "16");
    const bool engine = word == "transformer-engine" || word == "transformer_engine";
    if (begins_with(word, "bf16") || engine) add("bf16", "trainer.precision", true);
    if (begins_with(word, "16")) add("fp16", "trainer.precision", true);
    if (!half && !engine && !word.empty() && word != "32" && word != "32-true")
      out_.left.push_back(
          {"trainer.precision " + word, "bf16, 16 and 32 are known", "training.precision", true});
    // Weights are fp32 without it [from memory].
    if ((half || engine) && at("model.megatron_amp_O2").is_null())
      out_.left.push_back({"model.megatron_amp_O2", "is not given: whether weights are 16 bits",
                           "training.states", true});
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

  // Two settings of one thing: `name` is neither of them.
  void differs(const std::string& path, std::string_view other, const char* name, const char* key) {
    if (!at(path).is_number() || at(path) == at(other) || at(other).is_null()) return;
    out_.settings.remove(name);
    taken_.emplace_back(other);
    out_.left.push_back({path + " " + at(path).dump(),
                         std::string(other) + " is " + at(other).dump() + "; which of them counts",
                         key, true});
  }

  void lengths() {
    for (const char* path : {"model.data.seq_length", "model.data.train_ds.max_seq_length"})
      differs(path, "model.encoder_seq_length", "seq_length", "training.sequence_length");
  }

  // A fine-tuning has batches beside its data.
  void batches() {
    for (const auto& [size, key] : {std::pair("micro_batch_size", "training.micro_batch"),
                                    std::pair("global_batch_size", "training.global_batch")}) {
      const std::string tuned = std::string("model.data.train_ds.") + size;
      const std::string own = std::string("model.") + size;
      differs(tuned, own, size, key);
      if (at(own).is_null()) copy(tuned, size);
    }
    const Json& ranks = at("model.optim.distributed_size");
    if (ranks.is_null()) return;
    taken_.emplace_back("model.optim.distributed_size");
    out_.left.push_back({"model.optim.distributed_size " + ranks.dump(),
                         "ranks that the optimizer shards over; --set parallel.zero_shard_group=N",
                         "parallel.zero_shard_group", true});
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
      if (at("model.optim.overlap_grad_sync").is_null()) overlapped(name);
    } else if (!name.empty()) {
      add("use_distributed_optimizer", "model.optim.name", contains(name, "distributed"));
    }
    gradients(name);
    const bool adam = name.empty() || contains(name, "adam") || contains(name, "distributed_optim");
    if (!adam) add("optimizer", "model.optim.name", name);
  }

  void overlapped(const std::string& optimizer) {
    add("overlap_grad_reduce", "model.optim.name", true);
    out_.assumed.push_back({"parallel.framework_options.overlap_grad_reduce", "true",
                            optimizer + " without overlap_grad_sync [from memory]"});
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
                                        .default_rank = 32,
                                        .targets = "target_modules",
                                        .default_targets = "attention_qkv",
                                        .dropout = "adapter_dropout"};
    Settings settings = settings_of(at("model.peft.lora_tuning"), file_);
    other_adapters(settings);
    out_.adapter = read_adapter(kNames, scheme == "qlora" ? StoredBase::nf4 : StoredBase::half,
                                settings, out_.left);
  }

  // Adapters of some layers, with shared weights, or beside each part of a fused matrix.
  void other_adapters(Settings& settings) {
    const std::string variant = settings.word("variant").value_or("nemo");
    const bool default_value = variant == "nemo" || variant == "mcore" || variant == "none";
    if (settings.has("layer_selection"))
      out_.left.push_back({"model.peft.lora_tuning." + settings.written("layer_selection"),
                           "adapters on some layers alone", "", true});
    if (settings.flag("weight_tying").value_or(false))
      out_.left.push_back(
          {"model.peft.lora_tuning.weight_tying", "adapters that layers share", "", true});
    if (!default_value)
      out_.left.push_back({"model.peft.lora_tuning.variant " + variant,
                           "adapters stand beside fused matrices here", "", true});
  }

  // All other settings of [model] have Megatron-LM's names.
  void rest() {
    for (ForeignSetting& s : flat_leaves(document_)) {
      const bool taken = std::find(taken_.begin(), taken_.end(), s.name) != taken_.end();
      if (taken || begins_with(s.name, "model.peft.")) continue;
      const bool known = ImportDraft{Settings(""), kWithoutEffect}.is_without_effect(s.name);
      if (known) {
        out_.without_effect.push_back(s.name);
        continue;
      }
      const std::string whole = s.name;
      if (begins_with(s.name, "model.")) s.name = s.name.substr(6);
      if (out_.settings.has(s.name)) s.name = whole;
      out_.settings.add(std::move(s));
    }
  }

  const std::string& file_;
  const Json& document_;
  NamedSettings& out_;
  std::vector<std::string> taken_;
};

}  // namespace

NamedSettings read_named(const std::vector<ForeignFile>& files) {
  NamedSettings out{Settings(files.front().name)};
  for (const ForeignFile& f : files) {
    Json document = read_yaml(f.text, f.name);
    follow_references(document);
    if (value_at(document, "trainer.strategy").is_object()) {
      read_experiment(f.name, document, out);
    } else {
      Reading(f.name, document, out).read();
    }
  }
  return out;
}

}  // namespace orrery::nemo
