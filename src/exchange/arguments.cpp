// SPDX-License-Identifier: Apache-2.0
#include "exchange/arguments.h"

#include <algorithm>
#include <cctype>

namespace orrery {
namespace {

bool is_name(const std::string& word) {
  return word.size() > 2 && word.compare(0, 2, "--") == 0 &&
         std::isalpha(static_cast<unsigned char>(word[2])) != 0;
}

bool ends_values(const std::string& word) {
  static constexpr std::string_view kSigns[] = {";", "|", "&", "<", ">", "do", "done", "fi", "-m"};
  const bool program = word.ends_with(".py");
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

}  // namespace

void ArgumentLines::start() { fresh_ = true; }

void ArgumentLines::add(std::string_view name, const std::string& value) {
  std::string word(name);
  list_.emplace_back(word, value);
  if (style_ == Style::dashes) std::replace(word.begin(), word.end(), '_', '-');
  text_ += (fresh_ ? " \\\n  --" : " --") + word + (value.empty() ? "" : " " + value);
  fresh_ = false;
}

bool is_unknown_to_us(const Json& value) {
  if (value.is_array()) return std::any_of(value.begin(), value.end(), is_unknown_to_us);
  if (!value.is_string()) return false;
  // The end of a pattern is no variable.
  const std::string& text = value.get_ref<const std::string&>();
  const std::size_t dollar = text.find('$');
  return dollar != std::string::npos && dollar + 1 < text.size();
}

const char* why_unknown(const std::string& file) {
  const bool python = file.ends_with(".py") || file.ends_with(".ipynb");
  return python ? "a value only the running program knows" : "a value only the shell knows";
}

Settings settings_of_words(const std::vector<std::string>& words, const std::string& file) {
  Settings settings(file);
  for (std::size_t i = 0; i < words.size();) {
    const std::string& word = words[i++];
    if (!is_name(word)) continue;
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
