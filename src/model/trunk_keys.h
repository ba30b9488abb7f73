// SPDX-License-Identifier: Apache-2.0
//
// The keys of a model's `trunk`, one row each (core/keys.h), for what Trunk holds. A layer without
// a stream beside has none of its keys.
#pragma once

#include <string>
#include <vector>

#include "core/keys.h"
#include "model/trunk.h"

namespace orrery {

namespace trunk_forms {
inline constexpr Form kWidth = form::whole(0, 10'000'000, "elements");
inline constexpr Form kVectors = form::whole(0, 64, "vectors");
inline constexpr Form kTokens = form::whole(0, 1'000'000'000, "tokens");
inline constexpr Form kPixels = form::whole(0, 1'000'000, "pixels");
inline constexpr Form kFrames = form::whole(1, 1'000'000, "frames");
inline constexpr Form kPoints = form::whole(0, 1'000'000'000, "points");
inline constexpr Form kSwitch = form::boolean();
inline constexpr Form kProduct =
    form::text("main 64 > 3072, sample 256 > 3072 no bias, text 512 > 49408 tied, once 3072, …");
}  // namespace trunk_forms

inline constexpr auto kTrunkStreamRows = [] {
  using namespace trunk_forms;
  using S = TrunkStream;
  return keys<S>(
      fact<&S::width>("width", kWidth, kRequired, "of the residual stream"),
      fact<&S::mlp>("mlp", kWidth, otherwise("0"), "width of the MLP; 0: none"),
      fact<&S::modulation_in>("modulation_in", kWidth, otherwise("0"),
                              "width of the vector a sample that modulates; 0: no product does"),
      fact<&S::modulation_vectors>("modulation_vectors", kVectors, otherwise("0"),
                                   "shifts, scales and gates that products give"),
      fact<&S::modulation_products>("modulation_products", form::whole(1, 16, "products"),
                                    otherwise("1"), "that give them in equal parts"),
      fact<&S::modulation_rank>("modulation_rank", kWidth, otherwise("0"),
                                "of each such product; 0: full"),
      fact<&S::modulation_table>("modulation_table", kVectors, otherwise("0"),
                                 "learned vectors added to what modulates all layers"),
      fact<&S::keys_only>("keys_only", kSwitch, otherwise("false"),
                          "it gives queries, keys and values, and is not updated"));
}();
inline constexpr Keys<TrunkStream> kTrunkStreamKeys{"trunk.layers[].main", kTrunkStreamRows};
template <>
struct KeysOf<TrunkStream> {
  static constexpr const Keys<TrunkStream>& table = kTrunkStreamKeys;
};

void read_residual_widths(const Reader& r, ResidualWidths& out);
bool write_residual_widths(const ResidualWidths& residuals, Json& out);

inline constexpr auto kTrunkLayerRows = [] {
  using namespace trunk_forms;
  using L = TrunkLayer;
  return keys<L>(
      fact<&L::count>("count", form::whole(0, 128, "layers"), kRequired,
                      "such layers, one after the other"),
      fact<&L::heads>("heads", form::whole(1, 100'000, "heads"), kRequired, "of attention"),
      fact<&L::head_dim>("head_dim", form::whole(1, 100'000, "elements"), kRequired,
                         "width of a head"),
      fact<&L::main>("main", form::object(kTrunkStreamKeys), kRequired,
                     "weights of the tokens that the layer sees"),
      fact<&L::beside>("beside", form::object(kTrunkStreamKeys), kNothing,
                       "weights of the text, which attends together with main"),
      fact<&L::seen>("sees", form::one_of<Seen>(), otherwise("main"),
                     "main, text, or all: both in one sequence"),
      fact<&L::attentions>("attentions", form::whole(1, 2, "attentions"), otherwise("1"),
                           "2: a second one of main's tokens alone"),
      fact<&L::qkv_biases>("qkv_biases", form::whole(0, 3, "biases"), otherwise("0"),
                           "of queries, keys and values, those with a bias"),
      fact<&L::norm_vectors>("norm_vectors", kVectors, otherwise("0"),
                             "learned vectors of a norm before attention or MLP"),
      fact<&L::scale_vectors>("scale_vectors", kVectors, otherwise("0"),
                              "learned vectors on what attention and MLP add"),
      fact<&L::cross>("cross", form::one_of<Seen>(), otherwise("once"),
                      "text or main: it attends to their keys besides; once: to none"),
      fact<&L::cross_width>("cross_width", kWidth, otherwise("main.width"), "of these tokens"),
      fact<&L::cross_norm>("cross_norm", kVectors, otherwise("0"),
                           "learned vectors of the norm before"),
      fact<&L::cross_extra>("cross_extra", kTokens, otherwise("0"),
                            "tokens of an image there, with keys and values of their own"),
      fact<&L::shrink>("shrink", form::whole(1, 1'000'000, "tokens"), otherwise("1"),
                       "tokens of the sample that are one here: a level of a U-Net"),
      fact<&L::residuals>("residuals", form::list(kWidth, 0, kMaxResiduals), otherwise("none"),
                          "widths that residual blocks of convolutions take in, in place of "
                          "attention and MLP; they give the width of main")
          .read_by<read_residual_widths>()
          .written_by<write_residual_widths>(),
      fact<&L::joined>("joined", form::whole(0, kMaxResiduals, "blocks"), otherwise("0"),
                       "last of them that read the output of an earlier level besides"),
      fact<&L::projections>("projections", kVectors, otherwise("0"),
                            "transformers of the level, with a norm and a product before and a "
                            "product after each"),
      fact<&L::downs>("downs", form::whole(0, 1, "convolutions"), otherwise("0"),
                      "to the next level, of a quarter of the tokens"),
      fact<&L::ups>("ups", form::whole(0, 1, "convolutions"), otherwise("0"),
                    "back to the level before, of four times the tokens"),
      fact<&L::kernel>("kernel", form::whole(0, 1'000, "tokens"), otherwise("0"),
                       "of a Conformer's depthwise convolution; 0: another layer"),
      fact<&L::qk_norm>("qk_norm", form::one_of<TrunkNorm>(), otherwise("none"),
                        "of queries and keys: over a head, or all heads together"),
      fact<&L::causal>("causal", kSwitch, otherwise("false"), "a token sees none that follows"),
      fact<&L::parallel>("parallel", kSwitch, otherwise("false"),
                         "attention and MLP read one norm, and one product sums them"),
      fact<&L::gated>("gated", kSwitch, otherwise("false"), "the MLP has a gate"),
      fact<&L::out_bias>("out_bias", kSwitch, otherwise("false"),
                         "the product after attention has a bias"),
      fact<&L::mlp_bias>("mlp_bias", kSwitch, otherwise("false"), "those of the MLP have"),
      fact<&L::wide_norms>("wide_norms", kSwitch, otherwise("false"),
                           "norms and the residual stream in fp32"));
}();
inline constexpr Keys<TrunkLayer> kTrunkLayerKeys{"trunk.layers[]", kTrunkLayerRows};
template <>
struct KeysOf<TrunkLayer> {
  static constexpr const Keys<TrunkLayer>& table = kTrunkLayerKeys;
};

inline constexpr auto kSampleRows = [] {
  using namespace trunk_forms;
  using S = Sample;
  return keys<S>(
      fact<&S::space>("space", kPixels, otherwise("0"),
                      "pixels of a token's side, the autoencoder's factor included; 0: no pixels"),
      fact<&S::time>("time", kFrames, otherwise("1"), "frames that the autoencoder makes one"),
      fact<&S::patch_time>("patch_time", kFrames, otherwise("1"), "of these, a token"),
      fact<&S::first_alone>("first_alone", kSwitch, otherwise("false"),
                            "the autoencoder takes the first frame by itself"),
      fact<&S::patch>("patch", kPoints, otherwise("0"), "points of a token of a sound or series"),
      fact<&S::stride>("stride", kPoints, otherwise("patch"), "points from one to the next"),
      fact<&S::rate>("rate", kPoints, otherwise("0"), "points of a second; 0: a series"),
      fact<&S::extra>("extra", kTokens, otherwise("0"), "tokens besides: class, registers"),
      fact<&S::height>("height", kPixels, otherwise("0"), "pixels, where the run says none"),
      fact<&S::width>("width", kPixels, otherwise("height"), "likewise"),
      fact<&S::frames>("frames", kFrames, otherwise("1"), "likewise"),
      fact<&S::points>("points", kPoints, otherwise("0"), "likewise"),
      fact<&S::text>("text", kTokens, otherwise("0"), "tokens of text, likewise"));
}();
inline constexpr Keys<Sample> kSampleKeys{"trunk.sample", kSampleRows};
template <>
struct KeysOf<Sample> {
  static constexpr const Keys<Sample>& table = kSampleKeys;
};

// A trunk as its document has it.
struct TrunkDocument {
  std::vector<std::string> before;
  std::vector<TrunkLayer> layers;
  std::vector<std::string> after;
  Sample sample;
  TrunkLoss loss = TrunkLoss::mse;
  bool final_norm = true;
  std::int64_t final_vectors = 0;
  std::int64_t final_width = 0;
  std::int64_t final_modulation = 0;
  bool rotary = false;
};

inline constexpr Form kTrunkLayerForm = form::object(kTrunkLayerKeys);
inline constexpr auto kTrunkRows = [] {
  using namespace trunk_forms;
  using T = TrunkDocument;
  return keys<T>(
      fact<&T::before>("before", form::list(kProduct, 0, kMaxBefore), otherwise("nothing"),
                       "linear layers before the layers: what they meet (one vector a sample, "
                       "main tokens, text), input > output; once: learned numbers alone"),
      fact<&T::layers>("layers", form::list(kTrunkLayerForm, 1, kMaxTrunkKinds), kRequired,
                       "kinds of layers, in order"),
      fact<&T::after>("after", form::list(kProduct, 0, kMaxAfter), otherwise("nothing"),
                      "linear layers after them"),
      fact<&T::sample>("sample", form::object(kSampleKeys), kRequired,
                       "how a sample becomes tokens"),
      fact<&T::loss>("loss", form::one_of<TrunkLoss>(), otherwise("mse"),
                     "mean square, labels, logits over a vocabulary, pairs of a batch"),
      fact<&T::final_norm>("final_norm", kSwitch, otherwise("true"), "a norm after the last layer"),
      fact<&T::final_vectors>("final_vectors", kVectors, otherwise("0"), "its learned vectors"),
      fact<&T::final_width>("final_width", kWidth, otherwise("the widest layer's"),
                            "of what it reads"),
      fact<&T::final_modulation>("final_modulation", kVectors, otherwise("0"),
                                 "vectors of a sample that shift and scale it"),
      fact<&T::rotary>("rotary", kSwitch, otherwise("false"), "rotary positions"));
}();
inline constexpr Keys<TrunkDocument> kTrunkKeys{"trunk", kTrunkRows};
template <>
struct KeysOf<TrunkDocument> {
  static constexpr const Keys<TrunkDocument>& table = kTrunkKeys;
};

}  // namespace orrery
