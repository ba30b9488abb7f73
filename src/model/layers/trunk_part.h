// SPDX-License-Identifier: Apache-2.0
//
// One set of tokens of a trunk's layer with the weights that it meets: norm, projections, the end
// of attention, MLP. Internal to the model module.
//
// Saved tensors are counted as eager PyTorch keeps them: the input of a norm, the normalised value
// where a scale multiplies it, the input of a product, the output that a gate multiplies. Products
// of the vector of a sample run on every tensor- and context-parallel rank alike.
#pragma once

#include "model/layers/trunk_parts.h"

namespace orrery {

inline constexpr double kWideBytes = 4;  // fp32

// Operators of one set of tokens in a layer.
struct PartNames {
  OpName norm, qkv, qk_norm, out, residual, mlp_norm, up, activation, down, mlp_residual;
};
inline constexpr PartNames kMainNames = {
    OpName::input_norm,         OpName::qkv,         OpName::qk_norm, OpName::attention_out,
    OpName::attention_residual, OpName::mlp_norm,    OpName::mlp_up,  OpName::mlp_activation,
    OpName::mlp_down,           OpName::mlp_residual};
inline constexpr PartNames kBesideNames = {OpName::beside_norm,     OpName::beside_qkv,
                                           OpName::beside_qk_norm,  OpName::beside_out,
                                           OpName::beside_residual, OpName::beside_mlp_norm,
                                           OpName::beside_mlp_up,   OpName::beside_mlp_activation,
                                           OpName::beside_mlp_down, OpName::beside_mlp_residual};

Norm norm_of(std::int64_t vectors);
// The options of a list of other tokens.
ListOptions options_of(const BuildContext& c, std::int64_t tokens);
bool is_modulated(const TrunkStream& s);
// Shift, scale and gate of a third part: cross attention (Cosmos) or a second attention (SD 3.5).
bool modulates_three(const TrunkStream& s);
// Numbers that are learned, without a product.
void append_numbers(Block& block, std::int64_t n);
// Biases of so many columns of a product.
void bias_of(Operator& op, std::int64_t columns, Axis axis);

class Part {
 public:
  Part(Block& block, const BuildContext& model, const TrunkLayer& layer, const TrunkStream& stream,
       std::int64_t tokens, const PartNames& names);
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  ~Part() = default;

  const BuildContext& c() const { return c_; }

  // One vector a sample to shifts, scales and gates, through a narrow product where there is one.
  void append_modulation();

  // Norm of the residual stream, shifted and scaled where the layer modulates.
  void append_norm_before(OpName name, bool modulated);

  // `keeps`: the normalised value, unless another scale of it has kept it.
  void append_modulate(bool keeps);

  void append_qkv(OpName name);

  // The product of all heads' outputs, and its sum with the residual stream.
  void append_end(OpName out, OpName residual, bool gated);

  void append_mlp_part();

  // Attention and MLP side by side: one product before both, one after (FLUX's single blocks).
  void append_parallel();

  Mixer mixer() const { return l_.causal ? Mixer::attention : Mixer::encoder; }
  Extent heads(std::int64_t width) const { return {l_.heads, width, Axis::tensor}; }
  double residual_bytes() const { return l_.wide_norms ? kWideBytes : c_.e(); }

  void enter(Operator& op);
  void leave(Operator& op);

  // The residual stream plus what a part gives, times a gate or a learned scale.
  void append_sum(OpName name, bool gated, double kept);

 private:
  void append_of_sample(std::int64_t in, std::int64_t out, std::int64_t kept);

  // Cosmos and FLUX.2 have no biases at all.
  bool has_bias() const { return l_.out_bias || l_.mlp_bias || l_.qkv_biases > 0; }

  void append_parallel_end(std::int64_t halves);

  void append_norm_of_heads();

  Block& block_;
  const TrunkLayer& l_;
  const TrunkStream& stream_;
  const PartNames& names_;
  Architecture arch_;
  ListOptions options_;
  BuildContext c_;
};

}  // namespace orrery
