// SPDX-License-Identifier: Apache-2.0
//
// Measurements beside their prediction, as documents and as JSON: messages of a log, collectives,
// a training log. error = predicted/measured − 1.
#pragma once

#include <vector>

#include "document/document.h"
#include "insight/against.h"

namespace orrery {

// rows: a line a class of messages, matched, only predicted, only measured.
AnswerDocument comm_against_document(const CommAgainst& a);
Json comm_against_json(const CommAgainst& a);

// One curve point by point, several a line each and all points together. rows: the points.
AnswerDocument collective_against_document(const std::vector<AgainstCurve>& curves);
Json collective_against_json(const std::vector<AgainstCurve>& curves);

AnswerDocument training_against_document(const RunReport& r, const TrainingLog& log);
Json training_against_json(const RunReport& r, const TrainingLog& log);

}  // namespace orrery
