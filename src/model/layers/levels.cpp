// SPDX-License-Identifier: Apache-2.0
//
// The convolutions of one level of a U-Net: residual blocks (group norm, SiLU, convolution of 3×3,
// twice, with the sample's vector added between), the norm and products around each transformer,
// convolutions to the next level and back.
//
// A convolution is a product of 9 times the width it reads, which it keeps once. Saved tensors are
// those of eager PyTorch: the inputs of norms, of SiLU and of convolutions. Full recompute runs one
// residual block after the other (diffusers, unet_2d_blocks.py).
// Leaves out: norms in fp32 under autocast, other data layouts, convolutions of 8 bits.
// Source: huggingface/diffusers, models/resnet.py, models/transformers/transformer_2d.py.
#include <algorithm>

#include "core/divide.h"
#include "model/layers/trunk_parts.h"

namespace orrery {
namespace {

double saved_from(const Block& block, std::uint8_t first) {
  const AxisDegrees whole;
  double sum = 0;
  for (std::uint8_t i = first; i < block.count; ++i) {
    const Operator& op = block.operators[i];
    for (std::uint8_t k = 0; k < op.saved_count; ++k) {
      sum += bytes_of(op.saved[k], whole).si();
    }
  }
  return sum;
}

class Level {
 public:
  Level(Block& block, const BuildContext& c, const TrunkLayer& l)
      : block_(block), c_(c), l_(l), width_(elements(l.main.width)) {}

  void append() {
    const std::uint8_t first_joined =
        static_cast<std::uint8_t>(l_.residuals.count - static_cast<std::uint8_t>(l_.joined));
    for (std::uint8_t i = 0; i < l_.residuals.count; ++i) {
      append_residual_block(elements(l_.residuals.in[i]), i >= first_joined);
    }
    for (std::int64_t i = 0; i < l_.projections; ++i) append_around_transformer();
    if (l_.downs > 0) append_sampling(rows_at(l_.shrink * 4), rows());
    if (l_.ups > 0) append_sampling(rows_at(std::max<std::int64_t>(1, l_.shrink / 4)), {});
    block_.input = SavedTensor{{1, c_.b(), Axis::whole}, elements(inputs_), c_.e(), 0};
    block_.pieces = largest_ > 0 ? saved_from(block_, 0) / largest_ : 1;
  }

 private:
  Extent rows_at(std::int64_t shrink) const {
    return {divided_up(tokens_seen(c_, Seen::main), shrink), c_.b(), Axis::sequence};
  }
  Extent rows() const { return rows_at(l_.shrink); }

  void keep_input(Extent rows, Extent cols) { inputs_ += rows.units * cols.units; }

  Operator& pointwise(OpName name, Extent cols, double forward, double backward) {
    Operator& op = orrery::append(block_, name, OpKind::pointwise, rows(), cols);
    op.forward_bytes = forward * c_.e();
    op.backward_bytes = backward * c_.e();
    return op;
  }

  void append_group_norm(Extent cols) {
    Operator& op = pointwise(OpName::group_norm, cols, 2, 3);
    op.vectors = 2;
    save(op, rows(), cols, c_.e());
  }

  void append_activation(Extent cols) {
    save(pointwise(OpName::level_activation, cols, 2, 3), rows(), cols, c_.e());
  }

  Operator& append_convolution(Extent out_rows, Extent in, std::int64_t taps) {
    Operator& op =
        append_linear(block_, OpName::convolution, out_rows, {in.units, taps, Axis::whole}, width_);
    op.role = PrecisionRole::wide;
    op.taps = static_cast<std::uint8_t>(taps);
    op.vectors = 1;
    return op;
  }

  void append_half(Extent in) {
    append_group_norm(in);
    append_activation(in);
    save(append_convolution(rows(), in, kTaps), rows(), in, c_.e());
  }

  // The sample's vector, as wide as the level, added to every token.
  void append_vector() {
    const Extent samples{1, c_.b(), Axis::whole};
    const Extent in = elements(l_.main.modulation_in);
    Operator& op = append_linear(block_, OpName::sample_projection, samples, in, width_);
    op.role = PrecisionRole::wide;
    op.vectors = 1;
    if (!trains_ends(c_.options)) op.backward = Backward::none;
    save(op, samples, in, c_.e());
    pointwise(OpName::level_sum, width_, 2, trains_ends(c_.options) ? 1 : 0);
  }

  void append_residual_block(Extent in, bool joined) {
    const std::uint8_t first = block_.count;
    if (joined) pointwise(OpName::skip_join, in, 2, 2);
    append_half(in);
    if (l_.main.modulation_in > 0) append_vector();
    append_half(width_);
    // The norm has kept the input.
    if (in.units != width_.units) append_convolution(rows(), in, 1);
    pointwise(OpName::level_sum, width_, 3, 3);
    keep_input(rows(), in);
    largest_ = std::max(largest_, saved_from(block_, first));
  }

  void append_around_transformer() {
    append_group_norm(width_);
    for (int end = 0; end < 2; ++end) {
      save(append_convolution(rows(), width_, 1), rows(), width_, c_.e());
    }
    pointwise(OpName::level_sum, width_, 3, 3);
    keep_input(rows(), width_);
  }

  // Upsampling repeats tokens first, so that the convolution reads as many as it gives.
  void append_sampling(Extent out_rows, Extent in_rows) {
    const Extent read = in_rows.units > 1 ? in_rows : out_rows;
    save(append_convolution(out_rows, width_, kTaps), read, width_, c_.e());
    keep_input(read, width_);
  }

  Block& block_;
  const BuildContext& c_;
  const TrunkLayer& l_;
  Extent width_;
  std::int64_t inputs_ = 0;  // elements of a sample that full recompute keeps
  double largest_ = 0;       // saved by one residual block
};

}  // namespace

void append_level(Block& block, const BuildContext& c, const TrunkLayer& l) {
  Level(block, c, l).append();
}

}  // namespace orrery
