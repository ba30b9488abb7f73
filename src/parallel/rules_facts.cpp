// SPDX-License-Identifier: Apache-2.0
#include "parallel/rules_facts.h"

#include <cstddef>
#include <numeric>
#include <string_view>

#include "core/units.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

std::string pair(std::string_view name, std::int64_t value) {
  return std::string(name) + " " + std::to_string(value);
}

std::string stage_layers_text(const Strategy& s) {
  const auto first = s.stage_layers.begin();
  const std::int64_t sum = std::accumulate(first, first + s.pp * s.vpp, std::int64_t{0});
  return pair("stage_layers of sum", sum);
}

std::string order_text(const Strategy& s) {
  std::string text;
  for (const Dim d : s.order) text += (text.empty() ? "" : "-") + std::string(name_of(d));
  return text;
}

std::string recompute_text(const Strategy& s) {
  std::string text = "recompute " + std::string(name_of(s.recompute));
  for (const Module m : kAllOf<Module>) {
    if ((recomputed_modules(s) & mask_of(m)) != 0) text += " " + std::string(name_of(m));
  }
  return text;
}

std::string tensors_text(TensorMask mask) {
  std::string text;
  for (const OffloadTensor t : kAllOf<OffloadTensor>) {
    if ((mask & mask_of(t)) != 0)
      text += (text.empty() ? ", tensors " : " ") + std::string(name_of(t));
  }
  return text;
}

std::string offload_text(const Offload& o) {
  const auto where = [](OffloadTarget t) { return std::string(name_of(t)); };
  return "optimizer " + where(o.optimizer) + ", parameters " + where(o.parameters) +
         ", activations " + where(o.activations) + ", optimizer_fraction " +
         shortest(o.optimizer_fraction) + ", activations_fraction " +
         shortest(o.activations_fraction) + tensors_text(o.tensors);
}

std::string zeropp_text(const Strategy& s) {
  return pair(key_name<&ZeroPlusPlusRequest::qwz>, s.zeropp.qwz) + ", " +
         pair(key_name<&ZeroPlusPlusRequest::hpz>, s.zeropp.hpz) + ", " +
         pair(key_name<&ZeroPlusPlusRequest::qgz>, s.zeropp.qgz);
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a list
std::string fact_text(RuleFact fact, const RuleCase& c) {
  const Strategy& s = c.s;
  const Architecture& a = c.a;
  switch (fact) {
    case RuleFact::none:
      return "";
    case RuleFact::tp:
      return pair(key_name<&Strategy::tp>, s.tp);
    case RuleFact::cp:
      return pair(key_name<&Strategy::cp>, s.cp);
    case RuleFact::pp:
      return pair(key_name<&Strategy::pp>, s.pp);
    case RuleFact::vpp:
      return pair(key_name<&Strategy::vpp>, s.vpp);
    case RuleFact::dp:
      return pair(key_name<&Strategy::dp>, s.dp);
    case RuleFact::ep:
      return pair(key_name<&Strategy::ep>, s.ep);
    case RuleFact::etp:
      return pair(key_name<&Strategy::etp>, s.etp);
    case RuleFact::micro_batch:
      return pair("micro_batch", s.micro_batch);
    case RuleFact::micro_batches:
      return pair("micro batches", s.micro_batches);
    case RuleFact::schedule_runs:
      return pair(key_name<&Strategy::schedule_runs>, s.schedule_runs);
    case RuleFact::zero:
      return pair(key_name<&Strategy::zero>, s.zero);
    case RuleFact::weights:
      return pair(key_name<&Partition::weights>, s.partition.weights);
    case RuleFact::gradients:
      return pair(key_name<&Partition::gradients>, s.partition.gradients);
    case RuleFact::optimizer:
      return pair(key_name<&Partition::optimizer>, s.partition.optimizer);
    case RuleFact::zeropp:
      return zeropp_text(s);
    case RuleFact::weight_bits:
      return "a gathered weight of " + shortest(c.run.weight_bits) + " bits";
    case RuleFact::gradient_bits:
      return "a reduced gradient of " + shortest(c.run.gradient_bits) + " bits";
    case RuleFact::recompute_layers:
      return pair(key_name<&Strategy::recompute_layers>, s.recompute_layers);
    case RuleFact::layer_ranges:
      return "layers " + range_words(s.layers);
    case RuleFact::stage_layers:
      return stage_layers_text(s);
    case RuleFact::order:
      return order_text(s);
    case RuleFact::cp_type:
      return "cp_type " + std::string(name_of(s.cp_type));
    case RuleFact::schedule:
      return std::string(name_of(s.schedule));
    case RuleFact::recompute:
      return recompute_text(s);
    case RuleFact::offload:
      return offload_text(s.offload);
    case RuleFact::gpus:
      return pair("gpus", c.run.gpus);
    case RuleFact::sequence:
      return pair("sequence_length", c.run.sequence);
    case RuleFact::global_batch:
      return pair("global_batch", c.run.global_batch);
    case RuleFact::layers:
      return pair("num_hidden_layers", a.layers);
    case RuleFact::hidden:
      return pair("hidden_size", a.hidden);
    case RuleFact::heads:
      return pair("num_attention_heads", a.heads);
    case RuleFact::kv_heads:
      return pair("num_key_value_heads", a.kv_heads);
    case RuleFact::recurrent_heads:
      return pair("linear_num_value_heads", a.recurrent.value_heads);
    case RuleFact::intermediate:
      return pair("intermediate_size", a.intermediate);
    case RuleFact::expert_intermediate:
      return pair("moe_intermediate_size", a.moe.expert_intermediate);
    case RuleFact::shared_intermediate:
      return pair("width of the shared experts", a.moe.shared_intermediate);
    case RuleFact::experts:
      return pair("num_local_experts", a.moe.experts);
  }
  return "";
}

}  // namespace orrery
