// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "exchange/arguments.h"
#include "exchange/import_draft.h"
#include "exchange/text_lines.h"
#include "exchange/tools/tool.h"
#include "exchange/trainer/facts.h"

namespace orrery::trainer {
namespace {

// Off, or nothing: as a log lists what a run does not use.
bool is_off(const Json& value) {
  if (value.is_string()) {
    constexpr std::array<std::string_view, 6> kOff = {"None", "none", "null", "False", "false", ""};
    return std::find(kOff.begin(), kOff.end(), value.get<std::string_view>()) != kOff.end();
  }
  if (value.is_boolean()) return !value.get<bool>();
  return value == 0 || value == Json::array();
}

// Switches that are on unless they are set off, in the tools that have them.
constexpr std::array<std::string_view, 4> kOnByDefault = {
    "reshard_after_forward", "use_distributed_optimizer", "overlap_comm", "overlap_p2p_comm"};

bool is_on_by_default(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('.') + 1);
  return std::find(kOnByDefault.begin(), kOnByDefault.end(), last) != kOnByDefault.end();
}

const SettingNote* find_note(std::span<const SettingNote> notes, std::string_view name) {
  const auto found = std::find_if(notes.begin(), notes.end(), [&](const SettingNote& n) {
    return tools::fits_pattern(name, n.name);
  });
  return found == notes.end() ? nullptr : &*found;
}

bool fits_any(std::string_view name, std::string_view patterns) {
  const std::vector<std::string_view> all = fields_of(patterns, ' ');
  return std::any_of(all.begin(), all.end(),
                     [&](std::string_view pattern) { return tools::fits_pattern(name, pattern); });
}

// A setting that nobody asked for, and whether it is named as without effect.
void list_other(const ForeignSetting& s, const std::string& file, bool is_known,
                const SettingNote* note, Facts& facts) {
  const bool unknown = is_unknown_to_us(s.value);
  const bool moves =
      moves_a_number(s.name) || says_what_trains(s.value) || is_on_by_default(s.name);
  if (is_known || (!unknown && is_off(s.value) && !is_on_by_default(s.name))) {
    facts.without_effect(s.written + (is_known ? "" : " (off)"));
  } else if (unknown) {
    const char* const shell = why_unknown(file);
    const bool refused = moves_a_number(s.name) && note == nullptr;
    refused ? facts.refuse(text_of(s), shell) : facts.mention(text_of(s), shell);
  } else if (note != nullptr) {
    facts.mention(text_of(s), std::string(note->why));
  } else {
    moves ? facts.refuse(text_of(s), "no key of a run file says this")
          : facts.mention(text_of(s), kNoKeyOfRun);
  }
}

}  // namespace

void list_others(std::string_view without_effect, std::span<const SettingNote> not_modelled,
                 Settings& settings, Facts& facts) {
  for (const ForeignSetting& s : settings.all()) {
    if (s.taken && !is_unknown_to_us(s.value)) continue;
    list_other(s, settings.file_of(s), fits_any(s.name, without_effect),
               find_note(not_modelled, s.name), facts);
  }
}

}  // namespace orrery::trainer
