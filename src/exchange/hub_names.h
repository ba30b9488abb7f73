// SPDX-License-Identifier: Apache-2.0
//
// Models that other tools name ("meta-llama/Llama-3.1-8B", "llama3.1_70B.yaml", "lora_llama3_8b")
// and that are shipped here under other names.
#pragma once

#include <string>

#include "core/json.h"

namespace orrery {

// Our name; "" where we ship no such model. Case, owner, and endings such as -Instruct are left
// out.
std::string shipped_model(const std::string& name);

// The way the weights are quantised already, by the end of a name ("AWQ", "GPTQ", "NF4"); "".
std::string quantised_base(const std::string& name);

// The same of a hub's config.json, by its quantization_config.
std::string quantised_config(const Json& config);

}  // namespace orrery
