// SPDX-License-Identifier: Apache-2.0
#include "estimate/rl_document.h"

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/json_reader.h"
#include "estimate/run_keys.h"

namespace orrery {
namespace {

constexpr const char* kRlPath = key_path<&TrainingRequest::rl>;

}  // namespace

bool has_rl(const Json& run) { return !value_at(run, kRlPath).is_null(); }

void refuse_rl(const Json& run, const std::string& file) {
  if (!has_rl(run)) return;
  throw InputError(
      ErrorCode::not_allowed, file, kRlPath, "a step of reinforcement learning",
      "`orrery estimate`, `memory`, `search`, `sweep`, `compare`, `explain`, `simulate` and "
      "`capacity`, which play it; other commands know the learner alone: take training.rl, "
      "rollout and placement away and give " +
          std::string(key_path<&Training::sequence>) + " and " + key_path<&Training::global_batch>);
}

void refuse_generation_alone(const RunRequest& request, const Reader& root) {
  if ((!request.rollout && !request.placement) || has_rl(root.json())) return;
  throw InputError(ErrorCode::missing_key, root.file(), kRlPath, "nothing",
                   "an algorithm of reinforcement learning (--rl NAME), beside " +
                       std::string(request.rollout ? key_path<&RunRequest::rollout>
                                                   : key_path<&RunRequest::placement>));
}

void ask_for_rl(const std::string& file) {
  throw InputError(ErrorCode::missing_key, file, kRlPath, "nothing", "--rl NAME");
}

}  // namespace orrery
