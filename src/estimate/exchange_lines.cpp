// SPDX-License-Identifier: Apache-2.0
#include "estimate/exchange_lines.h"

#include "estimate/comm_lines.h"
#include "estimate/messages.h"
#include "estimate/workspace.h"

namespace orrery {
namespace {

using GroupRanks = EnumArray<ExchangeGroup, std::int64_t>;

GroupRanks ranks_of(const Placement& p) {
  return {p.tp.ranks, p.cp.ranks, p.ep.ranks, p.etp.ranks, p.dp.ranks};
}

template <Number R>
void add_table(const ExchangeTable<R>& table, const GroupRanks& ranks, std::int64_t times,
               AnswerOf<R>& answer) {
  const R n = R(static_cast<double>(times));
  for (const ExchangeGroup g : kAllOf<ExchangeGroup>) {
    if (ranks[g] <= 1) continue;
    for (const Collective k : kExchangeKinds) {
      const ExchangeSum<R>& e = table[g][k];
      if (e.count == 0) continue;
      add_line<R>(answer,
                  {dimension_of(g), k, e.algorithm, e.tier, ranks[g], e.count * times, e.bytes * n,
                   e.time * n, e.exposed * n, e.uncompressed * n, e.codec * n, e.sent * n});
    }
  }
}

// Blocks of the chunk that a micro batch takes through this pass.
template <Number R>
const BlockCounts& passes_of(const StageClass<R>& chunk, Phase p) {
  switch (p) {
    case Phase::forward:
    case Phase::backward:
      return chunk.blocks;
    case Phase::recompute_selective:
      return chunk.again.selective;
    case Phase::recompute_full:
      return chunk.again.full;
  }
  return chunk.blocks;
}

template <Number R>
void note_messages(const WorkspaceOf<R>& w, const StageClass<R>& chunk, std::int64_t m) {
  const GroupRanks ranks = ranks_of(w.prices.placement);
  for (const PricedExchange& e : *w.scratch.exchanges) {
    const std::int64_t times = passes_of(chunk, e.phase)[e.block] * m;
    const auto n = static_cast<double>(times);
    MessageClass all = e.each;
    all.line.ranks = ranks[e.group];
    all.line.count *= times;
    all.line.bytes = all.line.bytes * n;
    all.line.sent = all.line.sent * n;
    all.line.time = all.line.time * n;
    all.line.exposed = all.line.exposed * n;
    note(*w.messages, all);
  }
}

}  // namespace

template <Number R>
void add_exchange_lines(const WorkspaceOf<R>& w, const StageClass<R>& chunk, std::int64_t m,
                        AnswerOf<R>& answer) {
  const GroupRanks ranks = ranks_of(w.prices.placement);
  for (const BlockType b : kAllOf<BlockType>) {
    if (chunk.blocks[b] == 0) continue;
    const auto& tables = w.prices.blocks[b].exchanges;
    for (const Phase p :
         {Phase::forward, Phase::recompute_full, Phase::backward, Phase::recompute_selective}) {
      add_table<R>(tables[p], ranks, passes_of(chunk, p)[b] * m, answer);
    }
  }
  if (w.messages != nullptr) note_messages<R>(w, chunk, m);
}

template void add_exchange_lines(const WorkspaceOf<double>&, const StageClass<double>&,
                                 std::int64_t, AnswerOf<double>&);
template void add_exchange_lines(const WorkspaceOf<Traced>&, const StageClass<Traced>&,
                                 std::int64_t, AnswerOf<Traced>&);

}  // namespace orrery
