// SPDX-License-Identifier: Apache-2.0
#include "exchange/refuse_other_run.h"

#include <algorithm>
#include <span>

#include "core/error.h"
#include "core/json_path.h"
#include "estimate/estimate.h"
#include "estimate/resolve.h"
#include "exchange/deepspeed/names.h"
#include "exchange/megatron/names.h"
#include "exchange/names.h"
#include "exchange/torchtitan/names.h"

namespace orrery {
namespace {

std::vector<std::string> schedules_of(ForeignFormat format) {
  if (format == ForeignFormat::megatron) {
    return {megatron::kSchedules.begin(), megatron::kSchedules.end()};
  }
  if (format == ForeignFormat::deepspeed) {
    return {deepspeed::kSchedules.begin(), deepspeed::kSchedules.end()};
  }
  std::vector<std::string> names;
  for (const torchtitan::ScheduleName& s : torchtitan::kSchedules) names.emplace_back(s.ours);
  return names;
}

bool starts(const std::string& path, std::string_view with) { return path.rfind(with, 0) == 0; }

// Keys of the training and its layout, without the habits of the software.
bool is_of_the_script(const std::string& path, bool same_framework) {
  if (path == "training.states") return same_framework;
  const bool habit = starts(path, "parallel.framework_options") || starts(path, "parallel.overlap");
  return !habit &&
         (starts(path, "parallel.") || starts(path, "training.") || starts(path, "model."));
}

std::string text_of(const Json& value) {
  return value.is_string() ? "\"" + value.get<std::string>() + "\"" : value.dump();
}

struct Figures {
  Seconds step;
  Bytes peak;
  bool operator==(const Figures&) const = default;
};

Figures figures(const Json& run, const std::string& file, const ConfigLookup& lookup) {
  const auto e = estimate(resolve_run(run, file, lookup).run);
  return {e.step_time, e.memory.peak};
}

// Whether the run predicts another step or memory with the value that was read; an illegal run
// does.
bool is_another_run(Json run, const NotSaid& n, const std::string& file,
                    const ConfigLookup& lookup) {
  const Figures before = figures(run, file, lookup);
  if (n.read.is_null()) {
    erase_at(run, n.path);
  } else {
    set_at(run, n.path, n.read);
  }
  try {
    return figures(run, file, lookup) != before;
  } catch (const InputError&) {
    return true;
  }
}

}  // namespace

void refuse_other_schedule(ForeignFormat format, const ResolvedRun& resolved) {
  const Strategy& s = resolved.run.strategy;
  if (s.pp == 1) return;
  const std::vector<std::string> names = schedules_of(format);
  const std::string ours(name_of(s.schedule));
  if (std::find(names.begin(), names.end(), ours) != names.end()) return;
  throw InputError(resolved.file, "parallel.schedule", "\"" + ours + "\"",
                   alternatives(names) + ": " + tool_of(format) + " has no other");
}

void refuse_lost_keys(ForeignFormat format, const ResolvedRun& resolved, const Json& run,
                      const std::vector<NotSaid>& not_said, const ConfigLookup& lookup) {
  if (format != ForeignFormat::megatron) return;
  Json whole = run_file(resolved, run);
  // Switches that say a second time what a key says.
  erase_at(whole, "parallel.framework_options");
  const bool same = std::none_of(not_said.begin(), not_said.end(),
                                 [](const NotSaid& n) { return n.path == "framework"; });
  for (const NotSaid& n : not_said) {
    if (!is_of_the_script(n.path, same) || !is_another_run(whole, n, resolved.file, lookup))
      continue;
    throw InputError(resolved.file, n.path, text_of(n.value),
                     "what " + std::string(tool_of(format)) +
                         " has words for; without it step or memory is another");
  }
}

}  // namespace orrery
