// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "core/json_path.h"
#include "core/units.h"
#include "estimate/resolve.h"
#include "exchange/bridge/bridge.h"
#include "exchange/megatron/megatron.h"
#include "exchange/text_lines.h"
#include "exchange/tools/tool.h"
#include "exchange/tools/tool_book.h"
#include "exchange/yaml.h"

namespace orrery::bridge {
namespace {

// An object that the configuration's loader looks up.
Json looked_up(const std::string& name) { return {{"_target_", name}, {"_call_", false}}; }

struct TypeName {
  std::string_view ours;
  const char* theirs;
};
constexpr std::array kTypes = {TypeName{"bf16", "torch.bfloat16"},
                               TypeName{"fp16", "torch.float16"}, TypeName{"fp32", "torch.float32"},
                               TypeName{"fp8", "torch.uint8"}};

std::string words_before(const std::string& text, char end) {
  return text.substr(0, text.find(end));
}

class Overrides {
 public:
  Overrides(const ResolvedRun& r, const tools::ToolBook& tools, const tools::Tool& tool)
      : r_(r), tools_(tools), tool_(tool) {}

  std::string text() {
    activation();
    const ArgumentLines arguments = megatron::arguments_of(r_, tools_);
    for (const auto& [name, value] : arguments.list()) argument(name, value);
    set("model.add_bias_linear", r_.run.model.attention_out_bias);
    set("model.share_embeddings_and_output_weights", r_.run.model.tie_word_embeddings);
    experts();
    if (r_.run.training.precision != Precision::fp32) {
      set("mixed_precision.grad_reduce_in_fp32", r_.run.training.recipe.gradients >= 4);
    }
    for (const auto& [path, off] : tool_.written) {
      if (means_nothing(path)) continue;
      if (value_at(out_, path).is_null()) set(path, off);
    }
    return write_yaml(out_);
  }

 private:
  void set(std::string_view path, Json value) { set_at(out_, path, std::move(value)); }

  // Switches of tensor ranks and of sharded states that the run has not.
  bool means_nothing(std::string_view path) const {
    return (r_.run.strategy.tp == 1 && path == "comm_overlap.tp_comm_overlap") ||
           (r_.run.strategy.zero == 0 && path == "comm_overlap.overlap_param_gather");
  }

  std::string path_of(const std::string& name) const {
    const std::string path = tool_.setting_for(name);
    return path.empty() ? "model." + name : path;
  }

  static bool is_set_otherwise(const std::string& name) {
    static constexpr std::string_view kOther[] = {"swiglu",
                                                  "geglu",
                                                  "squared_relu",
                                                  "group_query_attention",
                                                  "disable_bias_linear",
                                                  "untie_embeddings_and_output_weights",
                                                  "accumulate_allreduce_grads_in_fp32",
                                                  "moe_layer_freq"};
    return std::find(std::begin(kOther), std::end(kOther), name) != std::end(kOther);
  }

  void argument(const std::string& name, const std::string& value) {
    if (is_set_otherwise(name) || (name == "attention_backend" && value == "auto")) return;
    if (name == "no_store_param_remainders") return set("optimizer.store_param_remainders", false);
    if (name == "no_gradient_accumulation_fusion")
      return set("model.gradient_accumulation_fusion", false);
    if (value.empty()) return set(path_of(name), true);
    if (name.size() > 6 && name.substr(name.size() - 6) == "_dtype") return type(name, value);
    if (name == "recompute_modules") return modules(value);
    if (name == "window_size") return set(path_of(name), yaml_list(value));
    const bool quoted = value.size() > 1 && value.front() == '"';
    set(path_of(name), quoted ? Json(value.substr(1, value.size() - 2)) : yaml_scalar(value));
  }

  void type(const std::string& name, const std::string& value) {
    for (const TypeName& t : kTypes) {
      if (t.ours == value) set(path_of(name), looked_up(t.theirs));
    }
  }

  // "127,0" as [127, 0].
  static Json yaml_list(const std::string& value) {
    Json list = Json::array();
    for (const std::string_view each : fields_of(value, ','))
      list.push_back(yaml_scalar(std::string(each)));
    return list;
  }

  void modules(std::string value) {
    Json list = Json::array();
    for (; !value.empty(); value.erase(0, words_before(value, ' ').size() + 1)) {
      list.push_back(words_before(value, ' '));
      if (value.find(' ') == std::string::npos) break;
    }
    set("model.recompute_modules", list);
  }

  void activation() {
    const std::string act(hidden_act_name(r_.run.model));
    const bool silu = act == "swiglu";
    const bool gated = silu || act == "geglu";
    if (gated) set("model.gated_linear_unit", true);
    const char* name = act == "relu2" ? "megatron.core.activations.squared_relu"
                       : silu         ? "torch.nn.functional.silu"
                                      : "torch.nn.functional.gelu";
    set("model.activation_func", looked_up(name));
  }

  // One number a layer: 1 where it has experts.
  void experts() {
    const Architecture& a = r_.run.model;
    if (!is_moe(a)) return;
    if (a.moe.first_k_dense == 0) return set("model.moe_layer_freq", a.moe.layer_freq);
    Json layers = Json::array();
    for (std::int64_t i = 0; i < a.layers; ++i) layers.push_back(i < a.moe.first_k_dense ? 0 : 1);
    set("model.moe_layer_freq", layers);
  }

  const ResolvedRun& r_;
  const tools::ToolBook& tools_;
  const tools::Tool& tool_;
  Json out_ = Json::object();
};

}  // namespace

std::string export_run(const ResolvedRun& resolved, const ConfigLookup& lookup) {
  const tools::ToolBook tools(lookup);
  const tools::Tool* tool = tools.find("bridge");
  if (tool == nullptr) throw std::logic_error("configs/tools has no bridge");
  return Overrides(resolved, tools, *tool).text();
}

}  // namespace orrery::bridge
