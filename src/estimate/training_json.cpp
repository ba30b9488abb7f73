// SPDX-License-Identifier: Apache-2.0
#include "estimate/training_json.h"

#include <algorithm>

#include "core/error.h"
#include "core/json.h"
#include "core/masks.h"

namespace orrery {
namespace {

constexpr const char* kStatesPath = key_path<&TrainingRequest::states>;

std::vector<std::string> recipe_names() {
  return {training_forms::kRecipeNames.begin(), training_forms::kRecipeNames.end()};
}

AdapterRequest with_defaults(AdapterRequest q) {
  const Adapter default_value;
  const bool packed = q.kind == AdapterKind::qlora;
  q.trained = q.trained.value_or(default_value.trained);
  q.base_precision = q.base_precision.value_or(packed ? BaseFormat::nf4 : default_value.base);
  if (q.base_precision == BaseFormat::nf4) {
    q.double_quantisation = q.double_quantisation.value_or(default_value.double_quantisation);
  }
  if (is_packed(*q.base_precision)) {
    q.other_precision = q.other_precision.value_or(default_value.others);
    q.keeps_inputs = q.keeps_inputs.value_or(default_value.keeps_inputs);
  }
  if (q.kind == AdapterKind::frozen) return q;
  q.rank = q.rank.value_or(default_value.rank);
  q.targets = q.targets.value_or(default_value.targets);
  q.precision = q.precision.value_or(default_value.precision);
  q.dropout = q.dropout.value_or(default_value.dropout);
  return q;
}

Adapter adapter_of(const AdapterRequest& q) {
  Adapter a;
  a.kind = q.kind;
  a.rank = q.rank.value_or(a.rank);
  a.targets = q.targets.value_or(a.targets);
  a.trained = q.trained.value_or(a.trained);
  a.base = q.base_precision.value_or(a.base);
  a.double_quantisation = q.double_quantisation.value_or(a.double_quantisation);
  a.precision = q.precision.value_or(a.precision);
  a.dropout = q.dropout.value_or(a.dropout);
  a.others = q.other_precision.value_or(a.others);
  a.keeps_inputs = q.keeps_inputs.value_or(a.keeps_inputs);
  return a;
}

std::vector<std::string> part_names() {
  return {kNamesOf<TrainedPart>.begin(), kNamesOf<TrainedPart>.end()};
}

std::vector<std::string> precisions_of(const Device& d) {
  std::vector<std::string> names;
  for (const Precision p : kAllOf<Precision>) {
    if (has_precision(d, p)) names.emplace_back(name_of(p));
  }
  return names;
}

std::vector<std::string> kernels_of(const Device& d) {
  std::vector<std::string> names;
  for (const AttentionKernel k : kAllOf<AttentionKernel>) {
    if (is_available(curve_of(d, k))) names.emplace_back(name_of(k));
  }
  return names;
}

Precision default_precision(const Device& d) {
  for (const Precision p : {Precision::bf16, Precision::fp16}) {
    if (has_precision(d, p)) return p;
  }
  return Precision::fp32;
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

// Fills in what is absent, and keeps a record of it.
class Resolver {
 public:
  Resolver(TrainingRequest request, const Device& device, const FrameworkStates& framework,
           const std::string& file)
      : device_(device), framework_(framework), file_(file) {
    out_.request = std::move(request);
  }

  ResolvedTraining resolve() {
    TrainingRequest& q = out_.request;
    assume<&TrainingRequest::micro_batch>(std::int64_t{1}, "1");
    precision();
    fused_attention();
    const bool optimizer_given = q.optimizer.has_value();
    q.optimizer = q.optimizer.value_or(Optimizer::adam);
    take_given(kTrainingKeys, q, out_.training);
    if (q.attention_kernel) attention_kernel(*q.attention_kernel);
    if (q.adapter) adapter(*q.adapter);
    if (q.sequence_lengths) lengths(*q.sequence_lengths);
    images();
    samples();
    states(optimizer_given);
    if (out_.training.ema == EmaPlace::device) out_.training.recipe.optimizer += kEmaBytes;
    if (is_by_shape(*q.optimizer)) {
      StateRecipe& r = out_.training.recipe;
      r.optimizer -= r.moments;
    }
    return std::move(out_);
  }

 private:
  void note(const Key& key, const char* path, std::string value) {
    note(key, path, std::move(value), kOurDefault);
  }

  void note(const Key& key, const char* path, std::string value, std::string where) {
    out_.assumed.push_back({path, std::move(value), std::string(key.otherwise.why),
                            Known::tool_default, std::move(where)});
  }

  template <auto Member, class V>
  void assume(V value, const std::string& text) {
    if (out_.request.*Member) return;
    out_.request.*Member = value;
    note(key_row<Member>, key_path<Member>, text);
  }

  void precision() {
    const std::optional<Precision> given = out_.request.precision;
    if (given && !has_precision(device_, *given)) {
      throw InputError(ErrorCode::broken_rule, file_, key_path<&TrainingRequest::precision>,
                       quoted(name_of(*given)),
                       "what the device computes in: " + alternatives(precisions_of(device_)));
    }
    const Precision otherwise = default_precision(device_);
    assume<&TrainingRequest::precision>(otherwise, std::string(name_of(otherwise)));
  }

  // A kernel that the run names, or the framework has, and the device has a rate of.
  bool has_kernel() const {
    if (out_.request.attention_kernel) return true;
    return std::any_of(framework_.attention.begin(), framework_.attention.end(),
                       [&](AttentionKernel k) { return is_available(curve_of(device_, k)); });
  }

  // Without a fused kernel attention is made of products.
  void fused_attention() {
    const bool fused = has_kernel();
    if (out_.request.flash_attention.value_or(false) && !fused) {
      throw InputError(ErrorCode::broken_rule, file_, key_path<&TrainingRequest::flash_attention>,
                       "true",
                       "false: " + std::string(device_.name.view()) + " has no fused kernel of " +
                           framework_.name + " (has: " + alternatives(kernels_of(device_)) +
                           "; --set training.attention_kernel=…)");
    }
    assume<&TrainingRequest::flash_attention>(fused, fused ? "true" : "false");
  }

  void attention_kernel(AttentionKernel kernel) {
    constexpr const char* path = key_path<&TrainingRequest::attention_kernel>;
    if (!out_.training.fused_attention) {
      throw InputError(ErrorCode::conflict, file_, path,
                       quoted(name_of(kernel)) + " beside training.flash_attention false",
                       "one of them");
    }
    if (!is_available(curve_of(device_, kernel))) {
      throw InputError(ErrorCode::broken_rule, file_, path, quoted(name_of(kernel)),
                       "what the device has a rate of: " + alternatives(kernels_of(device_)));
    }
    out_.training.attention_kernel = kernel;
  }

  void lengths(const std::vector<LengthShare>& given) {
    SequenceLengths& all = out_.training.lengths;
    for (const LengthShare& bin : given) {
      if (bin.length > out_.training.sequence) {
        throw InputError(ErrorCode::broken_rule, file_,
                         key_path<&TrainingRequest::sequence_lengths>,
                         "a document of " + std::to_string(bin.length) + " tokens",
                         "up to sequence_length, " + std::to_string(out_.training.sequence));
      }
      all.bins[all.count++] = bin;
    }
  }

  void images() {
    const Training& t = out_.training;
    if (!out_.request.images && t.image_tokens > 0) {
      throw InputError(file_, key_path<&TrainingRequest::image_tokens>,
                       std::to_string(t.image_tokens) + " without training.images",
                       "the images of a sequence beside it");
    }
    if (t.images == 0) return;
    if (t.image_tokens == 0) {
      throw InputError(file_, key_path<&TrainingRequest::image_tokens>, "nothing",
                       "the tokens of an image, beside training.images");
    }
    if (t.images * t.image_tokens <= t.sequence) return;
    throw InputError(file_, key_path<&TrainingRequest::images>, std::to_string(t.images),
                     "images of image_tokens each within sequence_length");
  }

  void samples() {
    if (!out_.request.samples) return;
    Training& t = out_.training;
    if (out_.request.tokens) {
      throw InputError(ErrorCode::conflict, file_, key_path<&TrainingRequest::samples>,
                       std::to_string(*out_.request.samples) + " beside training.tokens",
                       "one of them");
    }
    t.tokens = *out_.request.samples * t.sequence;
  }

  // No matrices beside the model: what is said of them would be read and ignored.
  void refuse_matrices(const AdapterRequest& q) const {
    const char* stated = q.rank        ? key_path<&AdapterRequest::rank>
                         : q.targets   ? key_path<&AdapterRequest::targets>
                         : q.precision ? key_path<&AdapterRequest::precision>
                         : q.dropout   ? key_path<&AdapterRequest::dropout>
                                       : nullptr;
    if (stated == nullptr) return;
    throw InputError(ErrorCode::conflict, file_, stated, "it beside kind \"frozen\"",
                     "lora, qlora or dora, or no such key");
  }

  // Keys of packed weights would be read and ignored beside others.
  void refuse_beside_unpacked(const AdapterRequest& q, const Adapter& a) const {
    const char* stated = q.other_precision ? key_path<&AdapterRequest::other_precision>
                         : q.keeps_inputs  ? key_path<&AdapterRequest::keeps_inputs>
                                           : nullptr;
    if (stated == nullptr || is_packed(a.base)) return;
    throw InputError(ErrorCode::conflict, file_, stated,
                     "it beside base_precision " + quoted(name_of(a.base)),
                     "a packed base_precision, or no such key");
  }

  // QLoRA is LoRA beside packed weights, and scales of nf4 alone are quantised twice.
  void refuse_storage(const Adapter& a, bool conflicts) const {
    if (a.kind == AdapterKind::qlora && !is_packed(a.base)) {
      throw InputError(ErrorCode::conflict, file_, key_path<&AdapterRequest::base_precision>,
                       quoted(name_of(a.base)) + " beside kind \"qlora\"",
                       "a packed format, or kind \"lora\"");
    }
    if (!conflicts || a.base == BaseFormat::nf4) return;
    throw InputError(ErrorCode::conflict, file_, key_path<&AdapterRequest::double_quantisation>,
                     "it beside base_precision " + quoted(name_of(a.base)),
                     "base_precision \"nf4\", or no such key");
  }

  // Something has to train.
  void adapter(AdapterRequest& q) {
    if (q.kind == AdapterKind::frozen) refuse_matrices(q);
    const bool no_targets = q.targets == TargetMask{0} && !q.trained;
    const bool conflicts = q.double_quantisation.has_value();
    q = with_defaults(q);
    const Adapter a = adapter_of(q);
    refuse_beside_unpacked(q, a);
    refuse_storage(a, conflicts);
    const bool adapts_nothing = a.kind == AdapterKind::frozen || a.targets == 0;
    if (adapts_nothing && a.trained == 0) {
      throw InputError(
          file_,
          no_targets ? key_path<&AdapterRequest::targets> : key_path<&AdapterRequest::trained>,
          "[]", "at least one part that trains: " + alternatives(part_names()));
    }
    out_.training.adapter = a;
  }

  std::string default_states() const {
    const Precision p = out_.training.precision;
    if (p == Precision::fp32 || p == Precision::tf32) return "fp32-adam-16";
    return p == Precision::fp16 ? framework_.in_fp16 : framework_.default_value;
  }

  // The key that holds the unknown name of a recipe.
  const char* place_of_states(bool given) const {
    const bool in_fp16 = out_.training.precision == Precision::fp16 &&
                         framework_.in_fp16 != framework_.default_value;
    return given ? kStatesPath : in_fp16 ? "framework.fp16_states" : "framework.states";
  }

  void states(bool optimizer_given) {
    TrainingRequest& q = out_.request;
    if (q.recipe) {
      out_.training.recipe = *q.recipe;
      return;
    }
    const bool given = q.states.has_value();
    if (!given) q.states = default_states();
    const std::string& name = *q.states;
    const NamedRecipe* recipe = find_recipe(name);
    if (recipe == nullptr) {
      throw InputError(file_, place_of_states(given), "\"" + name + "\"",
                       alternatives(recipe_names()) + ", or an object of bytes a parameter",
                       nearest_name(name, recipe_names()));
    }
    const bool has_one_moment = name == "sgd";
    const bool is_sgd = q.optimizer == Optimizer::sgd;
    if (given && optimizer_given && has_one_moment && !is_sgd) {
      throw InputError(file_, kStatesPath, "\"" + name + "\"",
                       "states that go with optimizer " + std::string(name_of(*q.optimizer)));
    }
    out_.training.recipe = recipe->recipe;
    if (is_sgd && !has_one_moment) out_.training.recipe = with_one_moment(recipe->recipe);
    if (q.optimizer == Optimizer::adam_8bit)
      out_.training.recipe = with_moments_of_a_byte(recipe->recipe);
    if (!given) note(key_row<&TrainingRequest::states>, kStatesPath, name, framework_.name);
  }

  const Device& device_;
  const FrameworkStates& framework_;
  const std::string& file_;
  ResolvedTraining out_;
};

}  // namespace

void read_micro_batch(const Reader& r, TrainingRequest& out) {
  out.micro_batch = r.integer(1, out.global_batch);
}

void read_states(const Reader& r, TrainingRequest& out) {
  if (!r.json().is_object()) {
    out.states = r.text();
    return;
  }
  StateRecipe& recipe = out.recipe.emplace();
  constexpr double kAsKept = -1;  // beyond what can be read
  recipe.reduced = recipe.gathered = kAsKept;
  Reader object = r;
  read_known(kRecipeKeys, object, recipe);
  object.reject_unknown();
  if (recipe.reduced == kAsKept) recipe.reduced = recipe.gradients;
  if (recipe.gathered == kAsKept) recipe.gathered = recipe.weights;
  recipe.moments = std::min(recipe.moments, recipe.optimizer);
}

bool write_states(const TrainingRequest& t, Json& out) {
  if (t.recipe) {
    write_keys(kRecipeKeys, *t.recipe, out);
  } else if (t.states) {
    out = *t.states;
  }
  return t.recipe || t.states;
}

void read_unsaved(const Reader& r, StateRecipe& out) { out.unsaved = r.number(0, out.optimizer); }

void read_moments(const Reader& r, StateRecipe& out) { out.moments = r.number(0, out.optimizer); }

void read_targets(const Reader& r, std::optional<TargetMask>& out) {
  read_mask<AdapterTarget>(r, out.emplace());
}

bool write_targets(const std::optional<TargetMask>& targets, Json& out) {
  if (targets) out = mask_names<AdapterTarget>(*targets);
  return targets.has_value();
}

void read_trained(const Reader& r, std::optional<PartMask>& out) {
  read_mask<TrainedPart>(r, out.emplace());
}

bool write_trained(const std::optional<PartMask>& parts, Json& out) {
  if (parts) out = mask_names<TrainedPart>(*parts);
  return parts.has_value();
}

ResolvedTraining resolve_training(const TrainingRequest& request, const Device& device,
                                  const FrameworkStates& framework_states,
                                  const std::string& file) {
  return Resolver(request, device, framework_states, file).resolve();
}

}  // namespace orrery
