// SPDX-License-Identifier: Apache-2.0
//
// Several files of other tools to one run: what each is, and what they say together.
//
// Files of one family complete each other (a Primus file and those it extends; an Axolotl file, the
// Accelerate file it is launched with and the DeepSpeed file it names). A key that two files say
// differently is left open. Machines (exchange/machine) become the run's cluster, a config.json of
// Hugging Face its model.
//
// Errors: InputError for a file of a kind that is not read, with what it looks like and which
// command reads it; for an assumption about a name that no file has.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exchange/foreign.h"
#include "exchange/import_draft.h"
#include "exchange/shell/shell.h"
#include "exchange/tools/tool_book.h"

namespace orrery {

struct ImportJob {
  std::vector<ForeignFile> files;
  std::optional<ForeignFormat> from;  // of all files that are no machine and no model
  Json given = Json::object();        // the run as far as the command line says it
  std::vector<GivenSetting> assumed = {};
  const ConfigLookup* lookup = nullptr;  // where models by name are
  ShellFiles scripts = {};               // of `files`, those that another one sources or starts
  std::string from_tool = {};            // the name of `from`, where that is a tool
  tools::ToolBook tools = {};            // of `lookup`
  std::map<std::string, std::string> started_tools = {};  // by file: that a script's command starts
  std::map<std::string, std::string> started_programs = {};  // by file: the program of that command
  bool has_engine = false;                                   // a file of DeepSpeed is among them
  std::int64_t launched = 0;     // processes that a script starts, which no user set as GPUs
  std::int64_t beside_them = 0;  // GPUs that generate beside these
};

ImportedRun import_files(ImportJob job);

// Settings as one of the readers of Megatron-LM's family gives them, under Megatron-LM's names.
struct NamedSettings {
  Settings settings;
  std::vector<LeftOver> left = {};
  std::vector<ForeignFile> files = {};      // more files, written by the script itself
  std::string other_defaults = {};          // why the tool's own do not hold
  std::string model = {};                   // one of ours, by its name
  Json adapter = {};                        // training.adapter
  std::vector<std::string> included = {};   // scripts of the job that were read with it
  std::string tool = {};                    // of configs/tools, whose names the settings have
  std::vector<std::string> overrides = {};  // Hydra's, of a configuration that is not given
  std::vector<std::string> without_effect = {};
  bool starts = false;               // a script that starts a training
  std::string unknown_program = {};  // started, and of no tool by its name and arguments
  bool is_fragment = false;          // arguments for a command that stands elsewhere
  std::vector<Fact> assumed = {};    // defaults of variables that no script sets
};

// Settings of the files that --assume says otherwise, or takes out ("none").
void apply(std::vector<GivenSetting>& assumed, Settings& settings, ImportedRun& out);

// The last part of a path: "a/b.yaml" and "b.yaml" are the same file to who includes it.
std::string base_name(const std::string& path);

}  // namespace orrery
