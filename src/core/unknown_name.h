// SPDX-License-Identifier: Apache-2.0
//
// A word that is none of the names that may stand in its place: the error that lists them, with the
// nearest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/error.h"

namespace orrery {

// `nothing` is what an empty word is called: "no shell".
inline InputError unknown_name(const std::string& file, const std::string& path,
                               const std::string& word, const std::vector<std::string>& names,
                               const std::string& nothing = "\"\"") {
  return {ErrorCode::unknown_name,
          file,
          path,
          word.empty() ? nothing : "\"" + word + "\"",
          alternatives(names),
          nearest_name(word, names)};
}

template <class E>
std::vector<std::string> names_in() {
  return {kNamesOf<E>.begin(), kNamesOf<E>.end()};
}

// The enumerator of that name. Errors: InputError.
template <class E>
E enumerator_named(const std::string& word, const std::string& file, const std::string& path,
                   const std::string& nothing = "\"\"") {
  if (const std::optional<E> e = find_name<E>(word)) return *e;
  throw unknown_name(file, path, word, names_in<E>(), nothing);
}

}  // namespace orrery
