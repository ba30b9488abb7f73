// SPDX-License-Identifier: Apache-2.0
//
// Services that a caller may lend to a command: workers, progress, cancelling. Without them the
// work is done in place, in one piece, and silently.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/config_source.h"

namespace orrery {

class MeasuringDevice;  // calibrate/bench.h
struct SearchTeam;      // explore/search_team.h

struct EngineHooks {
  // Calls work(0) … work(n − 1), at once where it can, and waits for all of them.
  std::function<void(unsigned n, const std::function<void(unsigned)>& work)> run_pieces;
  unsigned workers = 1;  // pieces where a request does not say `jobs`
  // True once the caller cancels; any worker may ask.
  std::function<bool()> stopped;
  std::function<void(std::int64_t done, std::int64_t total)> progress;
  const SearchTeam* team = nullptr;   // other processes that share a search
  MeasuringDevice* device = nullptr;  // the GPU of this machine, for `calibrate check`
};

inline constexpr unsigned kMostWorkers = 1024;

// Pieces for `jobs` workers, 0: as many as the hooks say.
inline unsigned workers_of(const EngineHooks& hooks, unsigned jobs) {
  if (!hooks.run_pieces) return 1;
  return jobs > 0 ? jobs : hooks.workers;
}
std::function<void(const std::function<void(unsigned)>&)> parallel_of(const EngineHooks& hooks,
                                                                      unsigned workers);

// The surroundings of a command: every one gets them beside its request.
struct CommandContext {
  const ConfigSource& configs;
  const EngineHooks& hooks;
  // Warnings of what was read, whatever the answer, from one thread; null: not wanted.
  std::vector<std::string>* warnings = nullptr;
  // Lines on what was read of other tools' files, and by whose defaults.
  std::vector<std::string>* read = nullptr;
};

// Thrown where a command ends because hooks.stopped said so; the answer is exit code 130.
struct Stopped {};

// Throws Stopped once the asker wants no more.
void go_on(const EngineHooks& hooks);

// The configs of the context, each read once; asking for one throws Stopped once the asker wants no
// more. For commands that judge many runs one by one.
ConfigSource until_stopped(const CommandContext& context);

}  // namespace orrery
