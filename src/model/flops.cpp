// SPDX-License-Identifier: Apache-2.0
#include "model/flops.h"

#include <algorithm>
#include <array>

#include "model/listed_operators.h"
#include "model/operators.h"

namespace orrery {
namespace {

// Passes of an operator in a step: forward, the gradients of its input and of its weight.
constexpr EnumArray<Backward, double> kPasses = {3, 2, 1, 1};

Flops block_flops(const Block& block, bool causal, bool every_pass) {
  Flops sum{};
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const Operator& op = block.operators[i];
    if (op.name == OpName::adapter_base) continue;  // a frozen product once more
    if (op.name == OpName::frozen_encoders) continue;
    const double pairs = causal ? op.masked_pairs : op.megatron_pairs;
    const Flops forward = forward_flops(op.kind, sizes_of(op, AxisDegrees{}), pairs);
    sum += every_pass ? forward * kPasses[op.backward] : forward;
  }
  return sum;
}

// True where not every operator runs forward and twice that backward: beside an adapter, and where
// a teacher runs forward alone.
bool counts_passes(const Architecture& a, const CountedStep& step) {
  return step.adapter != nullptr || a.trunk.distillation.global_crops > 0;
}

// Forward of one sequence, or where passes are counted all of them.
Flops sequence_flops(const Architecture& padded, const CountedStep& step, bool causal) {
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
  std::array<Flops, kMaxLayerTypes> of_type{};
  for (std::size_t t = 0; t < kMaxLayerTypes; ++t) {
    of_type[t] = block_flops(model.layers[t], causal, every_pass);
  }
  Flops sum = block_flops(model.head, causal, every_pass);
  if (a.trunk.kinds > 0) sum += block_flops(model.embedding, causal, every_pass);
  for (std::int64_t i = 0; i < a.layers; ++i) sum += of_type[layer_type(a, i)];
  sum += static_cast<double>(a.mtp_layers) * block_flops(model.mtp, causal, every_pass);
  sum += static_cast<double>(a.tower.layers) * block_flops(model.tower, causal, every_pass);
  sum += block_flops(model.tower_ends, causal, every_pass);
  return sum;
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
Flops products_of(const Block& block) {
  Flops sum{};
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const Operator& op = block.operators[i];
    if (kOpFacts[op.kind].attention || op.name == OpName::frozen_encoders) continue;
    sum += forward_flops(op.kind, sizes_of(op, AxisDegrees{}), 1) * kPasses[op.backward];
  }
  return sum;
}

// Weights meet tokens, samples or text: 6N is over what each meets, PaLM's has attention besides.
Flops trunk_flops(const Architecture& given, FlopsConvention convention, const CountedStep& step) {
  Architecture a = given;
  a.trunk.repeats_pairs = false;
  const double sequences = static_cast<double>(step.global_batch);
  if (convention == FlopsConvention::palm) {
    const double passes = counts_passes(a, step) ? 1 : 3;
    return sequence_flops(a, step, true) * (passes * sequences);
  }
  ListOptions options;
  options.sequence = step.sequence;
  if (step.adapter != nullptr) options.adapter = *step.adapter;
  const ModelOperators& model = listed_operators(a, options);
  Flops sum = products_of(model.embedding) + products_of(model.head);
  for (std::int64_t i = 0; i < a.layers; ++i) sum += products_of(model.layers[layer_type(a, i)]);
  return sum * sequences;
}

// The work of samples of several sizes, each bucket by its share of the micro batches.
Flops bucket_flops(const Architecture& a, FlopsConvention convention, const CountedStep& step) {
  const Buckets& all = *step.buckets;
  Flops sum{};
  for (const Bucket& b : all.all()) {
    CountedStep one = step;
    one.buckets = nullptr;
    one.sequence = b.tokens;
    one.global_batch = 1;
    const double samples = b.micro_batch > 0 ? static_cast<double>(b.micro_batch) /
                                                   static_cast<double>(all.micro_batch)
                                             : 1;
    sum += model_flops(a, convention, one) * (b.share * samples);
  }
  return sum * static_cast<double>(step.global_batch);
}

}  // namespace

Flops forward_flops(const Architecture& a, std::int64_t sequence, bool causal) {
  return sequence_flops(a, {.sequence = sequence, .lengths = {}}, causal);
}

Flops model_flops(const Architecture& a, FlopsConvention convention, const CountedStep& step) {
  if (step.buckets != nullptr && step.buckets->count > 0) return bucket_flops(a, convention, step);
  const double sequences = static_cast<double>(step.global_batch);
  const double tokens = sequences * static_cast<double>(step.sequence);
  if (convention == FlopsConvention::megatron || convention == FlopsConvention::causal) {
    const bool causal = convention == FlopsConvention::causal;
    const double passes = counts_passes(a, step) ? 1 : 3;  // each is counted with its own
    return sequence_flops(a, step, causal) * (passes * sequences);
  }
  if (a.trunk.kinds > 0) return trunk_flops(a, convention, step);
  double of_a_token = per_token(a, step.sequence, step.adapter);
  if (convention == FlopsConvention::palm) {
    of_a_token += 4 * attention_passes(a, step.sequence, step.adapter) * attention_width(a) *
                  attended_tokens(step);
  }
  return Flops(of_a_token * tokens);
}

}  // namespace orrery
