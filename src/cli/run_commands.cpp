// SPDX-License-Identifier: Apache-2.0
//
// Commands whose flags are all they have: the engine does the rest.
#include "cli/command.h"
#include "cli/flags.h"
#include "core/unknown_name.h"
#include "engine/commands/commands.h"
#include "exchange/foreign.h"

namespace orrery {
void declare_estimate(CLI::App& app, Json& request) {
  add_run_options(app, request);
  add_file(app, request, "--against",
           "a training log of this run (Megatron-LM, DeepSpeed, torchtitan, …) to compare with, "
           "term by term")
      ->type_name("LOG");
}

void declare_memory(CLI::App& app, Json& request) { add_run_options(app, request); }

void declare_comm(CLI::App& app, Json& request) {
  add_run_options(app, request);
  add_file(app, request, "--against",
           "a measured log to compare with: DeepSpeed's communication summary, or CSV of "
           "operation,bytes,count,us")
      ->type_name("LOG");
}

void declare_explain(CLI::App& app, Json& request) {
  add_word(app, request, "RUN", "run", "run file: name, path or -");
  add_word(app, request, "METRIC", "metric", "a key of `orrery list metrics`");
  add_flag_of<std::size_t>(app, request, "--depth", "levels below the metric (3)")->type_name("N");
  add_run_flags(app, request);
}

// RUN METRIC, or METRIC alone where flags say the run.
ExitCode run_explain(Json request, const Session& s) {
  const std::string first = request.value("run", "");
  request.erase("run");
  if (!request.contains("metric") && has_run_flags(request)) {
    request["metric"] = first;
  } else if (!first.empty()) {
    request["run"] = named_or_input(first);
  }
  return ask("explain", std::move(request), s);
}

void declare_list(CLI::App& app, Json& request) {
  add_word(app, request, "WHAT", "what", alternatives(listed_kinds()));
}

void declare_schema(CLI::App& app, Json& request) {
  add_word(app, request, "NAME", "name", alternatives(schema_names()));
}

void declare_show(CLI::App& app, Json& request) {
  add_word(app, request, "KIND", "kind", alternatives(shown_kinds()));
  add_word(app, request, "NAME", "name", "name or path");
  add_switch(app, request, "--operators", "of a run: the operators of one rank");
  add_run_flags(app, request);
}

ExitCode run_show(Json request, const Session& s) {
  if (request.value("kind", "") == "run" && request.value("name", "") == "-") {
    request["run"] = named_or_input("-");
    request.erase("name");
  }
  return ask("show", std::move(request), s);
}

void declare_compare(CLI::App& app, Json& request) {
  app.add_option_function<std::vector<std::string>>(
         "RUN",
         [&request](const std::vector<std::string>& names) {
           for (const std::string& name : names) request["runs"].push_back(named_or_input(name));
         },
         "run files: names or paths")
      ->expected(1, 64);
  add_run_flags(app, request);
}

void declare_import(CLI::App& app, Json& request) {
  add_files(app, request, "FILE", "file",
            "scripts, logs, YAML, JSON, TOML or XML that describe one run; - for standard input")
      ->expected(1, 64)
      ->required();
  add_flag_of(app, request, "--from",
              "format of the files (recognised by their content): " +
                  alternatives(names_in<ForeignFormat>()))
      ->type_name("FORMAT");
  add_flag_of(app, request, "--as",
              "run, or cluster: what files of a machine say, for orrery collective --cluster (run)")
      ->type_name("WHAT");
  app.add_option_function<std::vector<std::string>>(
         "--assume",
         [&request](const std::vector<std::string>& all) {
           for (const std::string& each : all) request["assume"].push_back(each);
         },
         "value of a setting, or of a key of the run, that the files leave open")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_run_flags(app, request);
}

ExitCode run_import(Json request, const Session& s) {
  if (s.csv) throw InputError("orrery import", "", "--csv", "a run file, or --json");
  return ask("import", std::move(request), s);
}

void declare_export(CLI::App& app, Json& request) {
  add_run_options(app, request);
  add_print_option(app, request, "--as", "format to write (run)");
}

ExitCode run_export(Json request, const Session& s) {
  if (s.csv) throw InputError("orrery export", "", "--csv", "text, or --json");
  return ask("export", std::move(request), s);
}

}  // namespace orrery
