// SPDX-License-Identifier: Apache-2.0
//
// The answers to `validate` of decode points and of steps of reinforcement learning.
#pragma once

#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct DecodeReport;
struct RlValidation;

AnswerDocument decode_document(const DecodeReport& r);
Json decode_json(const DecodeReport& r);
AnswerDocument rl_validation_document(const RlValidation& r);
Json rl_validation_json(const RlValidation& r);

}  // namespace orrery
