// SPDX-License-Identifier: Apache-2.0
//
// orrery_new(): the engine of the C interface with what a system has, folders and threads.
#include <memory>

#include "core/error.h"
#include "core/json_reader.h"
#include "engine/c_interface.h"
#include "engine/config_source.h"
#include "io/config_dirs.h"
#include "io/threads.h"

namespace orrery {
namespace {

// Configs of folders and built in; "-": built in, and a user's own files.
ConfigSource configs_of(const std::string& directory) {
  if (directory != "-") return with_builtin_configs(folder_source(config_dirs(directory)));
  ConfigSource configs = builtin_configs();
  configs.open = folder_source({}).open;
  return configs;
}

void set_up(orrery_engine& engine, const Json& options) {
  Reader given(options, "options");
  const auto directory = given.find("config_dir");
  const auto workers = given.find("workers");
  given.reject_unknown();
  engine.configs = kept(configs_of(directory ? directory->text() : ""), KeptPaths::no);
  engine.hooks.run_pieces = run_on_threads;
  engine.hooks.workers =
      workers ? static_cast<unsigned>(workers->integer(1, kMostWorkers)) : available_threads();
}

}  // namespace
}  // namespace orrery

orrery_engine* orrery_new(const char* options) try {
  auto engine = std::make_unique<orrery_engine>();
  try {
    const orrery::Json given = orrery::parse_json(options == nullptr ? "{}" : options, "options");
    orrery::set_up(*engine, given);
  } catch (const orrery::InputError& e) {
    engine->error = e.what();
  }
  return engine.release();
} catch (...) {
  return nullptr;
}
