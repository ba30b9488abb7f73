// SPDX-License-Identifier: Apache-2.0
//
// The two forms that exchange/logs/comm_log.cpp reads, one file each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/logs/comm_log.h"
#include "exchange/text_lines.h"

namespace orrery::detail {

// The predicted collective of an operation; empty if a known one has none. An unknown one is
// refused.
std::optional<Collective> known_operation(const LinePlace& place, const std::string& operation);

CommLog read_deepspeed_log(const std::vector<std::string_view>& lines, std::size_t header,
                           const std::string& file);
CommLog read_csv_log(const std::vector<std::string_view>& lines, std::size_t header,
                     const std::string& file);

}  // namespace orrery::detail
