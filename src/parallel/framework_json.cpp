// SPDX-License-Identifier: Apache-2.0
#include "parallel/framework_json.h"

#include "core/error.h"
#include "core/json_reader.h"

namespace orrery {
namespace {

// The highest value of a switch with a count that states none.
constexpr std::int64_t kMostOfAnOption = 1 << 20;
constexpr std::int64_t kMostAtAll = std::int64_t{1} << 40;

void read_if(Reader& r, const char* key, bool& out) {
  if (auto v = r.find(key)) out = v->boolean();
}

void read_if(Reader& r, const char* key, double& out, double lowest, double highest) {
  if (auto v = r.find(key)) out = v->number(lowest, highest);
}

void read_if(Reader& r, const char* key, std::int64_t& out, std::int64_t lowest,
             std::int64_t highest) {
  if (auto v = r.find(key)) out = v->integer(lowest, highest);
}

template <Dimension D>
void read_if(Reader& r, const char* key, Quantity<D>& out) {
  if (auto v = r.find(key)) out = v->quantity<D>(true);
}

void read_kernels(Reader& r, Framework& f) {
  f.attention_count = 0;
  for (const Reader& item : r.at("attention").items()) {
    if (f.attention_count == kAttentionKernels) item.fail("each kernel once");
    f.attention[f.attention_count++] = item.choice<AttentionKernel>();
  }
  if (auto v = r.find("cross_entropy")) f.cross_entropy = v->choice<CrossEntropy>();
  f.split_cross_entropy = f.cross_entropy;
  if (auto v = r.find("split_cross_entropy")) f.split_cross_entropy = v->choice<CrossEntropy>();
  read_if(r, "keeps_gathered_inputs", f.keeps_gathered_inputs);
  read_if(r, "keeps_wide_inputs", f.keeps_wide_inputs);
  read_if(r, "linear_rate", f.linear_rate, 0.01, 1);
  read_if(r, "recompute_stops_early", f.recompute_stops_early);
  read_if(r, "pointwise_passes", f.pointwise_passes, 1, 10);
  read_if(r, "fused_accumulation", f.fused_accumulation);
  read_if(r, "keeps_16_bit_gradients", f.keeps_16_bit_gradients);
  read_if(r, "steps_on_fp32_copy", f.steps_on_fp32_copy);
  read_if(r, "keeps_stage_outputs", f.keeps_stage_outputs);
  read_if(r, "receives_apart", f.receives_apart);
  read_if(r, "reduces_at_the_end", f.reduces_at_the_end);
  read_if(r, "vocabulary_multiple", f.vocabulary_multiple, 1, 1 << 20);
  read_if(r, "vocabulary_multiple_per_tp", f.vocabulary_multiple_per_tp);
}

void read_overlap(Reader& r, Framework& f) {
  read_if(r, "tp_exposed", f.tp_exposed, 0, 1);
  read_if(r, "tp_backward_overlap", f.tp_backward_overlap);
  if (auto v = r.find("ep_exposed")) {
    f.ep_exposed = v->number(0, 1);
    f.ep_exposed_interleaved = f.ep_exposed;
  }
  read_if(r, "ep_exposed_interleaved", f.ep_exposed_interleaved, 0, 1);
  read_if(r, "dispatch_once_per_node", f.dispatch_once_per_node);
  read_if(r, "fabric_share", f.fabric_share, 0.001, 1);
  read_if(r, "layer_fabric_share", f.layer_fabric_share, 0.001, 1);
  read_if(r, "cp_overlap", f.cp_overlap);
  read_if(r, "overlap_grad_reduce", f.overlap_grad_reduce);
  read_if(r, "overlap_param_gather", f.overlap_param_gather);
  read_if(r, "dp_overlap_share", f.dp_overlap_share, 0, 1);
  read_if(r, "dp_exposed_floor", f.dp_exposed_floor, 0, 1);
  read_if(r, "scatter_gather", f.scatter_gather);
  read_if(r, "keeps_gathered_weights", f.keeps_gathered_weights);
  read_if(r, "pipeline_keeps_weights", f.pipeline_keeps_weights);
  read_if(r, "prefetch_norm", f.prefetch_norm, 1, 100);
  read_if(r, "gather_bytes", f.gather_bytes, 0, 8);
  read_if(r, "max_live_parameters", f.max_live_parameters, 0, std::int64_t{1} << 40);
}

void read_fixed_costs(Reader& r, Framework& f) {
  read_if(r, "stack_factor", f.stack_factor, 0.1, 10);
  read_if(r, "step_overhead", f.step_overhead);
  read_if(r, "context", f.context);
  read_if(r, "group_buffers", f.group_buffers);
  read_if(r, "bucket", f.bucket);
  read_if(r, "state_overhead", f.state_overhead, 0, 10);
  read_if(r, "activation_overhead", f.activation_overhead, 0, 10);
  read_if(r, "logits_overhead", f.logits_overhead, 0, 10);
  const std::optional<Reader> given = r.find("interval_80");
  if (!given) return;
  const std::vector<Reader> interval = given->items();
  if (interval.size() != 2) given->fail("two factors, low and high");
  f.interval_low = interval[0].number(0.01, 1);
  f.interval_high = interval[1].number(1, 100);
}

ModuleMask read_modules(const Reader& list) {
  ModuleMask mask = 0;
  for (const Reader& item : list.items()) {
    mask = static_cast<ModuleMask>(mask | mask_of(item.choice<Module>()));
  }
  return mask;
}

Framework read_fields(const Json& document, const std::string& file) {
  Reader r(document, file);
  Framework f;
  f.name = make_name(r.at("name").text());
  for (const char* known :
       {"source", "sources", "options", "notes", "states", "fp16_states", "dropout"})
    r.allow(known);
  read_kernels(r, f);
  read_if(r, "zero", f.zero, 0, 3);
  read_if(r, "shard_group", f.shard_group, 0, 1 << 20);
  read_if(r, "qwz", f.zeropp.qwz, 0, 64);
  read_if(r, "hpz", f.zeropp.hpz, 0, 1 << 20);
  read_if(r, "qgz", f.zeropp.qgz, 0, 64);
  if (auto v = r.find("cp_type")) f.cp_type = v->choice<ContextType>();
  if (auto v = r.find("selective_modules")) f.selective_modules = read_modules(*v);
  read_overlap(r, f);
  read_fixed_costs(r, f);
  r.reject_unknown();
  return f;
}

std::string value_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// A switch that takes a count: the field it sets, and what may be given.
FrameworkOption apply_count(Json& document, Reader& option, const std::string& name,
                            const Json* chosen, const Reader& given) {
  const std::int64_t lowest = option.at("lowest").integer(-1, kMostOfAnOption);
  std::int64_t highest = kMostOfAnOption;
  read_if(option, "highest", highest, lowest, kMostAtAll);
  const std::int64_t standard = option.at("default").integer(lowest, highest);
  const std::string field = option.at("field").text();
  option.reject_unknown();
  if (chosen == nullptr) return {name, std::to_string(standard), true, true};
  const Reader asked(*chosen, given.file(), given.path() + "." + name);
  const std::int64_t value = asked.integer(lowest, highest);
  if (value != standard) document[field] = value;
  return {name, std::to_string(value), false, true};
}

// Lays the overlay of one switch over the document and says which value it took.
FrameworkOption apply(Json& document, Reader option, const std::string& name, const Json* chosen,
                      const Reader& given) {
  if (option.has("field")) return apply_count(document, option, name, chosen, given);
  Reader values = option.at("values");
  FrameworkOption result{name, option.at("default").text(), chosen == nullptr};
  if (chosen != nullptr) result.value = value_text(*chosen);
  option.reject_unknown();
  const std::vector<std::string> allowed = values.keys();
  if (!values.has(result.value)) {
    throw InputError(given.file(), given.path() + "." + name, result.value, alternatives(allowed),
                     nearest_name(result.value, allowed));
  }
  // The fields of the profile are those of its defaults.
  if (chosen != nullptr) merge_over(document, values.at(result.value).json());
  return result;
}

}  // namespace

FrameworkProfile read_framework(const Json& profile, const std::string& file, const Json& options,
                                const std::string& run_file, const std::string& options_path) {
  FrameworkProfile result;
  result.document = profile;
  static const Json kNoOptions = Json::object();
  const Json& chosen = options.is_null() ? kNoOptions : options;
  Reader given(chosen, run_file, options_path);
  given.must_be_object();
  Reader root(profile, file);
  if (auto known = root.find("options")) {
    for (const std::string& name : known->keys()) {
      const Json* value = given.has(name) ? &chosen[name] : nullptr;
      result.options.push_back(apply(result.document, known->at(name), name, value, given));
    }
  }
  given.reject_unknown();
  result.framework = read_fields(result.document, file);
  Reader document(result.document, file);
  result.states = document.at("states").text();
  const auto in_fp16 = document.find("fp16_states");
  result.fp16_states = in_fp16 ? in_fp16->text() : result.states;
  if (auto dropout = document.find("dropout")) result.dropout = dropout->boolean();
  return result;
}

}  // namespace orrery
