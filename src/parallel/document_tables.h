// SPDX-License-Identifier: Apache-2.0
//
// Tables of keys as other documents refer to them, without the structs that they fill: a
// framework's profile, and `parallel`. Errors: none.
#pragma once

#include "core/keys.h"

namespace orrery {

// All keys of a framework's profile (framework_keys.h), as other documents refer to them.
extern const KeyTable kFrameworkDocument;  // rows: framework_keys.h

// The keys of `parallel`; rows: strategy_keys.h
extern const KeyTable kParallelDocument;

}  // namespace orrery
