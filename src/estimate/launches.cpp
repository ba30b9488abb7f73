// SPDX-License-Identifier: Apache-2.0
#include "estimate/launches.h"

#include <array>
#include <optional>
#include <utility>

#include "estimate/run.h"

namespace orrery {
namespace {

constexpr EnumArray<OpKind, HostWork> kWorkOfKind = {
    HostWork::product,     HostWork::grouped_product, HostWork::attention,   HostWork::elementwise,
    HostWork::elementwise, HostWork::elementwise,     HostWork::elementwise, HostWork::lookup};

// Operators whose kind does not say what they launch.
constexpr auto kWorkByName = std::to_array<std::pair<OpName, HostWork>>({
    {OpName::embedding_norm, HostWork::norm},
    {OpName::input_norm, HostWork::norm},
    {OpName::q_norm_latent, HostWork::norm},
    {OpName::kv_norm_latent, HostWork::norm},
    {OpName::qk_norm, HostWork::norm},
    {OpName::attention_post_norm, HostWork::norm},
    {OpName::cross_norm, HostWork::norm},
    {OpName::recurrent_norm, HostWork::norm},
    {OpName::mlp_norm, HostWork::norm},
    {OpName::mlp_post_norm, HostWork::norm},
    {OpName::mtp_norm, HostWork::norm},
    {OpName::final_norm, HostWork::norm},
    {OpName::projector_norm, HostWork::norm},
    {OpName::rope, HostWork::rotary},
    {OpName::attention_residual, HostWork::residual},
    {OpName::mlp_activation, HostWork::activation},
    {OpName::mlp_residual, HostWork::residual},
    {OpName::router_softmax, HostWork::router},
    {OpName::permute, HostWork::permutation},
    {OpName::expert_activation, HostWork::activation},
    {OpName::unpermute, HostWork::permutation},
    {OpName::shared_activation, HostWork::activation},
    {OpName::projector_activation, HostWork::activation},
});

constexpr auto kWork = [] {
  EnumArray<OpName, std::optional<HostWork>> out;
  for (const auto& [name, work] : kWorkByName) out[name] = work;
  return out;
}();

HostWork work_of(const ShardedOperator& op) {
  return kWork[op.name].value_or(kWorkOfKind[op.kind]);
}

Launches row(const FrameworkHost& host, HostWork work) {
  return {host.forward[work], host.backward[work]};
}

bool is_adapted(const Run& run, AdapterTarget fused) {
  const auto& adapter = run.training.adapter;
  return adapter && adapts(*adapter, mask_of(fused));
}

// One bias a product, whose gradient is a sum over tokens.
bool has_bias(const ShardedOperator& op) {
  return op.has_weight && op.kind == OpKind::product && op.parameters > op.inner * op.cols;
}

Launches product_launches(const ShardedOperator& op, const Run& run) {
  const FrameworkHost& host = run.framework.host;
  const bool grouped = op.kind == OpKind::grouped_product;
  Launches one = row(host, grouped ? HostWork::grouped_product : HostWork::product);
  const bool narrow = element_bytes(run.training.precision) < 2;
  if (op.role == PrecisionRole::linear && narrow) one += row(host, HostWork::quantise);
  if (op.weight == WeightUse::packed) one += row(host, HostWork::unpack);
  if (op.backward == Backward::whole) {
    one.backward += host.backward[HostWork::weight_gradient];
    if (has_bias(op)) one += row(host, HostWork::bias);
  }
  if (grouped) {
    const Launches each = row(host, HostWork::expert);
    const auto experts = static_cast<double>(op.groups);
    one += {experts * each.forward, experts * each.backward};
  }
  const double n = products_of(op, run);
  return {n * one.forward, n * one.backward + (n - 1) * host.backward[HostWork::fork]};
}

}  // namespace

double products_of(const ShardedOperator& op, const Run& run) {
  const FrameworkHost& host = run.framework.host;
  const bool keys = op.name == OpName::qkv || op.name == OpName::recurrent_in;
  if (keys) return is_adapted(run, AdapterTarget::qkv) ? 1 : host.qkv_products;
  const bool up = op.name == OpName::mlp_up || op.name == OpName::shared_up;
  if (!up || !run.model.gated || is_adapted(run, AdapterTarget::gate_up)) return 1;
  return host.gate_up_products;
}

Launches launches_of(const ShardedOperator& op, const Run& run) {
  Launches l{static_cast<double>(op.kernels.forward), static_cast<double>(op.kernels.backward)};
  const bool listed = op.kernels.forward + op.kernels.backward > 0;
  if (!listed) {
    const bool product = op.kind == OpKind::product || op.kind == OpKind::grouped_product;
    l = product ? product_launches(op, run) : row(run.framework.host, work_of(op));
  }
  if (op.name == OpName::adapter_sum) l += row(run.framework.host, HostWork::adapter);
  const auto calls = static_cast<double>(op.ring);
  return {l.forward * calls, op.backward >= Backward::none ? 0 : l.backward * calls};
}

}  // namespace orrery
