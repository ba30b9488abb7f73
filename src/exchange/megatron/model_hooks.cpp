// SPDX-License-Identifier: Apache-2.0
//
// Models of attention and state-space layers: --hybrid-override-pattern, core/ssm/mamba_mixer.py.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/divide.h"
#include "core/units.h"
#include "exchange/megatron/hooks.h"
#include "exchange/megatron/layer_lists.h"
#include "exchange/text_lines.h"
#include "exchange/trainer/facts.h"

namespace orrery::megatron {
namespace {

using tools::HookCall;

const std::string kPeriod = "model.moe_layer_freq";
const std::string kDense = "model.first_k_dense_replace";
const std::string kPattern = "model.layer_pattern";
const std::string kVocabulary = "model.vocab_size";

// Experts in every so many layers, from an offset on; the number is 0 where they are elsewhere.
std::pair<std::size_t, std::size_t> regular(const std::vector<bool>& layers) {
  const auto first =
      static_cast<std::size_t>(std::find(layers.begin(), layers.end(), true) - layers.begin());
  for (std::size_t every = first + 1; every <= layers.size(); ++every) {
    bool same = true;
    for (std::size_t i = 0; i < layers.size(); ++i)
      same = same && layers[i] == (i % every == first);
    if (same) return {every, first};
  }
  return {0, 0};
}

// Experts in every n-th layer, the first of which is number `offset`. A model by its name may have
// dense layers before them, or another offset.
void set_period(HookCall& call, std::int64_t every, std::int64_t offset,
                const std::string& setting) {
  const bool named = call.facts.names_model();
  call.facts.set_key(kPeriod, every, setting, false);
  if (offset > 0 || named) call.facts.set_key("model.moe_layer_offset", offset, setting, false);
  if (named && call.facts.key(kDense) == nullptr) call.facts.set_key(kDense, 0, setting, false);
}

// Megatron-DeepSpeed counts layers from one, and has experts in every second one by default.
void deepspeed_frequency(HookCall& call) {
  const auto stated = call.settings.count("expert_interval", 1, kMostDegree);
  const std::int64_t every = stated.value_or(2);
  if (stated) return set_period(call, every, every - 1, "--expert-interval");
  constexpr const char* kWhy = "Megatron-DeepSpeed's --expert-interval [from memory]";
  call.facts.set_key(kPeriod, every, kWhy, true);
  call.facts.set_key("model.moe_layer_offset", every - 1, kWhy, true);
}

void listed_experts(HookCall& call, const std::string& text) {
  constexpr std::string_view kName = "moe_layer_freq";
  const std::vector<bool> layers = listed_layers(call.settings, kName, text);
  const std::int64_t all = call.facts.layers();
  const std::string setting = "--moe-layer-freq " + text;
  if (all > 0 && static_cast<std::int64_t>(layers.size()) != all) {
    call.settings.refuse(kName,
                         "\"" + text + "\", which is " + std::to_string(layers.size()) + " layers",
                         "num_layers " + std::to_string(all));
  }
  const auto dense = std::find(layers.begin(), layers.end(), true) - layers.begin();
  if (std::all_of(layers.begin() + dense, layers.end(), [](bool b) { return b; })) {
    if (dense > 0) call.facts.set_key(kDense, dense, setting, false);
    return set_period(call, 1, 0, setting);
  }
  const auto [every, first] = regular(layers);
  if (every == 0)
    return call.facts.leave_key_open(
        kPeriod, setting,
        "neither dense layers, then experts, nor experts in every so many layers");
  set_period(call, static_cast<std::int64_t>(every), static_cast<std::int64_t>(first), setting);
}

struct LayerLetter {
  char theirs;
  const char* ours;
};
constexpr std::array kLetters = {LayerLetter{'M', "recurrent"}, LayerLetter{'*', "attention"},
                                 LayerLetter{'-', "dense"}, LayerLetter{'E', "experts"}};

constexpr std::array kStateSpace = {"mamba_num_heads", "mamba_head_dim", "mamba_num_groups",
                                    "mamba_state_dim"};

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
void state_space(HookCall& call, const std::string& stated) {
  const auto size = [&](const char* name) { return call.settings.count(name, 1, kMostDegree); };
  const std::int64_t h = call.facts.count_of_key("model.hidden_size", 0);
  const std::int64_t width = size("mamba_head_dim").value_or(64);
  const auto heads = size("mamba_num_heads");
  const auto groups = size("mamba_num_groups");
  const auto state = size("mamba_state_dim");
  const bool whole = heads && groups && state;
  const Json layer = {{"recurrent", "mamba2"},
                      {"linear_num_key_heads", groups.value_or(8)},
                      {"linear_key_head_dim", state.value_or(128)},
                      {"linear_num_value_heads", heads.value_or(2 * h / width)},
                      {"linear_value_head_dim", width},
                      {"linear_conv_kernel_dim", 4},
                      {"linear_chunk_size", 128},
                      {"linear_conv_bias", true},
                      {"linear_gated_norm", true}};
  for (const auto& [key, value] : layer.items())
    call.facts.set_key("model." + key, value, stated, false);
  if (!whole)
    call.facts.note_key(
        "model.recurrent", "mamba2",
        "128 states, heads of 64, 8 groups, twice the width, where not given [from memory]");
}

// The setting that says which layer is which; "" where none does.
std::string pattern_setting(Settings& settings) {
  for (const char* name : {"hybrid_override_pattern", "hybrid_layer_pattern"}) {
    if (!settings.text(name).value_or("").empty()) return name;
  }
  return "";
}

// The n of a list in which each n-th layer is whole, or in which windows and whole layers
// alternate; 1: all have windows; 0: another list.
std::int64_t period_of(const std::vector<bool>& windows) {
  const auto whole = std::find(windows.begin(), windows.end(), false) - windows.begin();
  const auto n = static_cast<std::int64_t>(windows.size());
  if (whole == n) return 1;
  const auto is = [&](std::int64_t every, bool shifted) {
    for (std::int64_t i = 0; i < n; ++i) {
      const bool window = (i + 1) % every != 0;
      if (windows[static_cast<std::size_t>(i)] != (shifted ? !window : window)) return false;
    }
    return true;
  };
  constexpr std::int64_t kAlternate = 2;
  if (is(kAlternate, true)) return kAlternate;
  return whole > 0 && is(whole + 1, false) ? whole + 1 : 0;
}

// Every n-th layer has no window: a number, or a list of Python for all layers.
void window_pattern(HookCall& call) {
  constexpr const char* kName = "window_attn_skip_freq";
  constexpr const char* kKey = "model.sliding_window_pattern";
  const std::string stated = call.settings.written(kName);
  const std::optional<std::string> text = layer_list(call.settings, kName);
  if (!text) return;
  if (parse_number(*text))
    return call.facts.set_key(kKey, *call.settings.count(kName, 1, kMostLayers), stated, false);
  const std::int64_t every = period_of(listed_layers(call.settings, kName, *text));
  if (every == 0)
    return call.facts.leave_key_open(
        kKey, stated, "a list of layers with windows; every n-th layer without one is known");
  if (every > 1) call.facts.set_key(kKey, every, stated, false);
}

// Rows of the table: padded, of GPT-2, or of the model that the tokenizer is named after.
void known_vocabulary(HookCall& call, std::optional<std::int64_t> padded) {
  const auto assume = [&](std::int64_t n, const std::string& why) {
    call.facts.set_key(kVocabulary, n, why, true);
  };
  if (padded) assume(*padded, "padded: --vocab-size is not given");
  const auto tokenizer = call.settings.text("tokenizer_type").value_or("GPT2BPETokenizer");
  // A file of another name may hold another vocabulary.
  const std::string words = call.settings.text("vocab_file").value_or("gpt2-vocab.json");
  const bool of_gpt2 = contains(words, "gpt") || words == "vocab.json" || contains(words, "$");
  if (tokenizer == "GPT2BPETokenizer" && call.settings.has("merge_file") && of_gpt2)
    assume(50257, "GPT-2's vocabulary");
  const auto name = call.settings.word("tokenizer_model");
  const std::int64_t named = name ? call.facts.vocabulary_of(*name) : 0;
  if (named > 0 && call.facts.key(kVocabulary) == nullptr) {
    call.facts.set_key(kVocabulary, named, *name, false);
    call.facts.note_key(kVocabulary, std::to_string(named),
                        "the vocabulary of the model that tokenizer " + *name + " is named after");
  }
}

}  // namespace

void expert_layers(HookCall& call) {
  const auto text = layer_list(call.settings, "moe_layer_freq");
  const bool deepspeed = call.settings.flag("deepspeed").value_or(false);
  if (!text && (deepspeed || call.settings.has("expert_interval")))
    return deepspeed_frequency(call);
  if (!text) return;
  if (!parse_number(*text)) return listed_experts(call, *text);
  set_period(call, *call.settings.count("moe_layer_freq", 1), 0, "--moe-layer-freq");
}

void hybrid(HookCall& call) {
  Settings& settings = call.settings;
  const double attention = settings.number("hybrid_attention_ratio", 0, 1).value_or(0);
  const double dense = settings.number("hybrid_mlp_ratio", 0, 1).value_or(0);
  const bool stated = settings.flag("is_hybrid_model").value_or(false);
  const std::string name = pattern_setting(settings);
  for (const char* size : kStateSpace) settings.take(size);
  // A log and a provider list these settings of every model, with what they are by default.
  if (!stated && attention + dense == 0 && name.empty()) return;
  const bool shares = name.empty() && attention + dense > 0 && attention + dense <= 1;
  const std::int64_t all = call.facts.layers();
  const std::string by_share = settings.written(
      settings.has("hybrid_attention_ratio") ? "hybrid_attention_ratio" : "is_hybrid_model");
  if (name.empty() && (!shares || all == 0))
    return call.facts.leave_key_open(kPattern, by_share,
                                     "--hybrid-override-pattern says which layer is which");
  const std::string written = shares ? by_share : settings.written(name);
  const std::string pattern =
      shares ? pattern_of_shares(all, attention, dense) : settings.text(name).value_or("");
  const Json layers = layers_of_pattern(pattern);
  if (layers.empty())
    return call.facts.leave_key_open(kPattern, written, "M, *, - and E alone are known");
  const auto letters = static_cast<std::int64_t>(layers.size());
  if (all > 0 && letters != all)
    return call.facts.leave_key_open(
        kPattern, written,
        std::to_string(letters) + " letters, and " + std::to_string(all) + " layers");
  if (shares) call.facts.note_key(kPattern, pattern, written + " spread as Megatron-LM does");
  call.facts.replace_key("model.num_hidden_layers", letters, written);
  call.facts.set_key(kPattern, layers, written, false);
  state_space(call, written);
}

// "127,0" is 127 tokens before each and the token itself; every second layer has it with 2.
void window(HookCall& call) {
  constexpr const char* kKey = "model.sliding_window";
  const std::string stated = call.settings.written("window_size");
  const auto words = call.settings.words("window_size");
  if (!words || words->empty()) return;
  std::string text = words->front();
  const std::size_t begin = std::min(text.find_first_not_of("(["), text.size());
  text = text.substr(begin, text.find(',') - std::min(begin, text.find(',')));
  const auto before = parse_number(text);
  if (!before || *before < 0 || *before > 1e9)
    return call.facts.leave_key_open(kKey, stated, "no number of tokens");
  call.facts.set_key(kKey, static_cast<std::int64_t>(*before) + 1, stated, false);
  window_pattern(call);
}

void vocabulary(HookCall& call) {
  Settings& settings = call.settings;
  const auto padded = settings.count("padded_vocab_size", 1);
  known_vocabulary(call, padded);
  const auto multiple = settings.count("make_vocab_size_divisible_by", 1, kMostDegree);
  const std::int64_t n = call.facts.count_of_key(kVocabulary, 0);
  if ((!multiple && !padded) || n == 0 || n > kMostDegree || padded == n) return;
  const std::int64_t tp = settings.count("tensor_model_parallel_size", 1, kMostDegree).value_or(1);
  const std::int64_t theirs = padded ? *padded : rounded_up(n, *multiple * tp);
  const std::int64_t ours = rounded_up(n, 128 * tp);
  if (theirs == ours) return;
  const char* name = padded ? "padded_vocab_size" : "make_vocab_size_divisible_by";
  if (theirs < n || theirs % (128 * tp) != 0)
    return call.facts.mention(settings.written(name), "the profile pads to 128 x tp");
  call.facts.replace_key(kVocabulary, theirs, settings.written(name));
  call.facts.note_key(kVocabulary, std::to_string(theirs), "padded by " + settings.written(name));
}

}  // namespace orrery::megatron
