// SPDX-License-Identifier: Apache-2.0
//
// All keys of a device and of a node (device_keys.h, node_keys.h), as other documents refer to
// them. Errors: none.
#pragma once

#include "core/keys.h"

namespace orrery {

extern const KeyTable kDeviceDocument;
extern const KeyTable kNodeDocument;

}  // namespace orrery
