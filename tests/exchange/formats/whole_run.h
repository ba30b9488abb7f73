// SPDX-License-Identifier: Apache-2.0
//
// The steps of `orrery import` over files and flags, up to the questions that it asks.
#pragma once

#include "core/json_path.h"
#include "exchange/fit_machine.h"
#include "exchange/open_keys.h"
#include "read_text.h"

namespace orrery::formats {

inline ImportedRun whole(std::vector<ForeignFile> files, const char* flags = "{}",
                         std::vector<GivenSetting> assumed = {}) {
  const ConfigLookup lookup = testing::shipped_configs();
  const Json own = json_of(flags);
  ImportedRun r = import_files({std::move(files), {}, own, std::move(assumed), &lookup});
  fit_import(r, own, lookup);
  merge_over(r.run, own);
  fit_nodes(r, lookup);
  fit_attention(r, lookup);
  ask_for_open_keys(r, lookup);
  return r;
}

inline ImportedRun whole(const std::string& text, const char* flags = "{}") {
  return whole({{"a.sh", text}}, flags);
}

// The keys that are asked for, and settings without a key that are refused.
inline std::vector<std::string> open_keys(const ImportedRun& r) {
  std::vector<std::string> keys;
  for (const LeftOver& l : r.ignored) {
    if (l.is_refused) keys.push_back(l.key.empty() ? l.setting : l.key);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

using Keys = std::vector<std::string>;

}  // namespace orrery::formats
