// SPDX-License-Identifier: Apache-2.0
//
// A request: an object whose keys are a command's options, by the names of its flags in snake_case.
//
//   {"run": "gpt3-175b-1024-a100", "tp": 4, "set": {"training.micro_batch": 2}, "format": "csv"}
//
// A file is given with its text, {"file": "run.json", "text": "…"}: the engine opens none. Keys
// that nobody asked for are refused by done(), which a command calls before it works. The command
// line writes requests too; there an option's value is the text a person typed (JSON, or else
// text), and messages name the flag. Errors: InputError.
#pragma once

#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "core/json.h"
#include "core/json_reader.h"
#include "document/document.h"
#include "engine/answer.h"

namespace orrery {

struct ConfigSource;                   // engine/config_source.h
enum class ConfigKind : std::uint8_t;  // the same

enum class Asker : std::uint8_t { request, flags };
enum class AnswerFormat : std::uint8_t { json, text, csv, html, markdown };
constexpr EnumNames<AnswerFormat> names_of(AnswerFormat) {
  return {"json", "text", "csv", "html", "markdown"};
}

struct OutputForm {
  AnswerFormat format = AnswerFormat::json;
  Style style;

  bool json() const { return format == AnswerFormat::json; }
  bool csv() const { return format == AnswerFormat::csv; }
};

// In every format but JSON, which each command writes itself.
std::string drawn(const AnswerDocument& answer, const OutputForm& output);

// "--trace-ranks" of "trace_ranks", and back; "kind" of a word in its place, "KIND".
std::string flag_of(std::string_view key);
std::string key_of(std::string_view flag);

// Refuses the first of the given flags that this kind of run does not read.
void refuse_unread(std::span<const std::string_view> given, std::span<const std::string_view> read,
                   std::string_view kind, std::string_view allowed);

// The directory of a file and what to call it in messages.
struct RequestDocument {
  Json json;
  std::string file;
  std::string beside;
};

class Request {
 public:
  // Refers to the document.
  Request(const Json& document, Asker asker);

  // Called as whoever asks calls it: a flag, or a key.
  std::optional<Reader> find(const std::string& key);
  bool has(const std::string& key) { return options_.has(key); }

  // "", 0, false or nothing where the key is absent.
  std::string text(const std::string& key, const std::string& otherwise = "");
  std::vector<std::string> texts(const std::string& key);  // a list, or one
  bool flag(const std::string& key);
  std::int64_t count(const std::string& key, std::int64_t otherwise, std::int64_t lowest,
                     std::int64_t highest = std::numeric_limits<std::int64_t>::max());
  double number(const std::string& key, double otherwise, double lowest = -kLargest,
                double highest = kLargest);
  std::optional<NamedText> file(const std::string& key);
  std::vector<NamedText> files(const std::string& key);

  AnswerFormat format(std::initializer_list<AnswerFormat> allowed);
  // One of these formats, and how a text is dressed.
  OutputForm output(std::initializer_list<AnswerFormat> allowed = {
                        AnswerFormat::json, AnswerFormat::text, AnswerFormat::csv,
                        AnswerFormat::html, AnswerFormat::markdown});
  Style style();

  // The option as whoever asked calls it, and where that stands.
  std::string named(const std::string& key) const;
  std::string origin() const;
  Asker asker() const { return asker_; }

  void done() const { options_.reject_unknown(); }

 private:
  static constexpr double kLargest = std::numeric_limits<double>::max();

  Reader options_;
  Asker asker_;
};

// The document that a request names, of this kind. Errors: InputError where there is none.
RequestDocument named_document(ConfigKind kind, const std::string& name,
                               const ConfigSource& configs);

// An object with its file, for `{"file", "text"}` and for an object in the request itself.
RequestDocument request_document(const Reader& value);

}  // namespace orrery
