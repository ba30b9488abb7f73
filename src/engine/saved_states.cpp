// SPDX-License-Identifier: Apache-2.0
#include "engine/saved_states.h"

#include "capacity/site_json.h"
#include "core/error.h"
#include "core/json.h"

namespace orrery {
namespace {

CheckpointMode read_mode(const std::string& text) {
  if (const auto mode = find_name<CheckpointMode>(text)) return *mode;
  const std::vector<std::string> names(kNamesOf<CheckpointMode>.begin(),
                                       kNamesOf<CheckpointMode>.end());
  throw InputError("command line", "--checkpoint", "\"" + text + "\"", alternatives(names),
                   nearest_name(text, names));
}

Storage find_storage(const std::string& name, const ConfigSource& configs) {
  const std::optional<ConfigText> found = find_config(configs, ConfigKind::storage, name);
  if (!found) {
    const std::vector<std::string> names = config_names(configs, ConfigKind::storage);
    throw InputError("command line", "--storage", "\"" + name + "\"",
                     alternatives(names) + ", or a path", nearest_name(name, names));
  }
  const Json document = parse_json(found->text, found->file);
  return read_storage(Reader(document, found->file));
}

}  // namespace

std::optional<SavedStates> saved_states(const CheckpointChoice& choice, const Run& run,
                                        const ConfigSource& configs) {
  if (choice.mode.empty() && choice.storage.empty()) return {};
  if (choice.storage.empty()) {
    throw InputError("command line", "--checkpoint", "no --storage", "--storage NAME beside it");
  }
  if (choice.mode.empty()) {
    throw InputError("command line", "--storage", "no --checkpoint", "--checkpoint MODE beside it");
  }
  SavedStates saved;
  saved.mode = read_mode(choice.mode);
  const Storage storage = find_storage(choice.storage, configs);
  const Bytes size = checkpoint_bytes(run, 0);
  saved.cost = checkpoint_cost(size, storage, saved.mode, run.cluster);
  if (!saved.cost.storage_known) {
    throw InputError("command line", "--storage",
                     "\"" + choice.storage + "\" without a rate of the whole storage",
                     "a document with `write`; `client` beside it");
  }
  saved.stopped = checkpoint_cost(size, storage, CheckpointMode::synchronous, run.cluster).stall;
  return saved;
}

}  // namespace orrery
