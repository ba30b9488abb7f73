// SPDX-License-Identifier: Apache-2.0
#include "exchange/import_draft.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/error.h"
#include "core/json_path.h"
#include "core/units.h"
#include "estimate/given_document.h"
#include "estimate/resolve.h"
#include "estimate/run_keys.h"
#include "exchange/hub_names.h"
#include "exchange/text_lines.h"
#include "hardware/cluster_reader.h"
#include "model/architecture_json.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

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
    "n_shared_experts tp_size cp_size pp_size tensor_parallel ulysses muon 8bit tiled_mlp";

constexpr const char* kOptions = key_path<&StrategyRequest::framework_options>;
constexpr const char* kCommandLine = "the command line";

// Switches that say what one of our keys says.
struct SameKey {
  std::string_view option;
  const char* ours;
};
constexpr std::array kSameKeys = {
    SameKey{"overlap_grad_reduce", key_path<&OverlapRequest::grad_reduce>},
    SameKey{"overlap_param_gather", key_path<&OverlapRequest::param_gather>},
    SameKey{"zero_hpz_partition_size", key_path<&ZeroPlusPlusRequest::hpz>},
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
  const Json& recompute = value_at(given, key_path<&StrategyRequest::recompute>);
  if (every == 0 || !recompute.is_null()) return;
  Json run = imported.run;
  merge_over(run, given);
  const std::int64_t layers = layers_of_model(run, lookup);
  if (layers == 0) {
    imported.ignored.push_back({"every layer of " + std::to_string(every) + " checkpointed",
                                "of how many; give --model, or --recompute",
                                key_path<&StrategyRequest::recompute>, true});
    return;
  }
  const std::int64_t n =
      layers /
      (degree(run, key_path<&StrategyRequest::pp>) * degree(run, key_path<&StrategyRequest::vpp>)) /
      every;
  set_at(imported.run, key_path<&StrategyRequest::recompute>, n > 0 ? "full" : "none");
  if (n == 0) return;
  set_at(imported.run, key_path<&StrategyRequest::recompute_method>, "block");
  set_at(imported.run, key_path<&StrategyRequest::recompute_layers>, n);
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

// Beside packed weights, experts count as packed too.
void note_packed_experts(ImportedRun& imported, const Json& given, const ConfigLookup& lookup) {
  constexpr const char* kBase = key_path<&AdapterRequest::base_precision>;
  const Json& base = value_at(imported.run, kBase);
  if (base != name_of(BaseFormat::nf4) && base != name_of(BaseFormat::int8)) return;
  Json run = imported.run;
  merge_over(run, given);
  if (!has_experts(run, lookup)) return;
  imported.assumed.push_back(
      {kBase, base.get<std::string>() + " of experts, too",
       "bitsandbytes packs them where each is a linear layer; from "
       "transformers 5 on the experts of a layer are one tensor, which stays "
       "in 16 bits and gets no adapter"});
}

// A tool's number of chunks of its own schedule says nothing about another one of the command line.
void forget_chunks(ImportedRun& imported, const Json& given) {
  const auto& schedule = key_path<&StrategyRequest::schedule>;
  const auto& chunks = key_path<&StrategyRequest::vpp>;
  const Json& other = value_at(given, schedule);
  if (other.is_null() || other == value_at(imported.run, schedule)) return;
  if (forget_assumption(imported, chunks)) erase_at(imported.run, chunks);
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
  forget_chunks(imported, given);
  refuse_quantised(imported, given, lookup);
  for (const SizeOfWidth& size : imported.of_width) fit_size(imported, size, given, lookup);
  fit_options(imported, given, lookup);
  note_packed_experts(imported, given, lookup);
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

bool has_latent_attention(const Json& run, const ConfigLookup& lookup) {
  const auto model = whole_model(run, lookup);
  return model && model->attention == AttentionKind::kLatent;
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

bool says_what_trains(const Json& value) {
  if (!value.is_string()) return false;
  std::string word;
  for (const char c : value.get<std::string>())
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (begins_with(word, "use_")) word.erase(0, 4);
  constexpr std::array<std::string_view, 5> kKinds = {"lora", "qlora", "dora", "adalora", "loha"};
  if (std::find(kKinds.begin(), kKinds.end(), word) != kKinds.end()) return true;
  return word.find(' ') == std::string::npos && word.find('/') == std::string::npos &&
         (begins_with(word, "freeze_") || begins_with(word, "frozen_"));
}

bool RunDraft::is_open(std::string_view key) const {
  return std::any_of(out.ignored.begin(), out.ignored.end(),
                     [&](const LeftOver& l) { return l.is_refused && l.key == key; });
}

void RunDraft::set(std::string_view path, Json value) {
  if (!is_open(path)) set_at(out.run, path, std::move(value));
}

void RunDraft::open(std::string_view key, const std::string& setting, const std::string& why) {
  if (!key.empty() && !value_at(given, key).is_null()) {
    set_at(out.run, key, value_at(given, key));
    out.without_effect.push_back(setting + " (given instead)");
    return;
  }
  if (!key.empty()) erase_at(out.run, key);
  out.ignored.push_back({setting, why, std::string(key), true});
}

std::int64_t RunDraft::count_at(std::string_view path, std::int64_t otherwise) const {
  return at(path).is_number_integer() ? at(path).get<std::int64_t>() : otherwise;
}

void RunDraft::note(const std::string& path, const std::string& value, const std::string& why) {
  if (!is_open(path)) out.assumed.push_back({path, value, why});
}

void RunDraft::assume(const std::string& path, Json value, const std::string& why) {
  if (!at(path).is_null() || value.is_null() || is_open(path)) return;
  note(path, bare_text(value), why);
  set(path, std::move(value));
}

void RunDraft::ignored(const std::string& setting, const std::string& why) {
  out.ignored.push_back({setting, why});
}

}  // namespace orrery
