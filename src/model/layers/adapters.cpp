// SPDX-License-Identifier: Apache-2.0
//
// A model whose weights are frozen but for adapters: a pass over each finished block.
//
// A frozen product has no gradient of its weight and keeps no input, unless an adapter beside it
// reads that and makes no copy. The gradient of its input stays as long as anything below it
// trains. An adapter is two narrow products and the sum of their result with the frozen one's;
// DoRA's also the norm of each whole weight, once a pass and not a token (PEFT,
// tuners/lora/dora.py).
#include <algorithm>
#include <array>
#include <bitset>

#include "model/layers/build.h"

namespace orrery {
namespace {

using enum AdapterTarget;

// The targets that name a product, apart and together. No other has a matrix for adapters.
struct Targeted {
  OpName name;
  TargetMask targets;
};
constexpr auto kTargeted = std::to_array<Targeted>({
    {OpName::qkv, mask_of(query, key, value, qkv)},
    {OpName::recurrent_in, mask_of(query, key, value, qkv)},
    {OpName::q_down, mask_of(query, qkv)},
    {OpName::q_up, mask_of(query, qkv)},
    {OpName::cross_query, mask_of(query, qkv)},
    {OpName::attention_gate_up, mask_of(query, qkv)},
    {OpName::beside_qkv, mask_of(query, key, value, qkv)},
    {OpName::own_qkv, mask_of(query, key, value, qkv)},
    {OpName::parallel_in, mask_of(query, key, value, qkv, parallel_up)},
    {OpName::kv_down, mask_of(key, value, qkv)},
    {OpName::kv_up, mask_of(key, value, qkv)},
    {OpName::cross_keys, mask_of(key, value, qkv)},
    {OpName::attention_out, mask_of(output)},
    {OpName::recurrent_out, mask_of(output)},
    {OpName::beside_out, mask_of(output)},
    {OpName::own_out, mask_of(output)},
    {OpName::cross_out, mask_of(output)},
    {OpName::parallel_out, mask_of(parallel_down)},
    {OpName::modulation, mask_of(modulation)},
    {OpName::mlp_up, mask_of(gate, up, gate_up)},
    {OpName::beside_mlp_up, mask_of(gate, up, gate_up)},
    {OpName::expert_up, mask_of(gate, up, gate_up)},
    {OpName::shared_up, mask_of(gate, up, gate_up)},
    {OpName::mlp_down, mask_of(down)},
    {OpName::beside_mlp_down, mask_of(down)},
    {OpName::expert_down, mask_of(down)},
    {OpName::shared_down, mask_of(down)},
    {OpName::head, mask_of(AdapterTarget::head)},
});

TargetMask targets_of(OpName name) {
  for (const Targeted& t : kTargeted) {
    if (t.name == name) return t.targets;
  }
  return 0;
}

// Columns of a product that one adapter adds to.
struct Adapted {
  Extent cols;
  Extent cols2{0, 0, Axis::whole};

  std::int64_t whole() const { return cols.units * cols.unit + cols2.units * cols2.unit; }
};

// Each matrix of a projection that is fused here, and not in the stack, has an adapter of its own.
struct AdaptedParts {
  std::array<Adapted, 4> parts{};
  std::size_t count = 0;

  void add(Extent cols) { parts[count++].cols = cols; }
};

bool has(TargetMask chosen, AdapterTarget target) { return (chosen & mask_of(target)) != 0; }

// Queries beside keys and values, in one product.
bool makes_keys(OpName name) {
  return name == OpName::qkv || name == OpName::beside_qkv || name == OpName::own_qkv;
}

AdaptedParts adapted_parts(const Operator& op, const Adapter& a) {
  AdaptedParts out;
  const auto chosen = static_cast<TargetMask>(a.targets & targets_of(op.name));
  const bool apart = (chosen & mask_of(qkv, gate_up)) == 0;
  const Extent half2{op.cols2.units, op.cols2.unit / 2, op.cols2.axis};
  const Extent half{op.cols.units, op.cols.unit / 2, op.cols.axis};
  const Extent third{op.cols.units, op.cols.unit / 3, op.cols.axis};
  if (apart && makes_keys(op.name)) {
    if (has(chosen, query)) out.add(op.cols);
    if (has(chosen, key)) out.add(half2);
    if (has(chosen, value)) out.add(half2);
  } else if (apart && op.name == OpName::parallel_in) {
    for (const AdapterTarget t : {query, key, value}) {
      if (has(chosen, t)) out.add(third);
    }
    if (has(chosen, parallel_up)) out.add(op.cols2);
  } else if (apart && op.name == OpName::cross_keys) {
    if (has(chosen, key)) out.add(half);
    if (has(chosen, value)) out.add(half);
  } else if (apart && (chosen & mask_of(gate, up)) != 0 && op.cols.unit > 1) {
    if (has(chosen, gate)) out.add(half);
    if (has(chosen, up)) out.add(half);
  } else {
    out.parts[out.count++] = {op.cols, op.cols2};
  }
  return out;
}

// The product of all heads' outputs. One that ends an MLP too reads a copy of them.
bool ends_attention(OpName name) {
  return name == OpName::attention_out || name == OpName::beside_out || name == OpName::own_out ||
         name == OpName::cross_out;
}

class Freezer {
 public:
  Freezer(Block& block, const BuildContext& c, const Adapter& a) : block_(block), c_(c), a_(a) {
    base_.count = block.count;
    std::copy_n(block.operators.begin(), block.count, base_.operators.begin());
    block.count = 0;
  }

  // `below`: whether anything before this block trains.
  void run(bool below) {
    for (std::uint8_t i = 0; i < base_.count; ++i) add(base_.operators[i], i);
    SavedTensor& input = block_.input;
    if (input.bytes_per_element == c_.e()) {
      input.bytes_per_element = std::max(c_.e(), bytes_of(a_.others));
    }
    if (!below) end_backward();
  }

 private:
  bool is_adapted(const Operator& op) const { return adapts(a_, targets_of(op.name)); }

  bool is_trained(const Operator& op) const {
    if (block_.kind == BlockKind::embedding) return trains(a_, TrainedPart::embedding);
    if (op.name == OpName::head || is_trunks_head(op)) return trains(a_, TrainedPart::head);
    return !op.has_weight && trains(a_, TrainedPart::norms);
  }

  bool is_trunk() const { return c_.arch.trunk.kinds > 0; }

  bool is_trunks_head(const Operator& op) const {
    return is_trunk() && block_.kind == BlockKind::head && op.has_weight;
  }

  // Linear layers that quantisation packs: of a decoder those of its layers, of diffusers' models
  // every nn.Linear, ends and modulation too (quantizers/bitsandbytes/utils.py).
  bool is_linear(const Operator& op) const {
    if (!op.has_weight || op.name == OpName::convolution) return false;
    return op.role == PrecisionRole::linear || (is_trunk() && kOpFacts[op.kind].product);
  }

  // The tensor that an adapted product reads is listed with it, or with the nearest product before
  // that has the same input. Returns a reader that gathers it before others; null if none reads it.
  const Operator* adapted_reader(std::uint8_t at) const {
    const Operator& owner = base_.operators[at];
    const Operator* reader = is_adapted(owner) ? &owner : nullptr;
    for (std::size_t i = at + 1U; i < base_.count; ++i) {
      const Operator& op = base_.operators[i];
      const bool same = kOpFacts[op.kind].product && op.kind == owner.kind &&
                        op.inner.units == owner.inner.units && op.rows.units == owner.rows.units;
      if (same && op.saved_count > 0) return reader;
      const bool first = reader == nullptr || op.rows.axis == Axis::context;
      if (same && is_adapted(op) && first) reader = &op;
    }
    return reader;
  }

  // The kernel of attention needs its output, which is saved as the input of this product.
  bool is_attentions_output(const Operator& op) const {
    const bool first =
        c_.arch.output_groups > 0 ? op.name == OpName::latent_down : ends_attention(op.name);
    return first && c_.options.fused_attention;
  }

  // A split product gives its adapter the gathered input, which stays for A's gradient: nothing is
  // gathered again (Megatron-Bridge, which has a switch against it that is off by default). A reads
  // it in 16 bits, and the frozen product keeps no narrow copy.
  void keep_for_adapter(Operator& op, const Operator& reader) {
    read_.set(block_.count - 1U);
    if (op.saved_count == 0) return;
    op.saved_count = op.name == OpName::parallel_out ? 2 : 1;  // of heads and of the MLP
    for (std::uint8_t i = 0; i < op.saved_count; ++i) {
      SavedTensor& input = op.saved[i];
      input.bytes_per_element = c_.e();
      if (input.rows.axis == Axis::sequence) input.rows = reader.rows;
    }
  }

  // Activations that products give in fp32, where the weights beside them are: all that operators
  // other than products and the kernel of attention keep.
  void widen(Operator& op) {
    if (a_.others != AdapterFormat::fp32 || kOpFacts[op.kind].product) return;
    if (op.kind == OpKind::fused_attention) return;
    for (std::uint8_t i = 0; i < op.saved_count; ++i) {
      double& bytes = op.saved[i].bytes_per_element;
      if (bytes == c_.e()) bytes = bytes_of(a_.others);
    }
  }

  void keep_in_16_bits(Operator& op) {
    if (op.saved_count == 0) return;
    op.saved_count = 1;
    op.saved[0].bytes_per_element = c_.e();
  }

  void freeze(Operator& op, std::uint8_t at) {
    if (op.weight == WeightUse::frozen) return;  // encoders beside the model, frozen in any run
    op.weight = is_linear(op) && is_packed(a_.base) ? WeightUse::packed : WeightUse::frozen;
    if (!kOpFacts[op.kind].product) return;
    if (op.backward == Backward::whole) op.backward = Backward::input;
    op.reads_input_again = false;
    const Operator* reader = copy_bytes() > 0 ? nullptr : adapted_reader(at);
    if (reader != nullptr) return keep_for_adapter(op, *reader);
    if (op.weight == WeightUse::packed && a_.keeps_inputs) return keep_in_16_bits(op);
    op.saved_count = is_attentions_output(op) ? 1 : 0;
  }

  void add(const Operator& base, std::uint8_t at) {
    Operator& op = block_.operators[block_.count++] = base;
    widen(op);
    if (is_trained(base)) return;
    freeze(op, at);
    if (is_adapted(base)) adapt(base);
  }

  void adapt(const Operator& base) {
    const AdaptedParts all = adapted_parts(base, a_);
    for (std::size_t i = 0; i < all.count; ++i) adapt(base, all.parts[i]);
  }

  void adapt(const Operator& base, const Adapted& part) {
    const Extent rank{a_.rank, 1, Axis::whole};
    append_input(base);
    Operator& down = product(base, OpName::adapter_down, base.inner, rank);
    save_own_input(down, base);
    Operator& up = product(base, OpName::adapter_up, rank, part.cols);
    up.cols2 = part.cols2;
    save(up, base.rows, rank, bytes_of(a_.precision), base.recomputed_by);
    if (a_.kind == AdapterKind::dora) {
      up.vectors = 1;  // magnitudes, one an output
      append_norms(base, part);
    }
    Operator& sum = append(block_, OpName::adapter_sum, OpKind::pointwise, base.rows, part.cols);
    sum.cols2 = part.cols2;
    // Scaled, then added; where adapters are wider, the sum is wide and is cast back.
    const double wide = bytes_of(a_.precision);
    const bool casts = wide > c_.e();
    sum.forward_bytes = casts ? 5 * wide + 2 * c_.e() : 5 * c_.e();
    sum.backward_bytes = casts ? 3 * wide + c_.e() : 2 * c_.e();
    sum.kernels = casts ? Kernels{3, 2} : Kernels{2, 1};
    sum.recomputed_by = base.recomputed_by;
    if (a_.kind == AdapterKind::dora) save_results(sum, base, part);
  }

  // Magnitudes train, and scale both results: (m − 1)·W₀x + m·BAx. Under dropout DoRA computes W₀x
  // anew, of the dropped input in the adapter's precision (PEFT, tuners/lora/dora.py).
  void save_results(Operator& sum, const Operator& base, const Adapted& part) {
    const Extent cols{part.whole(), 1, part.cols.axis};
    const double wide = bytes_of(a_.precision);
    save(sum, base.rows, cols, a_.dropout ? wide : c_.e(), base.recomputed_by);
    save(sum, base.rows, cols, wide, base.recomputed_by);
    if (!a_.dropout) return;
    Operator& again = product(base, OpName::adapter_base, base.inner, part.cols);
    again.cols2 = part.cols2;
    again.has_weight = false;  // the frozen product's
    again.backward = Backward::input;
  }

  // Each adapter casts its input to its own precision and drops some of it (PEFT,
  // tuners/lora/layer.py); in backward the gradient that comes back is added to the frozen
  // product's (torch/csrc/autograd/input_buffer.cpp).
  void append_input(const Operator& base) {
    const double wide = bytes_of(a_.precision);
    const bool casts = wide > c_.e();
    Operator& op = append(block_, OpName::adapter_input, OpKind::pointwise, base.rows, base.inner);
    op.forward_bytes = (casts ? c_.e() + wide : 0) + (a_.dropout ? 2 * wide + 1 : 0);
    op.backward_bytes = 3 * c_.e() + op.forward_bytes;
    const int kernels = (casts ? 1 : 0) + (a_.dropout ? 1 : 0);
    op.kernels.forward = static_cast<std::uint8_t>(kernels);
    op.kernels.backward = static_cast<std::uint8_t>(1 + kernels);
    op.recomputed_by = base.recomputed_by;
  }

  Operator& product(const Operator& base, OpName name, Extent inner, Extent cols) {
    Operator& op = append_linear(block_, name, base.rows, inner, cols);
    op.kind = base.kind;
    op.groups = base.groups;
    op.parameter_class = base.parameter_class;
    op.recomputed_by = base.recomputed_by;
    op.role = PrecisionRole::wide;
    return op;
  }

  // Bytes of an element of an adapter's own copy of its input, cast or dropped; 0: it reads the
  // frozen product's, which nothing else needs (native_dropout keeps its mask alone, and a cast
  // nothing: pytorch, derivatives.yaml [from memory]).
  double copy_bytes() const {
    const double wide = bytes_of(a_.precision);
    return wide > c_.e() || a_.dropout ? wide : 0;
  }

  // Dropout makes a mask besides its copy.
  void save_own_input(Operator& down, const Operator& base) {
    const double bytes = copy_bytes() + (a_.dropout ? 1 : 0);
    if (bytes > 0) save(down, base.rows, base.inner, bytes, base.recomputed_by);
  }

  // An identity through A and B, and three passes over matrices as large as the weight, of every
  // expert. Experts stand beside the side that tensor parallelism does not split.
  void append_norms(const Operator& base, const Adapted& part) {
    const std::int64_t in = base.inner.units * base.inner.unit;
    const bool split = base.inner.axis != Axis::whole;
    const auto of_each = [&](std::int64_t n) {
      return Extent{base.groups.units, base.groups.unit * n, base.groups.axis};
    };
    const Extent rows = split ? base.inner : of_each(in);
    const std::int64_t both = in + part.whole();
    Operator& through = append(block_, OpName::adapter_norm, OpKind::product, rows,
                               split ? of_each(both) : Extent{both, 1, Axis::whole});
    through.inner = {a_.rank, 1, Axis::whole};
    through.kernels = {2, 0};
    Operator& norm = append(block_, OpName::adapter_norm, OpKind::pointwise, rows,
                            split ? of_each(part.whole()) : part.cols);
    norm.cols2 = part.cols2;
    norm.forward_bytes = 4 * c_.e();
    norm.kernels = {3, 0};
    for (Operator* op : {&through, &norm}) {
      op->backward = Backward::none;
      op->recomputed_by = base.recomputed_by;
    }
  }

  // Nothing below this block trains, nor what stands in it before the first adapter, of which the
  // frozen product beside keeps the input.
  void end_backward() {
    for (std::uint8_t i = 0; i < block_.count; ++i) {
      Operator& op = block_.operators[i];
      if (op.weight == WeightUse::trained && (op.has_weight || op.vectors > 0)) return;
      op.backward = Backward::never;
      if (!read_[i]) op.saved_count = 0;
    }
    block_.input.rows.units = 0;
  }

  Block& block_;
  Block base_;
  const BuildContext& c_;
  const Adapter& a_;
  std::bitset<kMaxOperators> read_;  // frozen products of the block whose input an adapter reads
};

}  // namespace

void freeze(ModelOperators& model, const BuildContext& c, const Adapter& asked) {
  Adapter a = asked;
  constexpr auto kTable =
      static_cast<PartMask>(mask_of(TrainedPart::embedding) | mask_of(TrainedPart::head));
  const bool tied = c.arch.tie_word_embeddings && c.arch.output == ModelOutput::vocabulary;
  if (tied && (a.trained & kTable) != 0) a.trained |= kTable;
  const bool embedding = trains(a, TrainedPart::embedding);
  const auto every = static_cast<TargetMask>(~mask_of(AdapterTarget::head));
  const bool layers = embedding || trains(a, TrainedPart::norms) || adapts(a, every);
  const auto freeze_block = [&](Block& block, bool below) {
    if (block.count > 0) Freezer(block, c, a).run(below);
  };
  freeze_block(model.embedding, embedding);
  for (Block& block : model.layers) freeze_block(block, layers);
  freeze_block(model.head, layers);
  freeze_block(model.mtp, layers);
  // The encoder of images stays frozen.
  a.targets = 0;
  a.trained = 0;
  freeze_block(model.tower_ends, false);
  freeze_block(model.tower, false);
}

}  // namespace orrery
