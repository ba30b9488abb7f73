// SPDX-License-Identifier: Apache-2.0
#include "exchange/tools/named.h"

#include <algorithm>
#include <stdexcept>

#include "core/json_path.h"
#include "exchange/document.h"
#include "exchange/shell/shell.h"
#include "exchange/text_lines.h"
#include "exchange/tools/tool_run.h"

namespace orrery::tools {
namespace {

// The tool of a format that knows the document; the one that is named after the format else.
const Tool& tool_of_format(const Json& document, ForeignFormat format, const ToolBook& tools) {
  const ToolBook::Found found = tools.of_document(document);
  if (found.tool != nullptr && found.tool->format == name_of(format)) return *found.tool;
  if (const Tool* own = tools.find(name_of(format))) return *own;
  throw std::logic_error("configs/tools has no " + std::string(name_of(format)));
}

// A variable of these values is not set.
bool is_unset(const std::string& value) {
  return value.empty() || value == "null" || value == "None";
}

}  // namespace

NamedSettings read_variables(const std::vector<ForeignFile>& files, ForeignFormat format,
                             ImportJob& job) {
  const Tool& tool = tool_of_format({}, format, job.tools);
  ShellVariables variables;
  std::vector<std::string> included, sourced;
  for (const ForeignFile& f : files) {
    ShellRun run = run_shell(f.text, f.name, variables, job.scripts);
    included.insert(included.end(), run.included.begin(), run.included.end());
    variables = std::move(run.variables);
    for (const std::string& s : run.sources) sourced.push_back(base_name(s));
  }
  Settings settings(files.front().name);
  for (const auto& variable : variables) {
    const std::string value = shell_value(variables, variable.first);
    if (!is_unset(value)) settings.add({variable.first, variable.first, value});
  }
  trainer::Facts facts(job);
  read_with(tool, std::move(settings), {}, facts);
  NamedSettings out = facts.named(files.front().name);
  out.included = std::move(included);
  for (const std::string& s : sourced) {
    const bool given = std::any_of(files.begin(), files.end(), [&](const ForeignFile& f) {
      return contains(base_name(f.name), s.substr(0, s.rfind('.')));
    });
    if (!given)
      out.left.push_back({"source " + s, "is not given; what it sets is unknown", "", true});
  }
  return out;
}

NamedSettings read_named(const std::vector<ForeignFile>& files, ForeignFormat format,
                         ImportJob& job) {
  trainer::Facts facts(job);
  Json whole = Json::object();
  for (const ForeignFile& f : files) {
    Json document = read_document(f);
    const Tool& tool = tool_of_format(document, format, job.tools);
    if (!tool.joins_files) {
      read_with(tool, std::move(document), f.name, facts);
      continue;
    }
    merge_over(whole, document);
    if (&f == &files.back()) read_with(tool, std::move(whole), files.front().name, facts);
  }
  return facts.named(files.front().name);
}

}  // namespace orrery::tools
