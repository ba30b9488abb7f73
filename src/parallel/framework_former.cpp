// SPDX-License-Identifier: Apache-2.0
#include "parallel/framework_former.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/enum_names.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "core/masks.h"
#include "parallel/framework_keys.h"

namespace orrery {
namespace {

struct FormerKey {
  std::string_view name;
  std::string_view path;
};

constexpr FormerKey kFormerKeys[] = {
    FormerKey{"attention", "kernels.attention"},
    FormerKey{"linear_rate", "kernels.linear_rate"},
    FormerKey{"unfused", "kernels.unfused"},
    FormerKey{"pointwise_passes", "kernels.pointwise_passes"},
    FormerKey{"unpacking_passes", "kernels.unpacking_passes"},
    FormerKey{"keeps_gathered_inputs", "saved.gathered_inputs"},
    FormerKey{"keeps_wide_inputs", "saved.wide_inputs"},
    FormerKey{"keeps_narrow_weights", "saved.narrow_weights"},
    FormerKey{"gate_bytes", "saved.gate_bytes"},
    FormerKey{"attention_output_bytes", "saved.attention_output_bytes"},
    FormerKey{"recompute_stops_early", "recompute.stops_early"},
    FormerKey{"selective_modules", "recompute.selective"},
    FormerKey{"recomputes_one_in_n", "recompute.one_in_n"},
    FormerKey{"cross_entropy", "loss.method"},
    FormerKey{"split_cross_entropy", "loss.split_method"},
    FormerKey{"logits_overhead", "loss.logits_overhead"},
    FormerKey{"fused_accumulation", "gradients.fused_accumulation"},
    FormerKey{"keeps_16_bit_gradients", "gradients.kept_in_16_bits"},
    FormerKey{"copies_gradients", "gradients.copied_to_buckets"},
    FormerKey{"frees_gradients", "gradients.freed_with_step"},
    FormerKey{"reduces_at_the_end", "gradients.reduced_at_end"},
    FormerKey{"sums_replicas_every_micro_batch", "gradients.replicas_every_micro_batch"},
    FormerKey{"reduce_copies", "gradients.copy_bytes"},
    FormerKey{"optimizer_copies", "update.moment_lists"},
    FormerKey{"steps_on_fp32_copy", "update.fp32_gradients"},
    FormerKey{"refresh_per_rank", "update.refresh_per_rank"},
    FormerKey{"zero", "sharding.zero"},
    FormerKey{"shard_group", "sharding.group"},
    FormerKey{"backward_prefetch", "gathers.backward_prefetch"},
    FormerKey{"gather_copies", "gathers.copy_bytes"},
    FormerKey{"gather_wait", "gathers.host_wait"},
    FormerKey{"prefetch_norm", "gathers.prefetch_norm"},
    FormerKey{"gather_bytes", "gathers.element_bytes"},
    FormerKey{"max_live_parameters", "gathers.max_live"},
    FormerKey{"prefetch_limit", "gathers.prefetch_limit"},
    FormerKey{"tp_exposed", "overlap.tp_exposed"},
    FormerKey{"tp_backward_overlap", "overlap.tp_backward"},
    FormerKey{"ep_exposed", "overlap.ep_exposed"},
    FormerKey{"ep_exposed_interleaved", "overlap.ep_exposed_interleaved"},
    FormerKey{"cp_overlap", "overlap.cp"},
    FormerKey{"overlap_grad_reduce", "overlap.grad_reduce"},
    FormerKey{"overlap_param_gather", "overlap.param_gather"},
    FormerKey{"dp_overlap_share", "overlap.dp_share"},
    FormerKey{"dp_exposed_floor", "overlap.dp_floor"},
    FormerKey{"communication_slowdown", "overlap.slowdown"},
    FormerKey{"dispatch_bytes", "experts.dispatch_bytes"},
    FormerKey{"dispatch_once_per_node", "experts.dispatch_once_per_node"},
    FormerKey{"layer_split", "pipeline.layer_split"},
    FormerKey{"keeps_stage_outputs", "pipeline.keeps_outputs"},
    FormerKey{"receives_apart", "pipeline.receives_apart"},
    FormerKey{"scatter_gather", "pipeline.scatter_gather"},
    FormerKey{"fabric_share", "network.fabric_share"},
    FormerKey{"layer_fabric_share", "network.layer_fabric_share"},
    FormerKey{"vocabulary_multiple", "vocabulary.multiple"},
    FormerKey{"vocabulary_multiple_per_tp", "vocabulary.multiple_per_tp"},
    FormerKey{"records_streams", "allocator.records_streams"},
    FormerKey{"state_overhead", "allocator.state_overhead"},
    FormerKey{"activation_overhead", "allocator.activation_overhead"},
    FormerKey{"fragments_kept", "allocator.fragments_kept"},
    FormerKey{"context", "buffers.context"},
    FormerKey{"group_buffers", "buffers.group"},
    FormerKey{"bucket", "buffers.bucket"},
    FormerKey{"host_launch", "host.launch"},
    FormerKey{"step_overhead", "host.step_overhead"},
    FormerKey{"stack_factor", "level.factor"},
    FormerKey{"qwz", "sharding.qwz"},
    FormerKey{"hpz", "sharding.hpz"},
    FormerKey{"qgz", "sharding.qgz"},
    FormerKey{"interval_80", "level.interval_80"},
};

// Flags of gathered weights that stay, one list now.
struct FormerFlag {
  std::string_view name;
  KeptGathered part;
};

constexpr FormerFlag kFormerFlags[] = {
    FormerFlag{"keeps_gathered_weights", KeptGathered::layers},
    FormerFlag{"keeps_gathered_embedding", KeptGathered::embedding},
    FormerFlag{"keeps_gathered_head", KeptGathered::head},
    FormerFlag{"pipeline_keeps_weights", KeptGathered::pipeline},
};

constexpr std::string_view kKeptPath = key_path<&FrameworkGathers::kept>;
constexpr std::size_t kNamedInNote = 3;

std::string_view path_now(std::string_view name) {
  for (const FormerKey& k : kFormerKeys) {
    if (k.name == name) return k.path;
  }
  for (const FormerFlag& f : kFormerFlags) {
    if (f.name == name) return kKeptPath;
  }
  return {};
}

// A group that has the name of a former key ("bucket": {…}) is no such key.
bool is_former(const std::string& name, const Json& value) {
  return !path_now(name).empty() && !value.is_object();
}

void set_kept(const Json& flags, Json kept, Json& out) {
  if (!kept.is_array()) kept = Json::array();
  for (const FormerFlag& f : kFormerFlags) {
    const Json value = flags.value(std::string(f.name), Json());
    if (!value.is_boolean()) continue;
    const auto end = std::remove(kept.begin(), kept.end(), Json(name_of(f.part)));
    kept.erase(end, kept.end());
    if (value.get<bool>()) kept.push_back(name_of(f.part));
  }
  set_at(out, kKeptPath, std::move(kept));
}

// The object with former keys in their groups. `kept`: the parts that its flags change.
Json moved(const Json& object, const Json& kept, std::vector<std::string>& names) {
  if (!object.is_object()) return object;
  Json out = Json::object();
  Json flags = Json::object();
  for (const auto& [name, value] : object.items()) {
    if (!is_former(name, value)) out[name] = value;
  }
  for (const auto& [name, value] : object.items()) {
    if (!is_former(name, value)) continue;
    names.push_back(name);
    const std::string_view path = path_now(name);
    if (path == kKeptPath) {
      flags[name] = value;
    } else {
      set_at(out, path, value);
    }
  }
  if (!flags.empty()) set_kept(flags, kept, out);
  return out;
}

void move_options(const Json& kept, Json& profile, std::vector<std::string>& names) {
  if (!profile.contains("options") || !profile["options"].is_object()) return;
  for (auto& [option, entry] : profile["options"].items()) {
    if (!entry.is_object()) continue;
    if (entry.contains("field") && entry["field"].is_string()) {
      const std::string_view path = path_now(entry["field"].get<std::string>());
      if (!path.empty()) entry["field"] = std::string(path);
    }
    if (!entry.contains("values") || !entry["values"].is_object()) continue;
    for (auto& [value, overlay] : entry["values"].items()) overlay = moved(overlay, kept, names);
  }
}

void move_sources(Json& profile) {
  if (!profile.contains("sources") || !profile["sources"].is_object()) return;
  Json sources = Json::object();
  for (const auto& [path, source] : profile["sources"].items()) {
    const std::string first = path.substr(0, path.find('.'));
    const std::string_view now = path_now(first);
    const bool is_path = now.empty() || (profile.contains(first) && profile[first].is_object());
    sources[is_path ? path : std::string(now) + path.substr(first.size())] = source;
  }
  profile["sources"] = std::move(sources);
}

std::string note(const std::string& file, std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamedInNote); ++i) {
    text += (i == 0 ? "" : ", ") + names[i] + " is " + std::string(path_now(names[i]));
  }
  const std::size_t more = names.size() - std::min(names.size(), kNamedInNote);
  if (more > 0) text += " (and " + std::to_string(more) + " more)";
  return file + " has keys of an earlier version, which now stand in groups: " + text;
}

}  // namespace

Json with_groups(const Json& profile, const std::string& file, std::vector<std::string>& notes) {
  if (!profile.is_object()) return profile;
  std::vector<std::string> names;
  Json out = moved(profile, value_at(profile, kKeptPath), names);
  const Json kept = value_at(out, kKeptPath);
  move_options(kept, out, names);
  if (names.empty()) return profile;
  move_sources(out);
  notes.push_back(note(file, std::move(names)));
  return out;
}

}  // namespace orrery
