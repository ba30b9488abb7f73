// SPDX-License-Identifier: Apache-2.0
//
// Source: huggingface/diffusers, models/unets/unet_2d_condition.py and unet_2d_blocks.py.
#include "model/unet_import.h"

#include <cstdint>
#include <string>

#include "core/error.h"
#include "core/json.h"
#include "core/json_reader.h"
#include "model/trunk.h"

namespace orrery {
namespace {

constexpr std::int64_t kMostOfUNet = 1'000'000;
constexpr std::int64_t kLatentFactor =
    8;  // pixels of a latent's side: the autoencoder of these models
constexpr std::size_t kUNetLevels = 4;
constexpr std::int64_t kDefaultHeads = 8;
constexpr std::int64_t kTextTokens = 77;  // of CLIP

std::string product(const std::string& seen, std::int64_t in, std::int64_t out) {
  return seen + " " + std::to_string(in) + " > " + std::to_string(out);
}

struct UNetLevel {
  std::int64_t width = 0;
  std::int64_t depth = 0;  // layers of a transformer
  std::int64_t heads = 1;
  bool down = false;  // transformers on the way down, and up
  bool up = false;
  std::int64_t transformers = 0;
  Json residuals = Json::array();
};

class UNetFile {
 public:
  UNetFile(const Reader& file, std::vector<AssumedValue>& assumed)
      : file_(file), assumed_(assumed) {}

  Json trunk() {
    refuse_others();
    take_levels();
    walk();
    Json out;
    out["before"] = before();
    out["layers"] = layers();
    const std::int64_t narrow = levels_.front().width;
    out["after"] = {product("main", 9 * narrow, whole("out_channels", 4))};
    out["final_vectors"] = 2;
    out["final_width"] = narrow;
    const std::int64_t side = kLatentFactor * whole("sample_size", 64);
    out["sample"] = {{"space", kLatentFactor}, {"height", side}, {"text", kTextTokens}};
    return out;
  }

 private:
  bool is_given(const std::string& key) const {
    const auto at = file_.json().find(key);
    return at != file_.json().end() && !at->is_null();
  }

  Reader given(const std::string& key) {
    Reader f = file_;
    return f.at(key);
  }

  void assume(const std::string& key, const Json& value) {
    assumed_.push_back({key, value, std::string("default of ") + kUNetClass});
  }

  std::int64_t whole(const std::string& key, std::int64_t otherwise) {
    if (is_given(key)) return given(key).integer(1, kMostOfUNet);
    assume(key, otherwise);
    return otherwise;
  }

  // A number for all levels, or a list of one each.
  std::vector<std::int64_t> of_levels(const std::string& key, std::int64_t otherwise) {
    const std::size_t n = levels_.size();
    if (!is_given(key) || !file_.json()[key].is_array()) {
      return std::vector<std::int64_t>(n, whole(key, otherwise));
    }
    std::vector<std::int64_t> values;
    for (const Reader& item : given(key).items()) values.push_back(item.integer(1, kMostOfUNet));
    if (values.size() != n)
      given(key).fail("a number of each of the " + std::to_string(n) + " levels");
    return values;
  }

  void refuse(const std::string& key, const std::string& allowed) {
    if (is_given(key)) given(key).fail(allowed);
  }

  void refuse_others() {
    for (const char* key :
         {"class_embed_type", "num_class_embeds", "encoder_hid_dim", "encoder_hid_dim_type",
          "time_cond_proj_dim", "reverse_transformer_layers_per_block", "time_embedding_dim"}) {
      refuse(key, "null: a U-Net without it");
    }
    for (const char* key : {"dual_cross_attention", "only_cross_attention",
                            "class_embeddings_concat", "mid_block_only_cross_attention"}) {
      if (is_given(key) && file_.json()[key] != false) given(key).fail("false");
    }
    if (is_given("resnet_time_scale_shift") &&
        given("resnet_time_scale_shift").text() != "default") {
      given("resnet_time_scale_shift").fail("\"default\"");
    }
    if (is_given("mid_block_type") && given("mid_block_type").text() != "UNetMidBlock2DCrossAttn") {
      given("mid_block_type").fail("\"UNetMidBlock2DCrossAttn\"");
    }
    if (is_given("addition_embed_type") && given("addition_embed_type").text() != "text_time") {
      given("addition_embed_type").fail("\"text_time\" or null");
    }
  }

  // Levels whose block has transformers, by the names of the blocks on one way.
  std::vector<bool> attends(const std::string& key, const std::string& with,
                            const std::string& without, const std::vector<bool>& otherwise) {
    if (!is_given(key)) return otherwise;
    std::vector<bool> out;
    for (const Reader& item : given(key).items()) {
      const std::string name = item.text();
      if (name != with && name != without) item.fail("\"" + with + "\" or \"" + without + "\"");
      out.push_back(name == with);
    }
    if (out.size() != levels_.size()) {
      given(key).fail("a block of each of the " + std::to_string(levels_.size()) + " levels");
    }
    return out;
  }

  void take_widths() {
    const Reader widths = given("block_out_channels");
    for (const Reader& item : widths.items()) levels_.push_back({item.integer(1, kMostOfUNet)});
    if (levels_.empty() || levels_.size() > kUNetLevels) {
      widths.fail("1 to " + std::to_string(kUNetLevels) + " levels");
    }
  }

  // attention_head_dim is the number of heads, by a name that diffusers keeps for old files.
  void take_levels() {
    take_widths();
    const char* heads_key =
        is_given("num_attention_heads") ? "num_attention_heads" : "attention_head_dim";
    const std::vector<std::int64_t> heads = of_levels(heads_key, kDefaultHeads);
    const std::vector<std::int64_t> depths = of_levels("transformer_layers_per_block", 1);
    std::vector<bool> all_but_last(levels_.size(), true);
    all_but_last.back() = false;
    std::vector<bool> all_but_first(levels_.size(), true);
    all_but_first.front() = false;
    const auto down =
        attends("down_block_types", "CrossAttnDownBlock2D", "DownBlock2D", all_but_last);
    const auto up = attends("up_block_types", "CrossAttnUpBlock2D", "UpBlock2D", all_but_first);
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      UNetLevel& l = levels_[i];
      l.heads = heads[i];
      l.depth = depths[i];
      l.down = down[i];
      l.up = up[levels_.size() - 1 - i];
      if (l.width % l.heads != 0)
        given(heads_key).fail("heads that divide the width of their level");
    }
  }

  // Down, through the middle and up: what each residual block reads.
  void walk() {
    const std::vector<std::int64_t> layers = of_levels("layers_per_block", 2);
    std::vector<std::int64_t> skips = {levels_.front().width};
    std::int64_t width = levels_.front().width;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      UNetLevel& l = levels_[i];
      for (std::int64_t j = 0; j < layers[i]; ++j) {
        l.residuals.push_back(width);
        width = l.width;
        skips.push_back(width);
        l.transformers += l.down ? 1 : 0;
      }
      if (i + 1 < levels_.size()) skips.push_back(width);
    }
    UNetLevel& last = levels_.back();
    for (int j = 0; j < 2; ++j) last.residuals.push_back(width);
    ++last.transformers;
    for (std::size_t i = levels_.size(); i-- > 0;) {
      UNetLevel& l = levels_[i];
      for (std::int64_t j = 0; j <= layers[i]; ++j) {
        l.residuals.push_back(width + skips.back());
        skips.pop_back();
        width = l.width;
        l.transformers += l.up ? 1 : 0;
      }
      joined_.insert(joined_.begin(), layers[i] + 1);
      if (l.residuals.size() > kMaxResiduals) given("layers_per_block").fail("fewer layers");
    }
  }

  std::int64_t vector() const { return 4 * levels_.front().width; }

  Json before() {
    const std::int64_t narrow = levels_.front().width;
    Json out = {product("main", 9 * whole("in_channels", 4), narrow),
                product("sample", narrow, vector()), product("sample", vector(), vector())};
    if (is_given("addition_embed_type")) {
      const Reader size = given("projection_class_embeddings_input_dim");
      out.push_back(product("sample", size.integer(1, kMostOfUNet), vector()));
      out.push_back(product("sample", vector(), vector()));
    }
    return out;
  }

  Json layers() {
    const std::int64_t text = whole("cross_attention_dim", 1280);
    Json out = Json::array();
    std::int64_t shrink = 1;
    for (std::size_t i = 0; i < levels_.size(); ++i, shrink *= 4) {
      const UNetLevel& l = levels_[i];
      out.push_back({{"count", 1},
                     {"heads", 1},
                     {"head_dim", l.width},
                     {"shrink", shrink},
                     {"main", {{"width", l.width}, {"modulation_in", vector()}}},
                     {"residuals", l.residuals},
                     {"joined", joined_[i]},
                     {"projections", l.transformers},
                     {"downs", i + 1 < levels_.size() ? 1 : 0},
                     {"ups", i > 0 ? 1 : 0}});
      if (l.transformers > 0) out.push_back(transformer(l, shrink, text));
    }
    return out;
  }

  static Json transformer(const UNetLevel& l, std::int64_t shrink, std::int64_t text) {
    return {{"count", l.transformers * l.depth},
            {"heads", l.heads},
            {"head_dim", l.width / l.heads},
            {"shrink", shrink},
            {"norm_vectors", 2},
            {"out_bias", true},
            {"mlp_bias", true},
            {"gated", true},
            {"cross", "text"},
            {"cross_width", text},
            {"cross_norm", 2},
            {"main", {{"width", l.width}, {"mlp", 4 * l.width}}}};
  }

  const Reader& file_;
  std::vector<AssumedValue>& assumed_;
  std::vector<UNetLevel> levels_;
  std::vector<std::int64_t> joined_;
};

}  // namespace

Json unet_trunk(const Reader& file, std::vector<AssumedValue>& assumed) {
  return UNetFile(file, assumed).trunk();
}

}  // namespace orrery
