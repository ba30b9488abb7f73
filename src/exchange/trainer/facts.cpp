// SPDX-License-Identifier: Apache-2.0
#include "exchange/trainer/facts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "core/json_path.h"
#include "core/units.h"
#include "exchange/assumptions.h"
#include "exchange/flat.h"
#include "exchange/hub_names.h"
#include "exchange/import_draft.h"
#include "exchange/text_lines.h"
#include "exchange/tools/values.h"
#include "exchange/yaml.h"

namespace orrery::trainer {
Settings Facts::settings_of_file(const Json& document, const std::string& file) {
  Settings settings = settings_of(document, file);
  assume_settings(settings);
  return settings;
}

void Facts::assume_settings(Settings& settings) { apply(job_.assumed, settings, out_); }

const ForeignFile* Facts::given_file(const std::string& name) const {
  for (const ForeignFile& f : job_.files) {
    if (base_name(f.name) == base_name(name)) return &f;
  }
  return nullptr;
}

bool Facts::includes(const std::string& file) const {
  return std::find(included_.begin(), included_.end(), file) != included_.end();
}

void Facts::set(FactId fact, Json value, const std::string& setting) {
  // Another file may switch on what one has switched off.
  if (fact == FactId::recompute && value == false) return set_default(fact, value, setting);
  std::optional<FactValue>& old = given_[static_cast<std::size_t>(fact)];
  if (!old) {
    old = {std::move(value), setting};
  } else if (old->value != value) {
    leave_open(fact, setting, "another value than " + old->setting);
  }
}

void Facts::set_default(FactId fact, Json value, const std::string& setting) {
  std::optional<FactValue>& old = weak_[static_cast<std::size_t>(fact)];
  if (!old) old = {std::move(value), setting};
}

void Facts::assume_default(FactId fact, Json value, const std::string& setting) {
  std::optional<FactValue>& old = weak_[static_cast<std::size_t>(fact)];
  if (!old) old = {std::move(value), setting, true};
}

void Facts::leave_open(FactId fact, const std::string& setting, const std::string& why) {
  left_.push_back({setting, why, std::string(name_of(fact)), true});
}

// Once, of a setting that several rules read.
void Facts::leave_key_open(const std::string& path, const std::string& setting,
                           const std::string& why) {
  const bool is_known = std::any_of(left_.begin(), left_.end(), [&](const LeftOver& l) {
    return l.key == path && l.setting == setting && l.is_refused;
  });
  if (!is_known) left_.push_back({setting, why, path, true});
}

bool Facts::is_assumed(const std::string& setting) const {
  return std::any_of(job_.assumed.begin(), job_.assumed.end(), [&](const GivenSetting& a) {
    return a.used && plain_name(a.name) == setting;
  });
}

const Json& Facts::of_command_line(FactId fact) const {
  return value_at(job_.given, name_of(fact));
}

std::string Facts::program_of(const std::string& file) const {
  const auto found = job_.started_programs.find(file);
  return found == job_.started_programs.end() ? "" : found->second;
}

std::int64_t Facts::launched() const {
  return job_.launched > 0 ? job_.launched : count(FactId::gpus, 0);
}

std::int64_t Facts::gpus_of_user() const {
  const Json& stated = of_command_line(FactId::gpus);
  return job_.launched == 0 && stated.is_number_integer() ? stated.get<std::int64_t>() : 0;
}

void Facts::add_generating(std::int64_t gpus) {
  if (job_.launched == 0) return replace(FactId::gpus, launched() + gpus);
  job_.beside_them = gpus;
  set_at(job_.given, name_of(FactId::gpus), job_.launched + gpus);
  given_[static_cast<std::size_t>(FactId::gpus)].reset();
}

void Facts::leave_missing(FactId fact, const std::string& setting, const std::string& why) {
  missing_.push_back({fact, {setting, why, std::string(name_of(fact)), true}});
}

void Facts::note(FactId fact, const std::string& value, const std::string& why) {
  assumed_.push_back({std::string(name_of(fact)), value, why});
}

void Facts::set_picked_precision(const std::string& setting) {
  const std::optional<Precision> picked = half_precision(job_.given, job_.lookup);
  if (!picked) {
    return leave_open(FactId::precision, setting, "bf16 where the GPU has it, which --node says");
  }
  set(FactId::precision, name_of(*picked), setting);
  assumed_.push_back({std::string(name_of(FactId::precision)), std::string(name_of(*picked)),
                      setting + ": bf16 where the GPU has it", Known::derived});
}

std::int64_t Facts::count(FactId fact, std::int64_t otherwise) const {
  return has(fact) && at(fact)->value.is_number() ? at(fact)->value.get<std::int64_t>() : otherwise;
}

namespace {

struct KindWord {
  std::string_view word;
  FactKind kind;
};
constexpr std::array kKindWords = {
    KindWord{"count", FactKind::count},       KindWord{"degree", FactKind::degree},
    KindWord{"elements", FactKind::elements}, KindWord{"share", FactKind::share},
    KindWord{"boolean", FactKind::boolean},   KindWord{"word", FactKind::word},
    KindWord{"number", FactKind::number},     KindWord{"whole", FactKind::tokens}};

}  // namespace

std::optional<FactKind> find_fact_kind(std::string_view word) {
  const auto found = std::find_if(kKindWords.begin(), kKindWords.end(),
                                  [&](const KindWord& k) { return k.word == word; });
  return found == kKindWords.end() ? std::nullopt : std::optional(found->kind);
}

std::vector<std::string> fact_kind_words() {
  std::vector<std::string> words;
  for (const KindWord& k : kKindWords) words.emplace_back(k.word);
  return words;
}

void Facts::set_key(const std::string& path, Json value, const std::string& setting,
                    bool is_default) {
  const auto known =
      std::find_if(keys_.begin(), keys_.end(), [&](const KeyValue& k) { return k.path == path; });
  if (known == keys_.end()) {
    keys_.push_back({path, {std::move(value), setting, is_default}});
  } else if (known->value.value != value && !is_default) {
    left_.push_back({setting, "another value than " + known->value.setting, path, true});
  }
}

void Facts::replace_key(const std::string& path, Json value, const std::string& setting) {
  std::erase_if(keys_, [&](const KeyValue& k) { return k.path == path; });
  keys_.push_back({path, {std::move(value), setting}});
}

void Facts::unset_key(const std::string& path) {
  std::erase_if(keys_, [&](const KeyValue& k) { return k.path == path; });
  std::erase_if(left_, [&](const LeftOver& l) { return l.is_refused && l.key == path; });
}

const FactValue* Facts::key(std::string_view path) const {
  const auto known =
      std::find_if(keys_.begin(), keys_.end(), [&](const KeyValue& k) { return k.path == path; });
  return known == keys_.end() ? nullptr : &known->value;
}

std::int64_t Facts::count_of_key(const std::string& path, std::int64_t otherwise) const {
  const FactValue* own = key(path);
  const Json& given = value_at(job_.given, path);
  const Json& value = given.is_null() && own != nullptr ? own->value : given;
  return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

bool Facts::is_open(std::string_view path) const {
  return value_at(job_.given, path).is_null() &&
         std::any_of(left_.begin(), left_.end(),
                     [&](const LeftOver& l) { return l.is_refused && l.key == path; });
}

bool Facts::is_unknown(FactId fact) const {
  const auto i = static_cast<std::size_t>(fact);
  const std::string_view key = name_of(fact);
  if (!value_at(job_.given, key).is_null()) return false;
  const bool weak = !given_[i] && weak_[i] && weak_[i]->is_default && fact != FactId::model;
  return is_open(key) || (weak && !other_defaults(key).empty());
}

const std::string& Facts::other_defaults(std::string_view path) const {
  static const std::string kNone;
  const auto last = std::find_if(other_defaults_.rbegin(), other_defaults_.rend(),
                                 [&](const auto& o) { return begins_with(path, o.first); });
  return last == other_defaults_.rend() ? kNone : last->second;
}

std::int64_t Facts::layers() const {
  const std::int64_t own = count_of_key("model.num_hidden_layers", 0);
  return own > 0 && !names_model() ? own : layers_of_model();
}

std::int64_t Facts::replicas() const {
  std::int64_t parts = 1;
  for (const FactId id : {FactId::tp, FactId::pp, FactId::cp}) {
    if (is_unknown(id)) return 0;
    const Json& given = of_command_line(id);
    const auto& own = seen(id);
    if (given.is_number_integer() || own)
      parts *=
          given.is_number_integer() ? given.get<std::int64_t>() : own->value.get<std::int64_t>();
  }
  const std::int64_t gpus = is_unknown(FactId::gpus) ? 0 : degree(FactId::gpus, 0);
  return gpus / std::max<std::int64_t>(1, parts);
}

bool Facts::names_model() const {
  return value_at(job_.given, "model").is_string() || seen(FactId::model).has_value() ||
         is_open("model");
}

std::string Facts::named_kind() const {
  const Json run = with_model();
  if (!run.is_object() || !run["model"].is_string() || layers_of_model() == 0) return "";
  const std::string kind = std::string(has_experts(run, *job_.lookup) ? "experts " : "") +
                           (has_latent_attention(run, *job_.lookup) ? "latent" : "");
  return kind.empty() ? "dense" : kind;
}

void Facts::note_passed(const std::string& name, const std::string& value, const std::string& why) {
  const tools::Tool* spoken = job_.tools.find("megatron");
  const auto key = spoken == nullptr ? std::nullopt : tools::key_of(*spoken, name);
  assumed_.push_back({key.value_or(name), value, why});
}

NamedSettings Facts::named(const std::string& file) const {
  NamedSettings out{Settings(file)};
  out.settings.add_all(passed_);
  for (const LeftOver& l : left_)
    out.left.push_back({tools::bare_setting(l.setting), l.why, l.key, l.is_refused});
  for (const auto& [fact, l] : missing_) {
    if (!has(fact))
      out.left.push_back({tools::bare_setting(l.setting), l.why, l.key, l.is_refused});
  }
  out.other_defaults = other_defaults();
  if (has(FactId::model)) out.model = at(FactId::model)->value.get<std::string>();
  if (has(FactId::adapter)) out.adapter = at(FactId::adapter)->value;
  out.without_effect = without_effect_;
  out.assumed = assumed_;
  return out;
}

std::int64_t Facts::degree(FactId fact, std::int64_t otherwise) const {
  const Json& stated = of_command_line(fact);
  return stated.is_number_integer() && stated > 0 ? stated.get<std::int64_t>()
                                                  : count(fact, otherwise);
}

Json Facts::with_model() const {
  Json run = {{"model", value_at(job_.given, "model")}};
  const auto& own = seen(FactId::model);
  if (run["model"].is_null() && own) run["model"] = own->value;
  return job_.lookup == nullptr || run["model"].is_null() ? Json() : run;
}

std::int64_t Facts::layers_of_model() const {
  const Json run = with_model();
  return run.is_null() ? 0 : orrery::layers_of_model(run, *job_.lookup);
}

std::int64_t Facts::vocabulary_of(const std::string& tokenizer) const {
  return job_.lookup == nullptr ? 0 : vocabulary_of_tokenizer(tokenizer, *job_.lookup);
}

bool Facts::model_has_experts() const {
  const Json run = with_model();
  return !run.is_null() && has_experts(run, *job_.lookup);
}

void set_model(const std::string& name, const std::string& setting, Facts& facts) {
  const std::string quantised = quantised_base(name);
  const bool nf4 = quantised == "nf4" || quantised == "bnb4bit";
  // Groups of 128 weights of 4 bits with a scale each: 4.1 to 4.3 bits, as nf4 has.
  const bool like_nf4 = quantised == "gptq" || quantised == "awq";
  if (!quantised.empty() && !nf4 && !like_nf4)
    return facts.refuse(setting, "weights that are quantised already (" + quantised + ")");
  if (nf4 || like_nf4) facts.set(FactId::packed_base, true, setting);
  if (like_nf4) facts.mention(setting, "priced as 4 bits of nf4: no kernel of its own is modelled");
  const std::string ours = shipped_model(name);
  if (ours.empty()) {
    return facts.leave_open(FactId::model, setting,
                            "no model of ours; give its config.json with --model");
  }
  facts.set(FactId::model, ours, setting);
  const bool sees =
      (begins_with(ours, "gemma-3-") && ours != "gemma-3-1b") || begins_with(ours, "llama-4-");
  if (sees) facts.mention(setting, "the language model alone, without its encoder of images");
}

namespace {

// The number behind a flag of a comment, written with blanks or "=", dashes or underscores; 0
// without one.
std::int64_t number_behind(std::string line, std::string_view flag) {
  std::replace(line.begin(), line.end(), '-', '_');
  const std::size_t at = line.find(flag);
  if (at == std::string::npos) return 0;
  const std::size_t begin = line.find_first_not_of(" =", at + flag.size());
  const std::size_t end = std::min(line.find_first_not_of("0123456789", begin), line.size());
  const auto n =
      begin == std::string::npos ? std::nullopt : parse_number(line.substr(begin, end - begin));
  return n && *n >= 1 && *n <= static_cast<double>(kMostDegree) ? static_cast<std::int64_t>(*n) : 0;
}

}  // namespace

void set_gpus_of_comments(const ForeignFile& file, Facts& facts, std::int64_t nodes) {
  std::int64_t gpus = 0;
  for (const std::string_view whole : lines_of(file.text)) {
    const std::string line(trimmed(whole));
    if (line.empty() || line.front() != '#') continue;
    const std::int64_t one = number_behind(line, "__nproc_per_node");
    if (one == 0) continue;
    const std::int64_t own = number_behind(line, "__nnodes");
    const std::int64_t all = one * (own > 0 ? own : nodes);
    if (gpus > 0 && gpus != all) return;
    gpus = all;
  }
  if (gpus == 0) return;
  facts.set_default(FactId::gpus, gpus, "the command in its comments");
  facts.note(FactId::gpus, std::to_string(gpus), "the command in its comments");
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += w + " ";
  return text;
}

namespace {

struct Sharding {
  std::string_view word;
  std::int64_t zero;
};
// By name and, in files of version 1, by number.
constexpr std::array kSharding = {
    Sharding{"FULL_SHARD", 3},         Sharding{"1", 3},
    Sharding{"SHARD_GRAD_OP", 2},      Sharding{"2", 2},
    Sharding{"NO_SHARD", 0},           Sharding{"3", 0},
    Sharding{"HYBRID_SHARD", 3},       Sharding{"4", 3},
    Sharding{"HYBRID_SHARD_ZERO2", 2}, Sharding{"5", 2},
};

const Sharding* sharding_of(const std::string& word) {
  const auto known = std::find_if(kSharding.begin(), kSharding.end(),
                                  [&](const Sharding& s) { return s.word == word; });
  return known == kSharding.end() ? nullptr : &*known;
}

bool is_hybrid(const std::string& word) {
  return word == "4" || word == "5" || begins_with(word, "HYBRID");
}

constexpr std::string_view kFsdpWithoutEffect[] = {"cpu_ram_efficient_loading",
                                                   "state_dict_type",
                                                   "sync_module_states",
                                                   "version",
                                                   "use_orig_params",
                                                   "final_state_dict_type",
                                                   "xla",
                                                   "mixed_precision_policy"};

// How one tool or file has FSDP's settings: their full names, with and without "fsdp_".
struct FsdpSettings {
  Settings& settings;
  const std::string& prefix;
  const std::string& words;  // of an older list beside them

  std::string name(const std::string& key) const {
    return settings.has(prefix + "fsdp_" + key) ? prefix + "fsdp_" + key : prefix + key;
  }
  std::string word(const std::string& key) const { return settings.word(name(key)).value_or(""); }
  std::string written(const std::string& key) const { return settings.written(name(key)); }
};

// Units that are gathered at once: layers, unless nothing cuts the model into them. Without
// auto_wrap Hugging Face's Trainer cuts nothing [from memory].
void set_units(const FsdpSettings& fsdp, Facts& facts) {
  const std::string policy = fsdp.word("auto_wrap_policy");
  const bool by_class = !fsdp.word("transformer_layer_cls_to_wrap").empty();
  const std::string size = fsdp.word("min_num_params");
  const bool by_size = !size.empty() && size != "0";
  const bool list = !fsdp.words.empty() && !contains(fsdp.words, "no_shard");
  const bool cut = contains(fsdp.words, "auto_wrap") || by_class || by_size || !policy.empty();
  constexpr const char* kWhole = "the whole model is gathered at once; ours gathers layer by layer";
  if (policy == "NO_WRAP") facts.refuse(fsdp.written("auto_wrap_policy"), kWhole);
  if (list && !cut) facts.refuse("fsdp " + fsdp.words + "without auto_wrap", kWhole);
  if (policy == "SIZE_BASED_WRAP")
    facts.mention(fsdp.written("auto_wrap_policy"), "layers are gathered one by one here");
}

// Modules that are not sharded, and gathers that nothing hides.
void set_other_gathers(const FsdpSettings& fsdp, Facts& facts) {
  if (!fsdp.word("ignored_modules").empty())
    facts.refuse(fsdp.written("ignored_modules"), "all weights are sharded here");
  if (fsdp.word("backward_prefetch") == "NO_PREFETCH")
    facts.mention(fsdp.written("backward_prefetch"), "gathers are hidden behind other work here");
  if (!fsdp.settings.flag(fsdp.name("limit_all_gathers")).value_or(true))
    facts.mention(fsdp.written("limit_all_gathers"), "few layers are gathered at a time here");
  fsdp.settings.take(fsdp.name("forward_prefetch"));
}

// ZeRO's stage of a word of either version; nothing for another word.
std::optional<std::int64_t> stage_of(const std::string& word) {
  if (const Sharding* const known = sharding_of(word)) return known->zero;
  if (word == "FALSE") return 2;
  return word == "TRUE" ? std::optional<std::int64_t>(3) : std::nullopt;
}

std::string in_capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// The strategy that an older list names: "shard_grad_op auto_wrap"; "" for none.
std::string strategy_of_list(const std::string& words) {
  const std::string capitals = in_capitals(words);
  std::string listed;
  for (const Sharding& s : kSharding) {
    if (contains(capitals, s.word) && s.word.size() > listed.size() && s.word.size() > 1)
      listed = s.word;
  }
  return listed;
}

// The setting that says which parts are sharded, in capitals, and as it is written.
struct ShardingWord {
  std::string word = "";
  std::string stated = "FSDP";
};

// The second version has no strategy, and files keep the one of the first. Two that differ leave
// the stage open.
ShardingWord sharding_word(const FsdpSettings& fsdp, const std::string& file, Facts& facts) {
  const std::string listed = strategy_of_list(fsdp.words);
  const std::string own = in_capitals(fsdp.word("sharding_strategy"));
  const std::string reshard = in_capitals(fsdp.word("reshard_after_forward"));
  const std::string version = fsdp.word("version");
  const std::string outer = fsdp.settings.word("fsdp_version").value_or("");
  const bool second = version == "2" || outer == "2";
  const std::string by_reshard = fsdp.written("reshard_after_forward");
  const std::string by_list = "fsdp " + fsdp.words;
  const std::string strategy = own.empty() ? listed : own;
  if (strategy.empty() && reshard.empty()) return {};
  if (strategy.empty() || (second && !reshard.empty())) return {reshard, by_reshard};
  const ShardingWord known = {strategy,
                              strategy == listed ? by_list : fsdp.written("sharding_strategy")};
  for (const auto& [other, written] :
       {std::pair(listed, by_list), std::pair(reshard, by_reshard)}) {
    const auto stage = stage_of(other);
    if (stage && stage_of(strategy) && stage != stage_of(strategy))
      facts.leave_open(FactId::zero, file + written, "another sharding than " + known.stated);
  }
  return known;
}

// Shards stay within a machine unless a device mesh says otherwise.
void set_groups(const ShardingWord& by, const std::string& file, Settings& settings, Facts& facts) {
  const auto machines = settings.count("num_machines", 1, kMostDegree);
  if (!is_hybrid(by.word)) return;
  if (machines) return facts.set(FactId::replicate, *machines, file + by.stated);
  facts.leave_open(FactId::shard, file + by.stated,
                   "of how many GPUs; --set parallel.zero_shard_group=N");
}

}  // namespace

// Keys with and without "fsdp_" before them.
void set_fsdp(Settings& settings, const std::string& prefix, Facts& facts,
              const std::string& words) {
  const FsdpSettings fsdp{settings, prefix, words};
  const std::string file = base_name(settings.file()) + ": ";
  const ShardingWord by = sharding_word(fsdp, file, facts);
  const std::optional<std::int64_t> zero = stage_of(by.word);
  if (!zero && !by.word.empty())
    facts.leave_open(FactId::zero, file + by.word, "no sharding of FSDP");
  // FSDP's "gradients and optimizer" shards the weights too, but for the copy that computes.
  const bool keeps = zero == 2;
  facts.set(FactId::zero, keeps ? 3 : zero.value_or(3), file + by.stated);
  if (zero.value_or(3) > 0) facts.set(FactId::keeps_gathered, keeps, file + by.stated);
  set_groups(by, file, settings, facts);
  const bool offload = settings.flag(fsdp.name("offload_params")).value_or(false);
  if (offload || contains(words, "offload")) {
    for (const FactId fact : {FactId::offload_parameters, FactId::offload_optimizer})
      facts.set(fact, "host", file + (offload ? "offload_params" : "fsdp " + words));
  }
  if (settings.flag(fsdp.name("activation_checkpointing")).value_or(false))
    facts.set(FactId::recompute, true, file + "fsdp_activation_checkpointing");
  set_units(fsdp, facts);
  set_other_gathers(fsdp, facts);
  for (const std::string_view key : kFsdpWithoutEffect) settings.take(fsdp.name(std::string(key)));
}

void set_liger(const LigerSwitches& on, const std::string& setting, Facts& facts) {
  const bool all = on.norms && on.rotary && on.activation;
  const bool some = on.norms || on.rotary || on.activation;
  if (all) facts.set(FactId::kernels, "liger", setting);
  if (some && !all)
    facts.mention(setting, "norms, rotary embedding and activation are all fused here, or none is");
  if (on.linear_loss && !all) facts.set(FactId::loss, "linear-fused", setting);
  if (on.linear_loss) return;
  if (on.loss) return facts.set(FactId::loss, "in-place", setting);
  if (all) facts.set_default(FactId::loss, "unfused", setting);
}

void set_adapter(const AdapterSettings& names, StoredBase base, const std::string& setting,
                 Settings& settings, Facts& facts) {
  std::vector<LeftOver> left;
  facts.set(FactId::adapter, read_adapter(names, base, settings, left), setting);
  for (const LeftOver& l : left) facts.refuse(l.setting, l.why);
}

}  // namespace orrery::trainer
