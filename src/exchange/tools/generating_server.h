// SPDX-License-Identifier: Apache-2.0
//
// Reinforcement learning whose answers a server makes: the launcher's processes learn, and the
// server's GPUs are others. The hook says the server's GPUs and those of both, asks for the
// server's, and refuses counts that differ; its parameter `server` names the key of the run, and
// `setting` the setting that says it, where it is not vllm_mode. The batch is of those that learn
// alone (`@learners` in rules). Errors: none.
#pragma once

#include "exchange/tools/hooks.h"

namespace orrery::tools {

void generating_server(HookCall& call);

}  // namespace orrery::tools
