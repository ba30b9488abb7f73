// SPDX-License-Identifier: Apache-2.0
//
// The values that a tool's rules see: the settings of a file, the tool's defaults where the file
// has none, the facts found so far with the command line over them, the command and its variables.
// A name may be a list of alternatives ("a|b"), a pattern ("lora.*"), or an item ("mesh[0]").
// Errors: InputError with file and setting for a value of the wrong type.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exchange/shell/shell.h"
#include "exchange/tools/condition.h"
#include "exchange/tools/tool.h"
#include "exchange/trainer/facts.h"

namespace orrery::tools {

// How a value came about: the setting as written, or as the default reads.
struct Came {
  std::string setting = {};
  bool is_default = false;
};

struct FoundValue {
  Json json;
  Came came;
};

class Values : public SettingsSeen {
 public:
  Values(const Tool& tool, const ForeignFile& file, Settings& settings, const trainer::Facts& facts)
      : tool_(tool), settings_(settings), facts_(facts), text_(file.text) {}

  // Settings that the file gives, and whose values only a running shell knows.
  void set_aside(const Settings& settings) { aside_.add_all(settings); }
  // The command that starts the tool.
  void set_command(const std::string& program, const ShellVariables& variables);
  // The document, for names that it says are null.
  void set_document(const Json& document) { document_ = &document; }
  // A file of the tool's settings was read ("@config"); the command's is not given ("@unread").
  void set_files(bool read, bool missing);
  bool defaults_hold() const { return defaults_hold_; }
  // True of a default that does not hold for these settings.
  bool is_unknown_default(const std::string& names) const;

  SeenValue at(const std::string& names) const override;

  // The first of the names that the file gives; nullptr for none.
  const ForeignSetting* given(const std::string& names) const;
  // The same where only a running shell or program knows its value.
  const ForeignSetting* unknown(const std::string& names) const;
  // The first such setting that a condition tests.
  const ForeignSetting* unknown_in(const Condition& when) const;
  const ToolDefault* default_of(const std::string& names) const;  // nullptr where none holds
  std::string default_text(const std::string& names) const;
  std::string written(const ForeignSetting& s) const;  // with its file
  // The setting that a condition stands on: the first that is given; nullptr for none.
  const ForeignSetting* ground_of(const Condition& when) const;
  // The ground of a condition: the first setting that is given, else the tool's default.
  Came came_of(const Condition& when) const;

  std::optional<FoundValue> value_of(const std::string& names, trainer::FactKind kind);
  std::optional<FoundValue> computed(const std::vector<std::string>& formula);

 private:
  const ToolDefault* stated_default(const std::string& names) const;
  SeenValue fact_at(const std::string& word) const;
  SeenValue formula_at(const std::string& formula) const;
  SeenValue key_at(const std::string& path) const;
  SeenValue open_at(const std::string& path) const;
  SeenValue named_model() const;
  SeenValue replicas() const;
  SeenValue learners() const;
  SeenValue variable_at(const std::string& name) const;
  SeenValue null_at(const std::string& path) const;
  SeenValue item_at(const ForeignSetting& s, const std::string& names) const;
  std::optional<FoundValue> given_value(const ForeignSetting& s, trainer::FactKind kind);
  std::optional<double> number_at(const std::string& name, Came& came);

  const Tool& tool_;
  Settings& settings_;
  Settings aside_{""};
  const trainer::Facts& facts_;
  Json text_;
  const Json* document_ = nullptr;
  Json program_ = "";
  Json config_ = false;
  Json unread_ = false;
  bool defaults_hold_ = true;
  ShellVariables variables_;
  mutable std::vector<std::unique_ptr<Json>> items_;  // of lists, as long as conditions see them
};

// Refusals and notes name the setting alone, without its file.
std::string bare_setting(const std::string& setting);

}  // namespace orrery::tools
