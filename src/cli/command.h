// SPDX-License-Identifier: Apache-2.0
//
// The commands: one file each, one line each in cli/commands.cpp.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/session.h"
#include "engine/exit_code.h"

namespace CLI {
class App;
}

namespace orrery {

// What a command does once its options are read.
using Action = std::function<ExitCode(const Session&)>;

struct Command {
  const char* name;
  const char* summary;
  const char* examples;          // one a line
  Action (*declare)(CLI::App&);  // adds the options
};

inline constexpr int kMostJobs = 1024;  // of --jobs

std::span<const Command> commands();

Action declare_estimate(CLI::App& app);
Action declare_memory(CLI::App& app);
Action declare_explain(CLI::App& app);
Action declare_list(CLI::App& app);
Action declare_show(CLI::App& app);
Action declare_validate(CLI::App& app);
Action declare_search(CLI::App& app);
Action declare_sweep(CLI::App& app);
Action declare_compare(CLI::App& app);
Action declare_merge(CLI::App& app);
Action declare_simulate(CLI::App& app);
Action declare_collective(CLI::App& app);
Action declare_comm(CLI::App& app);
Action declare_capacity(CLI::App& app);
Action declare_calibrate(CLI::App& app);

}  // namespace orrery
