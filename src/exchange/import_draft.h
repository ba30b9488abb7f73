// SPDX-License-Identifier: Apache-2.0
//
// A run file that is being made from another tool's settings: the common part of all readers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_path.h"
#include "exchange/foreign.h"
#include "exchange/names.h"
#include "exchange/settings.h"

namespace orrery {

struct ImportDraft {
  Settings settings;
  // Names of settings that move no number here; "lr_*" stands for all that begin so.
  std::span<const std::string_view> without_effect;
  ImportedRun out = {};

  bool is_without_effect(std::string_view name) const;

  void set(std::string_view path, Json value) { set_at(out.run, path, std::move(value)); }
  const Json& at(std::string_view path) const { return value_at(out.run, path); }
  std::int64_t count_at(std::string_view path, std::int64_t otherwise) const;
  bool is_on(std::string_view name) { return settings.flag(name).value_or(false); }

  void note(const std::string& path, const std::string& value, const std::string& why);
  // Where the path has no value yet.
  void assume(const std::string& path, Json value, const std::string& why);
  void not_understood(const std::string& setting, const std::string& why);

  // Settings whose value holds a dollar sign.
  void set_aside_unknown_values();
  // Settings of a feature that is off.
  void set_aside(std::span<const NameRow> rows, const std::string& feature);
  // All that nobody asked for.
  void list_leftovers();
};

}  // namespace orrery
