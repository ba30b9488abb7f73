// SPDX-License-Identifier: Apache-2.0
//
// The key of a request for files of another tool's training beside `run`, which complete it: names.
// Errors: none.
#pragma once

namespace orrery {

inline constexpr const char* kRunFilesKey = "completed_by";

}  // namespace orrery
