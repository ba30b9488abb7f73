// SPDX-License-Identifier: Apache-2.0
//
// A text of a document that nothing has checked yet: Json::value() throws where the document is no
// object or the member is of another kind, in words that no user can act on.
#pragma once

#include <string>
#include <string_view>

#include "core/json.h"
#include "core/json_path.h"

namespace orrery {

// "" where there is none, or it is no text.
inline std::string text_within(const Json& document, std::string_view path) {
  const Json& value = value_at(document, path);
  return value.is_string() ? value.get<std::string>() : std::string();
}

}  // namespace orrery
