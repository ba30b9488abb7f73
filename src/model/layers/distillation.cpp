// SPDX-License-Identifier: Apache-2.0
//
// The heads of self-distillation (Distillation) and their losses, counted kernel by kernel in
// facebookresearch/dinov2@01c36387, layers/dino_head.py and loss/.
#include "model/layers/trunk_parts.h"

namespace orrery {
namespace {

constexpr double kScoreBytes = 4;  // losses are in fp32

// Rows of an image that a head scores, and the large crops each is compared with.
struct Scored {
  std::int64_t rows = 0;
  std::int64_t teachers = 1;
};

struct HeadSize {
  std::int64_t bottleneck = 0;
  std::int64_t prototypes = 0;
};

class Heads {
 public:
  Heads(Block& block, const BuildContext& c, bool teaches)
      : block_(block), c_(c), d_(c.arch.trunk.distillation), teaches_(teaches) {}

  void append() {
    const Scored classes{d_.global_crops + (teaches_ ? 0 : d_.local_crops), d_.global_crops};
    const Scored patches{d_.masked, 1};
    const HeadSize shared{d_.bottleneck, d_.prototypes};
    const bool apart = d_.patch_prototypes > 0;
    const HeadSize own{d_.patch_bottleneck, d_.patch_prototypes};
    append_head(classes.rows + (apart ? 0 : patches.rows), shared);
    append_scores(classes, shared.prototypes);
    if (patches.rows == 0) return;
    if (apart) append_head(patches.rows, own);
    append_scores(patches, apart ? own.prototypes : shared.prototypes);
  }

 private:
  Extent rows(std::int64_t n) const { return {n, c_.b(), Axis::whole}; }

  void append_layer(std::int64_t n, std::int64_t in, std::int64_t out, bool bias) {
    Operator& op =
        append_linear(block_, OpName::sample_output, rows(n), elements(in), elements(out));
    op.role = PrecisionRole::wide;
    op.vectors = bias ? 1 : 0;
    save(op, rows(n), elements(in), c_.e());
  }

  void append_gelu(std::int64_t n) {
    Operator& op = orrery::append(block_, OpName::level_activation, OpKind::pointwise, rows(n),
                                  elements(d_.hidden));
    op.forward_bytes = 2 * c_.e();
    op.backward_bytes = 3 * c_.e();
    save(op, rows(n), elements(d_.hidden), c_.e());
  }

  void append_head(std::int64_t n, const HeadSize& size) {
    append_layer(n, c_.arch.hidden, d_.hidden, true);
    append_gelu(n);
    append_layer(n, d_.hidden, d_.hidden, true);
    append_gelu(n);
    append_layer(n, d_.hidden, size.bottleneck, true);
    append_layer(n, size.bottleneck, size.prototypes, false);
  }

  void append_scores(const Scored& s, std::int64_t prototypes) {
    Operator& op =
        orrery::append(block_, OpName::loss, OpKind::pointwise, rows(s.rows), elements(prototypes));
    teaches_ ? centre(op, prototypes) : compare(op, s, prototypes);
  }

  // Cast, temperature, exponential, their sum and the division by it; in each round the sums over
  // samples and over prototypes with two divisions each; a product. The sums over samples are those
  // of all replicas.
  void centre(Operator& op, std::int64_t prototypes) {
    const auto rounds = static_cast<double>(d_.rounds);
    op.forward_bytes = c_.e() + kScoreBytes * (1 + 2 + 2 + 1 + 2 + 10 * rounds + 2);
    op.kernels = {static_cast<std::uint8_t>(6 + 6 * d_.rounds), 0};
    cross(op, BoundaryKind::sum_over_replicas, {d_.rounds, 1, Axis::whole}, elements(prototypes),
          kScoreBytes);
  }

  // Cast and log-softmax; for each teacher's scores a product and its sum. Both are kept.
  void compare(Operator& op, const Scored& s, std::int64_t prototypes) {
    const auto n = static_cast<double>(s.teachers);
    op.forward_bytes = c_.e() + kScoreBytes * (3 + 4 * n);
    op.backward_bytes = c_.e() + kScoreBytes * (4 + 4 * n);
    save(op, rows(s.rows), elements(prototypes), kScoreBytes);
    const std::int64_t taught = s.teachers > 1 ? s.teachers : s.rows;
    save(op, rows(taught), elements(prototypes), kScoreBytes);
  }

  Block& block_;
  const BuildContext& c_;
  const Distillation& d_;
  bool teaches_;
};

}  // namespace

void append_teacher_heads(Block& block, const BuildContext& c) { Heads(block, c, true).append(); }
void append_student_heads(Block& block, const BuildContext& c) { Heads(block, c, false).append(); }

}  // namespace orrery
