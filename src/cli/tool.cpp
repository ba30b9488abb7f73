// SPDX-License-Identifier: Apache-2.0
#include "cli/tool.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/words.h"
#include "core/error.h"
#include "core/json_in.h"
#include "core/json_path.h"
#include "document/words.h"
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

constexpr const char* kSchemaTool = "schema";

// An argument that no flag gives.
struct ToolArgument {
  const char* command;
  const char* key;
  const char* type;
  const char* help;
};
constexpr std::array kToolArguments = {
    ToolArgument{"capacity", "plan", "object",
                 "a plan in place of `run`, as the tool schema says with the name plan"},
    ToolArgument{kSchemaTool, "tool", "string", "a tool, for all of its arguments"}};

// Every client reads the list of tools first, so it says most of them by name alone. The tool of
// the first questions lists these flags of a run; each lists what it must be given, and so many of
// its own options. All others are arguments as well: those of a run are keys of `set`, the tool
// `schema` says each of the rest.
constexpr const char* kFirstTool = "estimate";
constexpr std::size_t kListedOptions = 2;
constexpr std::array kListedFlags = {"model",           "node",         "gpus",
                                     "sequence_length", "global_batch", "framework"};
constexpr const char* kSetHelp =
    "keys of the run file by their paths: {\"parallel.zero\": 3}; run flags are arguments too (tp, "
    "zero, micro_batch, recompute, lora, …)";
constexpr const char* kSetHelpBriefly = "as in estimate, and so are the flags of a run";

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
  schema["description"] =
      w.key == "set" ? kSetHelp : (w.file ? "path or whole text of " : "") + w.help;
  return schema;
}

bool is_short_flag(const CommandWord& w) {
  return std::any_of(short_flags().begin(), short_flags().end(),
                     [&](const ShortFlag& f) { return f.name == w.flag; });
}

bool is_of_run(const CommandWord& w) {
  return run_flag(w) != nullptr || is_short_flag(w) || w.key == "observed";
}

bool is_own_option(const CommandWord& w) {
  return !w.flag.empty() && w.key != "set" && !is_of_run(w);
}

enum class Detail : std::uint8_t { brief, whole };

// Properties of every tool.
Json answer_properties() {
  return {{"format",
           {{"enum", {"text", "json"}},
            {"default", "text"},
            {"description", "of every tool: text, or JSON of which `paths` chooses"}}},
          {"paths",
           {{"type", "array"},
            {"items", {{"type", "string"}}},
            {"description", "of every tool's JSON answer: step_time_s, best.0.strategy"}}}};
}

Json input_schema(const Command& c, Detail detail) {
  const bool is_whole = detail == Detail::whole;
  const bool is_first = is_whole || c.name == std::string_view(kFirstTool);
  Json properties = Json::object();
  std::size_t options = 0;
  for (const CommandWord& w : arguments_of(c)) {
    if (is_of_run(w) && !(is_first && is_among(kListedFlags, w.key))) continue;
    if (is_own_option(w) && ++options > kListedOptions && !is_whole) continue;
    properties[w.key] = schema_of_word(w);
    if (w.key == "set" && !is_first) properties[w.key]["description"] = kSetHelpBriefly;
  }
  for (const ToolArgument& a : kToolArguments) {
    if (c.name == std::string_view(a.command))
      properties[a.key] = {{"type", a.type}, {"description", a.help}};
  }
  if (is_first) properties.update(answer_properties());
  return {{"type", "object"}, {"properties", properties}};
}

// "; also: risk, spot (schema of tool capacity)"
std::string further_options(const Command& c) {
  std::vector<std::string> names;
  std::size_t options = 0;
  for (const CommandWord& w : arguments_of(c)) {
    if (is_own_option(w) && ++options > kListedOptions) names.push_back(w.key);
  }
  if (names.empty()) return "";
  return "; also: " + joined(names, ", ") + " (schema of tool " + c.name + ")";
}

// A text in place of a path: of several lines, or of several words where no file has that name.
bool is_whole_text(const std::string& given) {
  if (given.find('\n') != std::string::npos) return true;
  std::error_code error;
  return given.find(' ') != std::string::npos && !std::filesystem::exists(given, error);
}

Json file_of(const Json& given) {
  if (!given.is_string()) return given;  // {"file", "text"}
  const auto& text = given.get_ref<const std::string&>();
  return is_whole_text(text) ? Json{{"file", "text"}, {"text", text}} : Json{{"file", given}};
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
  for (const ToolArgument& a : kToolArguments) {
    if (c.name == std::string_view(a.command)) names.emplace_back(a.key);
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

// JSON also as the protocol's structured content, where the text is whole.
Json json_content(const std::string& text, bool is_error) {
  Json result = content(text, is_error);
  std::optional<Json> value = json_in(text);
  if (value && value->is_object()) result["structuredContent"] = *std::move(value);
  return result;
}

// The tool whose arguments are asked for; nullptr where none is.
const Command* described_tool(const Command& c, const Json& arguments) {
  if (c.name != std::string_view(kSchemaTool) || !arguments.contains("tool")) return nullptr;
  const Json& name = arguments["tool"];
  if (const Command* tool = name.is_string() ? find_tool(name) : nullptr) return tool;
  throw InputError(c.name, "tool", name.dump(), "the name of a tool");
}

Json answered(const Command& c, const Json& arguments, const CommandContext& context) {
  if (const Command* tool = described_tool(c, arguments))
    return json_content(input_schema(*tool, Detail::whole).dump(), false);
  Json request = request_of(c, arguments);
  const Json paths = arguments.value("paths", Json::array());
  const bool json = !paths.empty() || arguments.value("format", Json("text")) == "json";
  request["format"] = json ? "json" : "text";
  if (!json) request["width"] = kWidth;
  const CommandAnswer answer =
      CommandEngine(context.configs, context.hooks).call(c.name, request, Asker::request);
  if (!answer.error.empty()) return content(answer.error, true);
  const bool is_error = answer.code == ExitCode::wrong_input;
  if (json) return json_content(json_text(answer, paths), is_error);
  return content(cut(answer.text.str(), "`format` json with `paths` chooses single values."),
                 is_error);
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
                    {"description", c.summary + further_options(c)},
                    {"inputSchema", input_schema(c, Detail::brief)},
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
