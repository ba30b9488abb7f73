// SPDX-License-Identifier: Apache-2.0
//
// A model while it is read: the file's values, then the defaults, then the checks. Only the readers
// of this module use it. Errors name the key as the file wrote it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/json_fwd.h"
#include "core/json_reader.h"
#include "model/architecture_json.h"

namespace orrery {

// The source of a document and its names of our keys.
struct KeyNames {
  std::string file;
  std::string path;                                            // of the model within the file
  std::map<std::string, std::string, std::less<>> written_as;  // our key → the file's
  bool translated = false;  // from another vocabulary: a key not in written_as is a fixed property

  std::string of(std::string_view key) const;
  std::string path_of(std::string_view key) const;
};

struct ModelDraft {
  KeyNames names;
  ModelDescription model;
  std::set<std::string, std::less<>> given;

  bool has(std::string_view key) const { return given.count(key) != 0; }
  void assume(std::string_view key, Json value, std::string why);
  [[noreturn]] void refuse(std::string_view key, const std::string& found,
                           const std::string& allowed) const;
};

// The three steps of reading a document in our keys.
void read_given(const Json& document, ModelDraft& draft);
void apply_defaults(ModelDraft& draft);
void check(const ModelDraft& draft);

// All three steps. `document` is in our keys, possibly translated.
ModelDescription read_own_keys(const Json& document, KeyNames names);

}  // namespace orrery
