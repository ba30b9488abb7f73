// SPDX-License-Identifier: Apache-2.0
//
// Programs of Megatron-LM that train no decoder alone, and models of attention and state-space
// layers (--hybrid-override-pattern; core/ssm/mamba_mixer.py).
#include <algorithm>
#include <array>
#include <cmath>

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

constexpr std::string_view kPatterns[] = {"hybrid_override_pattern", "hybrid_layer_pattern"};
constexpr std::string_view kShares[] = {"hybrid_attention_ratio", "hybrid_mlp_ratio"};
constexpr std::string_view kStateSpace[] = {"mamba_num_heads", "mamba_head_dim", "mamba_num_groups",
                                            "mamba_state_dim"};

// The setting that says which layer is which; "" where none does.
std::string_view pattern_of(Settings& settings) {
  for (const std::string_view name : kPatterns) {
    if (!settings.text(name).value_or("").empty()) return name;
  }
  return "";
}

// A log and a provider list these settings of every model, with what they are by default.
bool is_hybrid(Settings& settings) {
  const bool stated = settings.flag("is_hybrid_model").value_or(false);
  const bool some = std::any_of(std::begin(kShares), std::end(kShares), [&](std::string_view name) {
    return settings.number(name, 0, 1).value_or(0) > 0;
  });
  return stated || some || !pattern_of(settings).empty();
}

// The marks that two shares of the layers mean: attention evenly apart with state-space layers at
// both ends, then the MLPs evenly among the rest, as far back as they go
// (core/ssm/mamba_hybrid_layer_allocation.py, _allocate_auto) [from memory].
std::string pattern_of_shares(std::int64_t layers, double attention, double dense) {
  std::string marks(static_cast<std::size_t>(layers), 'M');
  const auto put = [&](char mark, double spacing) {
    double x = spacing;
    for (char& c : marks) {
      if (c != 'M') continue;
      const bool here = x < 0.5;
      if (here) c = mark;
      x += here ? spacing : -1;
    }
  };
  const double all = static_cast<double>(layers);
  const double heads = std::nearbyint(all * attention);
  const double mlps = std::nearbyint(all * dense);
  if (heads > 0) put('*', (all - heads) / (heads + 1));
  if (mlps > 0) put('-', (all - heads - mlps) / mlps);
  return marks;
}

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

// The tokenizers and words of BERT.
bool is_word_piece(const Settings& settings) {
  return std::any_of(settings.all().begin(), settings.all().end(), [](const ForeignSetting& s) {
    const std::string text = s.value.is_string() ? s.value.get<std::string>() : "";
    return (s.name == "tokenizer_type" && begins_with(text, "BertWordPiece")) ||
           (s.name == "vocab_file" && contains(text, "bert"));
  });
}

}  // namespace

const char* other_program(const std::string& program, const Settings& settings) {
  const std::string name = base_name(program);
  const auto says = [&](std::string_view setting) { return settings.has(setting); };
  const bool order = std::any_of(std::begin(kPatterns), std::end(kPatterns), says) ||
                     std::any_of(std::begin(kShares), std::end(kShares), says);
  if (begins_with(name, "pretrain_mamba") && !order)
    return "state-space layers, whose order no setting says; --model names the model";
  // Settings of a test, which names no program.
  if (program.empty() && (says("encoder_num_layers") || says("vocab_extra_ids")))
    return "an encoder and a decoder; give the model's config.json with --model";
  if (program.empty() && (says("bert_no_binary_head") || is_word_piece(settings)))
    return kPrograms.front().why;
  const auto found = std::find_if(kPrograms.begin(), kPrograms.end(), [&](const OtherProgram& p) {
    return begins_with(name, p.begins);
  });
  return found == kPrograms.end() ? nullptr : found->why;
}

// Layers of Megatron-Core's own files, which the other settings describe.
void read_spec(ImportDraft& d) {
  constexpr std::string_view kOwn[] = {"megatron.core.models.gpt.gpt_layer_specs",
                                       "megatron.core.models.mamba.mamba_layer_specs"};
  const auto words = d.settings.words("spec");
  if (!words || words->empty() || words->front() == "None" || words->front() == "local") return;
  const std::string& module = words->front();
  const bool own = std::any_of(std::begin(kOwn), std::end(kOwn),
                               [&](std::string_view name) { return begins_with(module, name); });
  if (!own)
    d.open("model", d.settings.written("spec"),
           "layers of one's own, which may be another model; --model names it");
}

void read_hybrid(ImportDraft& d) {
  const double attention = d.settings.number(kShares[0], 0, 1).value_or(0);
  const double dense = d.settings.number(kShares[1], 0, 1).value_or(0);
  if (!is_hybrid(d.settings)) {
    for (const std::string_view name : kStateSpace) d.settings.take(name);
    return;
  }
  d.settings.take("spec");
  const std::string_view name = pattern_of(d.settings);
  const bool shares = name.empty() && attention + dense > 0 && attention + dense <= 1;
  if (name.empty() && (!shares || d.layers() == 0)) {
    const bool share = d.settings.has(kShares[0]);
    return d.open("model.layer_pattern", d.settings.written(share ? kShares[0] : "is_hybrid_model"),
                  "--hybrid-override-pattern says which layer is which");
  }
  const std::string stated = d.settings.written(shares ? kShares[0] : name);
  const std::string pattern =
      shares ? pattern_of_shares(d.layers(), attention, dense) : d.settings.text(name).value_or("");
  if (shares) d.note("model.layer_pattern", pattern, stated + " spread as Megatron-LM does");
  const Json layers = layers_of_pattern(pattern);
  if (layers.empty()) {
    return d.open("model.layer_pattern", stated, "M, *, - and E alone are known");
  }
  const auto all = static_cast<std::int64_t>(layers.size());
  if (d.layers() > 0 && d.layers() != all) {
    return d.open("model.layer_pattern", stated,
                  std::to_string(all) + " letters, and " + std::to_string(d.layers()) + " layers");
  }
  d.set("model.num_hidden_layers", all);
  d.set("model.layer_pattern", layers);
  state_space(d);
}

// examples/multimodal of Megatron-LM.
void read_images(ImportDraft& d) {
  constexpr std::string_view kImages[] = {"vision_model_type", "language_model_type", "freeze_ViT",
                                          "disable_vision_class_token"};
  const auto stated = std::find_if(std::begin(kImages), std::end(kImages),
                                   [&](std::string_view name) { return d.settings.has(name); });
  if (stated == std::end(kImages)) return;
  d.open("model", d.settings.written(*stated),
         "an encoder of images stands before it; give the whole model's config.json with --model");
}

}  // namespace orrery::megatron
