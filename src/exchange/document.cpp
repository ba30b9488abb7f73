// SPDX-License-Identifier: Apache-2.0
#include "exchange/document.h"

#include <cctype>
#include <string>

#include "core/error.h"
#include "core/json.h"
#include "exchange/text_lines.h"
#include "exchange/toml.h"
#include "exchange/yaml.h"

namespace orrery {
namespace {

// "[training]" or "[training", which is cut off, where a shell has a blank behind its bracket.
bool begins_a_table(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  return first != std::string::npos && first + 1 < text.size() && text[first] == '[' &&
         std::isalpha(static_cast<unsigned char>(text[first + 1])) != 0;
}

bool is_toml(const ForeignFile& file) {
  if (file.name.ends_with(".toml") || begins_a_table(file.text)) return true;
  return !begins_as_yaml(file.text) && begins_as_toml(file.text);
}

}  // namespace

bool is_document(const ForeignFile& file) {
  for (const char* end : {".yaml", ".yml", ".json"}) {
    if (file.name.ends_with(end)) return true;
  }
  return is_toml(file) || begins_as_yaml(file.text) || first_character(file.text) == '{';
}

Json read_document(const ForeignFile& file) {
  if (first_character(file.text) == '{') {
    // Files of GPT-NeoX in braces have comments, which YAML alone allows.
    const bool yaml = file.name.ends_with(".yaml") || file.name.ends_with(".yml");
    if (!yaml) return parse_json(file.text, file.name);
    try {
      return parse_json(file.text, file.name);
    } catch (const InputError&) {
      return read_yaml(file.text, file.name);
    }
  }
  return is_toml(file) ? read_toml(file.text, file.name) : read_yaml(file.text, file.name);
}

}  // namespace orrery
