// SPDX-License-Identifier: Apache-2.0
#include "model/operators.h"

#include "core/divide.h"
#include "model/counted_flops.h"
#include "model/layers/build.h"
#include "model/listed_operators.h"

namespace orrery {
namespace {

// In the whole model, where a tied weight counts once. Encoders beside it are no part of it.
std::int64_t parameters(const Operator& op) {
  if (op.name == OpName::frozen_encoders) return 0;
  const AxisDegrees whole;
  const OperatorSizes s = sizes_of(op, whole);
  return parameters(op, s, whole) - (op.has_weight && op.tied ? s.inner * s.cols : 0);
}

// Parameters of a block that a token does not use: those of other experts.
std::int64_t idle_parameters(const Block& block, const MixtureOfExperts& moe) {
  std::int64_t expert = 0;
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const Operator& op = block.operators[i];
    if (op.parameter_class == ParameterClass::expert) expert += parameters(op);
  }
  return moe.experts == 0 ? 0 : expert / moe.experts * (moe.experts - moe.top_k);
}

// Parameters of an operator that a token uses: of experts, those that it reaches.
std::int64_t active_parameters(const Operator& op, const MixtureOfExperts& moe) {
  if (op.parameter_class == ParameterClass::dense || moe.experts == 0) return parameters(op);
  return parameters(op) / moe.experts * moe.top_k;
}

// `passed`: all of the block counts as if a gradient flowed through it.
void add_passed(PassedParameters& sum, const Block& block, const MixtureOfExperts& moe,
                std::int64_t times, bool passed) {
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const Operator& op = block.operators[i];
    const std::int64_t n = times * active_parameters(op, moe);
    sum.forward += n;
    if (passed || op.backward != Backward::never) sum.backward += n;
    if (op.weight == WeightUse::trained) sum.trained += n;
  }
}

std::int64_t trained(const Block& block) {
  std::int64_t sum = 0;
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const Operator& op = block.operators[i];
    if (op.weight == WeightUse::trained) sum += parameters(op);
  }
  return sum;
}

std::array<std::int64_t, kMaxLayerTypes> layers_by_type(const Architecture& a) {
  std::array<std::int64_t, kMaxLayerTypes> n{};
  for (std::int64_t i = 0; i < a.layers; ++i) ++n[layer_type(a, i)];
  return n;
}

std::int64_t parameters(const Block& block) {
  std::int64_t sum = 0;
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const Operator& op = block.operators[i];
    if (op.weight != WeightUse::averaged) sum += parameters(op);
  }
  return sum;
}

}  // namespace

std::int64_t padded_vocabulary(const Architecture& a, std::int64_t multiple) {
  return rounded_up(a.vocab, multiple);
}

void model_operators(const Architecture& a, const ListOptions& options, ModelOperators& model) {
  const BuildContext c{a, options};
  for (Block* block : {&model.embedding, &model.head, &model.mtp, &model.tower, &model.tower_ends})
    block->count = 0;
  for (Block& block : model.layers) block.count = 0;
  if (a.trunk.kinds > 0) {
    append_trunk(model, c);
    if (options.adapter) freeze(model, c, *options.adapter);
    return;
  }
  append_embedding(model.embedding, c);
  for (std::int64_t i = 0; i < a.layers; ++i) {
    Block& block = model.layers[layer_type(a, i)];
    if (block.count == 0) append_layer(block, c, layer_kind(a, layer_type(a, i)));
  }
  append_head(model.head, c, a.tie_word_embeddings);
  append_mtp(model.mtp, c);
  append_tower(model, c);
  if (options.adapter) freeze(model, c, *options.adapter);
}

ModelOperators model_operators(const Architecture& a, const ListOptions& options) {
  ModelOperators model;
  model_operators(a, options, model);
  return model;
}

template <Number R>
FlopsOf<R> forward_flops_of(OpKind kind, const OperatorSizes& s, double pairs) {
  const auto attention = [&](std::int64_t width) {
    return FlopsOf<R>(R(2.0) * count<R>(s.groups, {"heads of all sequences"}) *
                      count<R>(s.rows, {"queries"}) * count<R>(s.cols, {"keys"}) *
                      count<R>(width, {"width of a head"}) *
                      lift<R>(pairs, {"fraction of pairs counted"}));
  };
  switch (kind) {
    case OpKind::product:
    case OpKind::grouped_product:  // rows are those of all groups together
      return FlopsOf<R>(R(2.0) * count<R>(s.rows, {"rows"}) * count<R>(s.cols, {"columns"}) *
                        count<R>(s.inner, {"columns of its input"}));
    case OpKind::fused_attention:
      return attention(s.inner + s.value_width);
    case OpKind::scores:
      return attention(s.inner);
    case OpKind::values:
      return attention(s.value_width);
    case OpKind::recurrence:
      return attention(s.inner);
    case OpKind::pointwise:
    case OpKind::lookup:
      return {};
  }
  return {};
}

template FlopsOf<double> forward_flops_of(OpKind, const OperatorSizes&, double);
template FlopsOf<Traced> forward_flops_of(OpKind, const OperatorSizes&, double);

Flops forward_flops(OpKind kind, const OperatorSizes& sizes, double pairs) {
  return forward_flops_of<double>(kind, sizes, pairs);
}

static const ModelOperators& adapted_operators(const Architecture& a, std::int64_t sequence,
                                               const Adapter& adapter) {
  ListOptions options;
  options.sequence = sequence;
  options.adapter = adapter;
  return listed_operators(a, options);
}

std::int64_t trained_parameters(const Architecture& a, std::int64_t sequence,
                                const Adapter& adapter) {
  const ModelOperators& model = adapted_operators(a, sequence, adapter);
  const std::array<std::int64_t, kMaxLayerTypes> layers = layers_by_type(a);
  std::int64_t sum = trained(model.embedding) + trained(model.head);
  for (std::size_t t = 0; t < kMaxLayerTypes; ++t) sum += layers[t] * trained(model.layers[t]);
  return sum + a.mtp_layers * trained(model.mtp);
}

PassedParameters passed_parameters(const Architecture& a, std::int64_t sequence,
                                   const Adapter& adapter) {
  const ModelOperators& model = adapted_operators(a, sequence, adapter);
  const std::array<std::int64_t, kMaxLayerTypes> layers = layers_by_type(a);
  PassedParameters sum;
  add_passed(sum, model.embedding, a.moe, 1, runs_backward(model.layers[layer_type(a, 0)]));
  for (std::size_t t = 0; t < kMaxLayerTypes; ++t) {
    add_passed(sum, model.layers[t], a.moe, layers[t], false);
  }
  add_passed(sum, model.head, a.moe, 1, false);
  add_passed(sum, model.mtp, a.moe, a.mtp_layers, false);
  return sum;
}

ParameterCount parameter_count(const Architecture& a, std::int64_t sequence) {
  ListOptions options;
  options.sequence = sequence;
  const ModelOperators& model = listed_operators(a, options);
  ParameterCount n;
  n.embedding = parameters(model.embedding);
  n.total = n.embedding + parameters(model.head);
  std::int64_t idle = 0;
  const std::array<std::int64_t, kMaxLayerTypes> layers = layers_by_type(a);
  for (std::size_t t = 0; t < kMaxLayerTypes; ++t) {
    n.total += layers[t] * parameters(model.layers[t]);
    idle += layers[t] * idle_parameters(model.layers[t], a.moe);
  }
  n.active = n.total - idle;
  n.mtp = a.mtp_layers * parameters(model.mtp);
  n.active_mtp = n.mtp - a.mtp_layers * idle_parameters(model.mtp, a.moe);
  n.tower = parameters(model.tower_ends) + a.tower.layers * parameters(model.tower);
  if (a.trunk.kinds == 0 && !a.tie_word_embeddings && a.output == ModelOutput::vocabulary) {
    n.embedding += a.vocab * a.hidden;
  }
  return n;
}

}  // namespace orrery
