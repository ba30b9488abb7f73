// SPDX-License-Identifier: Apache-2.0
#include "exchange/tools/generating_server.h"

#include <string>

#include "core/json_path.h"
#include "exchange/trainer/facts.h"

namespace orrery::tools {
namespace {

std::string key(const HookCall& call, const char* name) {
  return value_at(call.parameters, name).get<std::string>();
}

// The setting that says that others generate.
std::string stated(const HookCall& call) {
  const Json& setting = value_at(call.parameters, "setting");
  return setting.is_null() ? "vllm_mode server" : call.settings.written(setting.get<std::string>());
}

}  // namespace

void generating_server(HookCall& call) {
  trainer::Facts& facts = call.facts;
  const std::string server = key(call, "server");
  const std::string by = stated(call);
  const std::int64_t launched = facts.launched();
  const std::int64_t all = facts.gpus_of_user();
  std::int64_t serves = facts.count_of_key(server, 0);
  if (serves == 0 && launched > 0 && all > launched) {
    serves = all - launched;
    facts.set_key(server, serves, by, false);
    facts.note_key(server, std::to_string(serves), "the GPUs that the launcher leaves");
  }
  if (serves == 0) {
    facts.leave_key_open(server, by,
                         "the server's GPUs are its own; --gpus says those of both, "
                         "--rollout-gpus the server's");
    return;
  }
  if (launched > 0 && all > 0 && all != launched + serves)
    facts.refuse(by, "the launcher starts " + std::to_string(launched) +
                         " processes that learn, and the server has " + std::to_string(serves) +
                         " GPUs: --gpus " + std::to_string(launched + serves) +
                         " says those of both");
  if (launched > 0) facts.add_generating(serves);
}

}  // namespace orrery::tools
