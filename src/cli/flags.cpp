// SPDX-License-Identifier: Apache-2.0
#include "cli/flags.h"

#include <algorithm>
#include <cmath>

#include "cli/command.h"
#include "core/error.h"
#include "engine/commands/commands.h"
#include "engine/overrides.h"
#include "engine/short_flags.h"

namespace orrery {
namespace {

// JSON has no infinity, and nothing that is no number.
void refuse_no_number(const std::string& flag, double value) {
  if (std::isfinite(value)) return;
  const std::string found = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  throw InputError("command line", flag, "\"" + found + "\"", "a number");
}

Json file_named(const std::string& path) { return {{"file", path}}; }

std::string help_of(const Option& o) {
  return o.by.words == nullptr ? o.help : o.help + alternatives(o.by.words());
}

template <class T>
CLI::Option* add_value(CLI::App& app, Json& request, const Option& o) {
  const auto set = [&request, name = std::string(o.name), key = key_of(o)](const T& value) {
    if constexpr (std::is_same_v<T, double>) refuse_no_number(name, value);
    request[key] = value;
  };
  return app.add_option_function<T>(o.name, set, help_of(o));
}

using MakeJson = Json (*)(const std::string& name);

CLI::Option* add_named(CLI::App& app, Json& request, const Option& o, MakeJson make) {
  const auto set = [&request, key = key_of(o), make](const std::string& name) {
    request[key] = make(name);
  };
  return app.add_option_function<std::string>(o.name, set, help_of(o));
}

CLI::Option* add_each(CLI::App& app, Json& request, const Option& o, MakeJson make) {
  const auto add = [&request, key = key_of(o), make](const std::vector<std::string>& names) {
    for (const std::string& name : names) request[key].push_back(make(name));
  };
  return app.add_option_function<std::vector<std::string>>(o.name, add, help_of(o));
}

void add_run_flags(CLI::App& app, Json& request, bool observed) {
  add_option(app, request,
             {{OptionKind::texts},
              "--set",
              "PATH=VALUE",
              "set any key of the run file: parallel.zero=3, model.num_hidden_layers=48"});
  if (observed) {
    add_option(app, request,
               {{OptionKind::file},
                "--observed",
                "FILE",
                "your own step times, to scale the estimate by: [{\"run\": \"run.json\", "
                "\"step_time\": \"12.3 s\"}], or a training log of this run"});
  }
  for (const RunFlag& flag : run_flags()) {
    const std::string otherwise =
        flag.otherwise.empty() ? "" : " (" + std::string(flag.otherwise) + ")";
    const std::string help = flag.help + otherwise;
    add_option(app, request, {{}, flag.name, "X", help.c_str(), "", "The run"});
  }
  for (const ShortFlag& flag : short_flags())
    add_option(app, request, {{flag.kind}, flag.name, flag.type, flag.help, "", "The run"});
}

// nullptr for the flags of a run.
CLI::Option* declared(CLI::App& app, Json& request, const Option& o) {
  switch (o.by.kind) {
    case OptionKind::flag:
      return app.add_flag_callback(
          o.name, [&request, key = key_of(o)] { request[key] = true; }, help_of(o));
    case OptionKind::text:
      return add_value<std::string>(app, request, o);
    case OptionKind::texts:
      return add_value<std::vector<std::string>>(app, request, o)->allow_extra_args(false);
    case OptionKind::comma_texts:
      return add_value<std::vector<std::string>>(app, request, o)
          ->allow_extra_args(false)
          ->delimiter(',');
    case OptionKind::file:
      return add_named(app, request, o, file_named);
    case OptionKind::files:
      return add_each(app, request, o, file_named);
    case OptionKind::count:  // whose reader refuses −3
    case OptionKind::whole:
      return add_value<std::int64_t>(app, request, o);
    case OptionKind::number:
      return add_value<double>(app, request, o);
    case OptionKind::runs:
      return add_each(app, request, o, named_or_input)->expected(1, 64);
    case OptionKind::run:
    case OptionKind::played_run:
      add_named(app, request,
                {{}, "RUN", "", "run file: name, path or -; or describe the run by flags alone"},
                named_or_input);
      [[fallthrough]];
    case OptionKind::run_flags:
      add_run_flags(app, request, o.by.kind != OptionKind::played_run);
  }
  return nullptr;
}

}  // namespace

Json named_or_input(const std::string& name) { return name == "-" ? file_named(name) : Json(name); }

bool has_run_flags(const Json& request) {
  return request.contains("set") || request.contains("observed") ||
         std::any_of(run_flags().begin(), run_flags().end(),
                     [&](const RunFlag& f) { return request.contains(key_of(f.name)); }) ||
         std::any_of(short_flags().begin(), short_flags().end(),
                     [&](const ShortFlag& f) { return request.contains(key_of(f.name)); });
}

void add_option(CLI::App& app, Json& request, const Option& o) {
  CLI::Option* option = declared(app, request, o);
  if (option == nullptr) return;
  if (*o.type != '\0') option->type_name(o.type);
  if (*o.group != '\0') option->group(o.group);
}

void declare_html(CLI::App& app, Json& request, const char* help) {
  add_option(app, request, {{OptionKind::flag}, "--html", "", help});
}

void take_html(Json& request, const Session& s) {
  if (request.erase("html") == 0) return;
  if (s.json || s.csv) throw UsageError("--html: give it without --json and --csv");
  request["format"] = "html";
}

void declare_options(const Command& c, CLI::App& app, Json& request) {
  for (const CommandRow* row : command_rows()) {
    if (row->name != c.name) continue;
    for (const Option& o : row->options) add_option(app, request, o);
  }
  if (c.declare != nullptr) c.declare(app, request);
}

}  // namespace orrery
