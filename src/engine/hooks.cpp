// SPDX-License-Identifier: Apache-2.0
#include "engine/hooks.h"

namespace orrery {

std::function<void(const std::function<void(unsigned)>&)> parallel_of(const EngineHooks& hooks,
                                                                      unsigned workers) {
  if (!hooks.run_pieces) {
    return [](const std::function<void(unsigned)>& work) { work(0); };
  }
  return [run = hooks.run_pieces, workers](const std::function<void(unsigned)>& work) {
    run(workers, work);
  };
}

void go_on(const EngineHooks& hooks) {
  if (hooks.stopped && hooks.stopped()) throw Stopped();
}

ConfigSource until_stopped(const CommandContext& context) {
  ConfigSource source = kept(context.configs, KeptPaths::yes);
  // A copy of the hooks: a source outlives the context that a plan was read with.
  source.read = [read = source.read, hooks = context.hooks](const std::string& file) {
    go_on(hooks);
    return read(file);
  };
  return source;
}

}  // namespace orrery
