// SPDX-License-Identifier: Apache-2.0
//
// Scripts that start a training whose settings stand in a YAML file given with them:
// `torchrun … --config-name gpt3_5b model.micro_batch_size=2`, `accelerate launch --config_file
// fsdp.yaml … train.py run.yaml`, `tune run … --config 8B_full.yaml batch_size=4`,
// `llamafactory-cli train full.yaml`.
//
// Overrides of Hydra's form go into the YAML, as do the flags of `accelerate launch` that its file
// has too, and the arguments beside Primus's EXP=config.yaml. A script that starts none of the
// files is left to the readers of scripts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exchange/import_files.h"

namespace orrery {

struct StartedConfig {
  std::string script;
  std::int64_t gpus = 0;  // that the launcher says; 0: it says none
};

// Scripts of the job that start one of its YAML files; the files get what the scripts say.
std::vector<StartedConfig> apply_started_configs(ImportJob& job);

// Hydra's word ("a.b=c", "+a=c", "~a") goes over the document.
void override_with(Json& document, const std::string& word, const std::string& file);

// Overrides of a configuration of NeMo or Megatron-Bridge that is not given go into the settings,
// and all else of it stays open. Returns the tool of that configuration.
ForeignFormat read_overrides(const std::string& file, ForeignFormat format, ImportJob& job,
                             NamedSettings& named);

// Processes of a node times nodes, as a launcher says them; 0 where it does not in numbers.
std::int64_t launched_processes(const std::vector<std::string>& words,
                                const ShellVariables& variables);

// The file of `accelerate launch --config_file` that is none of the job's; "" where there is none.
std::string launch_config_not_given(const ForeignFile& script, const ImportJob& job);

}  // namespace orrery
