// SPDX-License-Identifier: Apache-2.0
//
// The facts of a config.json, in our keys and those of the reader (hf_families.h), while it is
// translated. Only the readers of this module use it. Errors: InputError, which names a key as
// the file does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "core/json_reader.h"
#include "model/architecture.h"
#include "model/model_draft.h"

namespace orrery {

class HfFacts {
 public:
  static constexpr std::int64_t kMany = 1'000'000'000;

  explicit HfFacts(KeyNames n) : names(std::move(n)) {}

  // Given, and not null.
  bool has(std::string_view key) const { return find(key).has_value(); }
  std::optional<Reader> find(std::string_view key) const {
    const auto at = values.find(std::string(key));
    if (at == values.end() || at->is_null()) return {};
    return Reader(*at, names.file, names.path_of(key));
  }

  bool flag(std::string_view key, bool otherwise = false) const {
    const auto value = find(key);
    return value ? value->boolean() : otherwise;
  }
  std::int64_t whole(std::string_view key, std::int64_t otherwise = 0) const {
    const auto value = find(key);
    return value ? value->integer(0, kMany) : otherwise;
  }
  std::string text(std::string_view key) const {
    const auto value = find(key);
    return value && value->json().is_string() ? value->text() : "";
  }

  std::int64_t needed(std::string_view key) const {
    const auto value = find(key);
    if (!value) refuse(key, "nothing", "this key is required");
    return value->integer(1, kMany);
  }

  void set(std::string_view key, Json value) { values[std::string(key)] = std::move(value); }
  void drop(std::string_view key) { values.erase(std::string(key)); }

  [[noreturn]] void refuse(std::string_view key, const std::string& found,
                           const std::string& allowed) const {
    throw InputError(names.file, names.path_of(key), found, allowed);
  }

  KeyNames names;
  Json values = Json::object();
};

// Sizes and parts of a layer (hf_shapes.cpp), which layer is of which kind (hf_layers.cpp), and the
// widths of recurrent layers (hf_recurrent.cpp): from the many ways of files to say so to ours.
void translate_shapes(HfFacts& facts);
void translate_layers(HfFacts& facts);
void translate_recurrent(HfFacts& facts);

// The indexer of sparse attention, and which layers have one (hf_indexer.cpp).
void translate_indexer(HfFacts& facts);
void choose_keys(HfFacts& facts, std::vector<LayerKind>& kinds);

// The encoder of images of `outer`, the whole file (hf_tower.cpp). False: it is left out, or none.
bool translate_tower(HfFacts& facts, const Json& outer);

}  // namespace orrery
