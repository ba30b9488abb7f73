// SPDX-License-Identifier: Apache-2.0
//
// The indexer of sparse attention: a score for every pair of a query and an earlier key, from which
// the keys of a query are chosen (DeepSeek-V3.2, its report, section 2). Every rank of a
// tensor-parallel group computes all of it. With grouped queries it scores from the layer's input,
// and each of its heads chooses blocks of keys for one group (MiniMax-M3, huggingface/transformers,
// modular_minimax_m3_vl.py). Leaves out: the norm of its queries and keys but for their weights,
// the choice itself, the loss that trains it.
#include <algorithm>

#include "core/divide.h"
#include "model/layers/build.h"

namespace orrery {
namespace {

bool weighs_heads(const BuildContext& c) { return c.arch.attention == AttentionKind::kLatent; }

Extent width_of_queries(const BuildContext& c) {
  const bool compressed = weighs_heads(c) && c.arch.mla.q_lora_rank > 0;
  return {compressed ? c.arch.mla.q_lora_rank : c.arch.hidden, 1, Axis::whole};
}

// Two vectors of a head's width: weight and bias of the keys' norm, or, with grouped queries,
// weights of the norms of queries and of keys. Latent attention weighs its heads by the input.
void append_index_products(Block& block, const BuildContext& c) {
  const Indexer& x = c.arch.indexer;
  append_linear(block, OpName::index_query, c.sequence_tokens(), width_of_queries(c),
                {x.heads, x.head_dim, Axis::whole});
  Operator& key = append_linear(block, OpName::index_key, c.sequence_tokens(), c.hidden(),
                                {x.head_dim, 1, Axis::whole});
  if (weighs_heads(c)) key.cols2 = {x.heads, 1, Axis::whole};
  key.vectors = 2;
  key.vector_extent = {x.head_dim, 1, Axis::whole};
  save(key, c.sequence_tokens(), {x.head_dim, 1, Axis::whole}, c.e());
}

// Choices that a query keeps: one for all heads, or one for each group.
std::int64_t choices(const BuildContext& c) {
  const Indexer& x = c.arch.indexer;
  const std::int64_t each = divided_up(x.top_k, std::max<std::int64_t>(1, x.block));
  return weighs_heads(c) ? each : x.heads * each;
}

void append_index_scores(Block& block, const BuildContext& c) {
  const Indexer& x = c.arch.indexer;
  Operator& scores = append(block, OpName::index_scores, OpKind::fused_attention,
                            {c.s(), 1, Axis::context}, {c.s(), 1, Axis::whole});
  scores.groups = {x.heads, c.b(), Axis::whole};
  scores.inner = {x.head_dim, 1, Axis::whole};
  scores.masked_pairs = causal_pairs(c);
  scores.pairs = std::min(1.0, scores.masked_pairs * c.options.document_load);
  if (c.options.lengths.count > 0) scores.megatron_pairs = std::min(1.0, 2 * scores.masked_pairs);
  scores.kernels = {2, 3};
  save(scores, c.tokens(), {x.heads, x.head_dim, Axis::whole}, c.e());
  save(scores, c.tokens(), {choices(c), 1, Axis::whole}, 4);
}

}  // namespace

void append_indexer(Block& block, const BuildContext& c, Mixer mixer) {
  if (c.arch.indexer.heads == 0 || !has_indexer(mixer)) return;
  append_index_products(block, c);
  append_index_scores(block, c);
}

}  // namespace orrery
