// SPDX-License-Identifier: Apache-2.0
#include "core/json_path.h"
#include "exchange/deepspeed/import_parts.h"
#include "parallel/strategy.h"

namespace orrery::deepspeed {
namespace {

constexpr const char* kBatch = "train_batch_size";
constexpr const char* kMicro = "train_micro_batch_size_per_gpu";
constexpr const char* kSteps = "gradient_accumulation_steps";

// 0: not known.
struct Batches {
  std::int64_t batch = 0;
  std::int64_t micro = 0;
  std::int64_t steps = 0;
  std::int64_t replicas = 0;
};

// A degree the command line gives goes before the file's.
std::int64_t degree(const ImportDraft& d, const Json& given, const char* path) {
  const Json& value = value_at(given, path);
  const bool usable = value.is_number_integer() && value.get<std::int64_t>() > 0 &&
                      value.get<std::int64_t>() <= kMostDegree;
  return usable ? value.get<std::int64_t>() : d.count_at(path, 1);
}

std::int64_t replicas(ImportDraft& d, const Json& given) {
  const std::int64_t others = degree(d, given, "parallel.tp") * degree(d, given, "parallel.pp") *
                              degree(d, given, "parallel.cp");
  const auto said = d.settings.count("data_parallel_size", 1, kMostDegree);
  const Json& gpus = value_at(given, "cluster.gpus");
  if (gpus.is_number_integer()) return gpus.get<std::int64_t>() / others;
  return said.value_or(0);
}

// "auto" is the training script's to fill.
bool is_auto(const ImportDraft& d, const char* name) {
  for (const LeftOver& l : d.out.not_understood) {
    if (l.setting == std::string(name) + " auto") return true;
  }
  return false;
}

Batches known(ImportDraft& d, const Json& given) {
  Batches b;
  b.batch = d.count_at("training.global_batch", 0);
  b.micro = d.count_at("training.micro_batch", 0);
  b.replicas = replicas(d, given);
  const auto steps = d.settings.count(kSteps, 1, kMostDegree);
  b.steps = steps.value_or(0);
  if (b.micro > kMostDegree) d.settings.refuse(kMicro, "a smaller batch");
  // With both of the others it follows from them.
  const bool follows = b.batch > 0 && b.micro > 0;
  if (!steps && !follows && !is_auto(d, kSteps)) {
    b.steps = 1;
    if (b.batch > 0 || b.micro > 0) d.note(kSteps, "1", "DeepSpeed's default");
  }
  return b;
}

void check_product(const ImportDraft& d, const Batches& b) {
  const std::int64_t product = b.micro * b.steps * b.replicas;
  if (b.batch == 0 || product == 0 || product == b.batch) return;
  d.settings.refuse(kBatch,
                    std::to_string(b.batch) + ", micro batch " + std::to_string(b.micro) +
                        ", accumulation " + std::to_string(b.steps) + ", replicas " +
                        std::to_string(b.replicas),
                    "the product of these");
}

void divide(ImportDraft& d, const Batches& b) {
  const std::int64_t parts = b.steps * b.replicas;
  if (parts == 0) return;
  if (b.batch % parts != 0) {
    d.settings.refuse(kBatch,
                      std::to_string(b.batch) + ", accumulation " + std::to_string(b.steps) +
                          ", replicas " + std::to_string(b.replicas),
                      "a multiple of the other two");
  }
  d.set("training.micro_batch", b.batch / parts);
}

void multiply(ImportDraft& d, const Batches& b) {
  if (b.micro == 0 || b.steps == 0) return;
  if (b.replicas > 0) {
    return d.set("training.global_batch", b.micro * b.steps * b.replicas);
  }
  d.not_understood(std::string(kMicro) + " " + std::to_string(b.micro) + " x " + kSteps + " " +
                       std::to_string(b.steps),
                   "of how many replicas; give --gpus, or --global-batch");
}

}  // namespace

void read_batches_of(ImportDraft& d, const Json& given) {
  const Batches b = known(d, given);
  check_product(d, b);
  if (b.batch > 0 && b.micro == 0) return divide(d, b);
  if (b.batch == 0 && value_at(given, "training.global_batch").is_null()) multiply(d, b);
}

}  // namespace orrery::deepspeed
