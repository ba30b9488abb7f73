// SPDX-License-Identifier: Apache-2.0
#include "exchange/tools/tool_book.h"

#include <algorithm>
#include <utility>

#include "estimate/cached_parts.h"
#include "estimate/config_lookup.h"
#include "exchange/flat.h"
#include "exchange/text_lines.h"
#include "exchange/tools/tool.h"
#include "exchange/tools/tool_reader.h"

namespace orrery::tools {
namespace {

// The settings of a document, for its recognition alone.
class DocumentSeen : public SettingsSeen {
 public:
  explicit DocumentSeen(const Json& document) : leaves_(flat_leaves(document)) {}

  SeenValue at(const std::string& names) const override {
    for (const std::string& name : alternatives_in(names)) {
      for (const ForeignSetting& s : leaves_) {
        if (fits_pattern(s.name, name)) return {&s.value, true};
      }
    }
    return {};
  }

 private:
  std::vector<ForeignSetting> leaves_;
};

bool is_word_end(std::string_view text, std::size_t at) {
  return at >= text.size() || text[at] == ' ' || text[at] == '\t' || text[at] == '\n' ||
         text[at] == '\\' || text[at] == '"';
}

// A line starts the program where it holds the program and its word, side by side.
bool line_has(std::string_view line, const StartCommand& command) {
  const std::string both = command.program + (command.word.empty() ? "" : " " + command.word);
  for (std::size_t at = line.find(both); at != std::string_view::npos;
       at = line.find(both, at + 1)) {
    const bool begins = at == 0 || line[at - 1] == ' ' || line[at - 1] == '/' ||
                        line[at - 1] == '\t' || line[at - 1] == '"' || line[at - 1] == '(';
    if (begins && is_word_end(line, at + both.size())) return true;
  }
  return false;
}

bool any_flag(const StartCommand& command, std::string_view text) {
  const auto any = [&](const std::vector<std::string>& flags) {
    return std::any_of(flags.begin(), flags.end(),
                       [&](const std::string& flag) { return contains(text, flag); });
  };
  return any(command.flags) && (command.beside.empty() || any(command.beside));
}

bool any_flag(const Tool& tool, std::string_view text, bool own) {
  return std::any_of(tool.commands.begin(), tool.commands.end(), [&](const StartCommand& c) {
    const bool any_program = c.program.find('*') != std::string::npos;
    return any_program && own == (c.program == "*") && any_flag(c, text);
  });
}

bool any_line_has(std::string_view text, const StartCommand& command) {
  const std::vector<std::string_view> lines = lines_of(text);
  return std::any_of(lines.begin(), lines.end(), [&](std::string_view whole) {
    const std::string_view line = trimmed(whole);
    return !line.empty() && line.front() != '#' && line_has(line, command);
  });
}

// A program that others have too counts beside its flags alone.
bool starts(const StartCommand& command, std::string_view text) {
  return any_line_has(text, command) && (command.flags.empty() || any_flag(command, text));
}

std::vector<Tool> tools_of(const ConfigLookup& lookup) {
  std::vector<Tool> tools;
  for (const std::string& name : lookup.tool_names()) {
    if (auto tool = tool_named(name, lookup)) tools.push_back(std::move(*tool));
  }
  return tools;
}

}  // namespace

ToolBook::ToolBook() : tools_(std::make_shared<const std::vector<Tool>>()) {}

ToolBook::ToolBook(const ConfigLookup& lookup) : ToolBook() {
  if (!lookup.tool_names) return;
  tools_ = cached_part<std::vector<Tool>>(RunPart::tools, "", {}, lookup, tools_of);
}

const Tool* ToolBook::find(std::string_view name) const {
  const auto found =
      std::find_if(all().begin(), all().end(), [&](const Tool& t) { return t.name == name; });
  return found == all().end() ? nullptr : &*found;
}

ToolBook::Found ToolBook::of_document(const Json& document, bool is_json) const {
  Found best;
  if (!document.is_object()) return best;
  const DocumentSeen seen(document);
  for (const Tool& tool : all()) {
    for (const DocumentMark& mark : tool.recognise) {
      if ((mark.json_alone && !is_json) || !mark.variables.empty()) continue;
      if (mark.score > best.score && holds(mark.when, seen)) best = {&tool, mark.score};
    }
  }
  return best;
}

const Tool* ToolBook::of_variable(std::string_view name) const {
  const auto has = [&](const DocumentMark& mark) {
    return std::find(mark.variables.begin(), mark.variables.end(), name) != mark.variables.end();
  };
  const auto found = std::find_if(all().begin(), all().end(), [&](const Tool& t) {
    return std::any_of(t.recognise.begin(), t.recognise.end(), has);
  });
  return found == all().end() ? nullptr : &*found;
}

const Tool* ToolBook::launcher_in(const std::vector<std::string>& words) const {
  const auto found = std::find_if(all().begin(), all().end(), [&](const Tool& t) {
    return !t.trains && !t.engine && program_in(t, words) != words.end();
  });
  return found == all().end() ? nullptr : &*found;
}

const Tool* ToolBook::of_script(std::string_view text) const {
  // A program with its word, or in its folder, is surer than a program alone.
  const auto is_sure = [](const StartCommand& c) {
    return !c.word.empty() || contains(c.program, "/");
  };
  for (const bool sure : {true, false}) {
    for (const Tool& tool : all()) {
      if (!tool.trains) continue;
      if (std::any_of(tool.commands.begin(), tool.commands.end(),
                      [&](const StartCommand& c) { return sure == is_sure(c) && starts(c, text); }))
        return &tool;
    }
  }
  return nullptr;
}

const Tool* ToolBook::of_flags(std::string_view text, bool own) const {
  // A tool that has another one's flags besides its own is the surer one.
  for (const bool inherits : {true, false}) {
    for (const Tool& tool : all()) {
      if (inherits != tool.inherits.empty() && any_flag(tool, text, own)) return &tool;
    }
  }
  return nullptr;
}

}  // namespace orrery::tools
