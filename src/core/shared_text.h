// SPDX-License-Identifier: Apache-2.0
//
// A text that its copies share: a document that many ask for. It never changes, so that two that
// share it are equal without a look at either.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace orrery {

class SharedText {
 public:
  // NOLINTBEGIN(google-explicit-constructor): it stands where a text stands
  SharedText(std::string text = {}) : text_(std::make_shared<const std::string>(std::move(text))) {}
  SharedText(const char* text) : SharedText(std::string(text)) {}

  operator const std::string&() const { return *text_; }
  operator std::string_view() const { return *text_; }
  // NOLINTEND(google-explicit-constructor)

  friend bool operator==(const SharedText& a, const SharedText& b) {
    return a.text_ == b.text_ || *a.text_ == *b.text_;
  }

 private:
  std::shared_ptr<const std::string> text_;  // never null
};

}  // namespace orrery
