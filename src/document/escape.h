// SPDX-License-Identifier: Apache-2.0
//
// The one escape of each format.
#pragma once

#include <string>

namespace orrery {

std::string html_escaped(const std::string& text);      // also of attributes
std::string script_escaped(const std::string& json);    // inside <script>: nothing can end it
std::string csv_escaped(const std::string& text);       // of a field (RFC 4180)
std::string markdown_escaped(const std::string& text);  // of a cell

}  // namespace orrery
