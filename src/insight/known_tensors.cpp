// SPDX-License-Identifier: Apache-2.0
#include "insight/known_tensors.h"

#include <algorithm>
#include <cmath>

#include "estimate/run.h"
#include "model/operators.h"

namespace orrery {
namespace {

constexpr double kLargeBlock = 10 * 0x1p20;  // bytes; from here on blocks are rounded
constexpr double kRound = 2 * 0x1p20;
constexpr double kAlike = 0.01;

Bytes rounded(double bytes) {
  return Bytes(bytes < kLargeBlock ? bytes : std::ceil(bytes / kRound) * kRound);
}

double as_double(std::int64_t n) { return static_cast<double>(n); }

// Numbers of one layer, dense ones in a mixture too.
double layer_parameters(const Run& run) {
  const Architecture& m = run.model;
  const auto all = as_double(parameter_count(m, run.training.sequence).total);
  const double tables = as_double(m.vocab * m.hidden) * (m.tie_word_embeddings ? 1 : 2);
  return std::max(0.0, all - tables) / as_double(m.layers);
}

class TensorList {
 public:
  explicit TensorList(const Run& run) : run_(run) {}

  std::vector<KnownTensor> all() {
    activations();
    states();
    std::sort(list_.begin(), list_.end(),
              [](const KnownTensor& a, const KnownTensor& b) { return a.size < b.size; });
    return list_;
  }

 private:
  void add(const char* what, TensorUse use, double bytes) {
    if (bytes > 0) list_.push_back({what, use, rounded(bytes)});
  }

  void activations() {
    const Architecture& m = run_.model;
    const Strategy& s = run_.strategy;
    const double tp = as_double(s.tp);
    const double local = as_double(run_.training.sequence) / as_double(s.cp);
    const double tokens = local * as_double(s.micro_batch);
    const double logits = tokens * as_double(m.vocab) / tp;
    add("logits of one micro batch in 4 bytes", TensorUse::loss, 4 * logits);
    add("logits of one micro batch in 2 bytes", TensorUse::loss, 2 * logits);
    const double scores = as_double(m.heads) / tp * tokens * local;
    add("attention scores of one layer in 2 bytes", TensorUse::attention, 2 * scores);
    add("attention scores of one layer in 4 bytes", TensorUse::attention, 4 * scores);
    const double columns = tokens * as_double(m.intermediate) / tp;
    add("the MLP's columns of one layer in 2 bytes", TensorUse::activation, 2 * columns);
    add("the MLP's gate and columns of one layer in 2 bytes", TensorUse::activation, 4 * columns);
    const double hidden = tokens * as_double(m.hidden);
    add("the hidden state of one micro batch in 2 bytes", TensorUse::activation, 2 * hidden);
    add("the hidden state of one micro batch in 4 bytes", TensorUse::activation, 4 * hidden);
  }

  void states() {
    const Architecture& m = run_.model;
    const Strategy& s = run_.strategy;
    const auto all = as_double(parameter_count(m, run_.training.sequence).total);
    const double own = all / as_double(s.tp * s.pp);
    const double shard = own / as_double(s.partition.optimizer);
    add("the rank's shard of the parameters in 4 bytes", TensorUse::update, 4 * shard);
    add("the rank's shard of the parameters in 2 bytes", TensorUse::update, 2 * shard);
    if (s.partition.optimizer > 1) {
      add("all parameters of the rank in 4 bytes", TensorUse::update, 4 * own);
      add("all parameters of the rank in 2 bytes", TensorUse::gathered, 2 * own);
    }
    const double tables = as_double(m.vocab * m.hidden) / as_double(s.tp);
    add("the embedding in 2 bytes", TensorUse::gathered, 2 * tables);
    add("the embedding in 4 bytes", TensorUse::gathered, 4 * tables);
    const double layer = layer_parameters(run_) / as_double(s.tp);
    add("one layer's weights in 2 bytes", TensorUse::gathered, 2 * layer);
    add("one layer's weights in 4 bytes", TensorUse::gathered, 4 * layer);
  }

  const Run& run_;
  std::vector<KnownTensor> list_;
};

}  // namespace

std::vector<KnownTensor> known_tensors(const Run& run) { return TensorList(run).all(); }

std::vector<KnownTensor> tensors_of_size(const Run& run, Bytes asked) {
  std::vector<KnownTensor> found;
  for (const KnownTensor& t : known_tensors(run)) {
    if (std::abs(std::log(asked / t.size)) < kAlike) found.push_back(t);
  }
  return found;
}

}  // namespace orrery
