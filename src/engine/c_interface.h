// SPDX-License-Identifier: Apache-2.0
//
// The objects behind the handles of orrery/orrery.h.
#pragma once

#include <mutex>
#include <optional>

#include "engine/command_engine.h"
#include "engine/run_session.h"
#include "orrery/orrery.h"

struct orrery_engine {
  orrery::ConfigSource configs;
  orrery::EngineHooks hooks;
  std::string error;  // of the options; every call answers with it
  orrery_progress progress = nullptr;
  void* user = nullptr;
};

struct orrery_session {
  const orrery_engine* engine;
  orrery::RunSession run;
};

struct orrery_answer {
  orrery::CommandAnswer answer;

  // Made when they are asked for.
  std::mutex mutex;
  std::optional<orrery::Json> document;  // the text, where it is JSON; else null
  std::string line;
};
