// SPDX-License-Identifier: Apache-2.0
//
// YAML as JSON, with the types that PyYAML's safe loader (YAML 1.1) gives: `no` and `off` are
// false, `010` is octal, `1_000` is a number, `0o14`, `5e-6` and `1e8` are text. Unlike there,
// `2:00:00` is text, `08` and `1.5e3` are numbers. Aliases and merge keys (<<) are followed: a
// mapping's own key goes over a merged one, the first of several merged mappings over the others. A
// mapping of the document that another one merges has a member "<<". A key given twice in one
// mapping is refused.
//
// Bounded as core/limits.h says, with aliases written out. Errors: InputError with the line. A
// build without yaml-cpp (the page, whose script parses) reads what write_yaml() writes and lines
// of `key: JSON`, in which {"": "no"} stands for the plain word `no`.
#pragma once

#include <string>
#include <string_view>

#include "core/json.h"

namespace orrery {

Json read_yaml(std::string_view text, const std::string& file);

// How the value of `key: !include FILE` begins, which is a text with the file's name here.
inline constexpr const char* kIncludes = "!include ";

// A plain word of YAML 1.1 with its type: 2, true, null, or the word.
Json yaml_scalar(const std::string& text);

// A mapping in block form; lists and what stands in them in flow form. read_yaml() gives it back.
std::string write_yaml(const Json& mapping);

// Whether the text begins as a YAML mapping does: "key:" before anything else.
bool begins_as_yaml(std::string_view text);

}  // namespace orrery
