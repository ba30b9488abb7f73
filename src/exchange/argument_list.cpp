// SPDX-License-Identifier: Apache-2.0
#include "exchange/argument_list.h"

#include <algorithm>
#include <cctype>

namespace orrery {
namespace {

bool is_name(const std::string& word) {
  return word.size() > 2 && word.compare(0, 2, "--") == 0 &&
         std::isalpha(static_cast<unsigned char>(word[2])) != 0;
}

bool ends_values(const std::string& word) {
  static constexpr std::string_view kSigns[] = {";", "|", "&", "<", ">", "do", "done", "fi"};
  const bool program = word.size() > 3 && word.compare(word.size() - 3, 3, ".py") == 0;
  return program || std::find(std::begin(kSigns), std::end(kSigns), word) != std::end(kSigns);
}

std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

Json value_of(const std::vector<std::string>& values) {
  if (values.empty()) return nullptr;
  if (values.size() == 1) return values[0];
  return Json(values);
}

void add_variable(const std::string& word, std::span<const std::string_view> variables,
                  Settings& settings) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return;
  const std::string name = word.substr(0, equals);
  if (std::find(variables.begin(), variables.end(), name) == variables.end()) return;
  settings.add({name, name, word.substr(equals + 1)});
}

}  // namespace

bool is_unknown_to_us(const Json& value) {
  if (value.is_array()) return std::any_of(value.begin(), value.end(), is_unknown_to_us);
  return value.is_string() && value.get_ref<const std::string&>().find('$') != std::string::npos;
}

Settings settings_of_words(const std::vector<std::string>& words, const std::string& file,
                           std::span<const std::string_view> variables) {
  Settings settings(file);
  for (std::size_t i = 0; i < words.size();) {
    const std::string& word = words[i++];
    if (!is_name(word)) {
      add_variable(word, variables, settings);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string written = word.substr(0, equals);
    std::vector<std::string> values;
    if (equals != std::string::npos) {
      values.push_back(word.substr(equals + 1));
    } else {
      while (i < words.size() && !is_name(words[i]) && !ends_values(words[i]) &&
             (values.empty() || !is_unknown_to_us(words[i]))) {
        values.push_back(words[i++]);
      }
    }
    settings.add({with_underscores(written.substr(2)), written, value_of(values)});
  }
  return settings;
}

}  // namespace orrery
