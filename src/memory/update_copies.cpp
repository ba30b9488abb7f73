// SPDX-License-Identifier: Apache-2.0
#include "memory/update_copies.h"

#include "core/precision.h"
#include "memory/recipe.h"
#include "memory/states.h"
#include "parallel/framework.h"
#include "parallel/strategy.h"

namespace orrery {
namespace {

constexpr std::int64_t kShardsWeights = 3;

// Gradients in fp32 need no cast, nor do those that a wider sum has replaced.
bool casts(const Framework& f, const StateRecipe& recipe) {
  return f.update.fp32_gradients && recipe.gradients <= recipe.weights &&
         recipe.gradients < element_bytes(Precision::fp32);
}

// The parameters of this rank that are updated at once.
template <Number R>
R updated_at_once(const Framework& f, std::int64_t zero, R updated) {
  if (zero < kShardsWeights || f.update.sub_group == 0) return updated;
  return smaller(updated,
                 lift<R>(static_cast<double>(f.update.sub_group), {"framework.update.sub_group"}));
}

// Lists of temporaries, each as large as one of Adam's two moments.
template <Number R>
BytesOf<R> moment_lists(const Framework& f, const StateRecipe& recipe, R updated) {
  return BytesOf<R>(updated * lift<R>(recipe.moments / 2, {"bytes of a moment"}) *
                    lift<R>(f.update.moment_lists, {"framework.update.moment_lists"}));
}

}  // namespace

template <Number R>
BytesOf<R> update_copies(const Strategy& s, const Framework& f, const StateRecipe& recipe,
                         const StateBytes<R>& b) {
  const std::int64_t zero = nearest_zero(s.partition);
  const R updated = updated_at_once<R>(f, zero, b.updated);
  const BytesOf<R> lists = moment_lists<R>(f, recipe, updated_at_once<R>(f, zero, b.listed));
  // ZeRO 2 flattens gradients in fp32 too; ZeRO 1 sums them in a flat buffer (bf16_optimizer.py).
  if (f.update.fp32_gradients && zero == 2 && recipe.gradients > recipe.weights) {
    return larger(b.updating, lists);
  }
  if (!casts(f, recipe)) return lists;
  const BytesOf<R> cast(updated *
                        lift<R>(element_bytes(Precision::fp32), {"bytes of an fp32 gradient"}));
  if (zero >= kShardsWeights) return cast + lists;
  return larger(b.updating + cast, cast + lists - b.updating);
}

template BytesOf<double> update_copies(const Strategy&, const Framework&, const StateRecipe&,
                                       const StateBytes<double>&);
template BytesOf<Traced> update_copies(const Strategy&, const Framework&, const StateRecipe&,
                                       const StateBytes<Traced>&);

}  // namespace orrery
