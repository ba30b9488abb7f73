// SPDX-License-Identifier: Apache-2.0
//
// The settings of another tool by name, from a command line, a table or JSON.
//
// Each setting is asked for by its type, and those that nobody asked for can be listed. If a name
// is given twice the last one counts, as in argparse.
//
// Errors: InputError with file, the setting as written, what was found and what is allowed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json.h"

namespace orrery {

inline constexpr std::int64_t kMostCount = 1'000'000'000'000;
// Products of three fit into 64 bits.
inline constexpr std::int64_t kMostDegree = std::int64_t{1} << 20;

struct ForeignSetting {
  std::string name;       // as the tables have it
  std::string written;    // as the user has it: "--micro-batch-size"
  Json value;             // text of a command line stays text; null: given without a value
  std::string file = {};  // where it stands, if not in the settings' own file
  bool taken = false;
};

class Settings {
 public:
  explicit Settings(std::string file) : file_(std::move(file)) {}

  void add(ForeignSetting setting);

  bool has(std::string_view name) const { return at(name) != nullptr; }
  void take(std::string_view name);
  void remove(std::string_view name) {
    remove_if([&](const ForeignSetting& s) { return s.name == name; });
  }
  // The setting as written; "" if it is not given.
  std::string written(std::string_view name) const;
  // Settings of another file, over these.
  void add_all(const Settings& other);

  template <class Is>
  void remove_if(Is is) {
    list_.erase(std::remove_if(list_.begin(), list_.end(), is), list_.end());
  }

  // Nothing where it is not given or is null.
  std::optional<std::int64_t> count(std::string_view name, std::int64_t lowest = 0,
                                    std::int64_t highest = kMostCount);
  std::optional<double> number(std::string_view name, double lowest, double highest);
  // Given without a value, or true.
  std::optional<bool> flag(std::string_view name);
  std::optional<std::string> text(std::string_view name);
  // A setting that may also be a number, as written.
  std::optional<std::string> word(std::string_view name);
  // The index in `names`.
  std::optional<std::size_t> choice(std::string_view name, std::span<const std::string_view> names);
  std::optional<std::vector<std::string>> words(std::string_view name);

  [[noreturn]] void refuse(std::string_view name, const std::string& allowed,
                           ErrorCode code = ErrorCode::not_allowed) const;
  [[noreturn]] void refuse(std::string_view name, const std::string& found,
                           const std::string& allowed,
                           ErrorCode code = ErrorCode::not_allowed) const;

  const std::vector<ForeignSetting>& all() const { return list_; }
  const std::string& file() const { return file_; }
  const std::string& file_of(const ForeignSetting& s) const {
    return s.file.empty() ? file_ : s.file;
  }

 private:
  const ForeignSetting* at(std::string_view name) const;
  const ForeignSetting* taken_at(std::string_view name);

  std::string file_;
  std::vector<ForeignSetting> list_;
};

// "--lr 1e-4", "zero_optimization.round_robin_gradients true"
std::string text_of(const ForeignSetting& s);

}  // namespace orrery
