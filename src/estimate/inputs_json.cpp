// SPDX-License-Identifier: Apache-2.0
#include "estimate/inputs_json.h"

#include "core/json.h"
#include "core/key_access.h"
#include "estimate/resolve.h"
#include "estimate/run_keys.h"
#include "estimate/sample.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

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

Json inputs_json(const ResolvedRun& r, const Json& cluster, const TrainingRequest& training,
                 const StrategyRequest& asked) {
  Json j = Json::object();
  at_key<&RunRequest::model>(j) = model_json(r.model);
  at_key<&RunRequest::cluster>(j) = cluster;
  write_keys(kTrainingKeys, training, at_key<&RunRequest::training>(j));
  if (gives_length(training)) {
    erase_key<&TrainingRequest::sequence_length>(at_key<&RunRequest::training>(j));
  }
  at_key<&RunRequest::parallel>(j) = parallel_json(r, asked);
  at_key<&RunRequest::framework>(j) = std::string(r.run.framework.name.view());
  RunRequest rest;
  rest.flops_convention = r.run.convention;
  rest.stack = r.stack;
  rest.risk = r.risk;
  write_keys(kRunKeys, rest, j);
  return j;
}

}  // namespace orrery
