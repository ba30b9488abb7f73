// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/run_flags.h"
#include "io/files.h"
#include "report/comm_against_text.h"
#include "report/comm_text.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

struct CommArguments {
  RunArguments run;
  std::string log;
};

std::string text_of(const CommReport& r, const Session& s) {
  return s.json ? dump(comm_json(r)) : s.csv ? comm_csv(r) : comm_text(r, style_of(s));
}

std::string text_of(const CommAgainst& a, const Session& s) {
  return s.json  ? dump(comm_against_json(a))
         : s.csv ? comm_against_csv(a)
                 : comm_against_text(a, style_of(s));
}

ExitCode run_comm(const CommArguments& arguments, const Session& s) {
  CommReport r = comm_report_on(resolved_run(arguments.run, s));
  const ExitCode code = is_feasible(r.run) ? ExitCode::answer : ExitCode::no;
  if (arguments.log.empty()) {
    give(s, text_of(r, s));
    return code;
  }
  CommAgainst a{
      std::move(r), read_comm_log(read_text(arguments.log), arguments.log), arguments.log, {}};
  a.comparison = compare(a.report.messages, a.log);
  give(s, text_of(a, s));
  return code;
}

}  // namespace

Action declare_comm(CLI::App& app) {
  auto arguments = std::make_shared<CommArguments>();
  add_run_options(app, arguments->run);
  app.add_option("--against", arguments->log,
                 "a measured log: DeepSpeed's communication summary, or CSV of "
                 "operation,bytes,count,us")
      ->type_name("LOG");
  return [arguments](const Session& s) { return run_comm(*arguments, s); };
}

}  // namespace orrery
