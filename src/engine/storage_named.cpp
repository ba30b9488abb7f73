// SPDX-License-Identifier: Apache-2.0
#include "engine/storage_named.h"

#include "capacity/site_json.h"
#include "core/error.h"
#include "core/json.h"

namespace orrery {

Storage storage_named(const std::string& name, const ConfigSource& configs) {
  const std::optional<ConfigText> found = find_config(configs, ConfigKind::storage, name);
  if (!found) {
    const std::vector<std::string> names = config_names(configs, ConfigKind::storage);
    throw InputError("command line", "--storage", "\"" + name + "\"",
                     alternatives(names) + ", or a path", nearest_name(name, names));
  }
  const Json document = parse_json(found->text, found->file);
  return read_storage(Reader(document, found->file));
}

Storage storage_with_rate(const std::string& name, const ConfigSource& configs) {
  Storage storage = storage_named(name, configs);
  if (storage.write.si() > 0) return storage;
  throw InputError("command line", "--storage",
                   "\"" + name + "\" without a rate of the whole storage",
                   "a document with `write`; `client` beside it");
}

}  // namespace orrery
