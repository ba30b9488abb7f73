// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>

#include "cli/command.h"
#include "engine/answer.h"
#include "engine/command_engine.h"
#include "engine/config_source.h"
#include "io/files.h"

namespace orrery {

namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 20;

// The next line of standard input; of one that is too long to be a question its beginning.
bool next_line(std::string& line) {
  line.clear();
  std::streambuf& in = *std::cin.rdbuf();
  constexpr int kEnd = std::char_traits<char>::eof();
  int c = in.sbumpc();
  if (c == kEnd) return false;
  for (; c != kEnd && c != '\n'; c = in.sbumpc()) {
    if (line.size() < kLongestLine) line += static_cast<char>(c);
  }
  return true;
}

}  // namespace

void declare_call(CLI::App& /*app*/, Json& /*request*/) {}

// Each line is answered before the next is read; a bad one is an answer too.
// NOLINTNEXTLINE(performance-unnecessary-value-param): as the table of commands has it
ExitCode run_call(Json /*request*/, const Session& s) {
  if (s.csv || s.to_file()) throw UsageError("orrery call: give it without --csv and -o");
  const CommandEngine engine(kept(configs_of(s), KeptPaths::no), hooks_of(s));
  for (std::string line; next_line(line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    write_text("-", answer_line(engine, line) + "\n");
  }
  return ExitCode::answer;
}

}  // namespace orrery
