// SPDX-License-Identifier: Apache-2.0
//
// The answers to `estimate` and `memory` as documents and as JSON, and the parts of them that other
// commands say too. Labels and keys come from insight/metrics.h.
#pragma once

#include <optional>
#include <string>

#include "capacity/training_time.h"
#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct RunReport;
struct TypedRun;

AnswerDocument estimate_document(const RunReport& r);  // every table
// On one screen: no tables but the changes that would help; it ends with the answer and what to
// type next.
AnswerDocument estimate_summary(const RunReport& r, const TypedRun& run);
Json estimate_json(const RunReport& r);
void add_memory_lines(const StageMemory<double>& m, Json& j);  // "weights_gib" and so on
Json communication_json(const RunReport& r);                   // `communication` of an estimate

// feasible, reasons and `memory` as in estimate_json(), with inputs.
AnswerDocument memory_document(const RunReport& r);
Json memory_json(const RunReport& r);

// The whole training, without interruptions; nothing where the run does not say its tokens.
std::optional<PieceTime> training_time(const RunReport& r);
std::optional<Paragraph> training_line(const RunReport& r);

Phrase verdict_of(const RunReport& r);  // "fits", "tight"
// The bytes of a device, without what gives way when it is full: cached blocks, paged states.
Bytes shown_bytes(const RunReport& r);
Paragraph memory_line(const RunReport& r);     // the verdict, the peak, the probability of fitting
Phrase step_text(const Answer& a);             // "17.25 s (80 % interval 16.4 s to 18.1 s)"
std::string end_words(const Answer& a);        // of which stage messages of once a step are
Section headline_section(const RunReport& r);  // memory, step, speed, utilisation
Section brief_headline(const RunReport& r);    // the same, a line each
Section parts_section(const RunReport& r);     // what holds most memory, what spends most time
Phrase estimate_words(const RunReport& r);     // "likely (92 %): 68.9 of 79.7 GiB, 6.85 s a step"
// "likely (92 %): 68.9 of 79.7 GiB", and the command that goes on from it.
Section memory_ending(const RunReport& r, const TypedRun& run);
Section remedy_section(const RunReport& r);  // a strategy that fits, where the run does not
Table metrics_row(const RunReport& r);       // CSV: one row, a column a metric
Section time_section(const RunReport& r);    // parts of the step as bars
Section memory_section(const RunReport& r);  // the fullest stage as bars
Section limit_section(const RunReport& r);   // what limits, and what would help

}  // namespace orrery
