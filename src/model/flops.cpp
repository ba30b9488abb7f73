// SPDX-License-Identifier: Apache-2.0
#include "model/flops.h"

#include <algorithm>
#include <array>

#include "core/number.h"
#include "model/counted_flops.h"
#include "model/listed_operators.h"
#include "model/operators.h"

namespace orrery {
namespace {

// Passes of an operator in a step: forward, the gradients of its input and of its weight.
constexpr EnumArray<Backward, double> kPasses = {3, 2, 1, 1};

constexpr std::array<const char*, kMaxLayerTypes> kForwards = {
    "forward of a layer",
    "forward of a layer of the second kind",
    "forward of a layer of the third kind",
    "forward of a layer of the fourth kind",
    "forward of a layer of the fifth kind",
    "forward of a layer of the sixth kind",
    "forward of a layer of the seventh kind",
    "forward of a layer of the eighth kind"};

// FLOPs of a forward, or with `every_pass` of all passes that the operator has.
template <Number R>
FlopsOf<R> block_flops(const Block& block, bool causal, bool every_pass) {
  FlopsOf<R> sum{};
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const Operator& op = block.operators[i];
    if (op.name == OpName::adapter_base) continue;  // a frozen product once more
    if (op.name == OpName::frozen_encoders) continue;
    const double pairs = causal ? op.masked_pairs : op.megatron_pairs;
    const FlopsOf<R> forward =
        named(forward_flops_of<R>(op.kind, sizes_of(op, AxisDegrees{}), pairs),
              {name_of(op.name).data()});
    if (plain(forward) == Flops()) continue;
    sum += every_pass ? forward * lift<R>(kPasses[op.backward], {"passes"}) : forward;
  }
  return sum;
}

// True where not every operator runs forward and twice that backward: beside an adapter, and where
// a teacher runs forward alone.
bool counts_passes(const Architecture& a, const CountedStep& step) {
  return step.adapter != nullptr || a.trunk.distillation.global_crops > 0;
}

// Forward of one sequence, or where passes are counted all of them.
template <Number R>
FlopsOf<R> sequence_flops(const Architecture& padded, const CountedStep& step, bool causal) {
  Architecture a = padded;
  // A capacity above the mean pads, and padding is not counted; one below it drops tokens.
  a.moe.capacity_factor = std::min(1.0, a.moe.capacity_factor);
  a.trunk.repeats_pairs = false;  // others repeat what other ranks compute
  ListOptions options;
  options.sequence = step.sequence;
  options.lengths = step.lengths;
  if (step.adapter != nullptr) options.adapter = *step.adapter;
  const bool every_pass = counts_passes(a, step);
  const ModelOperators& model = listed_operators(a, options);
  const auto of = [&](const Block& block, const char* name) {
    return named(block_flops<R>(block, causal, every_pass), Label{name});
  };
  std::array<FlopsOf<R>, kMaxLayerTypes> of_type{};
  for (std::size_t t = 0; t < kMaxLayerTypes; ++t) of_type[t] = of(model.layers[t], kForwards[t]);
  FlopsOf<R> sum = of(model.head, "forward of the head");
  if (a.trunk.kinds > 0) sum += of(model.embedding, "forward of the embedding");
  for (std::int64_t i = 0; i < a.layers; ++i) sum += of_type[layer_type(a, i)];
  if (a.mtp_layers > 0) {
    sum += count<R>(a.mtp_layers, {"multi-token prediction modules"}) *
           of(model.mtp, "forward of a multi-token prediction module");
  }
  if (a.tower.layers > 0) {
    sum += count<R>(a.tower.layers, {"layers of the image encoder"}) *
           of(model.tower, "forward of a layer of the image encoder");
  }
  if (model.tower_ends.count > 0)
    sum += of(model.tower_ends, "forward of the image encoder's ends");
  return sum;
}

// Forward and backward of all sequences.
template <Number R>
R times(double passes, double sequences) {
  return lift<R>(passes, {"passes over a forward"}) * lift<R>(sequences, {"training.global_batch"});
}

// Head widths of queries and values of all heads and layers: L·a·d of PaLM's formula, mean of both.
double attention_width(const Architecture& a) {
  return static_cast<double>((layers_that(a, attends) + a.mtp_layers) * a.heads) *
         static_cast<double>(a.head_dim + value_head_dim(a)) / 2;
}

// The tower's parameters meet the patches; those of its projector are counted as if they did.
double tower_per_token(const Architecture& a, const ParameterCount& n, std::int64_t sequence) {
  const std::int64_t patches = a.tower.images * a.tower.image_tokens * a.tower.merge;
  return static_cast<double>(n.tower) * static_cast<double>(patches) /
         static_cast<double>(sequence);
}

// Tokens that one token meets where no mask hides any: those of its document.
double attended_tokens(const CountedStep& step) {
  const auto s = static_cast<double>(step.sequence);
  if (step.lengths.count == 0) return s;
  return s * packed_pairs(step.lengths, step.sequence, [](std::int64_t) { return 1.0; });
}

// Each weight is used once a token forward, once for the gradient of its input and once for its
// own. With an adapter, the encoder of images is frozen and runs forward alone.
double per_token(const Architecture& a, std::int64_t sequence, const Adapter* adapter) {
  const ParameterCount n = parameter_count(a, sequence);
  const double tower = a.tower.layers > 0 ? tower_per_token(a, n, sequence) : 0;
  if (adapter == nullptr) return 6 * (static_cast<double>(n.active + n.active_mtp) + tower);
  const PassedParameters p = passed_parameters(a, sequence, *adapter);
  return 2 * (static_cast<double>(p.forward + p.backward + p.trained) + tower);
}

// PaLM's attention: two products forward and four backward, these where layers run backward.
double attention_passes(const Architecture& a, std::int64_t sequence, const Adapter* adapter) {
  if (adapter == nullptr) return 3;
  ListOptions options;
  options.sequence = sequence;
  options.adapter = *adapter;
  return runs_backward(model_operators(a, options).layers[layer_type(a, 0)]) ? 3 : 1;
}

// All passes of a block's products.
template <Number R>
FlopsOf<R> products_of(const Block& block) {
  FlopsOf<R> sum{};
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const Operator& op = block.operators[i];
    if (kOpFacts[op.kind].attention || op.name == OpName::frozen_encoders) continue;
    sum += named(forward_flops_of<R>(op.kind, sizes_of(op, AxisDegrees{}), 1),
                 {name_of(op.name).data()}) *
           lift<R>(kPasses[op.backward], {"passes"});
  }
  return sum;
}

// Weights meet tokens, samples or text: 6N is over what each meets, PaLM's has attention besides.
template <Number R>
FlopsOf<R> trunk_flops(const Architecture& given, FlopsConvention convention,
                       const CountedStep& step) {
  Architecture a = given;
  a.trunk.repeats_pairs = false;
  const double sequences = static_cast<double>(step.global_batch);
  if (convention == FlopsConvention::palm) {
    const double passes = counts_passes(a, step) ? 1 : 3;
    return sequence_flops<R>(a, step, true) * times<R>(passes, sequences);
  }
  ListOptions options;
  options.sequence = step.sequence;
  if (step.adapter != nullptr) options.adapter = *step.adapter;
  const ModelOperators& model = listed_operators(a, options);
  FlopsOf<R> sum = products_of<R>(model.embedding) + products_of<R>(model.head);
  for (std::int64_t i = 0; i < a.layers; ++i) {
    sum += products_of<R>(model.layers[layer_type(a, i)]);
  }
  return sum * lift<R>(sequences, {"training.global_batch"});
}

// The work of samples of several sizes, each bucket by its share of the micro batches.
template <Number R>
FlopsOf<R> bucket_flops(const Architecture& a, FlopsConvention convention,
                        const CountedStep& step) {
  const Buckets& all = *step.buckets;
  FlopsOf<R> sum{};
  for (const Bucket& b : all.all()) {
    CountedStep one = step;
    one.buckets = nullptr;
    one.sequence = b.tokens;
    one.global_batch = 1;
    const double samples = b.micro_batch > 0 ? static_cast<double>(b.micro_batch) /
                                                   static_cast<double>(all.micro_batch)
                                             : 1;
    sum += model_flops_of<R>(a, convention, one) *
           lift<R>(b.share * samples, {"share of the bucket in a sample"});
  }
  return sum * count<R>(step.global_batch, {"training.global_batch"});
}

}  // namespace

Flops forward_flops(const Architecture& a, std::int64_t sequence, bool causal) {
  return sequence_flops<double>(a, {.sequence = sequence, .lengths = {}}, causal);
}

template <Number R>
FlopsOf<R> model_flops_of(const Architecture& a, FlopsConvention convention,
                          const CountedStep& step) {
  if (step.buckets != nullptr && step.buckets->count > 0) {
    return bucket_flops<R>(a, convention, step);
  }
  const double sequences = static_cast<double>(step.global_batch);
  const double tokens = sequences * static_cast<double>(step.sequence);
  if (convention == FlopsConvention::megatron || convention == FlopsConvention::causal) {
    const bool causal = convention == FlopsConvention::causal;
    const double passes = counts_passes(a, step) ? 1 : 3;  // each is counted with its own
    return sequence_flops<R>(a, step, causal) * times<R>(passes, sequences);
  }
  if (a.trunk.kinds > 0) return trunk_flops<R>(a, convention, step);
  double of_a_token = per_token(a, step.sequence, step.adapter);
  if (convention == FlopsConvention::palm) {
    of_a_token += 4 * attention_passes(a, step.sequence, step.adapter) * attention_width(a) *
                  attended_tokens(step);
  }
  return FlopsOf<R>(lift<R>(of_a_token, {"FLOPs of a token by the convention"}) *
                    lift<R>(tokens, {"tokens of a step"}));
}

template FlopsOf<double> model_flops_of(const Architecture&, FlopsConvention, const CountedStep&);
template FlopsOf<Traced> model_flops_of(const Architecture&, FlopsConvention, const CountedStep&);

Flops model_flops(const Architecture& a, FlopsConvention convention, const CountedStep& step) {
  return model_flops_of<double>(a, convention, step);
}

}  // namespace orrery
