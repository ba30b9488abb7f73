// SPDX-License-Identifier: Apache-2.0
#include "core/json_path.h"
#include "exchange/deepspeed/deepspeed.h"

namespace orrery::deepspeed {

void shard_bf16_states(ImportedRun& r) {
  const Json& framework = value_at(r.run, "framework");
  const Json& states = value_at(r.run, "training.states");
  const bool ours = framework == "deepspeed" || framework == "megatron-deepspeed";
  const bool plain = value_at(r.run, "parallel.zero") == 0 &&
                     value_at(r.run, "training.precision") == "bf16" && states != "fp32-adam-16";
  if (!ours || !plain) return;
  const bool adam = value_at(r.run, "training.optimizer") != "sgd";
  if (states.is_null() && adam) set_at(r.run, "training.states", "adam-fp32-gradients-18");
  set_at(r.run, "parallel.zero", 1);
  std::erase_if(r.assumed, [](const Fact& a) { return a.path == "parallel.zero"; });
  r.assumed.push_back({"parallel.zero", "1",
                       "without ZeRO, DeepSpeed's optimizer of bf16 keeps gradients in fp32 and "
                       "shards its states [DeepSpeed, bf16_optimizer.py]"});
}

}  // namespace orrery::deepspeed
