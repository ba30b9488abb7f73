// SPDX-License-Identifier: Apache-2.0
//
// The model that is trained: the shape of a stack of layers, as a plain fixed-size value.
//
// Models: dense and mixture-of-experts decoders with multi-head, grouped-query or multi-head latent
// attention (MLA), local (windowed or chunked) attention, recurrent layers (state spaces and linear
// attention), stacks that mix them, weights that several layers share, encoders alone or before a
// decoder, an encoder of images beside a decoder, and multi-token prediction layers; models that
// are no text decoder (model/trunk.h). Leaves out: layers of different width, the padding of the
// vocabulary (a framework pads it, knowing tp) and everything without a relevant number of
// parameters, FLOPs or bytes (rope_theta, norm epsilon, the fraction of a head that RoPE turns).
// Units: all sizes are counts of elements, layers, heads, experts or tokens. Errors: none here; the
// readers (model/architecture_json.h) refuse inconsistent values, so an Architecture has the
// properties in its comments. Names: Hugging Face's config.json, shortened where the struct gives
// the context.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/trunk.h"

namespace orrery {

// The function inside the MLP. SwiGLU is kSilu and gated, GeGLU is kGelu and gated.
enum class Activation : std::uint8_t { kGelu, kRelu, kRelu2, kSilu };

// LayerNorm has a weight and a bias of the normalised width, or the weight only, or neither;
// RMSNorm a weight only.
enum class Norm : std::uint8_t { kLayerNorm, kRmsNorm, kLayerNormUnbiased, kLayerNormBare };

// Norms before the attention and before the MLP; after both, on what they add to the residual
// stream (OLMo 2); or before and after (Gemma 2).
enum class NormPlacement : std::uint8_t { pre, post, sandwich };

// Only kLearned and kRelative have parameters: a table of max_positions × hidden, and one of
// relative_buckets × heads (T5).
enum class PositionEmbedding : std::uint8_t { kLearned, kRope, kAlibi, kNone, kRelative };

// The end of the model after the last layer: logits over the vocabulary, BERT's pooler, or nothing.
enum class ModelOutput : std::uint8_t { vocabulary, pooler, none };

enum class AttentionKind : std::uint8_t {
  kGroupedQuery,  // heads query heads share kv_heads keys and values; multi-head if they are equal
  kLatent,        // DeepSeek's MLA: see LatentAttention
};

// Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1). All 0 unless
// Architecture::attention is kLatent, but for q_lora_rank, which other attention may have too.
struct LatentAttention {
  std::int64_t q_lora_rank = 0;   // width of the compressed query; 0: queries are not compressed
  std::int64_t kv_lora_rank = 0;  // width of the compressed key and value
  std::int64_t qk_nope_head_dim = 0;  // part of a query/key head without position
  std::int64_t qk_rope_head_dim = 0;  // part with RoPE; all heads share its key
  std::int64_t v_head_dim = 0;

  bool operator==(const LatentAttention&) const = default;
};

// Sparse attention: a small scorer chooses the keys a query sees, for all heads (DeepSeek-V3.2) or,
// with grouped queries, for each group by a head of its own (MiniMax-M3). heads == 0: none.
struct Indexer {
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t top_k = 0;  // keys a query keeps
  std::int64_t block = 0;  // keys that it chooses together; 0: each apart

  bool operator==(const Indexer&) const = default;
};

// A layer that carries a state from token to token. Its facts are in model/layers/recurrent.cpp.
enum class RecurrentKind : std::uint8_t {
  none,
  mamba,        // Mamba (arXiv:2312.00752)
  mamba2,       // Mamba-2 (arXiv:2405.21060)
  gated_delta,  // Gated DeltaNet (arXiv:2412.06464)
  kimi_delta,   // Kimi Delta Attention (arXiv:2510.26692)
  lightning,    // lightning attention (arXiv:2501.08313)
  short_conv,   // LFM2's gated short convolution
  rg_lru,       // Griffin's gated linear recurrence (arXiv:2402.19427)
};

// Widths of the recurrent layers. Mamba-2 in these words: value heads are its heads, key heads its
// groups, the key size its state. Mamba, RG-LRU: every channel is a value head of size 1.
struct Recurrent {
  std::int64_t key_heads = 0;
  std::int64_t key_head_dim = 0;
  std::int64_t value_heads = 0;
  std::int64_t value_head_dim = 0;
  std::int64_t conv_kernel = 0;  // 0: no convolution
  std::int64_t chunk = 0;        // tokens that the kernel takes at once
  // Mamba: of the time step. Kimi: of decay and gate; 0: a gate of full rank. RG-LRU: width of a
  // block of its gates.
  std::int64_t rank = 0;
  RecurrentKind kind = RecurrentKind::none;
  bool conv_bias = false;
  bool projection_bias = false;
  bool gated_norm = false;   // a norm with weights between the recurrence and the output
  bool inner_norms = false;  // Mamba: norms of the time step and of the state's inputs (Jamba)

  bool operator==(const Recurrent&) const = default;
};

// Mixture of experts. experts == 0: the model is dense, and the rest is 0.
// Experts have the activation, gating and mlp_bias of the Architecture.
struct MixtureOfExperts {
  std::int64_t experts = 0;              // routed experts of an MoE layer
  std::int64_t top_k = 0;                // routed experts of a token
  std::int64_t expert_intermediate = 0;  // width of one routed expert
  std::int64_t shared_experts = 0;       // experts that every token uses
  std::int64_t shared_intermediate = 0;  // width of all shared experts together (run as one MLP)
  std::int64_t first_k_dense = 0;        // the first k layers have the dense MLP
  std::int64_t layer_freq = 0;           // of the others, layer i has experts if
  std::int64_t layer_offset = 0;         //   (i - layer_offset) mod layer_freq = 0, i from 0
  std::int64_t groups = 0;               // groups of experts; 0: a token may choose any
  std::int64_t top_groups = 0;           // of which it chooses from so many
  double capacity_factor = 0;    // 0: dropless; else a cap on tokens per expert, × the mean
  bool pads_to_capacity = true;  // experts compute so many whatever reaches them
  std::int64_t latent = 0;   // width the routed experts work in, behind two projections; 0: hidden
  bool router_bias = false;  // the router's linear layer has a bias (gpt-oss)
  bool router_correction_bias = false;  // a bias per expert added to its score (DeepSeek-V3)
  bool shared_gate = false;             // a learned gate on the shared experts (Qwen)

  bool operator==(const MixtureOfExperts&) const = default;
};

// An encoder of images before the decoder (transformers' vision_config). Its layers see the patches
// of one image; `merge` patches become one token of the sequence, through linear layers of widths
// projector_input, projector_inner, projector_second (0: none) and hidden. layers == 0: none.
struct Tower {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;  // divides hidden
  std::int64_t intermediate = 0;
  std::int64_t patch = 0;      // numbers of one patch
  std::int64_t positions = 0;  // rows of its table, with a class token's; 0: rotary
  std::int64_t merge = 1;      // patches of a token
  std::int64_t projector_input = 0;
  std::int64_t projector_inner = 0;
  std::int64_t projector_second = 0;
  std::int64_t deeper_projectors = 0;  // further ones like it, of earlier layers (Qwen3-VL)
  std::int64_t images = 0;             // of a sequence; the run says so, and the next
  std::int64_t image_tokens = 0;       // that one image has in the sequence
  Norm norm = Norm::kLayerNorm;
  Norm projector_norm = Norm::kLayerNormBare;  // before the projector; bare: none
  bool interpolated = false;                   // its table, to the grid of any image
  bool gated = false;
  bool bias = false;         // of all linear layers of its layers
  bool patch_bias = false;   // of the patches' projection
  bool norm_before = false;  // a norm before its first layer
  bool norm_after = false;   // and after its last
  bool projector_bias = false;

  bool operator==(const Tower&) const = default;
};

// The part of a layer that mixes tokens, and the part that follows it. `beside`: attention and the
// recurrence on the same input (Falcon-H1). `reused_keys`: attention with the keys and values of
// the layer before. `encoder` sees all tokens; `cross` is a decoder's that also attends to an
// encoder. A half layer has one of the two parts only. `shared`: a transformer block over the
// layer's input beside the embedding, then the recurrence (Zamba 2); `shared_again` runs its
// weights anew. `encoder_again` has the weights of an earlier encoder layer (ALBERT);
// `local_encoder` sees half of sliding_window before a token and half behind it (ModernBERT). In a
// model with an indexer, `attention` has one of its own; `chosen_keys` attends to the keys that an
// earlier layer's chose (GLM-5.2), `all_keys` to all (MiniMax-M3's first layers).
enum class Mixer : std::uint8_t {
  none,
  attention,
  local_attention,
  recurrent,
  beside,
  reused_keys,
  encoder,
  cross,
  shared,
  shared_again,
  encoder_again,
  local_encoder,
  chosen_keys,
  all_keys,
};
enum class Feedforward : std::uint8_t { none, dense, experts };

struct LayerKind {
  Mixer mixer = Mixer::attention;
  Feedforward feedforward = Feedforward::dense;

  bool operator==(const LayerKind&) const = default;
};

// Distinct layers of a model.
inline constexpr std::size_t kMaxLayerTypes = 8;
inline constexpr std::size_t kMaxPattern = 128;

// Stacks that first_k_dense, layer_freq and sliding_window_pattern do not say: layer i is
// kinds[types[i mod length]]. length == 0: they do.
struct LayerPattern {
  std::array<LayerKind, kMaxLayerTypes> kinds{};
  std::array<std::uint8_t, kMaxPattern> types{};
  std::uint8_t length = 0;

  bool operator==(const LayerPattern&) const = default;
};

struct Architecture {
  std::int64_t layers = 0;    // of all kinds, without mtp_layers
  std::int64_t hidden = 0;    // h
  std::int64_t heads = 0;     // query heads, a
  std::int64_t kv_heads = 0;  // key/value heads; divides heads; equals it for kLatent
  std::int64_t head_dim = 0;  // of queries and keys; kLatent: qk_nope_head_dim + qk_rope_head_dim
  std::int64_t intermediate = 0;  // width of a dense MLP; 0 if every layer has experts
  std::int64_t vocab = 0;         // as published, not padded
  // Rows of the learned position table; 0: as many as the run's sequence length. For RoPE and ALiBi
  // the intended length, 0 if unknown, and no parameters.
  std::int64_t max_positions = 0;
  std::int64_t mtp_layers = 0;  // multi-token prediction (DeepSeek-V3, arXiv:2412.19437, 2.2)

  // Local attention: at most one of the two is not 0. See is_local_layer for where it applies.
  std::int64_t sliding_window = 0;        // a query sees the last w keys, itself included
  std::int64_t attention_chunk_size = 0;  // a query sees the keys of its own chunk of c tokens
  // 0: every layer is local. k: layer i, from 0, is local unless (i + 1) mod k = 0, so every k-th
  // layer sees all keys (gpt-oss 2, Gemma 3 6, Llama 4 4).
  std::int64_t sliding_window_pattern = 0;

  std::int64_t attention_gate_dim = 0;  // outputs of a head's sigmoid gate on attention; 0: none
  std::int64_t activation_weights = 0;  // learned numbers of an MLP's activation (xIELU)
  std::int64_t shared_rank = 0;     // of the matrices by which each use of a shared block differs
  std::int64_t embedding_size = 0;  // of the tables, before a projection to hidden; 0: hidden
  std::int64_t output_rank = 0;     // width of each group of a low-rank output projection; 0: full
  std::int64_t output_groups = 0;   // groups of heads that it compresses apart (DeepSeek-V4)
  std::int64_t token_types = 0;     // rows of BERT's table of segments
  std::int64_t relative_buckets = 0;  // of kRelative

  LatentAttention mla;
  Indexer indexer;
  Recurrent recurrent;
  MixtureOfExperts moe;
  LayerPattern pattern;
  Tower tower;
  Trunk trunk;  // of a model that is no text decoder; the rest then repeats what it says

  AttentionKind attention = AttentionKind::kGroupedQuery;
  Activation activation = Activation::kGelu;
  Norm norm = Norm::kLayerNorm;
  NormPlacement norm_placement = NormPlacement::pre;
  PositionEmbedding positions = PositionEmbedding::kLearned;
  ModelOutput output = ModelOutput::vocabulary;

  bool gated = false;  // the MLP has gate and up projections (3 matrices), else up only (2)
  // For kLatent qkv_bias is on the two down-projections only (q_a_proj, kv_a_proj_with_mqa).
  bool qkv_bias = false;
  bool attention_out_bias = false;
  bool mlp_bias = false;       // of dense MLPs and of experts
  bool qk_norm = false;        // RMSNorm over head_dim on queries and on keys (Qwen3), per layer
  bool qk_norm_whole = false;  // that norm over all heads together (OLMo 2)
  bool qk_norm_bias = false;   // that norm, or qk_norm, has a bias beside its weight
  bool inner_norms = false;    // before the last products of attention and MLP (BitNet)
  bool shared_rank_of_attention = false;  // beside its queries, keys and values too
  bool keys_are_values = false;           // one projection gives both (DeepSeek-V4)
  bool attention_sinks = false;           // one learned logit per query head (gpt-oss)
  bool dropout = false;            // on attention probabilities and on both residual branches
  bool parallel_residual = false;  // attention and MLP read the same input, two norms (GPT-NeoX)
  bool shared_norm = false;        // they share one norm (Falcon, Phi)
  bool no_final_norm = false;
  bool head_bias = false;
  bool tie_word_embeddings = false;
  bool embedding_norm = false;  // a norm right after the word embedding (BLOOM)

  bool operator==(const Architecture&) const = default;
};

// Consecutive layers.
struct LayerRange {
  std::int64_t first = 0;
  std::int64_t end = 0;  // one past the last
};

constexpr bool is_moe(const Architecture& a) { return a.moe.experts > 0; }

// Whether layer (0 to layers - 1) has experts instead of the dense MLP.
constexpr bool is_moe_layer(const Architecture& a, std::int64_t layer) {
  return is_moe(a) && layer >= a.moe.first_k_dense &&
         (layer - a.moe.layer_offset) % a.moe.layer_freq == 0;
}

constexpr bool has_local_attention(const Architecture& a) {
  return a.sliding_window > 0 || a.attention_chunk_size > 0;
}

// Keys that a query of a local layer sees at most; 0: it has no such layers.
constexpr std::int64_t local_span(const Architecture& a) {
  return a.sliding_window > 0 ? a.sliding_window : a.attention_chunk_size;
}

// Whether layer (0 to layers - 1) attends through its window or chunk only.
constexpr bool is_local_layer(const Architecture& a, std::int64_t layer) {
  return has_local_attention(a) &&
         (a.sliding_window_pattern == 0 || (layer + 1) % a.sliding_window_pattern != 0);
}

// Layer i is of type 0 dense, 1 dense local, 2 experts or 3 experts local; with a pattern of the
// pattern's.
constexpr std::uint8_t layer_type(const Architecture& a, std::int64_t layer) {
  if (a.pattern.length > 0)
    return a.pattern.types[static_cast<std::size_t>(layer) % a.pattern.length];
  return static_cast<std::uint8_t>((is_moe_layer(a, layer) ? 2 : 0) +
                                   (is_local_layer(a, layer) ? 1 : 0));
}

constexpr LayerKind layer_kind(const Architecture& a, std::size_t type) {
  if (a.pattern.length > 0) return a.pattern.kinds[type];
  return {type % 2 == 1 ? Mixer::local_attention : Mixer::attention,
          type >= 2 ? Feedforward::experts : Feedforward::dense};
}

constexpr bool has_experts(const Architecture& a, std::int64_t layer) {
  return layer_kind(a, layer_type(a, layer)).feedforward == Feedforward::experts;
}

constexpr bool shares_block(Mixer m) { return m == Mixer::shared || m == Mixer::shared_again; }
constexpr bool runs_again(Mixer m) { return m == Mixer::shared_again || m == Mixer::encoder_again; }
constexpr bool is_local(Mixer m) {
  return m == Mixer::local_attention || m == Mixer::local_encoder;
}
constexpr bool attends(Mixer m) { return m != Mixer::none && m != Mixer::recurrent; }
constexpr bool has_indexer(Mixer m) { return m != Mixer::chosen_keys && m != Mixer::all_keys; }
constexpr bool has_own_keys(Mixer m) { return attends(m) && m != Mixer::reused_keys; }

// Layers whose mixer `is` holds for.
constexpr std::int64_t layers_that(const Architecture& a, bool (*is)(Mixer)) {
  std::int64_t n = 0;
  for (std::int64_t i = 0; i < a.layers; ++i)
    n += is(layer_kind(a, layer_type(a, i)).mixer) ? 1 : 0;
  return n;
}

constexpr bool recurs(Mixer m) {
  return m == Mixer::recurrent || m == Mixer::beside || shares_block(m);
}

// Some layer has no weights of its own.
constexpr bool shares_weights(const Architecture& a) {
  for (const LayerKind& kind : a.pattern.kinds) {
    if (a.pattern.length > 0 && runs_again(kind.mixer)) return true;
  }
  return false;
}

// Width of one value head; queries and keys have head_dim.
constexpr std::int64_t value_head_dim(const Architecture& a) {
  return a.attention == AttentionKind::kLatent ? a.mla.v_head_dim : a.head_dim;
}

}  // namespace orrery
