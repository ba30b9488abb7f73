// SPDX-License-Identifier: Apache-2.0
#include "engine/answer.h"

#include <utility>

#include "core/json.h"
#include "report/frame_json.h"

namespace orrery {

AnswerText::AnswerText(std::string text) : kept_(std::make_shared<Kept>()) {
  kept_->text = std::move(text);
}

AnswerText::AnswerText(Json document) : kept_(std::make_shared<Kept>()) {
  check_finite(document);
  kept_->document = std::make_shared<const Json>(std::move(document));
}

const std::string& AnswerText::str() const {
  const std::lock_guard<std::mutex> lock(kept_->mutex);
  if (kept_->document && kept_->text.empty()) kept_->text = dump(*kept_->document);
  return kept_->text;
}

const Json* AnswerText::document() const { return kept_->document.get(); }

}  // namespace orrery
