// SPDX-License-Identifier: Apache-2.0
#include "exchange/assumptions.h"

#include <algorithm>

#include "core/error.h"
#include "exchange/import_files.h"

namespace orrery {

std::string plain_name(std::string name) {
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string name_of_setting(const std::string& setting) {
  int depth = 0;
  std::size_t end = 0;
  for (; end < setting.size() && (depth > 0 || setting[end] != ' '); ++end) {
    const char c = setting[end];
    if (c == '(' || c == '{') ++depth;
    if ((c == ')' || c == '}') && depth > 0) --depth;
  }
  return setting.substr(0, end);
}

void apply(std::vector<GivenSetting>& assumed, Settings& settings, ImportedRun& out) {
  for (GivenSetting& a : assumed) {
    const std::string name = plain_name(a.name);
    for (const ForeignSetting& known : std::vector<ForeignSetting>(settings.all())) {
      if (known.name != name && plain_name(known.written) != name) continue;
      a.used = true;
      out.assumed.push_back({known.written, bare_text(a.value), "--assume"});
      ForeignSetting changed = known;
      changed.value = a.value;
      settings.remove(known.name);
      if (a.value != "none" && !a.value.is_null()) settings.add(std::move(changed));
    }
  }
}

void drop_assumed(std::vector<GivenSetting>& assumed, ImportedRun& all) {
  for (GivenSetting& a : assumed) {
    const std::string name = plain_name(a.name);
    const auto settles = [&](const LeftOver& l) {
      const std::string first = name_of_setting(l.setting);
      return l.is_refused && l.key.empty() && plain_name(first) == name;
    };
    if (std::erase_if(all.ignored, settles) == 0 || a.used) continue;
    a.used = true;
    all.assumed.push_back({a.name, bare_text(a.value), "--assume"});
  }
}

void check_assumed(const std::vector<GivenSetting>& assumed) {
  for (const GivenSetting& a : assumed) {
    if (a.used) continue;
    throw InputError(ErrorCode::unknown_name, "--assume", a.name, "a name that no file has",
                     "a setting of the files as it stands there, or a key such as "
                     "training.precision");
  }
}

}  // namespace orrery
