// SPDX-License-Identifier: Apache-2.0
//
// The YAML that configuration files are written in, for builds without yaml-cpp (the page): mappings
// and lists in block and flow form, plain, quoted and block texts over several lines, comments, tags
// of texts, anchors, aliases and merge keys; the first document alone. Not: keys that are lists or
// mappings. Its values are those of read_yaml() in exchange/yaml.h; a test compares the two.
//
// Bounded as read_yaml(), and a value in quotes or brackets to 1,000 lines and 100,000 characters.
// Errors: InputError with the line.
#pragma once

#include <string>
#include <string_view>

#include "core/json_fwd.h"

namespace orrery {

Json read_plain_yaml(std::string_view text, const std::string& file);

}  // namespace orrery
