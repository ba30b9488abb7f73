// SPDX-License-Identifier: Apache-2.0
#include "cli/flags.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/unknown_name.h"
#include "engine/hooks.h"
#include "engine/overrides.h"
#include "engine/printed_run.h"

namespace orrery {
namespace {

void check_format(const std::string& flag, const std::string& word) {
  const std::vector<std::string> names = printed_formats();
  if (std::find(names.begin(), names.end(), word) != names.end()) return;
  throw unknown_name("command line", flag, word, names);
}

}  // namespace

void refuse_no_number(const std::string& flag, double value) {
  if (std::isfinite(value)) return;
  const std::string found = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  throw InputError("command line", flag, "\"" + found + "\"", "a number");
}

CLI::Option* add_word(CLI::App& app, Json& request, const std::string& name, const std::string& key,
                      const std::string& help) {
  return app.add_option_function<std::string>(
      name, [&request, key](const std::string& word) { request[key] = word; }, help);
}

CLI::Option* add_switch(CLI::App& app, Json& request, const std::string& flag,
                        const std::string& help) {
  return app.add_flag_callback(
      flag, [&request, key = key_of(flag)] { request[key] = true; }, help);
}

CLI::Option* add_file(CLI::App& app, Json& request, const std::string& flag,
                      const std::string& help, const std::string& key) {
  return app.add_option_function<std::string>(
      flag,
      [&request, key = key.empty() ? key_of(flag) : key](const std::string& path) {
        request[key] = {{"file", path}};
      },
      help);
}

CLI::Option* add_files(CLI::App& app, Json& request, const std::string& name,
                       const std::string& key, const std::string& help) {
  return app.add_option_function<std::vector<std::string>>(
      name,
      [&request, key](const std::vector<std::string>& files) {
        for (const std::string& file : files) request[key].push_back({{"file", file}});
      },
      help);
}

Json named_or_input(const std::string& name) {
  return name == "-" ? Json{{"file", name}} : Json(name);
}

void add_run_options(CLI::App& app, Json& request) {
  app.add_option_function<std::string>(
      "RUN", [&request](const std::string& name) { request["run"] = named_or_input(name); },
      "run file: name, path or -; or describe the run by flags alone");
  add_run_flags(app, request);
}

void add_run_flags(CLI::App& app, Json& request) {
  add_list(app, request, "--set",
           "set any key of the run file: parallel.zero=3, model.num_hidden_layers=48")
      ->type_name("PATH=VALUE");
  add_file(app, request, "--observed",
           "your own step times, to scale the estimate by: [{\"run\": \"run.json\", "
           "\"step_time\": \"12.3 s\"}], or a training log of this run")
      ->type_name("FILE");
  for (const RunFlag& flag : run_flags()) {
    const std::string otherwise =
        flag.otherwise.empty() ? "" : " (" + std::string(flag.otherwise) + ")";
    add_flag_of(app, request, flag.name, flag.help + otherwise)->type_name("X")->group("The run");
  }
}

bool has_run_flags(const Json& request) {
  return request.contains("set") || request.contains("observed") ||
         std::any_of(run_flags().begin(), run_flags().end(),
                     [&](const RunFlag& f) { return request.contains(key_of(f.name)); });
}

CLI::Option* add_jobs(CLI::App& app, Json& request, const std::string& help) {
  return add_flag_of<unsigned>(app, request, "--jobs", help)
      ->type_name("N")
      ->check(CLI::Range(1U, kMostWorkers).description(""));
}

CLI::Option* add_print_option(CLI::App& app, Json& request, const std::string& flag,
                              const std::string& help) {
  return add_flag_of(app, request, flag, help + ": " + alternatives(printed_formats()))
      ->type_name("FORMAT")
      ->check([flag](const std::string& word) {
        check_format(flag, word);
        return std::string();
      });
}

}  // namespace orrery
