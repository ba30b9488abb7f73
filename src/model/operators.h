// SPDX-License-Identifier: Apache-2.0
//
// The heart: ONE list of operators for every distinct block of a model. Memory, time, communication
// volume, search and simulator all read it (through parallel/shard.h, which divides it over ranks).
//
// An operator states its work as logical sizes ("extents"), each with the axis of parallelism that
// divides it, so that sharding is one rule applied to every extent, not one formula a layer. It
// also states its parameters, the tensors it saves for backward, the memory-bound traffic it causes
// and the boundaries it crosses: places where ranks communicate once the model is split.
//
// Shapes are those of ONE micro batch of b sequences of s tokens. Every saved tensor is listed
// once, by the operator that reads it. Models training forward and backward; leaves out inference.
// Sources: Korthikanti et al. 2022 (arXiv:2205.05198) for the saved tensors of a GPT layer; the
// FlashAttention papers (arXiv:2205.14135, 2307.08691) for those of fused attention and its
// recomputation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/divide.h"
#include "core/enum_names.h"
#include "core/modules.h"
#include "core/precision.h"
#include "core/raw_array.h"
#include "model/adapter.h"
#include "model/architecture.h"
#include "model/chains.h"
#include "model/cross_entropy.h"
#include "model/documents.h"
#include "orrery/quantity.h"

namespace orrery {

// The kind of parallelism that divides an extent. parallel/shard.h sets the degrees of a strategy:
//   whole 1 · tensor tp · context cp · sequence cp, and tp too under sequence parallelism
//   expert ep · expert_tensor etp · routed: tokens that reach one rank's experts, cp·tp, and etp
//   shares of them whole
enum class Axis : std::uint8_t {
  whole,
  tensor,
  context,
  sequence,
  expert,
  expert_tensor,
  routed,
};

// A size of `units` × `unit` elements, of which a rank holds ceil(units / degree of axis) × unit.
struct Extent {
  std::int64_t units = 1;
  std::int64_t unit = 1;
  Axis axis = Axis::whole;
};

// Over how many ranks each axis is divided, and how many of these shares one rank sees. As it
// stands: the whole model on one rank.
struct AxisDegrees {
  EnumArray<Axis, std::int64_t> by_axis{1, 1, 1, 1, 1, 1, 1};
  EnumArray<Axis, std::int64_t> gathered{1, 1, 1, 1, 1, 1, 1};
};

constexpr std::int64_t local(const Extent& e, const AxisDegrees& d) {
  const std::int64_t degree = d.by_axis[e.axis];
  return divided_up(e.units * d.gathered[e.axis], degree) * e.unit;
}

enum class OpKind : std::uint8_t {
  product,          // rows×inner · inner×(cols+cols2): a linear layer
  grouped_product,  // `groups` such products, rows distributed among them: experts
  fused_attention,  // FlashAttention: groups heads, rows queries, cols keys
  scores,           // batched Q·Kᵀ of unfused attention
  values,           // batched P·V of unfused attention
  recurrence,       // groups heads, rows tokens: a state of inner × cols carried along
  pointwise,  // bound by memory traffic: norms, activations, softmax, dropout, residuals, RoPE
  lookup,     // rows gathered from a table
};

// Facts of a kind that sharding, time and memory ask for.
struct OpFacts {
  bool product = false;  // of activations and a weight
  bool grouped = false;  // with a weight of its own for each group
  bool attention = false;
  bool weight_matrix = false;  // whose gradient is as large as it
  bool selects = false;        // from its weight, so that its one gradient is the weight's
  double score_gradients = 0;  // matrices of groups×rows×cols that its backward needs besides
};
inline constexpr EnumArray<OpKind, OpFacts> kOpFacts = {
    OpFacts{.product = true, .weight_matrix = true},
    OpFacts{.product = true, .grouped = true, .weight_matrix = true},
    OpFacts{.attention = true},
    OpFacts{.attention = true, .score_gradients = 2},  // of the probabilities and of the scores
    OpFacts{.attention = true},
    OpFacts{},
    OpFacts{},
    OpFacts{.weight_matrix = true, .selects = true}};

enum class OpName : std::uint8_t {
  embedding,
  position_embedding,
  qkv,
  q_down,
  q_norm_latent,
  q_up,
  kv_down,
  kv_norm_latent,
  kv_up,
  qk_norm,
  index_query,
  index_key,
  index_scores,
  attention,
  attention_scores,
  attention_values,
  attention_gate_up,
  attention_gate,
  attention_out,
  attention_post_norm,
  attention_residual,
  cross_norm,
  cross_query,
  cross_keys,
  recurrent_in,
  recurrent_conv,
  narrow_down,
  narrow_up,
  recurrence,
  recurrent_norm,
  recurrent_out,
  mlp_up,
  mlp_down,
  mlp_post_norm,
  mlp_residual,
  beside_qkv,
  beside_out,
  beside_mlp_up,
  beside_mlp_down,
  parallel_in,
  parallel_out,
  own_qkv,
  own_out,
  cross_out,
  router,
  router_softmax,
  latent_down,
  latent_up,
  permute,
  expert_up,
  expert_activation,
  expert_down,
  unpermute,
  shared_up,
  shared_activation,
  shared_down,
  shared_gate,
  mtp_norm,
  mtp_projection,
  final_norm,
  head,
  pooler,
  pairs,
  loss,
  adapter_input,
  adapter_down,
  adapter_up,
  adapter_sum,
  adapter_norm,
  adapter_base,
  patch_embedding,
  projector_norm,
  projector,
  projector_activation,
  modulation,
  modulate,
  sample_embedding,
  text_embedding,
  learned_numbers,
  token_output,
  text_output,
  sample_output,
  convolution_in,
  convolution_out,
  beside_norm,
  beside_qk_norm,
  beside_residual,
  beside_mlp_norm,
  beside_mlp_activation,
  beside_mlp_residual,
  parallel_join,
  embedding_norm,
  embedding_dropout,
  input_norm,
  rope,
  head_copies,
  attention_softmax,
  attention_dropout,
  mlp_norm,
  mlp_activation,
  token_types,
  frozen_encoders,
  convolution,
  sample_projection,
  group_norm,
  level_activation,
  skip_join,
  level_sum,
  relative_positions,
  relative_scores,
  convolution_norm,
  convolution_gate,
  depthwise_convolution,
  convolution_activation,
  convolution_residual,
  layer_norm,
};
// Names up to this one may exchange something.
inline constexpr std::size_t kExchangingOps = static_cast<std::size_t>(OpName::loss) + 1;

constexpr EnumNames<OpName> names_of(OpName) {  // NOLINT(readability-function-size): a list
  return {"embedding",
          "position embedding",
          "qkv",
          "q down",
          "q latent norm",
          "q up",
          "kv down",
          "kv latent norm",
          "kv up",
          "qk norm",
          "index query",
          "index key",
          "index scores",
          "attention",
          "attention scores",
          "attention values",
          "attention gate up",
          "attention gate",
          "attention out",
          "attention post norm",
          "attention residual",
          "cross norm",
          "cross query",
          "cross keys",
          "recurrent in",
          "recurrent conv",
          "narrow down",
          "narrow up",
          "recurrence",
          "recurrent norm",
          "recurrent out",
          "mlp up",
          "mlp down",
          "mlp post norm",
          "mlp residual",
          "beside qkv",
          "beside out",
          "beside mlp up",
          "beside mlp down",
          "parallel in",
          "parallel out",
          "own qkv",
          "own out",
          "cross out",
          "router",
          "router softmax",
          "latent down",
          "latent up",
          "permute",
          "expert up",
          "expert activation",
          "expert down",
          "unpermute",
          "shared up",
          "shared activation",
          "shared down",
          "shared gate",
          "mtp norm",
          "mtp projection",
          "final norm",
          "head",
          "pooler",
          "pairs",
          "loss",
          "adapter input",
          "adapter down",
          "adapter up",
          "adapter sum",
          "adapter norm",
          "adapter base",
          "patch embedding",
          "projector norm",
          "projector",
          "projector activation",
          "modulation",
          "modulate",
          "sample embedding",
          "text embedding",
          "learned numbers",
          "token output",
          "text output",
          "sample output",
          "convolution in",
          "convolution out",
          "beside norm",
          "beside qk norm",
          "beside residual",
          "beside mlp norm",
          "beside mlp activation",
          "beside mlp residual",
          "parallel join",
          "embedding norm",
          "embedding dropout",
          "input norm",
          "rope",
          "head copies",
          "attention softmax",
          "attention dropout",
          "mlp norm",
          "mlp activation",
          "token types",
          "frozen encoders",
          "convolution",
          "sample projection",
          "group norm",
          "level activation",
          "skip join",
          "level sum",
          "relative positions",
          "relative scores",
          "convolution norm",
          "convolution gate",
          "depthwise convolution",
          "convolution activation",
          "convolution residual",
          "layer norm"};
}

// A tensor saved by forward for backward: rows × cols elements. It is not saved if a module of
// `dropped_by` is recomputed, nor under full recompute.
struct SavedTensor {
  Extent rows;
  Extent cols;
  double bytes_per_element = 0;
  ModuleMask dropped_by = 0;
};

// rows × columns × bytes an element on one rank. `enter` takes a size and its name into N, the
// number that is counted in.
template <class N, class Enter>
constexpr N bytes_in(const SavedTensor& t, const AxisDegrees& d, Enter enter) {
  return enter(static_cast<double>(local(t.rows, d)), "rows") *
         enter(static_cast<double>(local(t.cols, d)), "columns") *
         enter(t.bytes_per_element, "bytes an element");
}

constexpr Bytes bytes_of(const SavedTensor& t, const AxisDegrees& d) {
  return Bytes(bytes_in<double>(t, d, [](double n, const char*) { return n; }));
}

// Boundaries at which the ranks of a split model communicate. rows × cols is the activation, as
// one member of the group holds it when gathered; `parallel/shard.h` turns it into collectives.
enum class BoundaryKind : std::uint8_t {
  enter_tensor,    // into a tensor-parallel region: gather (or nothing), reduce in backward
  leave_tensor,    // out of it: reduce, gather in backward
  leave_lookup,    // out of a vocabulary-parallel table: reduce; nothing in backward
  loss_reduce,     // vocabulary-parallel loss: three reductions of one number a token
  context_keys,    // attention over a sequence split by cp: keys and values travel
  context_heads,   // also sent if cp is all-to-all: queries and the output
  context_states,  // a recurrence split by cp: heads for tokens by all-to-all, whatever cp_type
  dispatch,        // tokens to their experts
  combine,         // and back
  gather_samples,  // features of all replicas' samples; their gradients are summed on the way back
  gather_samples_alone,  // without gradients
  sum_over_replicas,     // of cols numbers, rows.units times, forward alone
};

struct Boundary {
  BoundaryKind kind = BoundaryKind::enter_tensor;
  Extent rows;
  Extent cols;
  double bytes_per_element = 0;  // of the activation, and of its gradient on the way back
};

// The rule for the precision of an operator's computation.
enum class PrecisionRole : std::uint8_t {
  linear,  // the run's precision; only these may be fp8 or fp4
  wide,    // 16-bit (or fp32) in every run: attention, router, head
};

enum class ParameterClass : std::uint8_t { dense, expert };

// Use of an operator's parameters: packed ones are stored in a form that no product reads, averaged
// ones are a moving average of others and no part of the model (held as training.ema).
enum class WeightUse : std::uint8_t { trained, frozen, packed, averaged };

enum class Backward : std::uint8_t {
  whole,
  input,  // of its input alone
  none,   // nothing flows back through it
  never,  // nothing before it trains: no pass runs backward here
};

inline constexpr std::size_t kMaxSaved = 5;
inline constexpr std::size_t kMaxBoundaries = 2;
inline constexpr std::size_t kMaxOperators = 192;

struct Operator {
  OpName name = OpName::embedding;
  OpKind kind = OpKind::pointwise;
  PrecisionRole role = PrecisionRole::wide;
  ParameterClass parameter_class = ParameterClass::dense;
  ModuleMask recomputed_by = 0;  // its forward runs again if one of these modules is recomputed
  double alternate_share = 1;    // the share that runs again, if only alternate_products is
  // A convolution: its inner size is so many times the width of what it reads.
  std::uint8_t taps = 1;
  bool has_weight = false;  // inner × (cols + cols2) of each group are parameters
  bool tied = false;        // shares another operator's weight: no parameters of its own
  WeightUse weight = WeightUse::trained;
  Backward backward = Backward::whole;
  bool reads_input_again = true;  // in backward, for the gradient of a weight

  // Sizes; OpKind documents what they mean. cols2 of a product: further columns with a divisor of
  // their own (keys and values beside queries); of attention: the width of a value head.
  Extent rows;
  Extent cols;
  Extent cols2{0, 0, Axis::whole};
  Extent inner;
  Extent groups;

  // Attention, as fractions of all query-key pairs: what the kernel computes (a fused one skips
  // masked ones), the pairs that the mask keeps, and those of the Megatron convention (a causal
  // mask is not subtracted, a window is). A recurrence: products of tokens and states, computed and
  // reported.
  double pairs = 1.0;
  double masked_pairs = 1.0;
  double megatron_pairs = 1.0;

  // pointwise and lookup: bytes read and written per element of rows × cols; a recurrence: of
  // groups × rows × cols.
  double forward_bytes = 0;
  double backward_bytes = 0;
  Kernels kernels{};  // launched for it, whatever the stack; none: as the stack's profile says

  // Parameters besides the weight matrix: `vectors` biases or norms, of cols + cols2 elements each
  // (a group), or of `vector_extent` where that has units.
  std::int64_t vectors = 0;
  Extent vector_extent{0, 0, Axis::whole};

  std::uint8_t saved_count = 0;
  std::uint8_t boundary_count = 0;
  std::array<SavedTensor, kMaxSaved> saved{};
  std::array<Boundary, kMaxBoundaries> boundaries{};
};

enum class BlockKind : std::uint8_t { embedding, layer, head, mtp };

// One distinct block: its operators in forward order.
struct Block {
  BlockKind kind = BlockKind::layer;
  std::uint8_t count = 0;
  RawArray<Operator, kMaxOperators> operators;  // in which the first `count` stand
  SavedTensor input;                            // the only saved tensor under full recompute
  // Parts that full recompute runs one after the other, as many as the largest of them would make.
  double pieces = 1;
};

// A block without a backward pass is frozen, and all below it is.
constexpr bool runs_backward(const Block& block) {
  return block.count > 0 && block.operators[block.count - 1U].backward != Backward::never;
}

// Inputs of the list besides the architecture: also the frameworks' choices that change which
// tensors exist, but nothing about time.
struct ListOptions {
  std::int64_t sequence = 0;     // s
  std::int64_t micro_batch = 1;  // b
  Precision precision = Precision::bf16;
  bool fused_attention = true;  // FlashAttention or the like; else scores are materialised
  CrossEntropy cross_entropy = CrossEntropy::unfused;
  ChainMask unfused = 0;               // chains that run operator by operator
  bool keeps_gathered_inputs = false;  // of split products, under sequence parallelism
  bool keeps_wide_inputs = false;      // of products in 8 or 4 bits, before quantisation
  bool keeps_context = true;           // attention's output, where core_attn runs again
  double gate_bytes = 0;              // of an input of an activation function, kept; 0: as computed
  double attention_output_bytes = 0;  // of one element, kept once; 0: as computed, and quantised
  std::int64_t pair_samples = 0;      // of a rank and step, whose features meet all; 0: micro_batch
  double expert_load = 1;             // of the fullest rank, over the mean
  SequenceLengths lengths;            // of packed documents
  double document_load = 1;           // attention of the slowest rank, over the mean
  double context_share = 1;           // keys and values that travel under dynamic_cp, over all
  std::int64_t vocabulary_multiple = 1;  // the vocabulary is padded to a multiple of this
  std::optional<Adapter> adapter;        // nothing: all weights train
};

// The model as run-length blocks: `layers[layer_type(a, i)]` is layer i's; unused types are empty.
struct ModelOperators {
  Block embedding;
  std::array<Block, kMaxLayerTypes> layers;
  Block head;
  Block mtp;         // count == 0: none
  Block tower;       // a layer of the encoder of images; likewise
  Block tower_ends;  // what stands before and after its layers
};

ModelOperators model_operators(const Architecture& a, const ListOptions& options);

// The same into an existing list, for repeated estimates: unused entries are not cleared.
void model_operators(const Architecture& a, const ListOptions& options, ModelOperators& model);

std::int64_t padded_vocabulary(const Architecture& a, std::int64_t multiple);

// --- one operator on one rank: the fullest, where an axis does not divide evenly

struct OperatorSizes {
  std::int64_t rows = 0;
  std::int64_t cols = 0;  // of a product: all its columns
  std::int64_t inner = 0;
  std::int64_t groups = 1;
  std::int64_t value_width = 0;  // attention: of a value head
};

constexpr OperatorSizes sizes_of(const Operator& op, const AxisDegrees& d) {
  OperatorSizes s{local(op.rows, d), local(op.cols, d), local(op.inner, d), local(op.groups, d), 0};
  (kOpFacts[op.kind].attention ? s.value_width : s.cols) += local(op.cols2, d);
  return s;
}

// groups × (rows × columns of the matrix + vectors), `sizes` of the operator at these degrees. A
// tied weight is counted too: whether the rank holds a copy of it the caller knows. `enter` takes a
// size and its name into N, the number that is counted in.
template <class N, class Enter>
constexpr N parameters_in(const Operator& op, const OperatorSizes& sizes, const AxisDegrees& d,
                          Enter enter) {
  N sum{};
  if (op.has_weight) {
    sum = enter(sizes.inner, "rows of the weight") * enter(sizes.cols, "columns of the weight");
  }
  if (op.vectors > 0) {
    const bool own = op.vector_extent.units > 0;
    sum = sum + enter(op.vectors, "biases and norms") *
                    enter(own ? local(op.vector_extent, d) : sizes.cols, "their width");
  }
  if (!kOpFacts[op.kind].grouped) return sum;
  return enter(sizes.groups, "experts of this rank") * sum;
}

constexpr std::int64_t parameters(const Operator& op, const OperatorSizes& sizes,
                                  const AxisDegrees& d) {
  return parameters_in<std::int64_t>(op, sizes, d, [](std::int64_t n, const char*) { return n; });
}

// FLOPs of a forward: 2mnk of every product, and for attention the `pairs` of query and key that
// count.
Flops forward_flops(OpKind kind, const OperatorSizes& sizes, double pairs);

// --- totals of the unsharded list, exact integers

struct ParameterCount {
  std::int64_t total = 0;   // without multi-token prediction
  std::int64_t active = 0;  // the part of `total` that one token uses (top-k of the experts)
  std::int64_t mtp = 0;
  std::int64_t active_mtp = 0;  // of `mtp`, as `active` is of `total`
  std::int64_t tower = 0;       // the encoder of images with its projector, not in `total`
  std::int64_t embedding = 0;   // word and position tables and, if not tied, the head
};

ParameterCount parameter_count(const Architecture& a, std::int64_t sequence);

// Parameters of a model with an adapter that one token uses, by the passes that they take part in.
// The encoder of images is left out. Tables of embeddings count with the layers that read them.
struct PassedParameters {
  std::int64_t forward = 0;
  std::int64_t backward = 0;  // those through which a gradient flows
  std::int64_t trained = 0;   // those that have a gradient of their own
};

PassedParameters passed_parameters(const Architecture& a, std::int64_t sequence,
                                   const Adapter& adapter);

// Parameters that train beside a frozen model.
std::int64_t trained_parameters(const Architecture& a, std::int64_t sequence,
                                const Adapter& adapter);

}  // namespace orrery
