// SPDX-License-Identifier: Apache-2.0
//
// vision_config of a file for text and images, to the keys of Tower. A row says what the code of a
// kind of model fixes; sizes come from the file alone. A tower of another kind, or one whose file
// leaves a size to the class, is left out, which a note says. Source: huggingface/transformers,
// modeling_*.py of these models.
#include <string>

#include "core/enum_names.h"
#include "model/architecture_keys.h"
#include "model/hf_facts.h"
#include "model/hf_words.h"

namespace orrery {
namespace {

// Patches of a token: one, those of a square (spatial_merge_size, scale_factor) side by side, or
// their mean.
enum class Merge { one, spatial, scaled, pooled };

// Widths within the projector: none; its input's; the decoder's; the tower's, then the decoder's.
enum class Within { none, input, decoder, both };

struct TowerRow {
  std::string_view models;
  std::string_view towers;  // "": of any name
  Norm norm;
  Norm projector_norm;  // kLayerNormBare: none
  Merge merge;
  Within within;
  bool gated;
  bool bias;
  bool patch_bias;
  bool table;   // of positions
  bool token;   // for the class, with a position
  bool before;  // a norm before the layers
  bool after;
  bool projector_bias;
  std::int64_t frames;        // of a patch, if the file does not say
  bool interpolated = false;  // the table, to any grid
};

constexpr Norm kLn = Norm::kLayerNorm;
constexpr Norm kRms = Norm::kRmsNorm;
constexpr Norm kNone = Norm::kLayerNormBare;

// Qwen3-VL interpolates its table (transformers, modeling_qwen3_vl.py, fast_pos_embed_interpolate).
constexpr TowerRow kTowers[] = {
    {"qwen2_vl", "", kLn, kLn, Merge::spatial, Within::input, false, true, false, false, false,
     false, false, true, 2},
    {"qwen2_5_vl", "", kRms, kRms, Merge::spatial, Within::input, true, true, false, false, false,
     false, false, true, 2},
    {"qwen3_vl qwen3_vl_moe qwen3_5 qwen3_5_moe", "", kLn, kLn, Merge::spatial, Within::input,
     false, true, true, true, false, false, false, true, 2, true},
    {"gemma3", "siglip_vision_model", kLn, kRms, Merge::pooled, Within::none, false, true, true,
     true, false, false, true, false, 1},
    {"paligemma", "siglip_vision_model", kLn, kNone, Merge::one, Within::none, false, true, true,
     true, false, false, true, true, 1},
    {"llava", "clip_vision_model", kLn, kNone, Merge::one, Within::decoder, false, true, false,
     true, true, true, true, true, 1},
    {"llava", "pixtral", kRms, kNone, Merge::one, Within::decoder, true, false, false, false, false,
     true, false, true, 1},
    {"mistral3", "pixtral", kRms, kRms, Merge::spatial, Within::both, true, false, false, false,
     false, true, false, false, 1},
    {"idefics3 smolvlm", "", kLn, kNone, Merge::scaled, Within::none, false, true, true, true,
     false, false, true, false, 1},
};

const TowerRow* row_of(const std::string& model, const std::string& tower) {
  for (const TowerRow& row : kTowers) {
    if (has_word(row.models, model) && (row.towers.empty() || has_word(row.towers, tower))) {
      return &row;
    }
  }
  return nullptr;
}

constexpr std::int64_t kMost = 1'000'000;  // of a size; products of three stay within 64 bits

// The first of these names that the object has, 0 if none.
std::int64_t size_of(const Json& object, std::string_view names) {
  for (const std::string& name : words_in(names)) {
    const auto at = object.find(name);
    if (at == object.end() || !at->is_number_integer()) continue;
    const auto value = at->get<std::int64_t>();
    if (value > 0 && value <= kMost) return value;
  }
  return 0;
}

std::string word_of(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

class Vision {
 public:
  Vision(HfFacts& facts, const Json& outer, const Json& vision, const TowerRow& row)
      : facts_(facts), outer_(outer), vision_(vision), row_(row) {}

  bool run() {
    hidden_ = size_of(vision_, "embed_dim hidden_size");
    layers_ = size_of(vision_, "depth num_hidden_layers");
    heads_ = size_of(vision_, "num_heads num_attention_heads");
    side_ = size_of(vision_, "patch_size");
    inner_ = size_of(vision_, "intermediate_size");
    if (inner_ == 0) inner_ = hidden_ * size_of(vision_, "mlp_ratio");
    decoder_ = facts_.whole("hidden_size");
    const bool sized = hidden_ > 0 && layers_ > 0 && heads_ > 0 && side_ > 0 && inner_ > 0;
    if (!sized || hidden_ % heads_ != 0 || side_ > 1000 || !set_positions() || !set_merge()) {
      return false;
    }
    set_layers();
    set_projector();
    return true;
  }

 private:
  void set(std::string_view key, std::int64_t value) const {
    if (value > 0) facts_.set(key, value);
  }

  // Patches of an image of the tower's own size, 0 if it takes any.
  std::int64_t own_patches() const {
    const std::int64_t stated = size_of(vision_, "num_image_tokens");
    if (stated > 0) return stated;
    const std::int64_t across = size_of(vision_, "image_size") / side_;
    return across <= 10'000 ? across * across : 0;
  }

  bool set_positions() {
    if (!row_.table) return true;
    const std::int64_t stated = size_of(vision_, "num_position_embeddings");
    positions_ = stated > 0 ? stated : own_patches();
    if (positions_ == 0) return false;
    positions_ += row_.token ? 2 : 0;
    return true;
  }

  bool set_merge() {
    std::int64_t square = 1;
    if (row_.merge == Merge::spatial) {
      square = size_of(row_.within == Within::both ? outer_ : vision_, "spatial_merge_size");
      if (square == 0) square = 2;
    }
    if (row_.merge == Merge::scaled) square = size_of(outer_, "scale_factor");
    const std::int64_t tokens = size_of(outer_, "mm_tokens_per_image");
    const bool pooled = row_.merge == Merge::pooled;
    merge_ = !pooled ? square * square : tokens > 0 ? own_patches() / tokens : 0;
    return square <= 100 && merge_ > 0;
  }

  void set_layers() const {
    set("vision_num_hidden_layers", layers_);
    set("vision_hidden_size", hidden_);
    set("vision_num_attention_heads", heads_);
    set("vision_intermediate_size", inner_);
    const std::int64_t channels = size_of(vision_, "in_chans in_channels num_channels");
    const std::int64_t frames = size_of(vision_, "temporal_patch_size");
    set("vision_patch_values", std::min<std::int64_t>(100, channels > 0 ? channels : 3) * side_ *
                                   side_ *
                                   std::min<std::int64_t>(100, frames > 0 ? frames : row_.frames));
    set("vision_positions", positions_);
    if (row_.interpolated) facts_.set("vision_interpolated", true);
    facts_.set("vision_norm", std::string(name_of(row_.norm)));
    facts_.set("vision_gated", row_.gated);
    facts_.set("vision_bias", row_.bias);
    facts_.set("vision_patch_bias", row_.patch_bias);
    facts_.set("vision_norm_before", row_.before);
    facts_.set("vision_norm_after", row_.after);
  }

  void set_projector() const {
    set("vision_merged_patches", merge_);
    const bool side_by_side = row_.merge == Merge::spatial || row_.merge == Merge::scaled;
    const std::int64_t input = side_by_side ? merge_ * hidden_ : hidden_;
    set("vision_projector_input", input);
    if (row_.within == Within::input) set("vision_projector_inner", input);
    if (row_.within == Within::decoder) set("vision_projector_inner", decoder_);
    if (row_.within == Within::both) {
      set("vision_projector_inner", hidden_);
      set("vision_projector_second", decoder_);
    }
    const auto deeper = vision_.find("deepstack_visual_indexes");
    if (deeper != vision_.end() && deeper->is_array()) {
      set("vision_deeper_projectors", static_cast<std::int64_t>(deeper->size()));
    }
    facts_.set("vision_projector_norm", std::string(name_of(row_.projector_norm)));
    const auto bias = outer_.find("multimodal_projector_bias");
    const bool stated = bias != outer_.end() && bias->is_boolean();
    facts_.set("vision_projector_bias", stated ? bias->get<bool>() : row_.projector_bias);
  }

  HfFacts& facts_;
  const Json& outer_;
  const Json& vision_;
  const TowerRow& row_;
  std::int64_t hidden_ = 0, layers_ = 0, heads_ = 0, side_ = 0, inner_ = 0, decoder_ = 0;
  std::int64_t positions_ = 0, merge_ = 1;
};

}  // namespace

bool translate_tower(HfFacts& facts, const Json& outer) {
  const auto vision = outer.find("vision_config");
  if (vision == outer.end() || !vision->is_object()) return false;
  const TowerRow* row = row_of(word_of(outer, "model_type"), word_of(*vision, "model_type"));
  return row != nullptr && Vision(facts, outer, *vision, *row).run();
}

}  // namespace orrery
