// SPDX-License-Identifier: Apache-2.0
//
// The commands: their flags, one line each in cli/commands.cpp.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "cli/session.h"

namespace CLI {
class App;
}

namespace orrery {

struct Command {
  const char* name;
  const char* summary;
  const char* examples;                             // one a line
  void (*declare)(CLI::App& app, Json& request);    // beside the engine's table; nullptr: nothing
  ExitCode (*run)(Json request, const Session& s);  // nullptr: ask the engine, give the answer
  // The common flags that this command refuses and its help leaves out: "--csv".
  std::array<std::string_view, 3> without = {};
};

std::span<const Command> commands();

// The options of the engine's table for the command, and those of the command line alone.
void declare_options(const Command& c, CLI::App& app, Json& request);

void declare_explain(CLI::App& app, Json& request);
void declare_validate(CLI::App& app, Json& request);
void declare_search(CLI::App& app, Json& request);
void declare_sweep(CLI::App& app, Json& request);
void declare_merge(CLI::App& app, Json& request);
void declare_capacity(CLI::App& app, Json& request);
void declare_calibrate(CLI::App& app, Json& request);
void declare_import(CLI::App& app, Json& request);
void declare_page(CLI::App& app, Json& request);
void declare_completions(CLI::App& app, Json& request);

ExitCode run_explain(Json request, const Session& s);
ExitCode run_show(Json request, const Session& s);
ExitCode run_validate(Json request, const Session& s);
ExitCode run_search(Json request, const Session& s);
ExitCode run_sweep(Json request, const Session& s);
ExitCode run_merge(Json request, const Session& s);
ExitCode run_capacity(Json request, const Session& s);
ExitCode run_calibrate(Json request, const Session& s);
ExitCode run_page(Json request, const Session& s);
ExitCode run_call(Json request, const Session& s);
ExitCode run_mcp(Json request, const Session& s);
ExitCode run_completions(Json request, const Session& s);

}  // namespace orrery
