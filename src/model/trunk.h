// SPDX-License-Identifier: Apache-2.0
//
// A model that is no text decoder: kinds of layers as data, what stands before and after them, and
// how a sample becomes tokens.
//
// A sample is an image, a video, a sound or a series of numbers, often with text beside it. Its
// tokens are two sets, `main` of the sample and `text`; a layer sees one of them or both, with
// weights for each (joint streams) or the same for both. Layers that modulate (adaLN, DiT
// arXiv:2212.09748) turn one vector a sample into shifts, scales and gates: their weights meet
// samples and no tokens.
// A U-Net (arXiv:2112.10752) is levels of convolutions, each with transformers of its own, over
// ever fewer and wider tokens; the order of levels on the way down and up again is not kept. Leaves
// out: windows of attention, the sum over tensor-parallel ranks that a norm over all heads needs,
// the work of fixed position tables and of rotary angles. Units: counts of elements, layers, heads,
// tokens, pixels. Errors: none here (model/trunk_json.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/enum_names.h"

namespace orrery {

// The rows of a weight: one vector a sample, the sample's tokens, its text's, all of them in one
// sequence; or nothing: a table or a number that is only learned.
enum class Seen : std::uint8_t { sample, main, text, all, once };
constexpr EnumNames<Seen> names_of(Seen) { return {"sample", "main", "text", "all", "once"}; }

// A linear layer before or after the layers. `once`: in × out learned numbers without a product.
struct TrunkProduct {
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::int64_t times = 1;  // rows a token: convolutions before the last see finer steps
  Seen seen = Seen::main;
  bool bias = true;
  bool tied = false;  // its weights are another's

  bool operator==(const TrunkProduct&) const = default;
};

// The weights that one set of tokens meets in a layer. width 0: no such set.
struct TrunkStream {
  std::int64_t width = 0;
  std::int64_t mlp = 0;                  // 0: none
  std::int64_t modulation_in = 0;        // width of the vector a sample; 0: no product
  std::int64_t modulation_vectors = 0;   // that the product gives, each as wide as the stream
  std::int64_t modulation_products = 1;  // that give them in equal parts
  std::int64_t modulation_rank = 0;      // between two narrow ones each; 0: one full one each
  std::int64_t modulation_table = 0;     // learned vectors that are added
  bool keys_only = false;                // gives queries, keys and values, and is not updated

  bool operator==(const TrunkStream&) const = default;
};

// Norms of queries and keys: RMSNorm over a head, over all heads; LayerNorm over a head.
enum class TrunkNorm : std::uint8_t { none, head, whole, head_layernorm };
constexpr EnumNames<TrunkNorm> names_of(TrunkNorm) {
  return {"none", "head", "whole", "head_layernorm"};
}

// Residual blocks of convolutions, by the width that each takes in; what they give is as wide as
// the layer. The last `joined` of them read the output of an earlier level beside their own.
inline constexpr std::size_t kMaxResiduals = 12;
struct ResidualWidths {
  std::array<std::int32_t, kMaxResiduals> in{};
  std::uint8_t count = 0;

  bool operator==(const ResidualWidths&) const = default;
};

struct TrunkLayer {
  std::int64_t count = 0;  // of such layers, one after the other
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  TrunkStream main;
  TrunkStream beside;              // of the text, attending together with main
  std::int64_t attentions = 1;     // 2: a second one of main's tokens alone (SD 3.5 medium)
  std::int64_t qkv_biases = 0;     // of queries, keys and values, those with a bias
  std::int64_t norm_vectors = 0;   // learned vectors of a norm
  std::int64_t scale_vectors = 0;  // LayerScale: learned vectors on what is added
  std::int64_t cross_width = 0;    // of the tokens whose keys it also attends to; 0: main's
  std::int64_t cross_norm = 0;     // learned vectors of the norm before
  std::int64_t cross_extra = 0;    // tokens of an image, with keys and values of their own
  std::int64_t shrink = 1;         // of the sample's tokens that are one here: a U-Net's level
  // A level's convolutions in place of attention and MLP: residual blocks (ResNet), products before
  // and after each of its transformers, convolutions to the next level and back from it.
  ResidualWidths residuals;
  std::int64_t joined = 0;
  std::int64_t projections = 0;
  std::int64_t downs = 0;
  std::int64_t ups = 0;
  // A Conformer's layer: the width of its depthwise convolution, which stands between attention
  // with relative positions and the MLP; another MLP stands before both, and a norm ends the layer.
  std::int64_t kernel = 0;
  Seen seen = Seen::main;   // where there is no stream beside
  Seen cross = Seen::once;  // whose tokens; once: none
  TrunkNorm qk_norm = TrunkNorm::none;
  bool causal = false;
  bool parallel = false;  // attention and MLP read one norm, and one product sums them
  bool gated = false;
  bool out_bias = false;
  bool mlp_bias = false;
  bool wide_norms = false;  // norms and the residual in fp32

  bool operator==(const TrunkLayer&) const = default;
};

// Computed at the model's end: a mean square over what the sample has (diffusion), labels, a
// vocabulary's logits over the text's tokens, the pairs of a batch by softmax (CLIP) or each by
// itself (SigLIP), or nothing counted.
enum class TrunkLoss : std::uint8_t { mse, labels, vocabulary, pairs, none, sigmoid_pairs };
constexpr EnumNames<TrunkLoss> names_of(TrunkLoss) {
  return {"mse", "labels", "vocabulary", "pairs", "none", "sigmoid_pairs"};
}
constexpr bool is_over_pairs(TrunkLoss l) {
  return l == TrunkLoss::pairs || l == TrunkLoss::sigmoid_pairs;
}

// Self-distillation (DINO, arXiv:2104.14294; DINOv2, arXiv:2304.07193). A student reads crops of an
// image, of two sizes; its teacher, a moving average of it, reads the large ones, and no gradient
// passes it. Heads of three layers score prototypes for the class token of each crop and for masked
// patches of the large ones; Sinkhorn centres the teacher's scores over all replicas. Leaves out:
// the repulsion of class tokens (KoLeo), the Gram loss of DINOv3, stochastic depth that skips
// samples of a batch.
struct Distillation {
  std::int64_t global_crops = 0;  // 0: no teacher
  std::int64_t local_crops = 0;
  std::int64_t global_tokens = 0;  // of a crop
  std::int64_t local_tokens = 0;
  std::int64_t masked = 0;  // patches of an image's large crops
  std::int64_t hidden = 0;
  std::int64_t bottleneck = 0;
  std::int64_t prototypes = 0;
  std::int64_t patch_prototypes = 0;  // of a head of their own; 0: the same head
  std::int64_t patch_bottleneck = 0;
  std::int64_t rounds = 0;  // of Sinkhorn

  std::int64_t teacher_tokens() const { return global_crops * global_tokens; }
  std::int64_t student_tokens() const { return teacher_tokens() + local_crops * local_tokens; }

  bool operator==(const Distillation&) const = default;
};

// How many tokens a sample is. Images and videos: frames / time (the first alone, where causal, as
// causal autoencoders have it) × height / space × width / space, and `extra`. Sounds and series:
// points are cut into patches a stride apart.
struct Sample {
  std::int64_t space = 0;       // pixels of a token's side: the autoencoder's factor × the patch
  std::int64_t time = 1;        // frames that the autoencoder makes one
  std::int64_t patch_time = 1;  // of these, a token
  std::int64_t patch = 0;       // points of a token
  std::int64_t stride = 0;
  std::int64_t rate = 0;    // points of a second; 0: a series
  std::int64_t extra = 0;   // class token, registers
  std::int64_t height = 0;  // as the model's file has it; 0: the run says so
  std::int64_t width = 0;
  std::int64_t frames = 1;
  std::int64_t points = 0;
  std::int64_t text = 0;  // tokens of text
  bool first_alone = false;

  bool operator==(const Sample&) const = default;
};

inline constexpr std::size_t kMaxTrunkKinds = 8;  // as many as kMaxLayerTypes
inline constexpr std::size_t kMaxBefore = 24;
inline constexpr std::size_t kMaxAfter = 8;

// kinds == 0: the model is a decoder, or what else Architecture says.
struct Trunk {
  std::uint8_t kinds = 0;
  std::uint8_t before_count = 0;
  std::uint8_t after_count = 0;
  bool final_norm = true;
  bool rotary = false;
  TrunkLoss loss = TrunkLoss::mse;
  std::int64_t final_vectors = 0;     // learned vectors of the norm after the last layer
  std::int64_t final_width = 0;       // of what it reads; 0: of the widest layer
  std::int64_t final_modulation = 0;  // vectors of a sample that shift and scale it
  std::int64_t text = 0;              // tokens of text, as the run has them
  std::int64_t batch = 1;             // samples of a step: pairs are over all of them
  bool repeats_pairs = false;         // each rank computes the logits of all, as every other does
  bool pair_gradients = true;         // go back to the ranks whose features were gathered
  // Encoders that run forward beside the model and do not train, as one product: their parameters,
  // and the rows of a sample that meet each.
  std::int64_t frozen_parameters = 0;
  std::int64_t frozen_rows = 0;
  Distillation distillation;
  Sample sample;
  std::array<TrunkLayer, kMaxTrunkKinds> layers{};
  std::array<TrunkProduct, kMaxBefore> before{};
  std::array<TrunkProduct, kMaxAfter> after{};

  bool operator==(const Trunk&) const = default;
};

// True where text stands in one sequence with the sample's tokens in some layer.
constexpr bool joins_text(const Trunk& t) {
  for (std::uint8_t i = 0; i < t.kinds; ++i) {
    if (t.layers[i].beside.width > 0 || t.layers[i].seen == Seen::all) return true;
  }
  return false;
}

// A model whose layers see tokens at several resolutions.
constexpr bool has_levels(const Trunk& t) {
  for (std::uint8_t i = 0; i < t.kinds; ++i) {
    if (t.layers[i].residuals.count > 0) return true;
  }
  return false;
}

// Samples of a run: of an image or video its pixels and frames, of a sound or series its points.
struct SampleSize {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t frames = 1;
  std::int64_t points = 0;
};

// Tokens of a sample, without text. 0: it is smaller than a token.
std::int64_t tokens_of(const Sample& s, const SampleSize& size);

}  // namespace orrery
