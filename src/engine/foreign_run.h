// SPDX-License-Identifier: Apache-2.0
//
// Files of other tools wherever a run is asked for: what `orrery import` reads, `estimate`,
// `search` and the others take too.
//
// Files that the first one names and that lie beside it are read with it (a DeepSpeed file, a
// script that another one sources). Errors: InputError where the files leave a key open, with the
// flags that give it; those of the readers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/fact.h"
#include "engine/config_source.h"
#include "exchange/import_files.h"

namespace orrery {

// The whole of an import: files, then what fits the machine and the profile, then the questions.
// `own`: the run as the command line says it; `asks`: for keys that an import must have.
ImportedRun whole_import(ImportJob job, const Json& own, const std::vector<Fact>& assumed,
                         const ConfigLookup& lookup, bool asks = true);

// The text of a file that is no run file; nothing for a run file and for no file at all. A model's
// config.json is one beside companions alone.
std::optional<ConfigText> foreign_text_at(const std::string& name, const ConfigSource& configs,
                                          bool has_companions = false);

// True of a model's config.json, as --model takes it.
bool is_model_file(const std::string& name, const ConfigSource& configs);

// The GPUs that the files themselves say, whatever else is open; 0 where they do not.
std::int64_t gpus_of_foreign(const ConfigText& file, const std::vector<std::string>& with,
                             const Json& own, const ConfigSource& configs);

// The run file that a tool's file amounts to, with others that complete it, and its `assumed`; a
// warning for each setting that no rule reads, and two lines of what was read and by whose
// defaults.
Json run_of_foreign(const ConfigText& file, const std::vector<std::string>& with, const Json& own,
                    const ConfigSource& configs, std::vector<std::string>& warnings,
                    std::vector<std::string>& read);

}  // namespace orrery
