// SPDX-License-Identifier: Apache-2.0
#include "cli/tool.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "cli/words.h"
#include "core/error.h"
#include "core/json_path.h"
#include "engine/command_engine.h"
#include "engine/overrides.h"
#include "engine/short_flags.h"
#include "report/key_catalog.h"

namespace orrery {
namespace {

// About 5,000 tokens of an agent.
constexpr std::size_t kMostText = 20'000;
constexpr std::size_t kWidth = 100;

// Lines and pages, and what belongs to them.
constexpr std::array kNoTools = {"call", "completions", "mcp", "merge", "page"};
constexpr std::array kWriting = {"chakra",          "heat",           "html",         "markdown",
                                 "memory_snapshot", "simai",          "sqlite",       "trace",
                                 "trace_ranks",     "write_accuracy", "write_configs"};

// An argument of a request that no flag gives.
struct ObjectArgument {
  const char* command;
  const char* key;
  const char* help;
};
constexpr std::array kObjects = {ObjectArgument{
    "capacity", "plan", "a plan in place of `run`, as the tool schema says with the name plan"}};

// Flags of a run that each tool lists. The others are arguments as well, and keys of `set`: named
// once in its description they take a twentieth of the characters that every client reads first.
constexpr std::array kListedFlags = {"model",           "node",         "gpus",
                                     "sequence_length", "global_batch", "framework"};
constexpr const char* kSetHelp =
    "keys of the run file by their paths: {\"parallel.zero\": 3}; run flags are arguments too (tp, "
    "zero, micro_batch, recompute, lora, …)";

template <class Names>
bool is_among(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<CommandWord> arguments_of(const Command& c) {
  std::vector<CommandWord> words = words_of(c);
  std::erase_if(words, [](const CommandWord& w) { return is_among(kWriting, w.key); });
  return words;
}

const Json& run_schema() {
  static const Json kSchema = [] {
    for (const DocumentKeys& d : document_keys()) {
      if (d.name == "run") return schema_of(d);
    }
    return Json::object();
  }();
  return kSchema;
}

const RunFlag* run_flag(const CommandWord& w) {
  for (const RunFlag& f : run_flags()) {
    if (f.name == w.flag) return &f;
  }
  return nullptr;
}

Json type_of(const CommandWord& w) {
  if (w.is_switch) return {{"type", "boolean"}};
  if (w.key == "set") return {{"type", "object"}};
  if (const RunFlag* flag = run_flag(w)) {
    const Json schema = key_schema(flag->path);
    return schema.empty() ? Json{{"type", {"string", "object"}}} : schema;
  }
  if (w.type == "N" || w.type == "K") return {{"type", "integer"}};
  if (w.key == "run" || w.key == "sweep") return {{"type", {"string", "object"}}};
  return {{"type", w.flag.empty() || w.file ? "string" : Json({"string", "number"})}};
}

Json schema_of_word(const CommandWord& w) {
  Json schema = type_of(w);
  if (w.many && w.key != "set") schema = {{"type", "array"}, {"items", schema}};
  schema["description"] = w.key == "set" ? kSetHelp : (w.file ? "path of " : "") + w.help;
  return schema;
}

bool is_short_flag(const CommandWord& w) {
  return std::any_of(short_flags().begin(), short_flags().end(),
                     [&](const ShortFlag& f) { return f.name == w.flag; });
}

bool is_listed(const CommandWord& w) {
  const bool is_of_run = run_flag(w) != nullptr || is_short_flag(w) || w.key == "observed";
  return !is_of_run || is_among(kListedFlags, w.key);
}

Json input_schema(const Command& c) {
  Json properties = Json::object();
  for (const CommandWord& w : arguments_of(c)) {
    if (is_listed(w)) properties[w.key] = schema_of_word(w);
  }
  for (const ObjectArgument& o : kObjects) {
    if (c.name == std::string_view(o.command))
      properties[o.key] = {{"type", "object"}, {"description", o.help}};
  }
  properties["format"] = {{"enum", {"text", "json"}},
                          {"default", "text"},
                          {"description", "text, or JSON of which `paths` chooses"}};
  properties["paths"] = {{"type", "array"},
                         {"items", {{"type", "string"}}},
                         {"description", "of the JSON answer: step_time_s, best.0.strategy"}};
  return {{"type", "object"}, {"properties", properties}};
}

Json file_of(const Json& path) {
  return path.is_string() ? Json{{"file", path}} : path;  // or {"file", "text"}
}

Json files_of(const Json& value) {
  if (!value.is_array()) return file_of(value);
  Json files = Json::array();
  for (const Json& each : value) files.push_back(file_of(each));
  return files;
}

Json request_of(const Command& c, const Json& arguments) {
  const std::vector<CommandWord> words = arguments_of(c);
  std::vector<std::string> names = {"format", "paths"};
  for (const CommandWord& w : words) names.push_back(w.key);
  for (const ObjectArgument& o : kObjects) {
    if (c.name == std::string_view(o.command)) names.emplace_back(o.key);
  }
  Json request = Json::object();
  for (const auto& item : arguments.items()) {
    const std::string& key = item.key();
    if (!is_among(names, key)) {
      throw InputError(ErrorCode::unknown_key, c.name, key, "an argument that it does not have",
                       alternatives(names), nearest_name(key, names));
    }
    if (key == "format" || key == "paths") continue;
    const auto word = std::find_if(words.begin(), words.end(),
                                   [&](const CommandWord& w) { return w.key == key; });
    const bool file = word != words.end() && word->file;
    request[key] = file ? files_of(item.value()) : item.value();
  }
  read_inputs(request);
  return request;
}

std::string cut(const std::string& text, const std::string& advice) {
  if (text.size() <= kMostText) return text;
  const std::size_t end = std::min(text.rfind('\n', kMostText), kMostText);
  return text.substr(0, end) + "\n… " + std::to_string(text.size() - end) + " more characters. " +
         advice;
}

std::string json_text(const CommandAnswer& answer, const Json& paths) {
  const Json* document = answer.text.document();
  if (document == nullptr || !paths.is_array() || paths.empty()) {
    return cut(answer.text.str(), "`paths` chooses values of the JSON answer.");
  }
  Json values = Json::object();
  for (const Json& path : paths) {
    if (!path.is_string()) continue;
    const Json* value = find_within(*document, path.get<std::string>());
    values[path.get<std::string>()] = value == nullptr ? Json() : *value;
  }
  return cut(values.dump(2), "Choose fewer or deeper `paths`.");
}

Json content(const std::string& text, bool is_error) {
  return {{"content", {{{"type", "text"}, {"text", text}}}}, {"isError", is_error}};
}

Json answered(const Command& c, const Json& arguments, const CommandContext& context) {
  Json request = request_of(c, arguments);
  const Json paths = arguments.value("paths", Json::array());
  const bool json = !paths.empty() || arguments.value("format", Json("text")) == "json";
  request["format"] = json ? "json" : "text";
  if (!json) request["width"] = kWidth;
  const CommandAnswer answer =
      CommandEngine(context.configs, context.hooks).call(c.name, request, Asker::request);
  if (!answer.error.empty()) return content(answer.error, true);
  const std::string text =
      json ? json_text(answer, paths)
           : cut(answer.text.str(), "`format` json with `paths` chooses single values.");
  return content(text, answer.code == ExitCode::wrong_input);
}

}  // namespace

const Command* find_tool(const std::string& name) {
  for (const Command& c : commands()) {
    if (name == c.name && !is_among(kNoTools, name)) return &c;
  }
  return nullptr;
}

Json key_schema(const std::string& path) {
  Json at = run_schema();
  for (const std::string& key : path_keys(path)) {
    at = at.value("properties", Json::object()).value(key, Json::object());
  }
  at.erase("description");
  return at.dump().find("$ref") == std::string::npos ? at : Json::object();
}

namespace {

// "Estimate"
std::string title_of(const Command& c) {
  std::string title = c.name;
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

}  // namespace

Json tools() {
  Json list = Json::array();
  for (const Command& c : commands()) {
    if (find_tool(c.name) == nullptr) continue;
    list.push_back({{"name", c.name},
                    {"title", title_of(c)},
                    {"description", c.summary},
                    {"inputSchema", input_schema(c)},
                    {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}});
  }
  return list;
}

// A wrong argument is the agent's to mend: a result, not an error of the protocol.
Json tool_answer(const Command& command, const Json& arguments, const CommandContext& context) {
  Json result;
  const CommandAnswer failed = guarded_answer([&] {
    result = answered(command, arguments, context);
    return CommandAnswer();
  });
  return failed.error.empty() ? result : content(failed.error, true);
}

}  // namespace orrery
