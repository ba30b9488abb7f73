// SPDX-License-Identifier: Apache-2.0
//
// Changes one value of a JSON text in place: the rest keeps its order, layout and comments.
//
// Leaves out duplicate keys. The text must be JSON that core/json.h reads. Errors: none; the
// return value tells whether the path exists.
#pragma once

#include <string>
#include <vector>

namespace orrery {

using KeyPath = std::vector<std::string>;

KeyPath dotted_path(const std::string& dotted);

// The raw text of a value; "" where there is none.
std::string value_at(const std::string& json, const KeyPath& path);

// Whether the path was there. `raw` is JSON.
bool replace_value(std::string& json, const KeyPath& path, const std::string& raw);

// Adds a key at the front of the object at `path`.
bool insert_key(std::string& json, const KeyPath& path, const std::string& key,
                const std::string& raw);

}  // namespace orrery
