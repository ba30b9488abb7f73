// SPDX-License-Identifier: Apache-2.0
//
// Styles and scripts of pages: files of this folder, built in.
#pragma once

#include <string_view>

namespace orrery {

// "page.css". Errors: std::logic_error where there is none.
std::string_view page_file(std::string_view name);

}  // namespace orrery
