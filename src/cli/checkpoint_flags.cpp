// SPDX-License-Identifier: Apache-2.0
#include "cli/checkpoint_flags.h"

#include <CLI/CLI.hpp>

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

Storage find_storage(const std::string& name, const Session& session) {
  const ConfigDirs dirs = dirs_of(session);
  const std::optional<ConfigText> found = find_config(dirs, ConfigKind::storage, name);
  if (!found) {
    const std::vector<std::string> names = config_names(dirs, ConfigKind::storage);
    throw InputError("command line", "--storage", "\"" + name + "\"",
                     alternatives(names) + ", or a path", nearest_name(name, names));
  }
  const Json document = parse_json(found->text, found->file);
  return read_storage(Reader(document, found->file));
}

}  // namespace

void add_checkpoint_flags(CLI::App& app, CheckpointArguments& arguments) {
  app.add_option(
         "--checkpoint", arguments.mode,
         "write one beside the step: synchronous, two-phase or asynchronous; with --storage")
      ->type_name("MODE");
  app.add_option("--storage", arguments.storage,
                 "where to: a name of configs/storage or a path; with --checkpoint")
      ->type_name("NAME");
}

std::optional<SavedStates> saved_states(const CheckpointArguments& arguments, const Run& run,
                                        const Session& session) {
  if (arguments.mode.empty() && arguments.storage.empty()) return {};
  if (arguments.storage.empty()) {
    throw InputError("command line", "--checkpoint", "no --storage", "--storage NAME beside it");
  }
  if (arguments.mode.empty()) {
    throw InputError("command line", "--storage", "no --checkpoint", "--checkpoint MODE beside it");
  }
  SavedStates saved;
  saved.mode = read_mode(arguments.mode);
  const Storage storage = find_storage(arguments.storage, session);
  const Bytes size = checkpoint_bytes(run, 0);
  saved.cost = checkpoint_cost(size, storage, saved.mode, run.cluster);
  if (!saved.cost.storage_known) {
    throw InputError("command line", "--storage",
                     "\"" + arguments.storage + "\" without a rate of the whole storage",
                     "a document with `write`; `client` beside it");
  }
  saved.stopped = checkpoint_cost(size, storage, CheckpointMode::synchronous, run.cluster).stall;
  return saved;
}

}  // namespace orrery
