// SPDX-License-Identifier: Apache-2.0
#include "exchange/tools/generating_server.h"

#include <string>

#include "core/json_path.h"
#include "exchange/trainer/facts.h"

namespace orrery::tools {
namespace {

using trainer::FactId;

constexpr const char* kServer = "vllm_mode server";

std::string key(const HookCall& call, const char* name) {
  return value_at(call.parameters, name).get<std::string>();
}

std::int64_t number(const Json& value) {
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

}  // namespace

void generating_server(HookCall& call) {
  trainer::Facts& facts = call.facts;
  const std::string server = key(call, "server");
  const std::int64_t launched = facts.has(FactId::gpus) ? number(facts.at(FactId::gpus)->value) : 0;
  const std::int64_t all = number(facts.of_command_line(FactId::gpus));
  std::int64_t serves = facts.count_of_key(server, 0);
  if (serves == 0 && launched > 0 && all > launched) {
    serves = all - launched;
    facts.set_key(server, serves, kServer, false);
    facts.note_key(server, std::to_string(serves), "the GPUs that the launcher leaves");
  }
  if (serves == 0) {
    facts.leave_key_open(server, kServer,
                         "the server's GPUs are its own; --gpus says those of both, "
                         "--rollout-gpus the server's");
    return;
  }
  if (launched > 0 && all > 0 && all != launched + serves)
    facts.refuse(kServer, "the launcher starts " + std::to_string(launched) +
                              " processes that learn, and the server has " +
                              std::to_string(serves) + " GPUs: --gpus " +
                              std::to_string(launched + serves) + " says those of both");
  if (launched > 0) facts.replace(FactId::gpus, launched + serves);
}

}  // namespace orrery::tools
