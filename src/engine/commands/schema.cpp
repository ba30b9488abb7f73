// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"
#include "engine/commands/commands.h"
#include "report/estimate_json.h"
#include "report/key_catalog.h"

namespace orrery {

std::vector<std::string> schema_names() {
  std::vector<std::string> names;
  for (const DocumentKeys& d : document_keys()) names.emplace_back(d.name);
  return names;
}

CommandAnswer answer_schema(Request& request, const CommandContext& /*context*/) {
  const std::string name = request.text("name");
  static_cast<void>(request.look());  // a schema is JSON, whatever is asked for
  request.done();
  for (const DocumentKeys& d : document_keys()) {
    if (d.name == name) return {ExitCode::answer, dump(schema_of(d))};
  }
  throw InputError(ErrorCode::unknown_name, "orrery schema", "",
                   name.empty() ? "no document" : "\"" + name + "\"", alternatives(schema_names()),
                   nearest_name(name, schema_names()));
}

}  // namespace orrery
