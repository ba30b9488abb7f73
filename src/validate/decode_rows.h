// SPDX-License-Identifier: Apache-2.0
//
// Published decode and prefill times of serving engines, and what the generator predicts of them.
//
// A file {"kind": "decode", "rows": [{"id", "series", "kind", "model", "node", "engine", "tp", …,
// "batch", "input", "output", "measured", "source"}]}. A series is one model, device, engine and
// layout; fitted constants are left out by series. Kinds: `static` (one batch from prompts to the
// last token), `closed loop` (so many requests are held; time a token of one, in which others'
// prompts are read), `max load` (the cache is full), `offline` (all requests at once), `prefill`
// (time to the first token). Leaves out: rows whose source does not say how experts are split.
// Errors: InputError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/config_lookup.h"
#include "generate/generator.h"
#include "validate/error_summary.h"
#include "validate/rows.h"

namespace orrery {

enum class DecodeKind : std::uint8_t { fixed_batch, closed_loop, max_load, offline, prefill };
constexpr EnumNames<DecodeKind> names_of(DecodeKind) {
  return {"static", "closed loop", "max load", "offline", "prefill"};
}

struct DecodeMeasured {
  std::optional<double> token_s;
  std::optional<double> tokens_per_s;
  std::optional<double> tokens_per_s_per_gpu;
  std::optional<double> first_token_s;
};

struct DecodeRow {
  std::string id;
  std::string series;
  DecodeKind kind = DecodeKind::closed_loop;
  RowTier tier = RowTier::a;
  std::string model;
  std::string node;
  std::string engine;
  std::int64_t tp = 1;
  std::int64_t ep = 1;
  std::int64_t dp = 1;
  Precision precision = Precision::bf16;
  Precision cache_precision = Precision::bf16;
  std::optional<double> memory_share;
  std::optional<std::int64_t> batch;
  std::int64_t input = 1;
  std::int64_t output = 1;
  DecodeMeasured measured;
  std::string source;
};

struct DecodePoint {
  DecodeRow row;
  Generator generator;
  double predicted = 0;  // by the engine's constants, in the unit of the measurement
  double left_out = 0;   // by constants fitted without the row's series
  double measured = 0;
  bool is_time = true;  // else a rate

  // Predicted over measured time, less one.
  double error(double prediction) const {
    return is_time ? prediction / measured - 1 : measured / prediction - 1;
  }
};

struct DecodeSummary {
  std::string scope;
  std::int64_t series = 0;
  ErrorSummary shipped;
  ErrorSummary left_out;
};

struct FittedRates {
  std::string engine;
  EngineRates rates;
};

struct DecodeReport {
  std::vector<DecodePoint> points;
  std::vector<DecodeSummary> summaries;
  std::vector<FittedRates> fitted;  // on all rows
};

bool is_decode_file(std::string_view text);
DecodeReport judge_decode(std::string_view text, const std::string& file,
                          const ConfigLookup& lookup);

}  // namespace orrery
