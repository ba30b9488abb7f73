// SPDX-License-Identifier: Apache-2.0
#include "engine/commands/calibrate_site.h"

#include "core/error.h"
#include "core/key_access.h"
#include "engine/given_run.h"
#include "estimate/resolve.h"
#include "estimate/run_keys.h"
#include "hardware/cluster_keys.h"
#include "report/site.h"
#include "validate/observed.h"
#include "validate/published.h"
#include "validate/site_fit.h"

namespace orrery {
namespace {

constexpr const char* kPriors = "configs/site.json";

// By the documents and its own calibration alone.
RunSource without_levels(RunSource run) {
  erase_key<&RunRequest::stack>(run.json);
  erase_key<&ClusterRequest::site>(at_key<&RunRequest::cluster>(run.json));
  return run;
}

std::optional<Bytes> device_memory(const Measured& m) {
  return m.memory_kind == MemoryKind::device ? m.peak_memory : std::nullopt;
}

SiteRun site_run(const ObservedStep& step, const RunSource& source, const std::string& file,
                 const ConfigSource& configs) {
  const ResolvedRun resolved =
      resolve_for_numbers(source.json, source.file, config_lookup(configs, source.beside));
  SiteRun out;
  out.model = resolved.model_name;
  out.what = resolved.model_name + " on " + std::to_string(resolved.run.cluster.gpus) + " x " +
             std::string(resolved.run.cluster.device.name.view()) + " (" + file + ")";
  out.run = resolved.run;
  const PublishedTime published = published_time(step.measured, resolved.run);
  if (step.time.si() > 0) {
    out.time = step.time;
  } else if (published.basis != Basis::none) {
    out.time = published.time;
  }
  out.device_memory = device_memory(step.measured);
  if (!out.time && !out.device_memory) {
    throw InputError(file, "", "a run without a time, a rate or a device memory",
                     "step_time, or measured with one of them");
  }
  return out;
}

RunSource run_at_hand(const CalibrateChoice& choice, const CommandContext& context) {
  RunSource at_hand;
  if (choice.run.empty()) return at_hand;
  GivenRun given;
  given.name = choice.run;
  use_run(given, context, [&at_hand](const RunSource& source) { at_hand = source; });
  return at_hand;
}

std::vector<SiteRun> site_runs(const CalibrateChoice& choice, const CommandContext& context) {
  const RunSource at_hand = run_at_hand(choice, context);
  std::vector<SiteRun> runs;
  for (const NamedText& file : choice.files) {
    for (const ObservedStep& step : observed_steps(file, at_hand, context.configs)) {
      if (!step.run && choice.run.empty()) {
        throw InputError(file.name, "", "steps without their run", "--run RUN");
      }
      const RunSource run = without_levels(run_of_step(step, at_hand, file.name, context.configs));
      runs.push_back(site_run(step, run, file.name, context.configs));
    }
  }
  return runs;
}

std::string device_of(const std::vector<SiteRun>& runs, const std::string& file) {
  const std::string first(runs.front().run.cluster.device.name.view());
  for (const SiteRun& r : runs) {
    const std::string other(r.run.cluster.device.name.view());
    if (other != first) {
      throw InputError(file, "", "runs on " + first + " and on " + other,
                       "runs on one device: a site each");
    }
  }
  return first;
}

}  // namespace

SitePrior site_prior(const ConfigSource& configs) {
  const auto found = configs.read(kPriors);
  if (!found) throw InputError(kPriors, "", "no such file", "the spread of sites");
  return read_site_prior(found->text, found->file);
}

CommandAnswer answer_calibrate_site(const CalibrateChoice& choice, const std::string& file,
                                    const OutputForm& output, const CommandContext& context) {
  if (choice.files.empty()) {
    throw UsageError(
        "orrery calibrate site: found no FILE; allowed: logs of trainings, or arrays of runs with "
        "their step times");
  }
  const std::vector<SiteRun> runs = site_runs(choice, context);
  Site site = fit_site(runs, site_prior(context.configs));
  site.device = device_of(runs, choice.files.front().name);
  site.name = choice.name.empty() ? site.device + "-site" : choice.name;
  const SiteReport report{site, runs};
  CommandAnswer answer;
  if (!file.empty()) answer.files.push_back({file, dump(site_json(site))});
  answer.text = output.json() ? AnswerText(versioned(site_report_json(report)))
                              : drawn(site_document(report), output);
  return answer;
}

}  // namespace orrery
