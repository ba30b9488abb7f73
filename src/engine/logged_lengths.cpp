// SPDX-License-Identifier: Apache-2.0
#include "engine/logged_lengths.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/json.h"
#include "core/json_path.h"
#include "estimate/rl_keys.h"
#include "exchange/logs/rl_log.h"

namespace orrery {

void take_lengths(const RlLog& log, Json& run, std::vector<Fact>& changes) {
  const auto take = [&](const char* path, const std::optional<double>& mean) {
    if (!mean || !value_at(run, path).is_null()) return;
    const std::int64_t tokens = std::max<std::int64_t>(1, std::llround(*mean));
    set_at(run, path, Json(tokens));
    changes.push_back({path, std::to_string(tokens), "the log's mean", Known::derived, "the log"});
  };
  take(key_path<&RlRequest::prompt_length>, log.prompt);
  if (value_at(run, key_path<&ResponseRequest::lengths>).is_null())
    take(key_path<&ResponseRequest::mean>, log.answer);
}

}  // namespace orrery
