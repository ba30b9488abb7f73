// SPDX-License-Identifier: Apache-2.0
#include "exchange/adapters.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/json_path.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

struct TargetName {
  std::string_view theirs;
  std::string_view ours;
};

constexpr std::array kTargetNames = {
    TargetName{"q_proj", "query"},
    TargetName{"q_a_proj", "query"},
    TargetName{"q_b_proj", "query"},
    TargetName{"k_proj", "key"},
    TargetName{"v_proj", "value"},
    TargetName{"kv_a_proj_with_mqa", "key"},
    TargetName{"kv_b_proj", "value"},
    TargetName{"qkv_proj", "qkv"},
    TargetName{"c_attn", "qkv"},
    TargetName{"query_key_value", "qkv"},
    TargetName{"linear_qkv", "qkv"},
    TargetName{"o_proj", "output"},
    TargetName{"output_proj", "output"},
    TargetName{"out_proj", "output"},
    TargetName{"dense", "output"},
    TargetName{"linear_proj", "output"},
    TargetName{"gate_proj", "gate"},
    TargetName{"w1", "gate"},
    TargetName{"up_proj", "up"},
    TargetName{"w3", "up"},
    TargetName{"fc1", "up"},
    TargetName{"dense_h_to_4h", "up"},
    TargetName{"gate_up_proj", "gate_up"},
    TargetName{"linear_fc1", "gate_up"},
    TargetName{"down_proj", "down"},
    TargetName{"w2", "down"},
    TargetName{"fc2", "down"},
    TargetName{"dense_4h_to_h", "down"},
    TargetName{"linear_fc2", "down"},
    TargetName{"lm_head", "head"},
    // Megatron-Bridge's, one a part of a fused matrix, and NeMo 1's.
    TargetName{"linear_q", "query"},
    TargetName{"linear_q_down_proj", "query"},
    TargetName{"linear_q_up_proj", "query"},
    TargetName{"linear_k", "key"},
    TargetName{"linear_kv_down_proj", "key"},
    TargetName{"linear_v", "value"},
    TargetName{"linear_kv_up_proj", "value"},
    TargetName{"linear_fc1_gate", "gate"},
    TargetName{"linear_fc1_up", "up"},
    TargetName{"attention_qkv", "qkv"},
    TargetName{"attention_dense", "output"},
    TargetName{"mlp_fc1", "gate_up"},
    TargetName{"mlp_fc2", "down"},
    TargetName{"attention", "qkv"},
    TargetName{"attention", "output"},
    TargetName{"mlp", "gate_up"},
    TargetName{"mlp", "down"},
};

constexpr std::array kPartNames = {
    TargetName{"embed_tokens", "embedding"},
    TargetName{"lm_head", "head"},
    TargetName{"norm", "norms"},
};

// A name may stand for several; one with a star, for some layers alone, for none.
std::vector<std::string> our_names(std::span<const TargetName> names, const std::string& theirs) {
  std::vector<std::string> ours;
  const std::string last = theirs.substr(theirs.rfind('.') + 1);
  const bool some = contains(theirs, "*") || contains(theirs, "expert");
  if (some) return ours;
  for (const TargetName& n : names) {
    if (n.theirs == last) ours.emplace_back(n.ours);
  }
  return ours;
}

// "…layers.[\d]+.(mlp|self_attn).(up|q)_proj" is up_proj and q_proj; with a layer's number, or of
// an encoder of images, it is no name.
std::vector<std::string> alternatives_of(const std::string& word) {
  const std::size_t open = word.rfind('(');
  const std::size_t close = word.find(')', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return {word};
  const std::string before = word.substr(0, open);
  const std::string behind = word.substr(close + 1);
  const bool some = before.find_first_of("0123456789") != std::string::npos ||
                    contains(before, "visi") || contains(before, "visual");
  if (some || behind.find_first_not_of("abcdefghijklmnopqrstuvwxyz_$") != std::string::npos)
    return {word};
  std::vector<std::string> names;
  for (const std::string_view part :
       fields_of(std::string_view(word).substr(open + 1, close - open - 1), '|'))
    names.push_back(std::string(part) + behind.substr(0, behind.find('$')));
  return names;
}

// Words of a list, or of a text with commas.
std::vector<std::string> words_of(Settings& settings, std::string_view name,
                                  std::string_view default_value = "") {
  std::vector<std::string> words;
  if (name.empty()) return words;
  const auto stated = settings.words(name);
  const bool none = (!stated || stated->empty()) && !default_value.empty();
  for (const std::string& word : none ? std::vector{std::string(default_value)}
                                      : stated.value_or(std::vector<std::string>{})) {
    for (std::size_t at = 0; at <= word.size();) {
      const std::size_t end = std::min(word.find(',', at), word.size());
      const std::string_view part = trimmed(std::string_view(word).substr(at, end - at));
      if (!part.empty()) {
        for (std::string& name : alternatives_of(std::string(part)))
          words.push_back(std::move(name));
      }
      at = end + 1;
    }
  }
  return words;
}

bool is_every_linear(const std::vector<std::string>& words) {
  return words.size() == 1 && (words.front() == "all" || words.front() == "all-linear" ||
                               words.front() == "*_proj" || words.front() == "*");
}

void add_names(Json& adapter, const char* key, std::span<const TargetName> names,
               const std::vector<std::string>& words, std::string_view setting,
               std::vector<LeftOver>& left) {
  if (words.empty()) return;
  Json list = Json::array();
  for (const std::string& word : words) {
    const std::vector<std::string> ours = our_names(names, word);
    if (ours.empty()) {
      left.push_back({std::string(setting) + " " + word,
                      "a matrix that adapters are not modelled on", "", true});
    }
    for (const std::string& name : ours) {
      if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
    }
  }
  adapter[key] = std::move(list);
}

bool flag_of(Settings& settings, std::string_view name) {
  return !name.empty() && settings.flag(name).value_or(false);
}

}  // namespace

Json read_adapter(const AdapterSettings& names, StoredBase base, Settings& settings,
                  std::vector<LeftOver>& left) {
  Json adapter = Json::object();
  const bool packed = base == StoredBase::nf4 || base == StoredBase::nf4_single;
  const bool dora = names.is_dora || flag_of(settings, names.dora);
  adapter["kind"] = dora ? "dora" : packed ? "qlora" : "lora";
  adapter["rank"] = settings.count(names.rank, 1, 65536).value_or(names.default_rank);
  const bool every = flag_of(settings, names.every_linear);
  const std::vector<std::string> targets =
      words_of(settings, names.targets, every ? "" : names.default_targets);
  if (!every && !is_every_linear(targets))
    add_names(adapter, "targets", kTargetNames, targets, names.targets, left);
  add_names(adapter, "trained", kPartNames, words_of(settings, names.trained), names.trained, left);
  if (packed) adapter["base_precision"] = "nf4";
  if (base == StoredBase::nf4_single) adapter["double_quantisation"] = false;
  for (const StoredBase own : {StoredBase::fp32, StoredBase::int8}) {
    if (base == own) adapter["base_precision"] = std::string(name_of(own));
  }
  if (!names.dropout.empty() &&
      settings.number(names.dropout, 0, 1).value_or(names.default_dropout) > 0)
    adapter["dropout"] = true;
  return adapter;
}

// Settings of an adapter that move no number, and those that nobody knows.
static void list_others(const Settings& settings, const std::string& path,
                        std::vector<LeftOver>& left, std::vector<std::string>& without_effect) {
  constexpr std::string_view kHarmless =
      "alpha enabled dropout dropout_position dropout_recompute lora_A_init_method "
      "lora_B_init_method lora_A_init lora_B_init column_init_method row_init_method network_alpha "
      "lora_dtype lora_alpha a2a_experimental params_to_save save_only_trainable_params "
      "normalize_moe_lora share_expert_adapters visual_enabled language_enabled type";
  const std::vector<std::string_view> harmless = fields_of(kHarmless, ' ');
  for (const ForeignSetting& s : settings.all()) {
    if (s.taken) continue;
    const bool known = std::find(harmless.begin(), harmless.end(), s.name) != harmless.end();
    if (known) {
      without_effect.push_back(path + "." + s.written);
    } else {
      left.push_back({path + "." + text_of(s), kNoKeyOfRun});
    }
  }
}

// A file of Megatron-Bridge or NeMo 2 names a class, or says "lora".
std::optional<Json> read_megatron_adapter(const Json& peft, const std::string& path,
                                          std::vector<LeftOver>& left,
                                          std::vector<std::string>& without_effect) {
  constexpr AdapterSettings kLora = {
      .rank = "dim",
      .default_rank = 32,
      .targets = "target_modules",
      .default_targets = "linear_qkv,linear_proj,linear_fc1,linear_fc2",
      .dropout = "dropout"};
  Settings settings = settings_of(peft, path);
  const Json& named = peft.is_object() ? value_at(peft, "_target_") : peft;
  const std::string target = named.is_string() ? named.get<std::string>() : "none";
  settings.take("_target_");
  std::string kind = target.substr(target.rfind('.') + 1);
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (kind == "none" || kind == "null" || kind == "false") return {};
  AdapterSettings names = kLora;
  names.is_dora = kind == "dora";
  if (kind == "canonicallora") {
    names.default_targets =
        "linear_q,linear_k,linear_v,linear_proj,linear_fc1_up,linear_fc1_gate,linear_fc2";
  } else if (kind != "lora" && !names.is_dora) {
    left.push_back(
        {path + " " + target, "adapters of another kind; ours are lora and dora", "", true});
    return {};
  }
  const auto excluded = settings.words("exclude_modules");
  if (excluded && !excluded->empty()) {
    left.push_back({path + "." + settings.written("exclude_modules"),
                    "adapters on some layers alone", "", true});
  }
  const Json adapter = read_adapter(names, StoredBase::half, settings, left);
  list_others(settings, path, left, without_effect);
  return adapter;
}

}  // namespace orrery
