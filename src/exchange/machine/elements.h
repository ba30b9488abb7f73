// SPDX-License-Identifier: Apache-2.0
//
// The elements of an XML document, in the order of their start tags, with their attributes. Text,
// comments, declarations and the kinds of entities that a document defines itself are passed over.
//
// Errors: InputError with the line for tags that do not close or match, and for attributes without
// a value in quotes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::machine {

struct Element {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string>> attributes;

  bool has(std::string_view attribute) const;
  // "" where there is none.
  std::string text(std::string_view attribute) const;
  // 0 where there is none, or it is no number.
  double number(std::string_view attribute) const;
};

void for_elements(std::string_view text, const std::string& file,
                  const std::function<void(const Element&)>& visit);

}  // namespace orrery::machine
