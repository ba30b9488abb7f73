// SPDX-License-Identifier: Apache-2.0
//
// A model, framework or compression in a run file: a name, a path or an inline object.
//
// io, behind ConfigLookup, looks names up and returns text; here it becomes a document that knows
// its file, for messages. Errors: InputError with the nearest name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/json_reader.h"
#include "estimate/config_lookup.h"

namespace orrery {

struct GivenDocument {
  Json json;
  std::string file;
  std::string path;  // in `file`; "" for a document of its own
  std::string name;  // "" for an object in place
};

// `what`: its kind, as messages and `orrery list` call it.
GivenDocument find_document(
    const Reader& given, const std::string& what,
    const std::function<std::optional<ConfigText>(const std::string&)>& find,
    const std::function<std::vector<std::string>()>& names);

}  // namespace orrery
