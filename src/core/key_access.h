// SPDX-License-Identifier: Apache-2.0
//
// A key of a document by the member that its row binds, where code reads or writes it by hand.
#pragma once

#include <optional>
#include <string>

#include "core/json.h"
#include "core/json_reader.h"
#include "core/keys.h"

namespace orrery {

template <auto Member>
Reader at_key(Reader& object) {
  return required(object, key_row<Member>);
}

template <auto Member>
std::optional<Reader> find_key(Reader& object) {
  return object.find(std::string(key_name<Member>));
}

template <auto Member>
Json& at_key(Json& object) {
  return object[std::string(key_name<Member>)];
}

template <auto Member>
void erase_key(Json& object) {
  if (object.is_object()) object.erase(std::string(key_name<Member>));
}

}  // namespace orrery
