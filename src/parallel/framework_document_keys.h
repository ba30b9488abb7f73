// SPDX-License-Identifier: Apache-2.0
//
// The keys of a framework's profile as other documents refer to them. Errors: none.
#pragma once

#include "core/keys.h"

namespace orrery {

// All keys of a framework's profile (framework_keys.h), as other documents refer to them.
extern const KeyTable kFrameworkDocument;  // rows: framework_keys.h

}  // namespace orrery
