// SPDX-License-Identifier: Apache-2.0
#include "engine/printed_run.h"

#include <algorithm>

#include "core/error.h"
#include "core/key_access.h"
#include "estimate/origins.h"
#include "estimate/run_keys.h"
#include "report/foreign_text.h"
#include "report/frame_json.h"

namespace orrery {
namespace {

constexpr const char* kRunFile = "run";

}  // namespace

std::vector<std::string> printed_formats() {
  std::vector<std::string> names = {kRunFile};
  const auto& all = kNamesOf<ForeignFormat>;
  names.insert(names.end(), all.begin(), all.begin() + kWrittenFormats);
  return names;
}

void check_printed_format(Request& request, const std::string& key, const std::string& word) {
  const std::vector<std::string> names = printed_formats();
  if (word.empty() || std::find(names.begin(), names.end(), word) != names.end()) return;
  if (!request.has(key)) return;
  request.find(key)->fail("\"" + word + "\"", alternatives(names), nearest_name(word, names));
}

CommandAnswer printed_run(const std::string& format, const ResolvedRun& resolved, const Json& run,
                          const ConfigLookup& lookup, bool json) {
  if (format == kRunFile) {
    Json whole = run_file(resolved, run);
    at_key<&RunRequest::assumed>(whole) = facts_json(assumed_facts(resolved));
    return {ExitCode::answer, AnswerText(std::move(whole))};
  }
  const ForeignFormat foreign = find_name<ForeignFormat>(format).value();
  const ExportedRun exported = export_run(foreign, resolved, run, lookup);
  CommandAnswer answer{ExitCode::answer, json ? AnswerText(exported_json(foreign, exported))
                                              : exported_text(foreign, exported)};
  if (json || has_comments(foreign)) return answer;
  for (const NotExpressed& n : exported.not_expressed) {
    answer.warnings.push_back(not_expressed_line(foreign, n));
  }
  return answer;
}

}  // namespace orrery
