// SPDX-License-Identifier: Apache-2.0
#include "exchange/megatron/import.h"

#include "core/error.h"
#include "exchange/argument_list.h"
#include "exchange/megatron/names.h"
#include "exchange/shell_words.h"
#include "exchange/text_lines.h"

namespace orrery::megatron {
namespace {

constexpr std::string_view kBegin = "- arguments -";
constexpr std::string_view kEnd = "- end of arguments -";
constexpr std::string_view kVariables[] = {"WORLD_SIZE"};

// "None", "True", "8", "['core_attn', 'mlp']", "torch.bfloat16" as Python prints them.
Json python_value(std::string_view text) {
  if (text == "True") return true;
  if (text == "False") return false;
  const bool list = text.size() >= 2 && text.front() == '[' && text.back() == ']' &&
                    text.find('*') == std::string_view::npos;
  if (!list) return std::string(text);
  Json values = Json::array();
  for (std::string_view field : detail::fields_of(text.substr(1, text.size() - 2), ',')) {
    const bool quoted = field.size() >= 2 && (field.front() == '\'' || field.front() == '"');
    if (quoted) field = field.substr(1, field.size() - 2);
    if (!field.empty()) values.push_back(std::string(field));
  }
  return values.empty() ? Json("None") : values;
}

// "  tensor_model_parallel_size ...................... 8", whatever the log puts before it.
void add_line(std::string_view line, Settings& settings) {
  const std::size_t dots = line.find(" ...");
  if (dots == std::string_view::npos) return;
  const std::size_t start = line.find_last_of(" \t", dots == 0 ? 0 : dots - 1);
  const std::string name(line.substr(start == std::string_view::npos ? 0 : start + 1,
                                     dots - (start == std::string_view::npos ? 0 : start + 1)));
  const std::size_t value = line.find_first_not_of('.', dots + 1);
  if (value == std::string_view::npos || name.empty()) return;
  const std::size_t first = line.find_first_not_of(' ', value);
  const std::string_view text = first == std::string_view::npos ? "" : line.substr(first);
  if (text.empty() || text == "None") return;
  settings.add({name, name, python_value(text)});
}

Settings settings_of_log(std::string_view text, const std::string& file) {
  Settings settings(file);
  const std::size_t begin = text.find(kBegin);
  for (const std::string_view line : detail::lines_of(text.substr(begin + kBegin.size()))) {
    if (line.find(kEnd) != std::string_view::npos) break;
    add_line(line, settings);
  }
  return settings;
}

bool is_log(std::string_view text) { return text.find(kBegin) != std::string_view::npos; }

}  // namespace

Settings read_settings(std::string_view text, const std::string& file) {
  if (is_log(text)) return settings_of_log(text, file);
  return settings_of_words(shell_words(text, file), file, kVariables);
}

ImportedRun import_run(std::string_view text, const std::string& file) {
  ImportDraft d{read_settings(text, file), kWithoutEffect};
  if (d.settings.all().empty()) {
    throw InputError(file, "", "no argument of Megatron-LM",
                     "a script, a list of --arguments, or a log that begins with them");
  }
  d.set_aside_unknown_values();
  read_model_of(d);
  read_training_of(d);
  read_parallel_of(d);
  d.assume("framework", "megatron-core", "Megatron-LM today; --framework takes another profile");
  d.list_leftovers();
  return std::move(d.out);
}

}  // namespace orrery::megatron
