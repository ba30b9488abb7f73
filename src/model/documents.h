// SPDX-License-Identifier: Apache-2.0
//
// Documents of different lengths, packed one after the other into sequences of the same length: a
// token attends within its document. A document longer than a sequence is cut into whole sequences
// and a rest.
//
// Leaves out: packing that sorts by length, padding at the end of a sequence, documents cut by a
// sequence's end. Units: tokens; shares are of the number of documents. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/enum_names.h"

namespace orrery {

struct LengthShare {
  std::int64_t length = 0;
  double share = 0;  // of the documents; shares need not sum to 1
};

inline constexpr std::size_t kMaxLengths = 32;

// count == 0: every sequence is one document.
struct SequenceLengths {
  std::array<LengthShare, kMaxLengths> bins{};
  std::uint8_t count = 0;
};

// Calls visit(length, how many a document) for the pieces of each document within sequences of s.
template <class Visit>
void for_each_piece(const SequenceLengths& lengths, std::int64_t s, const Visit& visit) {
  for (std::uint8_t i = 0; i < lengths.count; ++i) {
    const LengthShare& bin = lengths.bins[i];
    const std::int64_t rest = bin.length % s;
    if (bin.length >= s) visit(s, bin.share * static_cast<double>(bin.length / s));
    if (rest > 0) visit(rest, bin.share);
  }
}

// The share of a packed sequence's s × s pairs that its documents' masks keep, where a document of
// n tokens keeps kept(n) of its n × n: Σ n²·kept(n) / (s·Σ n).
template <class Kept>
double packed_pairs(const SequenceLengths& lengths, std::int64_t s, const Kept& kept) {
  double pairs = 0;
  double tokens = 0;
  for_each_piece(lengths, s, [&](std::int64_t length, double times) {
    const auto n = static_cast<double>(length);
    pairs += times * n * n * kept(length);
    tokens += times * n;
  });
  return tokens > 0 ? pairs / (tokens * static_cast<double>(s)) : 1;
}

// Standard deviation over mean of the pairs n² of one packed sequence: lengths are drawn until s
// tokens are full, so that the variance is s/E[n] times that of n² − n·E[n²]/E[n] (W. L. Smith,
// Regenerative stochastic processes, Proc. R. Soc. A 232, 1955, section 5).
double pairs_variation(const SequenceLengths& lengths, std::int64_t s);

// Samples of several sizes in one job, a micro batch of one of them (model/buckets.h).
struct Bucket {
  std::int64_t tokens = 0;       // of a sample, with its text where that is in the sequence
  std::int64_t micro_batch = 0;  // samples; 0: the run's
  double share = 0;              // of the micro batches; all sum to 1

  bool operator==(const Bucket&) const = default;
};

// The drawer of a bucket: each rank for itself, or all ranks alike in a step, so that nobody waits
// (NVIDIA-NeMo/Automodel@80a0ab79, datasets/diffusion/sampler.py, SequentialBucketSampler).
enum class BucketDraw : std::uint8_t { rank, step };
constexpr EnumNames<BucketDraw> names_of(BucketDraw) { return {"rank", "step"}; }

inline constexpr std::size_t kMaxBuckets = 64;

// count == 0: all samples are of one size.
struct Buckets {
  std::array<Bucket, kMaxBuckets> bins{};
  std::uint8_t count = 0;
  BucketDraw draw = BucketDraw::rank;
  std::int64_t micro_batch = 0;  // that global_batch counts by; 0: any, no bucket has its own

  std::span<const Bucket> all() const { return {bins.data(), count}; }
};

// Mean samples of a micro batch over those that global_batch counts.
double samples_factor(const Buckets& b);

// Expected maximum of n independent standard normal values: Φ⁻¹((n − 0.375)/(n + 0.25)), 0 for one
// (G. Blom, Statistical estimates and transformed beta-variables, 1958).
double expected_maximum(std::int64_t n);

// Time of attention of the slowest of `ranks` over the mean, where they wait for each other after
// every `sequences` of each.
double slowest_rank(const SequenceLengths& lengths, std::int64_t s, std::int64_t ranks,
                    std::int64_t sequences);

// Keys and values that a rank receives where a document of n tokens is split over ⌈n·cp/s⌉ ranks
// only, over those with cp ranks for each: the token-weighted mean of (g − 1)/(cp − 1) (FlexSP,
// arXiv:2412.01523; ByteScale's hybrid data parallelism, arXiv:2502.21231 [from memory,
// unverified]).
double context_share(const SequenceLengths& lengths, std::int64_t s, std::int64_t cp);

}  // namespace orrery
