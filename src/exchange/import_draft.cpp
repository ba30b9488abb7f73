// SPDX-License-Identifier: Apache-2.0
#include "exchange/import_draft.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/error.h"
#include "core/json_path.h"
#include "core/units.h"
#include "estimate/given_document.h"
#include "estimate/resolve.h"
#include "exchange/arguments.h"
#include "exchange/hub_names.h"
#include "exchange/settings.h"
#include "exchange/text_lines.h"
#include "hardware/cluster_reader.h"
#include "model/architecture_json.h"

namespace orrery {
namespace {

bool matches(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  const std::string_view end = pattern.substr(star + 1);
  return name.size() + 1 >= pattern.size() && name.substr(0, star) == pattern.substr(0, star) &&
         name.substr(name.size() - end.size()) == end;
}

// Off, or nothing: as a log lists what a run does not use.
bool is_off(const Json& value) {
  if (value.is_string()) {
    constexpr std::array<std::string_view, 6> kOff = {"None", "none", "null", "False", "false", ""};
    return std::find(kOff.begin(), kOff.end(), value.get<std::string_view>()) != kOff.end();
  }
  if (value.is_boolean()) return !value.get<bool>();
  return value == 0 || value == Json::array();
}

// Parts of names whose settings change memory or time in every tool; swap_attention and
// reuse_fp32_param are MindSpeed's.
constexpr std::string_view kMovingParts =
    "recompute checkpoint_activations activation_checkpoint activations_checkpoint "
    "gradient_checkpointing offload swap_attention reuse_fp32_param fp8 fp4 mxfp quant lora "
    "adapter peft parallel_size parallel_degree pipeline_ shard zero_ hybrid_ mamba "
    "linear_attention sparse_attention batch_size seq_len sequence_len num_layers hidden_size "
    "num_experts precision low_rank galore gptq lisa_ spectrum_ expert_model_parallel badam "
    "freeze teacher zenflow compression_training heterogeneous_ fp32_residual "
    "standalone_embedding extended_tp attention_variant remote_device num_layer_list noop_layers "
    "tp_2d distribute_saved_activations accumulation_steps num_micro_batches intermediate_size "
    "hidden_layers distribute_within swap_optimizer dualpipe zbh1 zbv first_k_dense "
    "n_shared_experts tp_size cp_size pp_size";

// Switches that are on unless they are told not to be, in the tools that have them.
constexpr std::array<std::string_view, 4> kOnByDefault = {
    "reshard_after_forward", "use_distributed_optimizer", "overlap_comm", "overlap_p2p_comm"};

bool is_on_by_default(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('.') + 1);
  return std::find(kOnByDefault.begin(), kOnByDefault.end(), last) != kOnByDefault.end();
}

const SettingNote* find_note(std::span<const SettingNote> notes, std::string_view name) {
  const auto found = std::find_if(notes.begin(), notes.end(),
                                  [&](const SettingNote& n) { return matches(name, n.name); });
  return found == notes.end() ? nullptr : &*found;
}

constexpr const char* kOptions = "parallel.framework_options";
constexpr const char* kCommandLine = "the command line";

// Switches that say what one of our keys says.
struct SameKey {
  std::string_view option;
  const char* ours;
};
constexpr std::array kSameKeys = {
    SameKey{"overlap_grad_reduce", "parallel.overlap.grad_reduce"},
    SameKey{"overlap_param_gather", "parallel.overlap.param_gather"},
    SameKey{"zero_hpz_partition_size", "parallel.zeropp.hpz"},
};

// The note that says `path` was assumed, taken out; whether there was one.
bool forget_assumption(ImportedRun& imported, const std::string& path) {
  const auto first = std::remove_if(imported.assumed.begin(), imported.assumed.end(),
                                    [&](const Fact& a) { return a.path == path; });
  const bool found = first != imported.assumed.end();
  imported.assumed.erase(first, imported.assumed.end());
  return found;
}

// Values of the command line are not assumed.
void forget_given(ImportedRun& imported, const Json& given) {
  const auto stated = [&](const auto& path) {
    return !path.empty() && !value_at(given, path).is_null();
  };
  std::erase_if(imported.assumed, [&](const Fact& a) { return stated(a.path); });
  std::erase_if(imported.ignored, [&](const LeftOver& l) { return stated(l.key); });
}

void move_option(ImportedRun& imported, const std::string& name, const Json& value,
                 const std::string& profile) {
  const std::string path = std::string(kOptions) + "." + name;
  erase_at(imported.run, path);
  if (forget_assumption(imported, path)) return;
  const auto same = std::find_if(kSameKeys.begin(), kSameKeys.end(),
                                 [&](const SameKey& k) { return k.option == name; });
  if (same != kSameKeys.end()) {
    set_at(imported.run, same->ours, value);
    return;
  }
  if (value == false) return imported.without_effect.push_back(name + " (off)");
  imported.ignored.push_back({name + " " + brief(value), profile + " has no such switch"});
}

// A profile and those it inherits, the nearest one first.
std::vector<Json> profiles_of(Json framework, const ConfigLookup& lookup) {
  constexpr int kMostInherited = 16;
  std::vector<Json> profiles;
  for (int i = 0; i < kMostInherited && !framework.is_null(); ++i) {
    const GivenDocument d = find_document(Reader(framework, kCommandLine, "framework"), "framework",
                                          lookup.framework, lookup.framework_names);
    profiles.push_back(d.json);
    framework = Json(value_at(d.json, "inherits"));
  }
  return profiles;
}

Json options_of(const Json& framework, const ConfigLookup& lookup) {
  Json options = Json::object();
  for (const Json& profile : profiles_of(framework, lookup)) {
    const Json& own = value_at(profile, "options");
    if (own.is_object()) merge_over(options, own);
  }
  return options;
}

void fit_options(ImportedRun& imported, const Json& given, const ConfigLookup& lookup) {
  const Json& other = value_at(given, "framework");
  const Json& framework = other.is_null() ? value_at(imported.run, "framework") : other;
  const Json options = value_at(imported.run, kOptions);
  if (framework.is_null() || !options.is_object()) return;
  const Json known = options_of(framework, lookup);
  const std::string name_of_profile =
      framework.is_string() ? framework.get<std::string>() : "the profile";
  for (const auto& [name, value] : options.items()) {
    if (!known.contains(name)) move_option(imported, name, value, name_of_profile);
  }
  if (value_at(imported.run, kOptions).empty()) erase_at(imported.run, kOptions);
}

std::int64_t degree(const Json& run, const char* path) {
  const Json& value = value_at(run, path);
  const bool usable = value.is_number_integer() && value.get<std::int64_t>() > 0;
  return usable ? std::min(value.get<std::int64_t>(), kMostDegree) : 1;
}

void fit_checkpoints(ImportedRun& imported, const Json& given, const ConfigLookup& lookup) {
  const std::int64_t every = imported.checkpointed_every;
  const Json& recompute = value_at(given, "parallel.recompute");
  if (every == 0 || !recompute.is_null()) return;
  Json run = imported.run;
  merge_over(run, given);
  const std::int64_t layers = layers_of_model(run, lookup);
  if (layers == 0) {
    imported.ignored.push_back({"every layer of " + std::to_string(every) + " checkpointed",
                                "of how many; give --model, or --recompute", "parallel.recompute",
                                true});
    return;
  }
  const std::int64_t n =
      layers / (degree(run, "parallel.pp") * degree(run, "parallel.vpp")) / every;
  set_at(imported.run, "parallel.recompute", n > 0 ? "full" : "none");
  if (n == 0) return;
  set_at(imported.run, "parallel.recompute_method", "block");
  set_at(imported.run, "parallel.recompute_layers", n);
}

Architecture architecture_of(const Json& model, const ConfigLookup& lookup,
                             const std::string& file = kCommandLine) {
  const GivenDocument d =
      find_document(Reader(model, file, "model"), "model", lookup.model, lookup.model_names);
  return read_model(d.json, d.file, d.path, d.name).architecture;
}

// Not a part of one, beside the file's: --set model.vocab_size=32000.
std::optional<Architecture> whole_model(const Json& run, const ConfigLookup& lookup) {
  const Json& model = value_at(run, "model");
  const bool part = is_part_of_model(model) && !model.contains("num_hidden_layers");
  if (model.is_null() || part) return {};
  return architecture_of(model, lookup);
}

void fit_size(ImportedRun& imported, const SizeOfWidth& size, const Json& given,
              const ConfigLookup& lookup) {
  if (!value_at(given, size.path).is_null()) return;
  Json run = imported.run;
  merge_over(run, given);
  const auto model = whole_model(run, lookup);
  if (!model) {
    imported.ignored.push_back(
        {size.setting, shortest(size.share) + " of the square of the model's width; give --model",
         size.path, true});
    return;
  }
  const auto width = static_cast<double>(model->hidden);
  const auto elements = static_cast<std::int64_t>(size.share * width * width);
  set_at(imported.run, size.path, std::max<std::int64_t>(1, elements));
  imported.assumed.push_back({size.path, std::to_string(elements), size.setting + ", " + size.why});
}

}  // namespace

namespace {

// A model given as a config.json whose weights are quantised already.
void refuse_quantised(ImportedRun& imported, const Json& given, const ConfigLookup& lookup) {
  Json run = imported.run;
  merge_over(run, given);
  const Json& model = value_at(run, "model");
  if (model.is_null() || is_part_of_model(model)) return;
  const GivenDocument d = find_document(Reader(model, kCommandLine, "model"), "model", lookup.model,
                                        lookup.model_names);
  const std::string way = quantised_config(d.json);
  if (way.empty()) return;
  erase_at(imported.run, "model");
  imported.ignored.push_back(
      {"quantization_config.quant_method " + way,
       "weights that are quantised already; give the config.json of their base", "model", true});
}

}  // namespace

Json of_profile(const Json& framework, const char* key, const ConfigLookup& lookup) {
  for (const Json& profile : profiles_of(framework, lookup)) {
    if (!value_at(profile, key).is_null()) return value_at(profile, key);
  }
  return {};
}

bool is_part_of_model(const Json& model) {
  return model.is_object() && !model.contains("model_type") && !model.contains("architectures");
}

void fit_import(ImportedRun& imported, const Json& given, const ConfigLookup& lookup) {
  forget_given(imported, given);
  refuse_quantised(imported, given, lookup);
  for (const SizeOfWidth& size : imported.of_width) fit_size(imported, size, given, lookup);
  fit_options(imported, given, lookup);
  fit_checkpoints(imported, given, lookup);
}

void check_model(const Json& run, const std::string& file, const ConfigLookup& lookup) {
  const Json& model = value_at(run, "model");
  if (!model.is_null()) architecture_of(model, lookup, file);
}

std::int64_t layers_of_model(const Json& run, const ConfigLookup& lookup) {
  const auto model = whole_model(run, lookup);
  return model ? model->layers : 0;
}

bool has_experts(const Json& run, const ConfigLookup& lookup) {
  const auto model = whole_model(run, lookup);
  return model && model->moe.experts > 0;
}

bool has_image_tower(const Json& run, const ConfigLookup& lookup) {
  const auto model = whole_model(run, lookup);
  return model && model->tower.layers > 0;
}

std::int64_t vocabulary_of_tokenizer(const std::string& name, const ConfigLookup& lookup) {
  const std::string model = shipped_model(name);
  return model.empty() || !lookup.model(model) ? 0 : architecture_of(model, lookup).vocab;
}

std::optional<Precision> half_precision(const Json& run, const ConfigLookup* lookup) {
  Json cluster = value_at(run, "cluster");
  const bool named =
      cluster.is_object() && (cluster.contains("node") || cluster.contains("device"));
  if (lookup == nullptr || !named) return {};
  cluster["gpus"] = 1;
  const ResolvedCluster c =
      read_cluster(Reader(cluster, kCommandLine, "cluster"), lookup->hardware);
  return has_precision(c.cluster.device, Precision::bf16) ? Precision::bf16 : Precision::fp16;
}

bool moves_a_number(std::string_view name) {
  static const std::vector<std::string_view> kParts = fields_of(kMovingParts, ' ');
  return std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

bool ImportDraft::is_open(std::string_view key) const {
  return std::any_of(out.ignored.begin(), out.ignored.end(),
                     [&](const LeftOver& l) { return l.is_refused && l.key == key; });
}

void ImportDraft::set(std::string_view path, Json value) {
  if (!is_open(path)) set_at(out.run, path, std::move(value));
}

void ImportDraft::open(std::string_view key, const std::string& setting, const std::string& why) {
  if (!key.empty() && !value_at(given, key).is_null()) {
    set_at(out.run, key, value_at(given, key));
    out.without_effect.push_back(setting + " (given instead)");
    return;
  }
  if (!key.empty()) erase_at(out.run, key);
  out.ignored.push_back({setting, why, std::string(key), true});
}

bool ImportDraft::is_without_effect(std::string_view name) const {
  for (std::size_t at = 0; at < without_effect.size();) {
    const std::size_t end = std::min(without_effect.find(' ', at), without_effect.size());
    if (matches(name, without_effect.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

std::int64_t ImportDraft::count_at(std::string_view path, std::int64_t otherwise) const {
  return at(path).is_number_integer() ? at(path).get<std::int64_t>() : otherwise;
}

void ImportDraft::note(const std::string& path, const std::string& value, const std::string& why) {
  if (!is_open(path)) out.assumed.push_back({path, value, why});
}

void ImportDraft::assume(const std::string& path, Json value, const std::string& why) {
  if (!at(path).is_null() || value.is_null() || is_open(path)) return;
  if (!other_defaults.empty() && value_at(given, path).is_null()) {
    return open(path, path, other_defaults);
  }
  note(path, bare_text(value), why);
  set(path, std::move(value));
}

void ImportDraft::ignored(const std::string& setting, const std::string& why) {
  out.ignored.push_back({setting, why});
}

void ImportDraft::set_aside_unknown_values() {
  const auto unknown = [](const ForeignSetting& s) { return is_unknown_to_us(s.value); };
  for (const ForeignSetting& s : settings.all()) {
    if (!unknown(s)) continue;
    const std::string_view key = key_of == nullptr ? std::string_view() : key_of(s.name);
    if (is_without_effect(s.name)) {
      out.without_effect.push_back(s.written);
    } else if (!key.empty() ||
               (moves_a_number(s.name) && find_note(not_modelled, s.name) == nullptr)) {
      open(key, text_of(s), "a value only the shell knows");
    } else {
      ignored(text_of(s), "a value only the shell knows");
    }
  }
  settings.remove_if(unknown);
}

void ImportDraft::set_aside(std::span<const NameRow> rows, const std::string& feature) {
  for (const NameRow& row : rows) {
    if (!settings.has(row.theirs)) continue;
    settings.take(row.theirs);
    out.without_effect.push_back(std::string(row.theirs) + " (without " + feature + ")");
  }
}

void ImportDraft::list_leftovers() {
  for (const ForeignSetting& s : settings.all()) {
    if (s.taken) continue;
    const bool known = is_without_effect(s.name);
    const SettingNote* note = find_note(not_modelled, s.name);
    if (known || (is_off(s.value) && !is_on_by_default(s.name))) {
      out.without_effect.push_back(s.written + (known ? "" : " (off)"));
    } else if (note != nullptr) {
      ignored(text_of(s), std::string(note->why));
    } else if (moves_a_number(s.name) || is_on_by_default(s.name)) {
      refuse(text_of(s), "no key of a run file says this");
    } else {
      ignored(text_of(s), "no key of a run file");
    }
  }
}

}  // namespace orrery
