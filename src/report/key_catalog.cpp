// SPDX-License-Identifier: Apache-2.0
#include "report/key_catalog.h"

#include <algorithm>
#include <array>

#include "core/json.h"
#include "core/key_schema.h"
#include "core/key_words.h"
#include "estimate/run_keys.h"

namespace orrery {
namespace {

// A run file may hold the question of a search, which `orrery search` takes out of it.
consteval auto run_file_rows() {
  constexpr std::size_t kRows = kRunKeys.keys.size();
  constexpr Key kSearch =
      elsewhere("search", form::map(strategy_forms::kSetting), kNothing, Vary::never,
                "axes, constraints and aims of a search (docs/search.md); only `orrery search`");
  auto rows = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<Key, kRows + 1>{kRunKeys.keys[I]..., kSearch};
  }
  (std::make_index_sequence<kRows>());
  return rows;
}
constexpr auto kRunFileRows = run_file_rows();

constexpr std::array kDocuments = {
    DocumentKeys{"run", "A training run: what, on what, and how.", {"", kRunFileRows}},
};

Cell default_cell(const Key& k) {
  return k.otherwise.required ? "required" : std::string(k.otherwise.value);
}

}  // namespace

std::span<const DocumentKeys> document_keys() { return kDocuments; }

Table key_list() {
  Table list({{"document", "document"},
              {"key", "path"},
              Column("kind").only(Audience::programs),
              Column("values", "values").wrapped(24),
              Column("default", "default").wrapped(16),
              {"flag", "flag"},
              Column("varies").only(Audience::programs),
              Column("meaning", "meaning").wrapped(32)});
  for (const DocumentKeys& d : document_keys()) {
    for (const KeyLine& line : key_lines(d.table)) {
      const Key& k = *line.key;
      list.add({std::string(d.name), line.path, kind_words(k.forms), values_words(k.forms),
                default_cell(k), k.flag.name, std::string(name_of(k.vary)),
                std::string(k.meaning)});
    }
  }
  return list;
}

Json schema_of(const DocumentKeys& d) {
  return json_schema(d.table, "orrery " + std::string(d.name), std::string(d.what));
}

}  // namespace orrery
