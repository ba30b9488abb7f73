// SPDX-License-Identifier: Apache-2.0
//
// A device document (configs/hardware/devices/NAME.json) to a Device, strictly.
//
// Every key is required except `name`, `source` and `sources`. Precisions and kernels that a device
// lacks are absent in `peak` (and in `efficiency.gemm`, which must name the same precisions) or in
// `efficiency.attention`. Errors: InputError for unknown, missing and senseless values.
#pragma once

#include "core/json_reader.h"
#include "hardware/device.h"

namespace orrery {

Device read_device(Reader r);

// Reads `name`, `source` and `sources` of a hardware document; the name, or `unnamed` if absent.
Name read_heading(Reader& r, std::string_view unnamed);

}  // namespace orrery
