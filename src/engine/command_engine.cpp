// SPDX-License-Identifier: Apache-2.0
#include "engine/command_engine.h"

#include <algorithm>
#include <new>

#include "core/error.h"
#include "core/json_in.h"
#include "core/quote.h"
#include "engine/answer.h"
#include "engine/commands/commands.h"

namespace orrery {
namespace {

// Bytes of an error or a warning: a user's file can make its parts as long as itself.
constexpr std::size_t kLongestLine = 2000;

const CommandRow& command_named(std::string_view name) {
  for (const CommandRow* row : command_rows()) {
    if (row->name == name) return *row;
  }
  const std::string word(name);
  throw InputError("orrery", "", "the command \"" + word + "\"", alternatives(command_names()),
                   nearest_name(word, command_names()));
}

CommandAnswer failed(ExitCode code, const std::string& error) {
  CommandAnswer answer;
  answer.code = code;
  answer.error = quote(error, kLongestLine);
  return answer;
}

void cut_lines(std::vector<std::string>& lines) {
  for (std::string& line : lines) {
    if (line.size() > kLongestLine) line = quote(line, kLongestLine);
  }
}

CommandAnswer refused(const InputError& e) {
  CommandAnswer answer = failed(ExitCode::wrong_input, e.what());
  answer.wrong = e;
  return answer;
}

Json wrong_json(const InputError& e) {
  return {{"code", name_of(e.code())}, {"file", quote(e.file())},       {"path", quote(e.path())},
          {"found", quote(e.found())}, {"allowed", quote(e.allowed())}, {"nearest", e.nearest()}};
}

// Calls visit(name, value) for what there is of the answer, in order.
template <class Visit>
void for_members(const CommandAnswer& answer, Visit&& visit) {
  visit("code", static_cast<int>(answer.code));
  if (!answer.error.empty()) visit("error", answer.error);
  if (answer.wrong) visit("wrong", wrong_json(*answer.wrong));
  // A document stays one, also where another tool's format is JSON; text, rows and pages are text.
  const Json* document = answer.text.document();
  const bool may_be_json = document == nullptr && !answer.is_rows;
  const std::optional<Json> parsed =
      may_be_json ? json_in(answer.text.str()) : std::optional<Json>();
  if (document != nullptr || parsed) {
    visit("answer", document != nullptr ? *document : *parsed);
  } else if (!answer.text.empty()) {
    visit("text", answer.text.str());
  }
  Json files;
  for (const NamedText& file : answer.files) files[file.name] = file.text;
  if (!files.is_null()) visit("files", files);
  if (!answer.warnings.empty()) visit("warnings", answer.warnings);
  if (!answer.read.empty()) visit("read", answer.read);
  if (!answer.broken.empty()) visit("broken", answer.broken);
}

// A JSON answer holds the lines; others come beside them.
void add_read(std::vector<std::string> lines, CommandAnswer& answer) {
  if (const Json* document = answer.text.document(); document != nullptr && document->is_object()) {
    Json with = *document;
    with["read"] = lines;
    answer.text = AnswerText(std::move(with));
  }
  answer.read = std::move(lines);
}

CommandAnswer answer_to(std::string_view command, const Json& request, Asker asker,
                        const ConfigSource& configs, const EngineHooks& hooks) {
  const CommandRow& row = command_named(command);
  Request asked(request, asker);
  std::vector<std::string> warnings;
  std::vector<std::string> read;
  CommandAnswer answer = row.answer(asked, {configs, hooks, &warnings, &read});
  if (!read.empty()) add_read(std::move(read), answer);
  for (std::string& line : warnings) {
    const bool twice =
        std::find(answer.warnings.begin(), answer.warnings.end(), line) != answer.warnings.end();
    if (!twice) answer.warnings.push_back(std::move(line));
  }
  return answer;
}

CommandAnswer answer_of(const CommandEngine& engine, const Json& call) {
  Reader line(call, "call");
  const std::string command = line.at("command").text();
  const auto request = line.find("request");
  line.allow("id");
  line.reject_unknown();
  return engine.call(command, request ? request->json() : Json::object(), Asker::request);
}

}  // namespace

CommandAnswer guarded_answer(const std::function<CommandAnswer()>& answer) {
  try {
    CommandAnswer given = answer();
    cut_lines(given.warnings);
    cut_lines(given.read);
    cut_lines(given.broken);
    return given;
  } catch (const InputError& e) {
    return refused(e);
  } catch (const UsageError& e) {
    return failed(ExitCode::wrong_input, e.what());
  } catch (const Stopped&) {
    return {ExitCode::interrupted};
  } catch (const std::bad_alloc&) {
    return failed(ExitCode::wrong_input,
                  "found a question too large for the memory there is; allowed: a smaller one");
  } catch (const std::exception& e) {
    return failed(ExitCode::fault, std::string("a fault of Orrery's own: ") + e.what());
  }
}

CommandEngine::CommandEngine(ConfigSource configs, EngineHooks hooks)
    : configs_(std::move(configs)), hooks_(std::move(hooks)) {}

CommandAnswer CommandEngine::call(std::string_view command, std::string_view request) const {
  return guarded_answer([&] {
    return answer_to(command, parse_json(request, "request"), Asker::request, configs_, hooks_);
  });
}

CommandAnswer CommandEngine::call(std::string_view command, const Json& request,
                                  Asker asker) const {
  return guarded_answer([&] { return answer_to(command, request, asker, configs_, hooks_); });
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandRow* row : command_rows()) names.emplace_back(row->name);
  return names;
}

std::vector<std::string> file_options(std::string_view command) {
  std::vector<std::string> keys;
  for (const CommandRow* row : command_rows()) {
    if (row->name != command) continue;
    for (const Option& o : row->options) {
      if (o.by.kind == OptionKind::file || o.by.kind == OptionKind::files) {
        keys.push_back(key_of(o));
      }
      if (o.by.kind == OptionKind::run || o.by.kind == OptionKind::played_run ||
          o.by.kind == OptionKind::run_flags) {
        keys.emplace_back(kObservedKey);
      }
    }
  }
  return keys;
}

std::string one_line(const CommandAnswer& answer, const Json* id) {
  std::string line;
  const auto add = [&line](const char* name, const Json& value) {
    line += line.empty() ? "{\"" : ",\"";
    line += name;
    line += "\":";
    append_json(value, line);
  };
  if (id != nullptr) add("id", *id);
  for_members(answer, add);
  return line + "}";
}

std::string answer_line(const CommandEngine& engine, std::string_view line) {
  Json call;
  CommandAnswer answer;
  try {
    call = parse_json(line, "call");
    answer = answer_of(engine, call);
  } catch (const InputError& e) {
    answer = refused(e);
  }
  const bool has_id = call.is_object() && call.contains("id");
  return one_line(answer, has_id ? &call["id"] : nullptr);
}

}  // namespace orrery
