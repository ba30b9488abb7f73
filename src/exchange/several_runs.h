// SPDX-License-Identifier: Apache-2.0
//
// A script that starts several trainings (a loop, two commands): a setting in which they differ is
// of none of them. Errors: none.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/foreign_file.h"
#include "exchange/left_over.h"
#include "exchange/settings.h"

namespace orrery {

struct OneRun {
  const Settings* settings;
  std::size_t line;  // of its command
};

// How a tool names the key of a setting ("": none), and settings from which no number follows.
struct SettingKinds {
  std::function<std::string(const ForeignSetting&)> key_of;
  std::function<bool(const ForeignSetting&)> is_harmless;
};

// Takes the settings in which the runs differ out of `all`; returns those that are no harmless
// ones, with the values and the lines.
std::vector<LeftOver> take_differing(const std::vector<OneRun>& runs, const SettingKinds& kinds,
                                     Settings& all);

// The setting of a name; nullptr for none.
const ForeignSetting* find_setting(const Settings& settings, const std::string& name);
// "8", "given" (without a value), "absent".
std::string value_text(const ForeignSetting* s);

}  // namespace orrery
