// SPDX-License-Identifier: Apache-2.0
#include "estimate/cached_parts.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/json.h"
#include "estimate/config_lookup.h"

namespace orrery {

struct CachedPart {
  // A question to a lookup.
  struct Question {
    std::optional<HardwareKind> hardware;
    std::function<std::optional<ConfigText>(const std::string&)> ConfigLookup::*document = nullptr;
    std::string name;
    bool tools = false;  // their names, a line each
  };

  struct Asked {
    Question question;
    std::optional<ConfigText> answer;
  };

  CachedParts::Any part;
  std::vector<Asked> asked;
};

namespace {

using Question = CachedPart::Question;
using Asked = CachedPart::Asked;
using Record = std::vector<Asked>;

// A cluster's documents are some 100 kB: no sweep may grow without end.
constexpr std::size_t kMostParts = 256;

ConfigText lines_of(const std::vector<std::string>& names) {
  std::string lines;
  for (const std::string& name : names) lines += name + "\n";
  return {lines, ""};
}

std::optional<ConfigText> answer_of(const ConfigLookup& lookup, const Question& q) {
  if (q.hardware) {
    const std::optional<HardwareText> found = lookup.hardware.find(*q.hardware, q.name);
    if (!found) return {};
    return ConfigText{found->text, found->file};
  }
  if (q.document != nullptr) return (lookup.*q.document)(q.name);
  if (q.tools) return lines_of(lookup.tool_names());
  return lookup.accuracy ? lookup.accuracy() : std::nullopt;
}

bool answers_alike(const ConfigLookup& lookup, const Asked& asked) {
  const std::optional<ConfigText> now = answer_of(lookup, asked.question);
  if (!now || !asked.answer) return !now && !asked.answer;
  return now->text == asked.answer->text && now->file == asked.answer->file;
}

void record_documents(ConfigLookup& lookup, Record& record) {
  for (const auto document :
       {&ConfigLookup::model, &ConfigLookup::framework, &ConfigLookup::compression,
        &ConfigLookup::schedule, &ConfigLookup::tool}) {
    const auto find = lookup.*document;
    if (!find) continue;
    lookup.*document = [&record, document, find](const std::string& name) {
      record.push_back({{{}, document, name}, find(name)});
      return record.back().answer;
    };
  }
}

// The same lookup, which writes down what it is asked.
ConfigLookup recording(const ConfigLookup& lookup, Record& record) {
  ConfigLookup out = lookup;
  out.parts = nullptr;
  record_documents(out, record);
  out.hardware.find = [&record, find = lookup.hardware.find](HardwareKind kind,
                                                             const std::string& name) {
    std::optional<HardwareText> found = find(kind, name);
    std::optional<ConfigText> answer;
    if (found) answer = ConfigText{found->text, found->file};
    record.push_back({{kind, nullptr, name}, std::move(answer)});
    return found;
  };
  if (lookup.tool_names) {
    out.tool_names = [&record, list = lookup.tool_names] {
      std::vector<std::string> names = list();
      record.push_back({{{}, nullptr, "", true}, lines_of(names)});
      return names;
    };
  }
  if (!lookup.accuracy) {  // also an answer: another lookup may have a table
    record.push_back({});
    return out;
  }
  out.accuracy = [&record, find = lookup.accuracy] {
    record.push_back({{}, find()});
    return record.back().answer;
  };
  return out;
}

// Exact: 8 and 8.0 are printed differently.
std::string key_of(RunPart part, const std::string& file, std::initializer_list<const Json*> from) {
  std::string key(1, static_cast<char>(part));
  for (const Json* j : from) Json::to_cbor(*j, key);
  return key + file;
}

}  // namespace

std::shared_ptr<const CachedPart> CachedParts::find(const std::string& key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto at = entries_.find(key);
  return at == entries_.end() ? nullptr : at->second;
}

void CachedParts::keep(const std::string& key, std::shared_ptr<const CachedPart> entry) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (entries_.size() >= kMostParts) entries_.clear();
  entries_[key] = std::move(entry);
}

CachedParts::Any CachedParts::get(RunPart part, const std::string& file,
                                  std::initializer_list<const Json*> from,
                                  const ConfigLookup& lookup, const Make& make) {
  const std::string key = key_of(part, file, from);
  const std::shared_ptr<const CachedPart> known = find(key);
  const bool holds = known && std::all_of(known->asked.begin(), known->asked.end(),
                                          [&](const Asked& a) { return answers_alike(lookup, a); });
  if (holds) return known->part;
  CachedPart entry;
  entry.part = make(recording(lookup, entry.asked));
  const Any made = entry.part;
  keep(key, std::make_shared<const CachedPart>(std::move(entry)));
  return made;
}

CachedParts::Any cached_part(RunPart part, const std::string& file,
                             std::initializer_list<const Json*> from, const ConfigLookup& lookup,
                             const CachedParts::Make& make) {
  return lookup.parts ? lookup.parts->get(part, file, from, lookup, make) : make(lookup);
}

}  // namespace orrery
