// SPDX-License-Identifier: Apache-2.0
#include "exchange/maxtext/hooks.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "exchange/trainer/facts.h"

namespace orrery::maxtext {
namespace {

using trainer::FactId;

constexpr const char* kRemat = "remat";
constexpr const char* kOffload = "offload";

std::string place_of(tools::HookCall& call, const std::string& tensor) {
  const char* otherwise = tensor == "decoder_layer_input" ? "device" : kRemat;
  return call.settings.word(tensor).value_or(otherwise);
}

// The place of all of these tensors; "" where they differ.
std::string place_of_all(tools::HookCall& call, std::initializer_list<const char*> tensors) {
  const std::string place = place_of(call, *tensors.begin());
  const bool same = std::all_of(tensors.begin(), tensors.end(),
                                [&](const char* t) { return place_of(call, t) == place; });
  return same ? place : "";
}

// The one of two places that says something: of a fused product, or of its parts.
std::string of_fused(const std::string& parts, const std::string& fused) {
  return parts == kRemat ? fused : parts;
}

// A part of a layer: the module that runs again where its tensor is not saved, and the tensor.
struct MaxTextPart {
  std::string place;
  const char* again;  // "": none, as of the next
  const char* saved;  // the module that runs again where it is saved
  const char* tensor;
};

}  // namespace

void custom_policy(tools::HookCall& call) {
  const std::array parts = {
      MaxTextPart{place_of(call, "decoder_layer_input"), "", "", "attn_norm"},
      MaxTextPart{of_fused(place_of_all(call, {"query_proj", "key_proj", "value_proj"}),
                           place_of(call, "qkv_proj")),
                  "qkv_proj", "", "core_attn"},
      MaxTextPart{place_of(call, "context"), "core_attn", "", "attn_proj"},
      MaxTextPart{place_of(call, "out_proj"), "attn_proj", "", "mlp_norm"},
      MaxTextPart{of_fused(place_of_all(call, {"mlpwi_0", "mlpwi_1"}), place_of(call, "mlpwi")),
                  "mlp", "mlp_act", "mlp_act"}};
  const bool others =
      place_of_all(call, {"mlpwo", "kv_proj", "query_wa_proj", "kv_wa_proj", "mla_q", "mla_kv",
                          "moe_mlpwi_0", "moe_mlpwi_1", "moe_mlpwo"}) != kRemat;
  const bool differ =
      std::any_of(parts.begin(), parts.end(), [](const MaxTextPart& p) { return p.place.empty(); });
  if (others || differ) {
    return call.facts.leave_open(
        FactId::recompute, call.settings.written("remat_policy"),
        "tensors that have no name here; --recompute says what is nearest");
  }
  Json modules = {"layernorm"};
  Json tensors = Json::array();
  for (const MaxTextPart& p : parts) {
    const std::string module = p.place == kRemat ? p.again : p.saved;
    if (!module.empty()) modules.push_back(module);
    if (p.place == kOffload) tensors.push_back(p.tensor);
  }
  const std::string by = call.settings.written("remat_policy");
  call.facts.set(FactId::recompute, "selective", by);
  call.facts.set_key("parallel.recompute_modules", modules, by, false);
  if (tensors.empty()) return;
  call.facts.set(FactId::offload_activations, "host", by);
  call.facts.set_key("parallel.offload.tensors", tensors, by, false);
}

}  // namespace orrery::maxtext
