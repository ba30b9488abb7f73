// SPDX-License-Identifier: Apache-2.0
#include "engine/claims.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/unknown_name.h"
#include "engine/answer.h"
#include "engine/overrides.h"
#include "engine/plan_context.h"
#include "report/capacity.h"
#include "report/claims.h"
#include "report/comm.h"
#include "report/frame_json.h"
#include "validate/published.h"
#include "validate/rows.h"

namespace orrery {
namespace {

Json required_json(const ConfigSource& configs, ConfigKind kind, const std::string& name,
                   const std::string& file, const std::string& path) {
  const ConfigText found = required_config(configs, kind, name, file, path);
  return parse_json(found.text, found.file);
}

Json document_of(const ConfigSource& configs, const ClaimDocument& d, const std::string& file) {
  const std::optional<ConfigKind> kind = find_name<ConfigKind>(d.kind);
  const std::string path = "documents." + d.name;
  if (!kind) {
    const std::vector<std::string> kinds = names_in<ConfigKind>();
    throw InputError(file, path, "kind \"" + d.kind + "\"", alternatives(kinds),
                     nearest_name(d.kind, kinds));
  }
  return required_json(configs, *kind, d.called, file, path + "." + d.kind);
}

// The published runs beside the configurations, read when the first is asked for.
class PublishedRows {
 public:
  explicit PublishedRows(ConfigSource configs) : configs_(std::move(configs)) {}

  std::optional<PublishedRun> find(const std::string& id) {
    if (rows_.empty()) read();
    const auto row =
        std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.id == id; });
    if (row == rows_.end()) return {};
    const Measured& m = row->measured;
    Json measured = {{"out_of_memory", m.out_of_memory}};
    const Run run = resolve_run(*row->run, row->file, config_lookup(configs_)).run;
    const PublishedTime time = published_time(m, run);
    if (time.basis != Basis::none) measured["step_time_s"] = time.time.si();
    if (m.peak_memory) measured["peak_memory_gib"] = m.peak_memory->si() / kGiB.si();
    return PublishedRun{*row->run, measured};
  }

 private:
  void read() {
    for (const ConfigText& file : published_files(configs_)) {
      for (Row& row : read_rows(file.text, file.file)) rows_.push_back(std::move(row));
    }
  }

  ConfigSource configs_;
  std::vector<Row> rows_;
};

Json plan_answer(const ConfigSource& configs, const Json& plan, const std::string& file) {
  const PlanContext context = plan_context({configs, {}}, "", 1);
  CapacityReport report;
  report.plan = read_plan(plan, file, context);
  report.answer = answer(report.plan, context);
  return capacity_json(report);
}

ClaimContext context_of(const ConfigSource& configs) {
  ClaimContext context;
  context.load = [configs](const std::string& name) {
    const auto plan = find_config(configs, ConfigKind::run, name)
                          ? std::nullopt
                          : find_config(configs, ConfigKind::capacity, name);
    if (plan) return parse_json(plan->text, plan->file);
    return required_json(configs, ConfigKind::run, name, name, "");
  };
  context.set = [configs](Json& run, const std::string& path, const Json& value) {
    apply_override({"\"set\"", path, value}, config_lookup(configs), run);
  };
  context.answer = [configs](const Json& run, const std::string& file) {
    if (is_plan(run)) return plan_answer(configs, run, file);
    return answer_document(comm_report_on(resolve_run(run, file, config_lookup(configs))));
  };
  context.published = [rows = std::make_shared<PublishedRows>(configs)](const std::string& id) {
    return rows->find(id);
  };
  context.document = [configs](const ClaimDocument& d, const std::string& file) {
    return document_of(configs, d, file);
  };
  return context;
}

}  // namespace

bool are_claims(const std::vector<NamedText>& files) {
  const auto claims = std::count_if(files.begin(), files.end(), [](const NamedText& file) {
    return is_claim(parse_json(file.text, file.name));
  });
  if (claims > 0 && static_cast<std::size_t>(claims) < files.size()) {
    throw UsageError("claims and published runs together: give files of one kind");
  }
  return claims > 0;
}

CommandAnswer answer_claims(const std::vector<NamedText>& files, const OutputForm& output,
                            const ConfigSource& configs) {
  if (output.csv()) {
    throw UsageError("--csv: claims have text, --json and --markdown");
  }
  const ClaimContext context = context_of(configs);
  std::vector<JudgedClaim> judged;
  for (const NamedText& file : files) {
    judged.push_back(judge(read_claim(file.text, file.name), context));
  }
  return {ExitCode::answer, output.json() ? AnswerText(versioned(claims_json(judged)))
                                          : drawn(claims_document(judged), output)};
}

}  // namespace orrery
