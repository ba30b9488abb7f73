// SPDX-License-Identifier: Apache-2.0
//
// Whether a key takes a value, for tests of the least and the most that it may be.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "core/json_reader.h"
#include "core/keys.h"

namespace orrery::testing {

inline const Key& key_named(const KeyTable& table, const std::string& name) {
  for (const Key& k : table.keys) {
    if (k.name == name) return k;
  }
  FAIL("no key " << name);
  return table.keys.front();
}

template <class T>
bool takes(const KeyTable& table, const std::string& name, const Json& value) {
  T scratch;
  const Key& k = key_named(table, name);
  try {
    k.read(&scratch, Reader(value, "x.json", name), k);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

// `least` and `most` are taken, what is beyond them is not.
template <class T>
void check_range(const KeyTable& table, const std::vector<std::string>& names, const Json& below,
                 const Json& least, const Json& most, const Json& above) {
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK_FALSE(takes<T>(table, name, below));
    CHECK(takes<T>(table, name, least));
    CHECK(takes<T>(table, name, most));
    CHECK_FALSE(takes<T>(table, name, above));
  }
}

}  // namespace orrery::testing
