// SPDX-License-Identifier: Apache-2.0
//
// One row of a validation file, predicted and held against what was measured.
//
// error = predicted/measured − 1. Time is judged as step time, however the row publishes it
// (published.h); memory by its own kind. A row that does not say its global batch is estimated with
// four micro batches a pipeline stage, which `assumed` says; whatever else it lacks takes the
// documented default. A row whose run is refused (an illegal strategy, a schedule not built) has a
// refusal, which is the resolver's message, and no estimate; one with a key that runs do not have
// is a mistake of the file. Errors: InputError, of that alone. A run published as out of memory is
// right where the estimate does not fit either; its time is not judged.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/enum_names.h"
#include "estimate/answer.h"
#include "estimate/open_keys.h"
#include "estimate/run.h"
#include "explore/sensitivity.h"
#include "validate/published.h"
#include "validate/rows.h"

namespace orrery {

struct ConfigLookup;

// Knowledge of the stack of a row that is predicted without its source.
enum class Protocol : std::uint8_t { known_stack, unknown_stack };
constexpr EnumNames<Protocol> names_of(Protocol) { return {"known stack", "unknown stack"}; }

struct JudgedRow {
  Row row;
  std::string node;       // names; "inline" where the run holds the document
  std::string framework;  // the same
  std::string refusal;    // "" where there is an estimate

  // Only where there is an estimate.
  std::vector<std::string> assumed;  // required keys the row lacks, as filled
  Run run;
  Answer answer;
  std::int64_t gpus = 0;
  double tokens = 0;           // of one step
  std::vector<OpenKey> open;   // as the row leaves them
  PublishedTime published;     // basis none: nothing to judge time by
  Flops published_model{};     // of one step, as published rates count them
  Flops published_hardware{};  // the same

  std::optional<Protocol> protocol;  // of a row predicted without its source

  // How the step moves with what it runs on; only where asked for.
  std::vector<Elasticity> elasticities;
};

// `adjust` changes the run as resolved before it is estimated.
using Adjust = std::function<void(Run&)>;
JudgedRow judge(const Row& row, const ConfigLookup& lookup, const Adjust& adjust = {});

// Whether it stands in the summaries and fits: nothing assumed, and no other row's run again.
bool counts(const JudgedRow& r);

bool is_estimated(const JudgedRow& r);
std::optional<double> time_error(const JudgedRow& r);
std::optional<double> memory_error(const JudgedRow& r);

// In the row's own kind of memory.
Bytes predicted_memory(const JudgedRow& r);

// Predictions for one GPU.
PerSecond predicted_tokens(const JudgedRow& r);
FlopsPerSecond predicted_rate(const JudgedRow& r, FlopsKind kind);

inline bool fits(const JudgedRow& r) { return r.answer.reason == Reason::fits; }

}  // namespace orrery
