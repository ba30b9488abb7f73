// SPDX-License-Identifier: Apache-2.0
#include "report/rl_diagnosis.h"

#include <utility>

#include "core/json.h"
#include "report/diagnosis.h"
#include "report/rl.h"

namespace orrery {

AnswerDocument rl_diagnosis_document(const Diagnosis& d, const RlReport& r, const TypedRun& run) {
  AnswerDocument document = messages_document(d);
  for (Section& s : rl_summary(r, run).sections) document.add(std::move(s));
  return document;
}

Json rl_diagnosis_json(const Diagnosis& d, const RlReport& r) {
  Json j = diagnosis_json(d);
  j["prediction"] = rl_json(r);
  return j;
}

}  // namespace orrery
