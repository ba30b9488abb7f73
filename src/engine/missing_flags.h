// SPDX-License-Identifier: Apache-2.0
//
// Keys that a run described by flags still lacks, all at once and as they are typed; and those that
// a plan may assume in their place.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "core/json_fwd.h"
#include "engine/request.h"
#include "estimate/config_lookup.h"

namespace orrery {

// False of a model whose samples are no text: they give their length otherwise (model/trunk.h).
bool is_text_model(const Json& run, const ConfigLookup& lookup);

// The error with every flag that such a run lacks, where it is about one of them; else as it is.
InputError with_missing_flags(const InputError& e, const Json& run, const ConfigLookup& lookup,
                              Asker asker);

// A value that nobody gave, and why it is this one.
struct AssumedKey {
  std::string what;
  std::string value;
  std::string why;
};

// Sets the sequence length and the global batch of a training on text where both are absent, for
// questions of capacity: length 4,096 or what the model takes, if that is less, and 16.8 M tokens a
// step for a model of 100 B parameters or more, else 4.2 M. Judgements beside the runs that ship
// (configs/runs): Llama 3 405B has 8,192 and 16.8 M, Llama 3 70B 8,192 and 4.2 M, GPT-3 175B 2,048
// and 3.1 M, DeepSeek-V3 4,096 and 62.9 M.
// Nothing for a model that is not text, or not found.
std::vector<AssumedKey> assume_training(Json& run, const ConfigLookup& lookup);

}  // namespace orrery
