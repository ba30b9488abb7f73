// SPDX-License-Identifier: Apache-2.0
//
// All keys of a model (architecture_keys.h), as other documents refer to them.
#pragma once

#include "core/keys.h"

namespace orrery {

extern const KeyTable kModelDocument;

}  // namespace orrery
