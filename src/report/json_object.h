// SPDX-License-Identifier: Apache-2.0
//
// An object of known size. One that grows key by key copies all its keys each time that its module
// doubles, a seventh of the time of an answer. Errors: none.
#pragma once

#include "core/json.h"

namespace orrery {

// An empty object with room for so many keys.
inline Json object_for(std::size_t keys) {
  Json object = Json::object();
  object.get_ref<Json::object_t&>().reserve(keys);
  return object;
}

}  // namespace orrery
