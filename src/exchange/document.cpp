// SPDX-License-Identifier: Apache-2.0
#include "exchange/document.h"

#include "exchange/text_lines.h"
#include "exchange/toml.h"
#include "exchange/yaml.h"

namespace orrery {
namespace {

bool is_toml(const ForeignFile& file) {
  return file.name.ends_with(".toml") || (!begins_as_yaml(file.text) && begins_as_toml(file.text));
}

}  // namespace

bool is_document(const ForeignFile& file) {
  for (const char* end : {".yaml", ".yml", ".json"}) {
    if (file.name.ends_with(end)) return true;
  }
  return is_toml(file) || begins_as_yaml(file.text) || first_character(file.text) == '{';
}

Json read_document(const ForeignFile& file) {
  return is_toml(file) ? read_toml(file.text, file.name) : read_yaml(file.text, file.name);
}

}  // namespace orrery
