// SPDX-License-Identifier: Apache-2.0
//
// A value the user did not give, as answers list it. Errors: none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct Assumed {
  std::string path;   // "parallel.dp"
  std::string value;  // "16"
  std::string why;    // "gpus/(tp·cp·pp)"
};

bool is_assumed(const std::vector<Assumed>& assumed, std::string_view path);

}  // namespace orrery
