// SPDX-License-Identifier: Apache-2.0
#include "validate/judge.h"

#include <algorithm>

#include "core/error.h"
#include "core/json.h"
#include "core/key_access.h"
#include "estimate/estimate.h"
#include "estimate/mixed_estimate.h"
#include "estimate/mixed_resolve.h"
#include "estimate/resolve.h"
#include "estimate/run_keys.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr std::int64_t kMicroBatchesPerStage = 4;
constexpr std::int64_t kMostPublished = 1 << 30;

std::string name_in(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return "inline";
  const Json& value = object.at(key);
  return value.is_string() ? value.get<std::string>() : "inline";
}

// The count at a key of one of the run's objects, or 1.
template <auto Member>
std::int64_t count_or_one(const Json& run) {
  const char* const object = KeysOf<ObjectOf<Member>>::table.path;
  const std::string key(key_name<Member>);
  const Json* at = run.contains(object) ? &run.at(object) : nullptr;
  if (at == nullptr || !at->is_object() || !at->contains(key) || !at->at(key).is_number()) return 1;
  return Reader(at->at(key), "", key).integer(1, kMostPublished);
}

bool lacks_global_batch(const Json& run) {
  const char* const training = kTrainingKeys.path;
  return run.contains(training) && run.at(training).is_object() &&
         !run.at(training).contains(key_name<&Training::global_batch>);
}

// Enough micro batches that the bubble is small and none is left over.
Json with_global_batch(const Json& run, std::vector<std::string>& assumed) {
  const std::int64_t pp = count_or_one<&Strategy::pp>(run);
  const std::int64_t model_parallel =
      count_or_one<&Strategy::tp>(run) * pp * count_or_one<&Strategy::cp>(run);
  const std::int64_t gpus = count_or_one<&ClusterRequest::gpus>(run);
  const std::int64_t dp = std::max<std::int64_t>(1, gpus / model_parallel);
  const std::int64_t micro_batch = count_or_one<&TrainingRequest::micro_batch>(run);
  const std::int64_t global_batch = kMicroBatchesPerStage * pp * dp * micro_batch;
  Json filled = run;
  at_key<&Training::global_batch>(at_key<&RunRequest::training>(filled)) = global_batch;
  assumed.push_back(std::string(key_path<&Training::global_batch>) + " " +
                    std::to_string(global_batch) +
                    " (not published; 4 micro batches a pipeline stage)");
  return filled;
}

// Errors name the row. The resolved run does not, so that rows of one file share it.
template <class Resolve>
auto resolved_row(const Row& row, Resolve&& resolve) {
  try {
    return resolve();
  } catch (const InputError& e) {
    if (e.file() != row.file) throw;
    throw InputError(e.code(), row.file + ": " + row.id, e.path(), e.found(), e.allowed(),
                     e.nearest());
  }
}

void estimate_groups(const Json& run, const ConfigLookup& lookup, const Adjust& adjust,
                     JudgedRow& out) {
  ResolvedMixed mixed =
      resolved_row(out.row, [&] { return resolve_mixed(run, out.row.file, lookup); });
  for (Run& kind : mixed.run.kinds) {
    if (adjust) adjust(kind);
  }
  MixedWorkspace w;
  const MixedAnswer a = estimate_mixed<double>(mixed.run, w);
  out.run = run_of_all(mixed.run, a.busy_kind);
  out.open = std::move(mixed.whole.open);
  out.answer = a.answer;
}

void estimate_plain(const Json& run, const ConfigLookup& lookup, const Adjust& adjust,
                    JudgedRow& out) {
  ResolvedRun resolved =
      resolved_row(out.row, [&] { return resolve_run(run, out.row.file, lookup); });
  if (adjust) adjust(resolved.run);
  out.run = resolved.run;
  out.open = std::move(resolved.open);
  out.answer = estimate(out.run);
}

void fill(JudgedRow& out, const ConfigLookup& lookup, const Adjust& adjust) {
  Json run = *out.row.run;
  if (lacks_global_batch(run)) run = with_global_batch(run, out.assumed);
  const auto estimated = has_groups(run) ? estimate_groups : estimate_plain;
  estimated(run, lookup, adjust, out);
  const Training& t = out.run.training;
  out.gpus = out.run.cluster.gpus;
  out.tokens = static_cast<double>(t.sequence) * static_cast<double>(t.global_batch);
  out.published = published_time(out.row.measured, out.run);
  out.published_model = published_flops(out.run, FlopsKind::model);
  out.published_hardware = published_flops(out.run, FlopsKind::hardware);
}

}  // namespace

JudgedRow judge(const Row& row, const ConfigLookup& lookup, const Adjust& adjust) {
  JudgedRow out;
  out.row = row;
  out.node = row.run->contains("cluster") ? name_in(row.run->at("cluster"), "node") : "inline";
  out.framework =
      row.run->contains("framework") ? name_in(*row.run, "framework") : kDefaultFramework;
  try {
    fill(out, lookup, adjust);
  } catch (const InputError& error) {
    // A mistake of the file, not a run that is refused.
    if (error.code() == ErrorCode::unknown_key) throw;
    out.refusal = error.what();
  }
  return out;
}

bool counts(const JudgedRow& r) { return r.assumed.empty() && r.row.repeats.empty(); }

bool is_estimated(const JudgedRow& r) { return r.refusal.empty(); }

std::optional<double> time_error(const JudgedRow& r) {
  if (!is_estimated(r) || r.published.basis == Basis::none) return {};
  return r.answer.step_time / r.published.time - 1;
}

std::optional<double> memory_error(const JudgedRow& r) {
  if (!is_estimated(r) || !r.row.measured.peak_memory) return {};
  return predicted_memory(r) / *r.row.measured.peak_memory - 1;
}

Bytes predicted_memory(const JudgedRow& r) {
  switch (r.row.measured.memory_kind) {
    case MemoryKind::allocated:
      return r.answer.memory.allocated;
    case MemoryKind::reserved:
      return r.answer.memory.reserved;
    case MemoryKind::device:
      break;
  }
  return r.answer.memory.peak;
}

PerSecond predicted_tokens(const JudgedRow& r) {
  return PerSecond(r.tokens / (r.answer.step_time.si() * static_cast<double>(r.gpus)));
}

FlopsPerSecond predicted_rate(const JudgedRow& r, FlopsKind kind) {
  const Flops flops = kind == FlopsKind::hardware ? r.published_hardware : r.published_model;
  return flops / r.answer.step_time / static_cast<double>(r.gpus);
}

}  // namespace orrery
