// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/quote.h"

namespace orrery {
namespace {

// One line whatever the input held, and not endless.
std::string message(const std::string& file, const std::string& path, const std::string& found,
                    const std::string& allowed, const std::string& nearest) {
  std::string line = file.empty() ? std::string("input") : quote(file);
  if (!path.empty()) line += ": " + quote(path);
  line += ": found " + quote(found);
  if (!allowed.empty()) line += "; allowed: " + quote(allowed);
  if (!nearest.empty()) line += "; did you mean \"" + quote(nearest) + "\"?";
  return line;
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = std::tolower(static_cast<unsigned char>(a[i - 1])) ==
                        std::tolower(static_cast<unsigned char>(b[j - 1]));
      const std::size_t substituted = diagonal + (same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts(1);
  for (const char c : name) {
    if (c == '-' || c == '_') {
      parts.emplace_back();
    } else {
      parts.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return parts;
}

// "h100" is a part of "dgx-h100", and "--seq-len" short for "--sequence-length".
bool is_short_for(const std::string& word, const std::string& candidate) {
  const std::vector<std::string> of_word = parts_of(word);
  const std::vector<std::string> of_candidate = parts_of(candidate);
  const auto begins = [](const std::string& whole, const std::string& part) {
    return whole.compare(0, part.size(), part) == 0 && part.empty() == whole.empty();
  };
  return std::search(of_candidate.begin(), of_candidate.end(), of_word.begin(), of_word.end(),
                     begins) != of_candidate.end();
}

constexpr std::size_t kShortestPart = 3;  // of a word that is short for another

}  // namespace

InputError::InputError(ErrorCode code, std::string file, std::string path, std::string found,
                       std::string allowed, std::string nearest)
    : std::runtime_error(message(file, path, found, allowed, nearest)),
      code_(code),
      file_(std::move(file)),
      path_(std::move(path)),
      found_(std::move(found)),
      allowed_(std::move(allowed)),
      nearest_(std::move(nearest)) {}

InputError::InputError(std::string file, std::string path, std::string found, std::string allowed,
                       std::string nearest)
    : InputError(ErrorCode::not_allowed, std::move(file), std::move(path), std::move(found),
                 std::move(allowed), std::move(nearest)) {}

std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates) {
  if (word.size() > 100) return "";
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2) + 1;
  std::string longer;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
    if (word.size() < kShortestPart || !is_short_for(word, candidate)) continue;
    if (longer.empty() || candidate.size() < longer.size()) longer = candidate;
  }
  const bool is_misspelt = !best.empty() && best_distance <= 2;
  return is_misspelt || longer.empty() ? best : longer;
}

std::string alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace orrery
