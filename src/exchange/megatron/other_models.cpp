// SPDX-License-Identifier: Apache-2.0
//
// Programs of Megatron-LM that train no decoder alone, and models of attention and state-space
// layers (--hybrid-override-pattern; core/ssm/mamba_mixer.py).
#include <algorithm>
#include <array>

#include "exchange/megatron/megatron.h"
#include "exchange/text_lines.h"

namespace orrery::megatron {
namespace {

struct OtherProgram {
  std::string_view begins;
  const char* why;
};
constexpr std::array kPrograms = {
    OtherProgram{"pretrain_bert",
                 "an encoder, whose attention is not causal; give its config.json with --model"},
    OtherProgram{"pretrain_t5",
                 "an encoder and a decoder; give the model's config.json with --model"},
    OtherProgram{"pretrain_ict", "two encoders, which no model of ours is"},
    OtherProgram{"pretrain_biencoder", "two encoders, which no model of ours is"},
    OtherProgram{"pretrain_realm", "two encoders, which no model of ours is"},
    OtherProgram{"pretrain_retro",
                 "a decoder that reads retrieved text, which no model of ours is"},
    OtherProgram{"pretrain_vision", "a model of images, which no model of ours is"},
    OtherProgram{"pretrain_vlm",
                 "an encoder of images stands before it; give the whole model's "
                 "config.json with --model"},
};

struct LayerLetter {
  char theirs;
  const char* ours;
};
constexpr std::array kLetters = {LayerLetter{'M', "recurrent"}, LayerLetter{'*', "attention"},
                                 LayerLetter{'-', "dense"}, LayerLetter{'E', "experts"}};

// The settings whose presence makes a model a hybrid one.
constexpr std::string_view kHybrid[] = {"hybrid_override_pattern", "hybrid_layer_pattern",
                                        "is_hybrid_model", "hybrid_attention_ratio",
                                        "hybrid_mlp_ratio"};

Json layers_of_pattern(const std::string& pattern) {
  Json layers = Json::array();
  for (const char c : pattern) {
    const auto letter = std::find_if(kLetters.begin(), kLetters.end(),
                                     [&](const LayerLetter& l) { return l.theirs == c; });
    if (letter == kLetters.end()) return {};
    layers.push_back(letter->ours);
  }
  return layers;
}

// Defaults of arguments.py and of MambaMixer.
void state_space(ImportDraft& d) {
  const std::int64_t h = d.count_at("model.hidden_size", 0);
  const std::int64_t width = d.settings.count("mamba_head_dim", 1, kMostDegree).value_or(64);
  const auto heads = d.settings.count("mamba_num_heads", 1, kMostDegree);
  const auto groups = d.settings.count("mamba_num_groups", 1, kMostDegree);
  const auto state = d.settings.count("mamba_state_dim", 1, kMostDegree);
  if (!heads || !groups || !state)
    d.note("model.recurrent", "mamba2",
           "128 states, heads of 64, 8 groups, twice the width, where not given [from memory]");
  const Json layer = {{"recurrent", "mamba2"},
                      {"linear_num_key_heads", groups.value_or(8)},
                      {"linear_key_head_dim", state.value_or(128)},
                      {"linear_num_value_heads", heads.value_or(2 * h / width)},
                      {"linear_value_head_dim", width},
                      {"linear_conv_kernel_dim", 4},
                      {"linear_chunk_size", 128},
                      {"linear_conv_bias", true},
                      {"linear_gated_norm", true}};
  for (const auto& [key, value] : layer.items()) d.set("model." + key, value);
}

}  // namespace

const char* other_program(const std::string& program, const Settings& settings) {
  const std::string name = base_name(program);
  if (begins_with(name, "pretrain_mamba") && !is_hybrid(settings))
    return "state-space layers, whose order no setting says; --model names the model";
  const auto found = std::find_if(kPrograms.begin(), kPrograms.end(), [&](const OtherProgram& p) {
    return begins_with(name, p.begins);
  });
  return found == kPrograms.end() ? nullptr : found->why;
}

bool is_hybrid(const Settings& settings) {
  return std::any_of(std::begin(kHybrid), std::end(kHybrid),
                     [&](std::string_view name) { return settings.has(name); });
}

void read_hybrid(ImportDraft& d) {
  if (!is_hybrid(d.settings)) return;
  for (const std::string_view name : kHybrid) d.settings.take(name);
  d.settings.take("spec");
  const char* name = d.settings.has("hybrid_override_pattern") ? "hybrid_override_pattern"
                                                               : "hybrid_layer_pattern";
  const auto pattern = d.settings.text(name);
  const std::string said = d.settings.written(name);
  if (!pattern) {
    return d.open("model.layer_pattern", d.settings.written("hybrid_attention_ratio"),
                  "a share alone; --hybrid-override-pattern says which layer is which");
  }
  const Json layers = layers_of_pattern(*pattern);
  if (layers.empty()) {
    return d.open("model.layer_pattern", said, "M, *, - and E alone are known");
  }
  const auto all = static_cast<std::int64_t>(layers.size());
  if (d.layers() > 0 && d.layers() != all) {
    return d.open("model.layer_pattern", said,
                  std::to_string(all) + " letters, and " + std::to_string(d.layers()) + " layers");
  }
  d.set("model.num_hidden_layers", all);
  d.set("model.layer_pattern", layers);
  state_space(d);
}

// examples/multimodal of Megatron-LM.
void read_images(ImportDraft& d) {
  if (!d.settings.has("vision_model_type")) return;
  d.open("model", d.settings.written("vision_model_type"),
         "an encoder of images stands before it; give the whole model's config.json with --model");
}

}  // namespace orrery::megatron
