// SPDX-License-Identifier: Apache-2.0
//
// Dimensions that stand beside a model's name: one that the model of that name has otherwise is of
// another model. Errors: those of the model's file.
#pragma once

#include <string>
#include <vector>

#include "exchange/left_over.h"
#include "exchange/trainer/facts.h"

namespace orrery::trainer {

std::vector<LeftOver> other_dimensions(const std::string& name, const std::vector<KeyValue>& keys,
                                       const ConfigLookup& lookup);

}  // namespace orrery::trainer
