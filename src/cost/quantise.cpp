// SPDX-License-Identifier: Apache-2.0
#include "cost/quantise.h"

#include "cost/memory_time.h"
#include "parallel/shard.h"

namespace orrery {
namespace {

template <Number R>
SecondsOf<R> quantise_time(std::int64_t rows, std::int64_t cols, const Device& d,
                           Precision linear) {
  const double moved = element_bytes(storage_precision(linear)) + 2 * element_bytes(linear);
  const R n = count<R>(rows, {"rows"}) * count<R>(cols, {"columns"});
  const BytesOf<R> bytes(n * lift<R>(moved, {"bytes to quantise an element"}));
  return named(memory_time<R>(bytes, d), {"quantising an operand"});
}

}  // namespace

bool is_quantised(const ShardedOperator& op, Precision linear) {
  return kOpFacts[op.kind].product && op.role == PrecisionRole::linear &&
         storage_precision(linear) != linear;
}

template <Number R>
void add_quantising(const ShardedOperator& op, const Device& d, Precision linear,
                    OperatorTime<R>& t) {
  if (!is_quantised(op, linear)) return;
  t.forward += quantise_time<R>(op.rows, op.inner, d, linear);
  t.backward_input += quantise_time<R>(op.rows, op.cols, d, linear);
}

template <Number R>
void add_unpacking(const ShardedOperator& op, const Device& d, const KernelChoice& k,
                   OperatorTime<R>& t) {
  if (op.weight != WeightUse::packed || op.parameters == 0) return;
  const BytesOf<R> bytes(count<R>(op.parameters, {"packed weights"}) *
                         lift<R>(op.stored_bytes + kUnpackedBytes, {"bytes to unpack a weight"}) *
                         lift<R>(k.unpacking_passes, {"framework.kernels.unpacking_passes"}));
  const SecondsOf<R> time = named(memory_time<R>(bytes, d), {"unpacking weights"});
  t.forward += time;
  if (op.backward != Backward::never) t.backward_input += time;
}

template void add_unpacking(const ShardedOperator&, const Device&, const KernelChoice&,
                            OperatorTime<double>&);
template void add_unpacking(const ShardedOperator&, const Device&, const KernelChoice&,
                            OperatorTime<Traced>&);
template void add_quantising(const ShardedOperator&, const Device&, Precision,
                             OperatorTime<double>&);
template void add_quantising(const ShardedOperator&, const Device&, Precision,
                             OperatorTime<Traced>&);

}  // namespace orrery
