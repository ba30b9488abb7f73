// SPDX-License-Identifier: Apache-2.0
#include "exchange/bridge/bridge.h"

#include <algorithm>

#include "core/json_path.h"
#include "exchange/adapters.h"
#include "exchange/bridge/names.h"
#include "exchange/hub_names.h"
#include "exchange/several_runs.h"
#include "exchange/text_lines.h"
#include "exchange/yaml.h"

namespace orrery::bridge {
namespace {

class Reading {
 public:
  Reading(const std::string& file, const Json& document, NamedSettings& out)
      : file_(file), document_(document), leaves_(flat_leaves(document)), out_(out) {}

  void read() {
    for (const NamedPath& n : kNames) copy(n);
    activation();
    spec();
    heads();
    layout();
    layers();
    shares();
    length();
    sharding();
    recompute();
    if (at("mixed_precision").is_string()) precision(at("mixed_precision").get<std::string>());
    if (!at("peft").is_null()) adapter();
    const bool fragment = at("train").is_null();
    if (at("model.num_layers").is_null() || fragment || is_part_of_provider()) recipe();
    rest();
  }

 private:
  const Json& at(std::string_view path) const { return value_at(document_, path); }

  // A leaf; null where the path has none.
  Json leaf(std::string_view path) const {
    for (const ForeignSetting& s : leaves_) {
      if (s.name == path) return s.value;
    }
    return {};
  }

  void add(std::string_view name, std::string_view path, Json value) {
    out_.settings.add({std::string(name), std::string(path), std::move(value), file_});
  }

  // A type: torch.bfloat16 is bf16; fp16 false over fp16 true takes it back.
  void copy(const NamedPath& n) {
    const Json value = leaf(n.path);
    if (value.is_null()) return;
    // Two sections have it, one of them perhaps as it is by default.
    if (n.name == "num_distributed_optimizer_instances" && value == 1) return;
    if (value.is_boolean() && !value.get<bool>() &&
        (n.name == "fp8_format" || n.name == "fp4_format"))
      return;
    add(n.name, n.path, value);
  }

  // Recipes by name: "bf16_with_fp8_current_scaling_mixed".
  void precision(const std::string& name) {
    const char* path = "mixed_precision";
    if (contains(name, "bf16")) add("bf16", path, true);
    if (begins_with(name, "fp16")) add("fp16", path, true);
    // The recipe replaces the setting of `ddp`; bf16 recipes reduce in fp32 [from memory].
    add("accumulate_allreduce_grads_in_fp32", path, !begins_with(name, "fp16"));
    if (contains(name, "mxfp8")) add("fp8_recipe", path, "mxfp8");
    if (contains(name, "fp8")) add("fp8_format", path, "hybrid");
    if (contains(name, "nvfp4")) add("fp4_format", path, "e2m1");
  }

  void activation() {
    const std::string function = leaf("model.activation_func").is_string()
                                     ? leaf("model.activation_func").get<std::string>()
                                     : "";
    const bool gated = at("model.gated_linear_unit") == true;
    const std::string last = function.substr(function.rfind('.') + 1);
    if (!gated) {
      if (contains(last, "squared_relu")) add("squared_relu", "model.activation_func", true);
      return;
    }
    for (const NamedPath& a : kActivations) {
      if (a.path == last) return add(a.name, "model.gated_linear_unit", true);
    }
    add("swiglu", "model.gated_linear_unit", true);
  }

  // A function or class of a plugin, which a dump names.
  void spec() {
    const Json named = leaf("model.transformer_layer_spec");
    if (!named.is_string() || begins_with(named.get<std::string>(), "megatron.")) return;
    out_.left.push_back({"model.transformer_layer_spec " + named.get<std::string>(),
                         "layers of one's own, which may be another model; --model names it",
                         "model", true});
  }

  void heads() {
    const bool latent = at("model.multi_latent_attention") == true;
    if (!latent && !at("model.num_query_groups").is_null())
      add("group_query_attention", "model.num_query_groups", true);
    // With latent attention a dump's kv_channels and groups are left over from its base class.
    if (!latent) return;
    out_.settings.remove("kv_channels");
    out_.settings.remove("num_query_groups");
  }

  void shares() {
    const Json& shared = at("model.share_embeddings_and_output_weights");
    if (shared.is_boolean()) {
      add("untie_embeddings_and_output_weights", "model.share_embeddings_and_output_weights",
          !shared.get<bool>());
    }
  }

  // Null, a text, or lists of what stages hold.
  void layout() {
    const Json& value = at("model.pipeline_model_parallel_layout");
    if (value.is_string())
      return add("pipeline_model_parallel_layout", "model.pipeline_model_parallel_layout", value);
    if (!value.is_array() || value.empty()) return;
    std::string text;
    for (const Json& stage : value) {
      if (!text.empty()) text += "|";
      for (const Json& part : stage) text += mark(part);
    }
    add("pipeline_model_parallel_layout", "model.pipeline_model_parallel_layout", text);
  }

  static std::string mark(const Json& part) {
    const std::string name = part.is_string() ? part.get<std::string>() : "";
    if (name == "embedding") return "E";
    if (name == "decoder") return "t";
    if (name == "mtp") return "m";
    return name == "loss" ? "L" : "?";
  }

  // 1, 2, or a list of zeros and ones.
  void layers() {
    const Json& value = at("model.moe_layer_freq");
    if (value.is_null() || at("model.num_moe_experts").is_null()) return;
    if (!value.is_array())
      return add("moe_layer_freq", "model.moe_layer_freq",
                 value.is_string() ? value : Json(value.dump()));
    std::string text = "(";
    for (const Json& each : value) text += (text.size() > 1 ? "+[" : "[") + each.dump() + "]";
    add("moe_layer_freq", "model.moe_layer_freq", text + ")");
  }

  void length() {
    const Json& model = at("model.seq_length");
    for (const char* path : {"dataset.seq_length", "dataset.sequence_length"}) {
      const Json& other = at(path);
      if (!other.is_number() || other == model) continue;
      if (model.is_null()) {
        add("seq_length", path, other);
        continue;
      }
      out_.left.push_back({std::string(path) + " " + other.dump(),
                           "model.seq_length " + model.dump() + " is taken"});
    }
  }

  // A dump whose sections differ: a run applies one to the other when it starts [from memory].
  void sharding() {
    for (const auto& [one, other] :
         {std::pair("ddp.use_megatron_fsdp", "dist.use_megatron_fsdp"),
          std::pair("ddp.use_distributed_optimizer", "optimizer.use_distributed_optimizer")}) {
      if (!at(one).is_boolean() || !at(other).is_boolean() || at(one) == at(other)) continue;
      out_.left.push_back(
          {std::string(one) + " " + at(one).dump(),
           std::string(other) + " is " + at(other).dump() + "; --set parallel.zero=N",
           "parallel.zero", true});
    }
  }

  // Null, where a recipe may have it.
  void recompute() {
    const Json& model = at("model");
    if (model.is_object() && model.contains("recompute_granularity") &&
        model["recompute_granularity"].is_null())
      add("recompute_granularity", "model.recompute_granularity", "none");
  }

  // A whole dump says a provider's every field; without one of them the class in Python has more.
  bool is_part_of_provider() const {
    const Json target = at("model._target_");
    return target.is_string() && !contains(target.get<std::string>(), ".GPTModelProvider") &&
           at("model.normalization").is_null();
  }

  void adapter() {
    const auto adapter = read_megatron_adapter(at("peft"), "peft", out_.left, out_.without_effect);
    if (adapter) out_.adapter = *adapter;
  }

  // Overrides of a recipe in Python: what they do not say, the recipe says.
  void recipe() {
    out_.other_defaults = "the recipe in Python says it, and this file of overrides does not";
    const Json id = leaf("model.hf_model_id");
    if (id.is_string()) out_.model = shipped_model(id.get<std::string>());
  }

  void rest() {
    for (const ForeignSetting& s : leaves_) {
      const bool named = std::any_of(kNames.begin(), kNames.end(),
                                     [&](const NamedPath& n) { return n.path == s.name; });
      if (named || s.name == "mixed_precision" || s.name == "peft" ||
          begins_with(s.name, "peft.") || begins_with(s.name, "model.moe_layer_freq"))
        continue;
      if (ImportDraft{Settings(""), kWithoutEffect}.is_without_effect(s.name)) {
        out_.without_effect.push_back(s.name);
        continue;
      }
      ForeignSetting other = s;
      other.name = s.name.substr(s.name.rfind('.') + 1);
      const ForeignSetting* same = find_setting(out_.settings, other.name);
      if (same != nullptr && same->value == other.value) {
        out_.without_effect.push_back(s.name + " (as " + same->written + ")");
        continue;
      }
      // Another section may have a setting of the same name.
      if (same != nullptr) other.name = s.name;
      out_.settings.add(std::move(other));
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
  Json whole = Json::object();
  for (const ForeignFile& f : files) merge_over(whole, read_yaml(f.text, f.name));
  follow_references(whole);
  Reading(files.front().name, whole, out).read();
  return out;
}

}  // namespace orrery::bridge
