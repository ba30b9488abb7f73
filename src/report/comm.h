// SPDX-License-Identifier: Apache-2.0
//
// The answer to `comm`: as a document and as JSON.
#pragma once

#include <string>

#include "core/json_fwd.h"
#include "document/document.h"
#include "insight/comm_report.h"

namespace orrery {

// "16 MiB" for 24
std::string power_of_two_text(int exponent);

Json comm_json(const CommReport& r);
AnswerDocument comm_document(const CommReport& r);

// The same with the steps of both jobs where their traffic meets (insight/neighbours.h).
struct CommBeside {
  CommReport own;
  CommReport other;
  std::string name;  // of the other
};
struct WriteBeside;
// The same with steps beside a checkpoint (insight/neighbours.h).
Json comm_write_json(const CommReport& r, const WriteBeside& w);
AnswerDocument comm_write_document(const CommReport& r, const WriteBeside& w);

Json comm_beside_json(const CommBeside& b);
AnswerDocument comm_beside_document(const CommBeside& b);

// {count, bytes_per_gpu, time_s, exposed_s, largest_message_bytes} of all; the same of groups that
// reach beyond a node (`beyond_node`), by dimension (`dp`), and by dimension and collective
// (`dp.all_gather`), for every one there is: 0 where nothing is sent.
Json comm_totals_json(const CommReport& r);

// The document that an expression reads for a run: the estimate, and beside it `totals`,
// `parameters`, `gpus` and `micro_batches`.
Json answer_document(const CommReport& r);

}  // namespace orrery
