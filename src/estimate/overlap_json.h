// SPDX-License-Identifier: Apache-2.0
//
// `parallel.overlap`: what communication runs beside compute, by dimension, over the profile's
// word.
//
//   {"grad_reduce": bool, "param_gather": bool, "cp": bool, "tp": bool, "ep": bool}
//
// false exposes all of it. true is for what the profile knows how to overlap. Errors: InputError.
#pragma once

#include "core/json_reader.h"
#include "parallel/framework.h"

namespace orrery {

void apply_overlap(Reader overlap, Framework& framework);

}  // namespace orrery
