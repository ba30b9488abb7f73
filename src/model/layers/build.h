// SPDX-License-Identifier: Apache-2.0
//
// The parts a block is built from, in forward order. Internal to the model module.
//
// Each append_* adds the operators of one part of a layer for one micro batch of b sequences of s
// tokens. `e` below is the size of an element as activations are stored, `w` as the input of a
// linear layer is kept (smaller where the products run in 8 or 4 bits).
#pragma once

#include "model/operators.h"

namespace orrery {

// The modules whose recomputation runs a norm again, so that its output is not saved.
inline constexpr ModuleMask kNorms = mask_of(Module::layernorm, Module::alternate_products);

struct BuildContext {
  const Architecture& arch;
  const ListOptions& options;

  std::int64_t s() const { return options.sequence; }
  std::int64_t b() const { return options.micro_batch; }
  double e() const { return element_bytes(storage_precision(options.precision)); }
  double w() const { return options.keeps_wide_inputs ? e() : element_bytes(options.precision); }

  double gate() const { return options.gate_bytes > 0 ? options.gate_bytes : e(); }

  bool unfused(Chain chain) const { return (options.unfused & mask_of(chain)) != 0; }

  // Tokens inside a tensor-parallel region, and where sequence parallelism splits them further.
  Extent tokens() const { return {s(), b(), Axis::context}; }
  Extent sequence_tokens() const { return {s(), b(), Axis::sequence}; }
  // How the input of a split product is saved for its weight gradient.
  Extent input_tokens() const {
    return options.keeps_gathered_inputs ? tokens() : sequence_tokens();
  }
  Extent hidden() const { return {arch.hidden, 1, Axis::whole}; }

  // A norm stands before a part of a layer, so that it can be run again for the part's input.
  bool norms_inputs() const { return arch.norm_placement != NormPlacement::post; }
  ModuleMask input_dropped() const { return norms_inputs() ? kNorms : ModuleMask{0}; }

  // PyTorch's checkpoint keeps what a recomputed part returns.
  ModuleMask context_dropped() const {
    return options.keeps_context ? ModuleMask{0} : mask_of(Module::core_attn);
  }
};

// Adds an operator and returns it for filling in.
Operator& append(Block& block, OpName name, OpKind kind, Extent rows, Extent cols);
void save(Operator& op, Extent rows, Extent cols, double bytes, ModuleMask dropped_by = 0);
void cross(Operator& op, BoundaryKind kind, Extent rows, Extent cols, double bytes);

// The operator runs as a chain of kernels over rows × cols, which keeps more than a fused one.
void run_chain(Operator& op, const ChainCost& cost, Extent rows, Extent cols,
               ModuleMask dropped_by);

// A linear layer rows×inner · inner×cols in the run's precision.
Operator& append_linear(Block& block, OpName name, Extent rows, Extent inner, Extent cols);

// The operators so far have the weights of an earlier layer, and no parameters of their own.
void share_weights(Block& block);

// A norm over `cols` of every row; saves its input unless it is saved already.
Operator& append_norm(Block& block, const BuildContext& c, OpName name, Extent rows, Extent cols,
                      bool keep_input);

// Bias, dropout and addition to the residual stream.
void append_residual(Block& block, const BuildContext& c, OpName name);

// The norm before a part of a layer, where the model has it.
void append_input_norm(Block& block, const BuildContext& c, OpName name, bool keep_input);

// The end of a part: the norm of its output, if the model has it, and the residual.
void append_branch_end(Block& block, const BuildContext& c, OpName norm, OpName residual);

// The share of all pairs that a causal mask keeps, within packed documents.
double causal_pairs(const BuildContext& c);
void append_attention(Block& block, const BuildContext& c, Mixer mixer);
// `again`: its weights are an earlier layer's.
void append_shared_block(Block& block, const BuildContext& c, bool again);

// Attention of c's heads over all of its tokens, by the framework's kernels, without projections.
void append_core(Block& block, const BuildContext& c, Mixer mixer, ModuleMask qkv_dropped);
// Rotary positions of queries and keys, where the model has them; the norms of both.
void append_rope(Block& block, const BuildContext& c);
void append_qk_norm(Block& block, const BuildContext& c, Mixer mixer);
// The loss over a vocabulary's logits.
void append_loss(Block& block, const BuildContext& c);
// All blocks of a model that is no text decoder.
void append_trunk(ModelOperators& model, const BuildContext& c);
void append_recurrent(Block& block, const BuildContext& c, Mixer mixer);
void append_latent_projections(Block& block, const BuildContext& c);
void append_indexer(Block& block, const BuildContext& c, Mixer mixer);
void append_mlp(Block& block, const BuildContext& c);
void append_moe(Block& block, const BuildContext& c);
void append_layer(Block& block, const BuildContext& c, LayerKind kind);

void append_embedding(Block& block, const BuildContext& c);
void append_mtp(Block& block, const BuildContext& c);
void append_tower(ModelOperators& model, const BuildContext& c);

// Freezes all that the adapter does not train, and adds its products.
void freeze(ModelOperators& model, const BuildContext& c, const Adapter& asked);

// The final norm, the logits and the loss; `shared_weight`: the table is held elsewhere.
void append_head(Block& block, const BuildContext& c, bool shared_weight);

}  // namespace orrery
