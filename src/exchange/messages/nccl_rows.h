// SPDX-License-Identifier: Apache-2.0
//
// Rows of nccl-tests' and rccl-tests' output, from any part of it: cut at its head, at its end or
// with "……" in its middle. exchange/nccl/ reads whole outputs, for fits and comparisons; a part
// says sizes, times and bus bandwidths alone. Errors: none.
#pragma once

#include <string_view>
#include <vector>

#include "orrery/quantity.h"

namespace orrery {

struct NcclRow {
  Bytes size{};
  Seconds time{};  // out of place
  BytesPerSecond bus{};
};

// In the order of the text; none of another text.
std::vector<NcclRow> read_nccl_rows(std::string_view text);

}  // namespace orrery
