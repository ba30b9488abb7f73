// SPDX-License-Identifier: Apache-2.0
#include "exchange/nemo/nemo.h"

#include <algorithm>

#include "core/json_path.h"
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
    activation();
    words();
    sharding();
    world();
    if (is_on("model.peft") || !text("model.peft.peft_scheme").empty()) adapter();
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
    const bool engine = word == "transformer-engine" || word == "transformer_engine";
    if (begins_with(word, "bf16") || engine) add("bf16", "trainer.precision", true);
    if (begins_with(word, "16")) add("fp16", "trainer.precision", true);
    taken_.emplace_back("model.fp8");
    if (is_on("model.fp8"))
      add("fp8_format", "model.fp8", is_on("model.fp8_e4m3") ? "e4m3" : "hybrid");
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
    if (at("model.data.seq_length").is_number() && at("model.encoder_seq_length").is_null())
      copy("model.data.seq_length", "seq_length");
    if (contains(text("model.tokenizer.type"), "GPT2BPE"))
      add("merge_file", "model.tokenizer.type", "gpt2");
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
      if (strategy == "hybrid")
        out_.left.push_back({"model.fsdp_sharding_strategy hybrid",
                             "of how many ranks; --set parallel.zero_shard_group=N",
                             "parallel.zero_shard_group", true});
    } else if (apex) {
      add("zero_stage", "model.optim.name", 2);
    } else {
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

  void adapter() {
    out_.left.push_back(
        {"model.peft " + text("model.peft.peft_scheme"), "a training of adapters", "", true});
  }

  // Whatever else [model] has is called as in Megatron-LM.
  void rest() {
    for (ForeignSetting& s : flat_leaves(document_)) {
      const bool taken = std::find(taken_.begin(), taken_.end(), s.name) != taken_.end();
      if (taken) continue;
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

}  // namespace

NamedSettings read_named(const std::vector<ForeignFile>& files) {
  NamedSettings out{Settings(files.front().name)};
  for (const ForeignFile& f : files) {
    Json document = read_yaml(f.text, f.name);
    follow_references(document);
    Reading(f.name, document, out).read();
  }
  return out;
}

}  // namespace orrery::nemo
