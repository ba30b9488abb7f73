// SPDX-License-Identifier: Apache-2.0
#include "estimate/inputs_json.h"

namespace orrery {
namespace {

template <class E>
std::string text_of(E value) {
  return std::string(name_of(value));
}

Json states_json(const ResolvedRun& r) {
  if (!r.states_name.empty()) return r.states_name;
  const StateRecipe& s = r.run.training.recipe;
  return {{"weights", s.weights}, {"gradients", s.gradients}, {"optimizer", s.optimizer},
          {"reduced", s.reduced}, {"gathered", s.gathered},   {"unsaved", s.unsaved}};
}

Json training_json(const ResolvedRun& r, const std::string& optimizer) {
  const Training& t = r.run.training;
  Json j;
  j["sequence_length"] = t.sequence;
  j["global_batch"] = t.global_batch;
  j["micro_batch"] = r.run.strategy.micro_batch;
  j["precision"] = std::string(name_of(t.precision));
  j["states"] = states_json(r);
  j["flash_attention"] = t.fused_attention;
  j["optimizer"] = optimizer;
  if (t.tokens > 0) j["tokens"] = t.tokens;
  return j;
}

std::string order_text(const RankOrder& order) {
  std::string text;
  for (const Dim d : order) {
    text += (text.empty() ? "" : "-") + text_of(d);
  }
  return text;
}

void add_recompute(const Strategy& s, Json& j) {
  j["recompute"] = text_of(s.recompute);
  if (s.recompute == Recompute::selective) {
    j["recompute_modules"] = Json::array();
    for (std::size_t i = 0; i < kModules; ++i) {
      if ((s.recompute_modules & mask_of(static_cast<Module>(i))) != 0) {
        j["recompute_modules"].push_back(std::string(kNamesOf<Module>[i]));
      }
    }
  }
  if (s.recompute == Recompute::full && s.recompute_layers > 0) {
    j["recompute_method"] = text_of(s.recompute_method);
    j["recompute_layers"] = s.recompute_layers;
  }
}

// ZeRO says the partition where it can; another one is written out.
void add_partition(const Strategy& s, Json& j) {
  j["zero"] = s.zero;
  if (s.partition == partition_of(s.zero, s.dp * s.cp)) return;
  j.erase("zero");
  j["partition"] = {{"weights", s.partition.weights},
                    {"gradients", s.partition.gradients},
                    {"optimizer", s.partition.optimizer}};
}

void add_zeropp(const ZeroPlusPlus& z, Json& j) {
  if (z == ZeroPlusPlus{}) return;
  j["zeropp"] = {{"qwz", z.qwz}, {"hpz", z.hpz}, {"qgz", z.qgz}};
}

void add_offload(const Strategy& s, Json& j) {
  if (s.offload == Offload{}) return;
  j["offload"] = {{"optimizer", text_of(s.offload.optimizer)},
                  {"parameters", text_of(s.offload.parameters)},
                  {"activations", text_of(s.offload.activations)},
                  {"optimizer_fraction", s.offload.optimizer_fraction}};
}

Json parallel_json(const ResolvedRun& r, const Json& overlap) {
  const Strategy& s = r.run.strategy;
  Json j = {{"tp", s.tp}, {"pp", s.pp},   {"vpp", s.vpp}, {"cp", s.cp},
            {"ep", s.ep}, {"etp", s.etp}, {"dp", s.dp}};
  j["cp_type"] = text_of(s.cp_type);
  j["sequence_parallel"] = s.sequence_parallel;
  add_partition(s, j);
  add_zeropp(s.zeropp, j);
  j["schedule"] = text_of(s.schedule);
  if (schedule_of(s.schedule).zero_bubble || s.post_validation) {
    j["optimizer_post_validation"] = s.post_validation;
  }
  if (!s.even_stages) {
    j["stage_layers"] = Json::array();
    for (std::int64_t i = 0; i < s.pp * s.vpp; ++i) {
      j["stage_layers"].push_back(s.stage_layers[static_cast<std::size_t>(i)]);
    }
  }
  add_recompute(s, j);
  add_offload(s, j);
  j["order"] = order_text(s.order);
  if (compresses(r.run.compression)) j["compression"] = compression_json(r.compression);
  if (!overlap.empty()) j["overlap"] = overlap;
  Json options = Json::object();
  for (const FrameworkOption& o : r.framework.options) {
    options[o.name] = o.is_count ? Json(std::stoll(o.value)) : Json(o.value);
  }
  j["framework_options"] = options;
  return j;
}

}  // namespace

Json inputs_json(const ResolvedRun& r, const Json& cluster, const std::string& optimizer,
                 const Json& overlap) {
  Json j;
  j["model"] = model_json(r.model);
  j["cluster"] = cluster;
  j["training"] = training_json(r, optimizer);
  j["parallel"] = parallel_json(r, overlap);
  j["framework"] = std::string(r.run.framework.name.view());
  j["flops_convention"] = text_of(r.run.convention);
  if (!r.stack.is_null()) j["stack"] = r.stack;
  return j;
}

}  // namespace orrery
