// SPDX-License-Identifier: Apache-2.0
#include "estimate/inputs_json.h"

#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

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

Json options_json(const FrameworkProfile& profile) {
  Json options = Json::object();
  for (const FrameworkOption& o : profile.options) {
    options[o.name] = o.is_count ? Json(std::stoll(o.value)) : Json(o.value);
  }
  return options;
}

Json parallel_json(const ResolvedRun& r, const StrategyRequest& asked) {
  StrategyRequest q = request_of(r.run.strategy);
  q.schedule_file = asked.schedule_file;
  q.overlap = asked.overlap;
  q.placement = asked.placement;
  q.framework_options = std::make_shared<const Json>(options_json(r.framework));
  if (compresses(r.run.compression)) {
    q.compression = std::make_shared<const Json>(compression_json(r.compression));
  }
  Json j = Json::object();
  write_keys(kStrategyKeys, q, j);
  return j;
}

}  // namespace

Json inputs_json(const ResolvedRun& r, const Json& cluster, const std::string& optimizer,
                 const StrategyRequest& asked) {
  Json j;
  j["model"] = model_json(r.model);
  j["cluster"] = cluster;
  j["training"] = training_json(r, optimizer);
  j["parallel"] = parallel_json(r, asked);
  j["framework"] = std::string(r.run.framework.name.view());
  j["flops_convention"] = std::string(name_of(r.run.convention));
  if (!r.stack.is_null()) j["stack"] = r.stack;
  return j;
}

}  // namespace orrery
