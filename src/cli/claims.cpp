// SPDX-License-Identifier: Apache-2.0
#include "cli/claims.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/overrides.h"
#include "cli/usage_error.h"
#include "core/error.h"
#include "io/files.h"
#include "report/comm_report.h"
#include "report/estimate_json.h"
#include "validate/claim_verdict.h"

namespace orrery {
namespace {

ClaimContext context_of(const ConfigDirs& dirs) {
  ClaimContext context;
  context.load = [dirs](const std::string& name) {
    const std::optional<ConfigText> found = find_config(dirs, ConfigKind::run, name);
    if (!found) {
      throw InputError(name, "", "nothing", "a run of `orrery list runs` or a path",
                       nearest_name(name, config_names(dirs, ConfigKind::run)));
    }
    return parse_json(found->text, found->file);
  };
  context.set = [dirs](Json& run, const std::string& path, const Json& value) {
    apply_override({"\"set\"", path, value}, config_lookup(dirs), run);
  };
  context.answer = [dirs](const Json& run, const std::string& file) {
    return answer_document(comm_report_on(resolve_run(run, file, config_lookup(dirs))));
  };
  return context;
}

}  // namespace

std::vector<std::string> expanded(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    for (const std::string& file : json_files(path)) files.push_back(file);
  }
  return files;
}

bool are_claims(const std::vector<std::string>& files) {
  const auto claims = std::count_if(files.begin(), files.end(), [](const std::string& file) {
    return file != "-" && is_claim(parse_json(read_text(file), file));
  });
  if (claims > 0 && static_cast<std::size_t>(claims) < files.size()) {
    throw UsageError("claims and published runs together: give files of one kind");
  }
  return claims > 0;
}

ExitCode run_claims(const std::vector<std::string>& files, bool markdown, const Session& s) {
  if (s.csv) throw UsageError("--csv: claims have text, --json and --markdown");
  const ClaimContext context = context_of(dirs_of(s));
  std::vector<JudgedClaim> judged;
  for (const std::string& file : files) {
    judged.push_back(judge(read_claim(read_text(file), file), context));
  }
  give(s, markdown ? claims_markdown(judged)
          : s.json ? dump(claims_json(judged))
                   : claims_text(judged));
  return ExitCode::answer;
}

}  // namespace orrery
