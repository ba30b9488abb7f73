// SPDX-License-Identifier: Apache-2.0
#include "engine/near_names.h"

#include <algorithm>
#include <cctype>

#include "core/error.h"

namespace orrery {
namespace {

constexpr std::size_t kMostOfFamily = 8;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The first number of a name.
std::string number_in(const std::string& name) {
  const auto first = std::find_if(name.begin(), name.end(), is_digit);
  return {first, std::find_if_not(first, name.end(), is_digit)};
}

}  // namespace

std::string nearest_by_number(const std::string& name, const std::vector<std::string>& known) {
  const std::string number = number_in(name);
  std::vector<std::string> alike;
  std::copy_if(known.begin(), known.end(), std::back_inserter(alike),
               [&](const std::string& other) { return number_in(other) == number; });
  return number.empty() ? nearest_name(name, known) : nearest_name(name, alike);
}

std::vector<std::string> of_same_family(const std::string& name,
                                        const std::vector<std::string>& known) {
  const std::size_t dash = name.find('-');
  const std::string family = name.substr(0, dash);
  std::vector<std::string> found;
  if (dash == std::string::npos || number_in(family).empty()) return found;
  for (const std::string& other : known) {
    if (other.starts_with(family + "-") && found.size() < kMostOfFamily) found.push_back(other);
  }
  return found;
}

}  // namespace orrery
