// SPDX-License-Identifier: Apache-2.0
#include "generate/engine_json.h"

#include "core/json.h"
#include "core/json_reader.h"
#include "core/provenance.h"
#include "generate/engine_keys.h"

namespace orrery {

extern const KeyTable kEngineDocument;
constinit const KeyTable kEngineDocument = {"", kEngineRows.rows, {.has_sources = true}};

EngineProfile read_engine(const Json& document, const std::string& file) {
  Reader r(document, file);
  check_sources(r);
  EngineProfile out;
  read_known(kEngineKeys, r, out);
  r.reject_unknown();
  return out;
}

}  // namespace orrery
