// SPDX-License-Identifier: Apache-2.0
#include "exchange/nemo/experiment.h"

#include <algorithm>

#include "core/json_path.h"
#include "exchange/adapters.h"
#include "exchange/hub_names.h"
#include "exchange/nemo/experiment_names.h"
#include "exchange/text_lines.h"
#include "exchange/yaml.h"

namespace orrery::nemo {
namespace {

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
    trainer();
    sharding();
    callbacks();
    data();
    if (!at("peft").is_null()) {
      const auto adapter =
          read_megatron_adapter(at("peft"), "peft", out_.left, out_.without_effect);
      if (adapter) out_.adapter = *adapter;
    }
    rest();
  }

 private:
  const Json& at(std::string_view path) const { return value_at(document_, path); }

  std::string text(std::string_view path) const {
    return at(path).is_string() ? at(path).get<std::string>() : "";
  }

  void add(std::string_view name, const ForeignSetting& s) {
    const bool off = s.value == false && (name == "fp8_format" || name == "fp4_format");
    const std::string& written = s.name.empty() ? s.written : s.name;
    if (!off) out_.settings.add({std::string(name), written, s.value, file_});
  }

  void refuse(const std::string& setting, const std::string& why, const char* key = "") {
    out_.left.push_back({setting, why, key, true});
  }

  // The plugin's word, or the trainer's.
  void precision() {
    const char* path = at("trainer.plugins.precision").is_string() ? "trainer.plugins.precision"
                                                                   : "trainer.precision";
    const std::string word = text(path);
    if (begins_with(word, "bf16")) add("bf16", {"", path, true});
    if (begins_with(word, "16")) add("fp16", {"", path, true});
    if (word.empty() && !at("trainer.plugins").is_null())
      refuse("trainer.plugins", "a plugin of no known precision", "training.precision");
    const bool plugin = at("trainer.plugins").is_object();
    if (plugin && !text("model.config.fp8").empty() && at("trainer.plugins.fp8").is_null())
      refuse("model.config.fp8 " + text("model.config.fp8"), "the plugin beside it has no fp8",
             "training.precision");
  }

  std::string class_of_model() const {
    std::string name = text("model.config._target_");
    if (name.empty()) name = text("model._target_");
    return name.substr(name.rfind('.') + 1);
  }

  // Llama31Config70B, which says all that is not said beside it, or LlamaConfig.
  void model() {
    const std::string of_class = class_of_model();
    std::string name = of_class;
    const std::size_t config = name.find("Config");
    if (config != std::string::npos) name.erase(config, 6);
    activation();
    words();
    out_.model = shipped_model(name);
    if (!out_.model.empty()) return;
    if (at("model.config.num_layers").is_null())
      return refuse("model " + name, "no model of ours; --model says it", "model");
    family(of_class);
  }

  void family(const std::string& name) {
    const auto known = std::find_if(kModelClasses.begin(), kModelClasses.end(),
                                    [&](const ModelClass& f) { return f.name == name; });
    if (known == kModelClasses.end())
      return refuse("model.config._target_ " + name,
                    "a class whose defaults are not known; --model", "model");
    for (const std::string_view each : fields_of(known->says, ' ')) {
      const std::string setting(each.substr(0, each.find('=')));
      const bool act = setting == "swiglu" || setting == "geglu" || setting == "squared_relu";
      if (out_.settings.has(setting) || !at("model.config." + setting).is_null() ||
          (act && !at("model.config.activation_func").is_null()))
        continue;
      const Json value = yaml_scalar(std::string(each.substr(each.find('=') + 1)));
      out_.settings.add({setting, name + "." + setting, value, file_});
      out_.assumed.push_back({setting, bare_text(value), name + "'s [from memory]"});
    }
  }

  void activation() {
    const std::string path = "model.config.activation_func";
    const std::string function = text(path).empty() ? text(path + "._target_") : text(path);
    const std::string last = function.substr(function.rfind('.') + 1);
    if (last.empty()) return gate_alone();
    const bool gated = at("model.config.gated_linear_unit") == true;
    const auto known = std::find_if(kFunctions.begin(), kFunctions.end(),
                                    [&](const Function& f) { return f.name == last; });
    const std::string_view name = known == kFunctions.end() ? std::string_view()
                                  : gated                   ? known->gated
                                                            : known->plain;
    if (name.empty()) return refuse(path + " " + last, "no activation of ours", "model.hidden_act");
    // Without a gate it is Megatron-LM's own, which no flag names.
    add(name == "gelu" ? "swiglu" : name, {"", path, name != "gelu"});
  }

  // All of the families but GPT's own have a gate.
  void gate_alone() {
    const Json& gated = at("model.config.gated_linear_unit");
    if (gated.is_boolean() && gated.get<bool>() == (class_of_model() == "GPTConfig"))
      refuse("model.config.gated_linear_unit " + gated.dump(), "of which function is not said",
             "model.hidden_act");
  }

  // Settings that Megatron-LM has under other words.
  void words() {
    const Json& shares = at("model.config.share_embeddings_and_output_weights");
    if (shares.is_boolean())
      add("untie_embeddings_and_output_weights",
          {"", "model.config.share_embeddings_and_output_weights", !shares.get<bool>()});
    if (!at("model.config.num_query_groups").is_null())
      add("group_query_attention", {"", "model.config.num_query_groups", true});
    const Json& backend = at("model.config.attention_backend");
    if (backend.is_null()) return;
    const Json& list = value_at(backend, "_args_");
    const Json word = backend.is_string()                   ? backend
                      : list.is_array() && list.size() == 1 ? Json(list[0])
                                                            : Json();
    if (word.is_string())
      return add("attention_backend", {"", "model.config.attention_backend", word});
    refuse("model.config.attention_backend", "no word", "training.flash_attention");
  }

  void trainer() {
    const std::string device = text("trainer.accelerator");
    if (device == "cpu" || device == "tpu" || device == "hpu")
      refuse("trainer.accelerator " + device, "no GPUs; Orrery models GPUs alone");
    const std::string strategy = text("trainer.strategy._target_");
    if (!strategy.empty() && !contains(strategy, "MegatronStrategy"))
      refuse("trainer.strategy._target_ " + strategy, "another strategy than Megatron-Core's");
    const Json& times = at("trainer.accumulate_grad_batches");
    if (times.is_number() && times != 1)
      refuse("trainer.accumulate_grad_batches " + times.dump(), "beside a global batch");
    const std::string does = text("_target_");
    if (contains(does, "distill")) refuse("_target_ " + does, "a training with a second model");
  }

  // Without the setting its class in Python says it.
  void sharding() {
    const std::string fsdp = text("trainer.strategy.fsdp");
    const bool strategy = out_.settings.has("data_parallel_sharding_strategy");
    if (fsdp == "megatron" && strategy)
      return add("use_megatron_fsdp", {"", "trainer.strategy.fsdp", true});
    if (!fsdp.empty())
      return refuse("trainer.strategy.fsdp " + fsdp,
                    "shards as its class says; --set parallel.zero=N", "parallel.zero");
    const bool megatron = std::any_of(
        out_.settings.all().begin(), out_.settings.all().end(),
        [](const ForeignSetting& s) { return s.name == "use_megatron_fsdp" && s.value == true; });
    if (!out_.settings.has("use_distributed_optimizer") && !megatron)
      refuse("optim.config.use_distributed_optimizer",
             "is not given; its class in Python has it on [from memory]", "parallel.zero");
  }

  // Overlap of communication stands in a callback.
  void callbacks() {
    const Json& given = at("trainer.callbacks");
    const Json list = given.is_object() ? Json::array({given}) : given;
    if (!list.is_array()) return;
    for (const Json& each : list) {
      if (!each.is_object()) continue;
      for (const char* key : {"tp_comm_overlap", "overlap_grad_reduce", "overlap_param_gather",
                              "defer_embedding_wgrad_compute", "overlap_p2p_comm"}) {
        if (each.contains(key) && each[key].is_boolean())
          add(key, {"", std::string("trainer.callbacks.") + key, each[key]});
      }
      callback(text_of_target(each));
    }
  }

  static std::string text_of_target(const Json& each) {
    const Json& target = value_at(each, "_target_");
    const std::string name = target.is_string() ? target.get<std::string>() : "";
    return name.substr(name.rfind('.') + 1);
  }

  void callback(const std::string& name) {
    if (contains(name, "TokenDrop"))
      return refuse("trainer.callbacks " + name, "tokens that experts drop, above a capacity");
    const bool quiet = std::any_of(std::begin(kCallbacks), std::end(kCallbacks),
                                   [&](std::string_view part) { return contains(name, part); });
    if (!quiet) out_.left.push_back({"trainer.callbacks " + name, "a callback that is not known"});
  }

  void data() {
    if (at("data.micro_batch_size").is_null())
      refuse("data.micro_batch_size", "is not given; its class in Python says it",
             "training.micro_batch");
    const Json& packed = at("data.packed_sequence_specs.packed_sequence_size");
    if (packed.is_number() && packed != at("data.seq_length"))
      refuse("data.packed_sequence_specs.packed_sequence_size " + packed.dump(),
             "another length than data.seq_length", "training.sequence_length");
  }

  void rest() {
    const ImportDraft known{Settings(""), kWithoutEffect2};
    for (const ForeignSetting& s : leaves_) {
      const bool named = std::any_of(kNames2.begin(), kNames2.end(),
                                     [&](const NamedPath& n) { return n.path == s.name; });
      if (named || s.name == "trainer.accumulate_grad_batches") continue;
      if (known.is_without_effect(s.name)) {
        out_.without_effect.push_back(s.name);
        continue;
      }
      const std::string last = s.name.substr(s.name.rfind('.') + 1);
      add(out_.settings.has(last) ? s.name : last, s);
    }
  }

  const std::string& file_;
  const Json& document_;
  std::vector<ForeignSetting> leaves_;
  NamedSettings& out_;
};

}  // namespace

void read_experiment(const std::string& file, const Json& document, NamedSettings& out) {
  Json whole = document;
  const Json& plugins = value_at(document, "trainer.plugins");
  if (plugins.is_array() && plugins.size() == 1) set_at(whole, "trainer.plugins", plugins[0]);
  Experiment(file, whole, out).read();
}

}  // namespace orrery::nemo
