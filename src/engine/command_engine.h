// SPDX-License-Identifier: Apache-2.0
//
// One face for every command: request document in, answer document out.
//
//   CommandEngine engine(kept(builtin_configs(), KeptPaths::no));
//   CommandAnswer a = engine.call("estimate", R"({"run": "gpt3-175b-1024-a100"})");
//
// The command line, the C interface (orrery/orrery.h) and the page all ask here and get the same
// bytes. Knows no file, thread, clock or environment: configs and helpers are handed in. call() may
// be called from several threads at once, as far as the hooks may. Errors: none are thrown; what is
// wrong with a request is an answer with code `wrong_input` and one line, a fault of Orrery's own
// one with code `fault`.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/answer.h"
#include "engine/hooks.h"
#include "engine/request.h"

namespace orrery {

class CommandEngine {
 public:
  explicit CommandEngine(ConfigSource configs, EngineHooks hooks = {});

  // `request` is JSON, an object (engine/request.h).
  CommandAnswer call(std::string_view command, std::string_view request) const;
  CommandAnswer call(std::string_view command, const Json& request, Asker asker) const;

  const ConfigSource& configs() const { return configs_; }
  const EngineHooks& hooks() const { return hooks_; }

 private:
  ConfigSource configs_;
  EngineHooks hooks_;
};

std::vector<std::string> command_names();

// Keys of a command's request whose values are files ({"file", "text"}, or a list of them).
std::vector<std::string> file_options(std::string_view command);

// Turns an exception of `answer` into an answer.
CommandAnswer guarded_answer(const std::function<CommandAnswer()>& answer);

// The answer as one object on one line: {"id" (as given), "code", "error", "wrong" {"code", "file",
// "path", "found", "allowed", "nearest"}, "answer" (a document) or "text", "files" {name: text},
// "warnings", "broken"}, of which only what there is. Invalid UTF-8 is shown with replacement
// characters.
std::string one_line(const CommandAnswer& answer, const Json* id = nullptr);
std::string answer_line(const CommandEngine& engine, std::string_view line);

}  // namespace orrery
