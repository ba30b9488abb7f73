// SPDX-License-Identifier: Apache-2.0
//
// Sets of enumerators as bits, in a document a list of their names. mask_of(e) is the bit of one.
// Errors: InputError, from Reader.
#pragma once

#include <string>

#include "core/enum_names.h"
#include "core/json.h"
#include "core/json_reader.h"

namespace orrery {

template <class E, class Mask>
void read_mask(const Reader& r, Mask& out) {
  out = 0;
  for (const Reader& item : r.items()) out = static_cast<Mask>(out | mask_of(item.choice<E>()));
}

template <class E, class Mask>
Json mask_names(Mask mask) {
  Json names = Json::array();
  for (const E e : kAllOf<E>) {
    if ((mask & mask_of(e)) != 0) names.push_back(name_of(e));
  }
  return names;
}

}  // namespace orrery
