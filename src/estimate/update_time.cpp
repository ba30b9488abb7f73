// SPDX-License-Identifier: Apache-2.0
#include "estimate/update_time.h"

#include <algorithm>

#include "cost/product.h"

namespace orrery {
namespace {

class Products {
 public:
  Products(const Device& d, Precision precision) : d_(d), precision_(precision) {}

  // rows × inner · inner × cols, so many times
  void add(double times, std::int64_t rows, std::int64_t cols, std::int64_t inner) {
    sum_ += product_time<double>({rows, cols, inner, 1, false}, d_, precision_) * times;
  }
  Seconds time() const { return sum_; }

 private:
  const Device& d_;
  Precision precision_;
  Seconds sum_{};
};

constexpr double kNewtonSchulzSteps = 5;

Seconds newton_schulz(std::int64_t a, std::int64_t b, const Device& d) {
  Products p(d, has_precision(d, Precision::bf16) ? Precision::bf16 : Precision::fp16);
  p.add(kNewtonSchulzSteps, a, a, b);
  p.add(kNewtonSchulzSteps, a, a, a);
  p.add(kNewtonSchulzSteps, a, b, a);
  return p.time();
}

// Products with the two squares beside a matrix: of both sides, `pairs` times.
Seconds preconditioned(double pairs, std::int64_t m, std::int64_t n, const Device& d) {
  Products p(d, has_precision(d, Precision::tf32) ? Precision::tf32 : Precision::fp32);
  p.add(pairs, m, n, m);
  p.add(pairs, m, n, n);
  return p.time();
}

}  // namespace

Seconds update_products_time(Optimizer o, std::int64_t m, std::int64_t n, std::int64_t rank,
                             const Device& d) {
  constexpr double kShampooPairs = 2;  // the sums of squares, the update
  constexpr double kSoapPairs = 5;     // the sums of squares, both ways of gradient and update
  switch (o) {
    case Optimizer::adam:
    case Optimizer::adam_8bit:
    case Optimizer::sgd:
    case Optimizer::lion:
    case Optimizer::adafactor:
      return {};
    case Optimizer::muon:
      return newton_schulz(std::min(m, n), std::max(m, n), d);
    case Optimizer::shampoo:
      return preconditioned(kShampooPairs, m, n, d);
    case Optimizer::soap:
      return preconditioned(kSoapPairs, m, n, d);
    case Optimizer::galore: {
      Products p(d, has_precision(d, Precision::bf16) ? Precision::bf16 : Precision::fp16);
      p.add(2, std::min(rank, std::min(m, n)), std::max(m, n), std::min(m, n));
      return p.time();
    }
  }
  return {};
}

}  // namespace orrery
