// SPDX-License-Identifier: Apache-2.0
//
// Flags that write keys of a request: `--trace-ranks all` sets "trace_ranks". The request must
// outlive the parse.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/request.h"

namespace orrery {

// JSON has no infinity, and nothing that is no number.
void refuse_no_number(const std::string& flag, double value);

template <class T = std::string>
CLI::Option* add_flag_of(CLI::App& app, Json& request, const std::string& flag,
                         const std::string& help) {
  const auto set = [&request, flag](const T& value) {
    if constexpr (std::is_same_v<T, double>) refuse_no_number(flag, value);
    request[key_of(flag)] = value;
  };
  return app.add_option_function<T>(flag, set, help);
}

// One value an occurrence; all of them.
inline CLI::Option* add_list(CLI::App& app, Json& request, const std::string& flag,
                             const std::string& help) {
  return add_flag_of<std::vector<std::string>>(app, request, flag, help)->allow_extra_args(false);
}

// A word in its place, as "KIND", for a key of the request.
CLI::Option* add_word(CLI::App& app, Json& request, const std::string& name, const std::string& key,
                      const std::string& help);

CLI::Option* add_switch(CLI::App& app, Json& request, const std::string& flag,
                        const std::string& help);

// A file whose text goes into the request; - is standard input.
CLI::Option* add_file(CLI::App& app, Json& request, const std::string& flag,
                      const std::string& help, const std::string& key = "");

// Several, by a flag or in their place.
CLI::Option* add_files(CLI::App& app, Json& request, const std::string& name,
                       const std::string& key, const std::string& help);

// "-" is a file, anything else a name or path that the engine looks up.
Json named_or_input(const std::string& name);

// RUN, --set and the flags of a run; or all but RUN.
void add_run_options(CLI::App& app, Json& request);
void add_run_flags(CLI::App& app, Json& request);

// True where a flag of the run, --set or --observed was given.
bool has_run_flags(const Json& request);

CLI::Option* add_jobs(CLI::App& app, Json& request, const std::string& help);

// --as, --print: "run" and the formats of exchange/foreign.h.
CLI::Option* add_print_option(CLI::App& app, Json& request, const std::string& flag,
                              const std::string& help);

}  // namespace orrery
