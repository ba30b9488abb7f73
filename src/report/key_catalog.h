// SPDX-License-Identifier: Apache-2.0
//
// The documents whose keys stand in tables (core/keys.h): for `orrery list keys` and `orrery
// schema`.
#pragma once

#include <span>
#include <string_view>

#include "core/json_fwd.h"
#include "core/keys.h"
#include "document/table.h"

namespace orrery {

struct DocumentKeys {
  std::string_view name;  // "run"
  std::string_view what;
  const KeyTable* keys;
  bool is_list = false;  // the document is a list of them
};

std::span<const DocumentKeys> document_keys();

// Every key of every document, a line each.
Table key_list();

Json schema_of(const DocumentKeys& document);

}  // namespace orrery
