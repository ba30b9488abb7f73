// SPDX-License-Identifier: Apache-2.0
//
// Tables of keys for people: every key by its path, what it may be, what holds without it.
#pragma once

#include <string>
#include <vector>

#include "core/keys.h"

namespace orrery {

// "1 to 8 ranks", "fp32, tf32 or bf16", "a list of true or false"
std::string values_words(const Forms& forms);

// "whole number", "list"; "whole number or text" where there are two.
std::string kind_words(const Forms& forms);

// The values of the first form as a user types them, where they are few; none where they are not.
std::vector<std::string> choices_of(const Forms& forms);

// Documents that the first form takes by name, as `orrery list` calls them: "nodes"; "" for others.
std::string list_of(const Forms& forms);

struct KeyLine {
  std::string path;  // in the document: "parallel.tp", "scenarios[].name"
  const Key* key = nullptr;
};

// The keys of a table and of the objects in it, depth first.
std::vector<KeyLine> key_lines(const KeyTable& table);

}  // namespace orrery
