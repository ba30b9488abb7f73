// SPDX-License-Identifier: Apache-2.0
//
// A text that people hold when a run is slow or dead, read by whichever reader knows it, beside
// what an estimate of the run predicts.
//
// Read: training logs (exchange/logs/), messages of memory (exchange/messages/), nccl-tests'
// output, also a part of it, the links that NCCL prints, a profiler's trace, a snapshot of
// PyTorch's allocator. One text may hold several: a log that ends in an out-of-memory error is
// both, but for the last two. Errors: InputError for a text of which nothing is known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exchange/kineto/step_profile.h"
#include "exchange/logs/training_log.h"
#include "exchange/messages/memory_message.h"
#include "exchange/messages/nccl_rows.h"
#include "exchange/messages/nccl_setup.h"
#include "insight/memory_causes.h"
#include "insight/run_report.h"

namespace orrery {

struct DiagnosedMessage {
  MemoryMessage message;
  std::vector<DiagnosedCause> causes;
};

struct Diagnosis {
  std::string file;
  std::vector<DiagnosedMessage> messages;
  std::optional<TrainingLog> log;
  std::vector<NcclRow> collectives;
  std::optional<NcclSetup> nccl;
  std::vector<DiagnosedCause> link_causes;  // of `nccl`
  std::optional<StepProfile> profile;
  std::vector<DiagnosedCause> losses;  // of the profile
  std::optional<RunReport> run;
};

Diagnosis diagnosis_of(const std::string& text, const std::string& file,
                       std::optional<RunReport> run);

}  // namespace orrery
