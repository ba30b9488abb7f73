// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "exchange/arguments.h"
#include "exchange/megatron/megatron.h"

namespace orrery::megatron {
namespace {

struct ActivationFlag {
  const char* flag;
  const char* ours;
};
constexpr std::array kActivations = {
    ActivationFlag{"swiglu", "swiglu"},     ActivationFlag{"geglu", "geglu"},
    ActivationFlag{"quick_geglu", "geglu"}, ActivationFlag{"squared_relu", "relu2"},
    ActivationFlag{"relu", "relu"},         ActivationFlag{"xielu", "gelu"}};

// BigScience's fork: a gated MLP, which is as wide as one that is not [from memory].
void glu(ImportDraft& d, const std::string& kind) {
  if (kind == "swiglu" || kind == "geglu") {
    d.set("model.hidden_act", kind);
  } else {
    d.open("model.hidden_act", d.settings.written("glu_activation"), "swiglu or geglu");
  }
  const std::int64_t h = d.count_at("model.hidden_size", 0);
  if (h > 0) d.assume("model.intermediate_size", 4 * h, "without --ffn-hidden-size");
}

}  // namespace

void read_activation_of(ImportDraft& d) {
  const std::string kind = d.settings.word("glu_activation").value_or("None");
  if (kind != "None" && !is_unknown_to_us(kind)) return glu(d, kind);
  if (d.is_on("reglu"))
    d.open("model.hidden_act", d.settings.written("reglu"), "a gated ReLU, which is none of ours");
  const bool swiglu = d.is_any_on({"swiglu", "geglu", "quick_geglu"});
  std::string name = d.settings.has("swiglu") ? "gelu" : "";
  for (const auto& [flag, act] : kActivations) {
    if (d.is_on(flag)) name = act;
  }
  if (name.empty()) {
    d.assume("model.hidden_act", "gelu", "without --swiglu");
  } else {
    d.set("model.hidden_act", name);
  }
  const std::int64_t h = d.count_at("model.hidden_size", 0);
  if (h == 0) return;
  if (d.is_open("model.hidden_act") && d.at("model.intermediate_size").is_null()) {
    return d.open("model.intermediate_size", "--ffn-hidden-size", "follows from the activation");
  }
  // Megatron's default of a gated MLP keeps the parameters of one that is not.
  const std::int64_t gated = h * 4 * 2 / 3 / 64 * 64;
  d.assume("model.intermediate_size", swiglu ? gated : 4 * h, "without --ffn-hidden-size");
}

}  // namespace orrery::megatron
