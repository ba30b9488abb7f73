// SPDX-License-Identifier: Apache-2.0
#include "estimate/trained_model.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json_reader.h"
#include "estimate/resolve.h"
#include "estimate/run_keys.h"
#include "model/operators.h"

namespace orrery {
namespace {

constexpr const char* kTargetsPath = key_path<&AdapterRequest::targets>;
constexpr const char* kTrainedPath = key_path<&AdapterRequest::trained>;

bool has_gate(const Architecture& a) {
  const Trunk& t = a.trunk;
  const auto* end = t.layers.begin() + t.kinds;
  return a.gated || std::any_of(t.layers.begin(), end, [](const TrunkLayer& l) { return l.gated; });
}

// Names of the parts with which this model has something that trains.
template <class Part, class Set>
std::vector<std::string> trainable(const ResolvedRun& out, const Set& set) {
  std::vector<std::string> names;
  for (const Part part : kAllOf<Part>) {
    Adapter one = *out.run.training.adapter;
    set(one, part);
    if (trained_parameters(out.run.model, out.run.training.sequence, one) > 0) {
      names.emplace_back(name_of(part));
    }
  }
  return names;
}

}  // namespace

void check_learned_positions(const ResolvedRun& out) {
  const Architecture& a = out.run.model;
  const std::int64_t sequence = out.run.training.sequence;
  const bool learned = a.positions == PositionEmbedding::kLearned && a.max_positions > 0;
  if (!learned || sequence <= a.max_positions) return;
  throw InputError(ErrorCode::broken_rule, out.file, key_path<&Training::sequence>,
                   std::to_string(sequence),
                   "up to the model's " + std::to_string(a.max_positions) +
                       " learned positions (max_position_embeddings)");
}

void take_tower(ResolvedRun& out) {
  Tower& tower = out.run.model.tower;
  const Training& t = out.run.training;
  if (t.images > 0 && tower.layers == 0) {
    throw InputError(ErrorCode::broken_rule, out.file, key_path<&Training::images>,
                     std::to_string(t.images), "0 with a model without vision_num_hidden_layers");
  }
  // An image has as many patches as the encoder's table has positions, or fewer, where nothing
  // interpolates it.
  const std::int64_t most = tower.positions / tower.merge;
  const bool is_bounded = tower.positions > 0 && !tower.interpolated;
  if (t.images > 0 && is_bounded && t.image_tokens > most) {
    throw InputError(ErrorCode::broken_rule, out.file, key_path<&Training::image_tokens>,
                     std::to_string(t.image_tokens),
                     "up to " + std::to_string(most) +
                         ", the positions of the encoder; a larger image is several");
  }
  if (t.images == 0) tower = {};
  tower.images = t.images;
  tower.image_tokens = t.image_tokens;
  if (t.images == 0) tower.image_tokens = 0;
  out.model.architecture.tower = tower;
}

void check_adapter(const ResolvedRun& out) {
  const Training& t = out.run.training;
  if (!t.adapter) return;
  const Adapter& a = *t.adapter;
  using enum AdapterTarget;
  const bool frozen = a.kind == AdapterKind::frozen;
  const bool gate_alone = !frozen && (a.targets & mask_of(gate, up, gate_up)) == mask_of(gate);
  if (gate_alone && !has_gate(out.run.model)) {
    throw InputError(ErrorCode::broken_rule, out.file, kTargetsPath, "\"gate\"",
                     "\"up\" with a model whose MLP has no gate");
  }
  if (trained_parameters(out.run.model, t.sequence, a) > 0) return;
  const std::vector<std::string> names =
      frozen ? trainable<TrainedPart>(out,
                                      [](Adapter& one, TrainedPart p) { one.trained = mask_of(p); })
             : trainable<AdapterTarget>(
                   out, [](Adapter& one, AdapterTarget target) { one.targets = mask_of(target); });
  throw InputError(ErrorCode::broken_rule, out.file, frozen ? kTrainedPath : kTargetsPath,
                   "nothing that the model has", "at least one of " + alternatives(names));
}

}  // namespace orrery
