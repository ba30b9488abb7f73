// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "core/error.h"
#include "engine/command_engine.h"
#include "engine/config_source.h"
#include "io/config_dirs.h"
#include "io/files.h"
#include "io/gzip.h"
#include "io/interrupt.h"
#include "io/progress.h"
#include "io/terminal.h"
#include "io/threads.h"

namespace orrery {
namespace {

// Any file may be packed by gzip; the engine reads text.
void read_input(Json& value) {
  if (!value.is_object() || !value.contains("file") || value.contains("text")) return;
  if (!value["file"].is_string()) return;  // the engine says what is allowed
  const std::string path = value["file"].get<std::string>();
  value["text"] = gunzip(read_text(path), path);
  if (path == "-") value["file"] = "standard input";
}

// Two flags that name one file would leave only the last.
void refuse_same_files(const Session& s, const CommandAnswer& answer) {
  std::vector<std::string> names;
  for (const NamedText& file : answer.files) names.push_back(file.name);
  if (s.to_file()) names.push_back(s.output);
  std::set<std::filesystem::path> seen;
  for (const std::string& name : names) {
    std::error_code error;
    const std::filesystem::path path = target_of(name);
    const bool is_file =
        !std::filesystem::exists(path, error) || std::filesystem::is_regular_file(path, error);
    if (is_file && !seen.insert(path).second) {
      throw InputError(name, "", "a file that two flags name", "a file of its own for each");
    }
  }
}

void give_files(const CommandAnswer& answer) {
  for (const NamedText& file : answer.files) {
    write_text(file.name, file.name.ends_with(".gz") ? gzip(file.text) : file.text);
  }
}

}  // namespace

ConfigSource configs_of(const Session& s) {
  const auto tell = [](const std::string& file) { spdlog::debug("reading {}", file); };
  if (s.config_dir != "-")
    return with_builtin_configs(folder_source(config_dirs(s.config_dir), tell));
  ConfigSource configs = builtin_configs();
  configs.open = folder_source({}, tell).open;
  return configs;
}

namespace {

// The line of progress, made when it is first told of and gone with the hooks.
class ReportedProgress {
 public:
  explicit ReportedProgress(bool quiet) : quiet_(quiet) {}

  void at(std::int64_t done, std::int64_t total) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!line_) line_.emplace(total, done, quiet_);
    line_->at(done);
  }

 private:
  bool quiet_;
  std::mutex mutex_;
  std::optional<Progress> line_;
};

}  // namespace

EngineHooks hooks_of(const Session& s) {
  EngineHooks hooks;
  hooks.progress = [reported = std::make_shared<ReportedProgress>(s.quiet)](
                       std::int64_t done, std::int64_t total) { reported->at(done, total); };
  hooks.run_pieces = run_on_threads;
  hooks.workers = available_threads();
  hooks.stopped = is_interrupted;
  return hooks;
}

void read_inputs(Json& request) {
  for (auto& [key, value] : request.items()) {
    read_input(value);
    if (!value.is_array()) continue;
    for (Json& item : value) read_input(item);
  }
}

void dress(Json& request, const Session& s) {
  if (!request.contains("format")) request["format"] = s.json ? "json" : s.csv ? "csv" : "text";
  request["color"] = !s.to_file() && wants_color(StandardStream::out, s.no_color);
  const std::size_t columns = s.to_file() ? 0 : terminal_width(StandardStream::out);
  if (columns > 0) request["width"] = std::clamp<std::size_t>(columns, 80, 200);
}

void give(const Session& s, const std::string& text) { write_text(s.output, text); }

// The answer in a few lines, for a user who reads no JSON.
static void tell(const CommandAnswer& answer, const Session& s) {
  for (const std::string& line : answer.summary) std::fprintf(stderr, "%s\n", line.c_str());
  if (s.to_file() && !answer.next.empty())
    std::fprintf(stderr, "next: %s %s\n", answer.next.c_str(), s.output.c_str());
}

ExitCode give_answer(const Session& s, const CommandAnswer& answer) {
  if (!answer.error.empty()) {
    spdlog::error("{}", answer.error);
    return answer.code;
  }
  for (const std::string& line : answer.warnings) spdlog::warn("{}", line);
  if (!s.quiet && !s.json)
    for (const std::string& line : answer.read) std::fprintf(stderr, "%s\n", line.c_str());
  refuse_same_files(s, answer);
  give_files(answer);
  give(s, answer.text.str());
  for (const std::string& line : answer.broken) std::fprintf(stderr, "%s\n", line.c_str());
  if (!s.quiet) tell(answer, s);
  return answer.code;
}

// The engine ends before its answer is written, and with it the line of progress.
CommandAnswer asked(const std::string& command, Json& request, const Session& s) {
  read_inputs(request);
  dress(request, s);
  return CommandEngine(configs_of(s), hooks_of(s)).call(command, request, Asker::flags);
}

ExitCode ask(const std::string& command, Json request, const Session& s) {
  return give_answer(s, asked(command, request, s));
}

}  // namespace orrery
