// SPDX-License-Identifier: Apache-2.0
//
// An experiment of NeMo 2, as nemo-run writes it: a model's class with its fields, a trainer with
// its strategy, plugins and callbacks, an optimizer, data. Defaults of classes in Python are known
// for a few families; what another class or an absent section would say is left open.
#pragma once

#include "exchange/import_files.h"

namespace orrery::nemo {

void read_experiment(const std::string& file, const Json& document, NamedSettings& out);

}  // namespace orrery::nemo
