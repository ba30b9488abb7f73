// SPDX-License-Identifier: Apache-2.0
#include "core/json_path.h"
#include "estimate/training_keys.h"
#include "exchange/deepspeed/deepspeed.h"
#include "parallel/strategy_keys.h"

namespace orrery::deepspeed {

void shard_bf16_states(ImportedRun& r) {
  const Json& framework = value_at(r.run, "framework");
  const Json& states = value_at(r.run, key_path<&TrainingRequest::states>);
  const bool ours = framework == "deepspeed" || framework == "megatron-deepspeed";
  const bool plain = value_at(r.run, key_path<&StrategyRequest::zero>) == 0 &&
                     value_at(r.run, key_path<&TrainingRequest::precision>) == "bf16" &&
                     states != "fp32-adam-16";
  if (!ours || !plain) return;
  const bool adam = value_at(r.run, key_path<&TrainingRequest::optimizer>) != "sgd";
  if (states.is_null() && adam)
    set_at(r.run, key_path<&TrainingRequest::states>, "adam-fp32-gradients-18");
  set_at(r.run, key_path<&StrategyRequest::zero>, 1);
  std::erase_if(r.assumed,
                [](const Fact& a) { return a.path == key_path<&StrategyRequest::zero>; });
  r.assumed.push_back({key_path<&StrategyRequest::zero>, "1",
                       "without ZeRO, DeepSpeed's optimizer of bf16 keeps gradients in fp32 and "
                       "shards its states [DeepSpeed, bf16_optimizer.py]"});
}

}  // namespace orrery::deepspeed
