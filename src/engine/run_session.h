// SPDX-License-Identifier: Apache-2.0
//
// A run that stays open while its keys change, for sliders and loops.
//
//   RunSession session(engine.configs(), R"({"run": "gpt3-175b-1024-a100"})");
//   session.set("parallel.tp", "4");
//   CommandAnswer a = session.ask("estimate");
//
// An answer has the bytes of CommandEngine::call() with the request as opened, every key that was
// set since in `set`, in the order of setting, and the options. A user's own files are read once
// for the session's life. Errors: none are thrown; what is wrong shows in the answer. One thread at
// a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/json_fwd.h"
#include "engine/answer.h"
#include "engine/hooks.h"

namespace orrery {

class RunSession {
 public:
  // `request` as for an estimate.
  RunSession(ConfigSource configs, std::string_view request);

  // `value` is JSON, or else a text; null takes the key away. A key set again counts as set last.
  void set(const std::string& path, const std::string& value);

  // `options`: an object of further keys of the request, such as `format`.
  CommandAnswer ask(std::string_view command, std::string_view options = "{}",
                    const EngineHooks& hooks = {}) const;

 private:
  ConfigSource configs_;
  std::shared_ptr<Json> request_;
  CommandAnswer refused_;  // with an error where the request is wrong
};

}  // namespace orrery
