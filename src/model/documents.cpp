// SPDX-License-Identifier: Apache-2.0
#include "model/documents.h"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

// By bisection: Φ is monotonic, and the value is needed once a run.
double inverse_normal(double probability) {
  double low = -9;
  double high = 9;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double pairs_variation(const SequenceLengths& lengths, std::int64_t s) {
  double pieces = 0;
  double tokens = 0;
  double pairs = 0;
  const auto sum = [&](std::int64_t length, double times) {
    const auto n = static_cast<double>(length);
    pieces += times;
    tokens += times * n;
    pairs += times * n * n;
  };
  for_each_piece(lengths, s, sum);
  if (pieces <= 0) return 0;
  double variance = 0;
  for_each_piece(lengths, s, [&](std::int64_t length, double times) {
    const auto n = static_cast<double>(length);
    const double apart = n * n - n * pairs / tokens;
    variance += times / pieces * apart * apart;
  });
  const double a_sequence = static_cast<double>(s) * pieces / tokens;  // pieces in it
  const double mean = static_cast<double>(s) * pairs / tokens;
  return std::sqrt(a_sequence * variance) / mean;
}

double samples_factor(const Buckets& b) {
  if (b.micro_batch == 0) return 1;
  double samples = 0;
  for (const Bucket& one : b.all()) {
    const std::int64_t n = one.micro_batch > 0 ? one.micro_batch : b.micro_batch;
    samples += one.share * static_cast<double>(n);
  }
  return samples / static_cast<double>(b.micro_batch);
}

double expected_maximum(std::int64_t n) {
  if (n <= 1) return 0;
  const auto of = static_cast<double>(n);
  return inverse_normal((of - 0.375) / (of + 0.25));
}

double slowest_rank(const SequenceLengths& lengths, std::int64_t s, std::int64_t ranks,
                    std::int64_t sequences) {
  if (lengths.count == 0) return 1;
  const auto together = static_cast<double>(std::max<std::int64_t>(1, sequences));
  return 1 + pairs_variation(lengths, s) * expected_maximum(ranks) / std::sqrt(together);
}

double context_share(const SequenceLengths& lengths, std::int64_t s, std::int64_t cp) {
  if (lengths.count == 0 || cp <= 1) return 1;
  const double local = static_cast<double>(s) / static_cast<double>(cp);
  double others = 0;
  double tokens = 0;
  for_each_piece(lengths, s, [&](std::int64_t length, double times) {
    const auto n = static_cast<double>(length);
    others += times * n * (std::ceil(n / local) - 1);
    tokens += times * n;
  });
  return others / (tokens * static_cast<double>(cp - 1));
}

}  // namespace orrery
