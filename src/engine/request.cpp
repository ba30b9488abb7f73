// SPDX-License-Identifier: Apache-2.0
#include "engine/request.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/error.h"
#include "core/json.h"
#include "document/html.h"
#include "document/markdown.h"
#include "document/rows.h"
#include "document/text.h"
#include "engine/config_source.h"

namespace orrery {
namespace {

bool is_file(const Json& value) { return value.is_object() && value.contains("text"); }

NamedText file_in(Reader value) {
  NamedText file{value.at("file").text(), value.at("text").text()};
  value.reject_unknown();
  return file;
}

}  // namespace

std::string drawn(const AnswerDocument& answer, const OutputForm& output) {
  switch (output.format) {
    case AnswerFormat::csv:
      return csv_of(answer.rows);
    case AnswerFormat::html:
      return html_of(answer);
    case AnswerFormat::markdown:
      return markdown_of(answer);
    case AnswerFormat::json:  // each command's own
    case AnswerFormat::text:
      return text_of(answer, output.style);
  }
  return "";
}

void refuse_unread(std::span<const std::string_view> given, std::span<const std::string_view> read,
                   std::string_view kind, std::string_view allowed) {
  for (const std::string_view name : given) {
    if (std::find(read.begin(), read.end(), name) != read.end()) continue;
    throw InputError(ErrorCode::not_allowed, "command line", std::string(name), std::string(kind),
                     std::string(allowed));
  }
}

std::string flag_of(std::string_view key) {
  std::string flag = "--" + std::string(key);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string key_of(std::string_view flag) {
  std::string key(flag.substr(flag.find_first_not_of('-')));
  for (char& c : key) c = c == '-' ? '_' : static_cast<char>(std::tolower(c));
  return key;
}

Request::Request(const Json& document, Asker asker)
    : options_(document, asker == Asker::flags ? "command line" : "request"), asker_(asker) {
  options_.must_be_object();
  for (const char* known : {"format", "color", "width"}) options_.allow(known);
}

std::optional<Reader> Request::find(const std::string& key) {
  const auto value = options_.find(key);
  if (!value || value->json().is_structured()) return value;
  return Reader(value->json(), value->file(), named(key));
}

std::string Request::text(const std::string& key, const std::string& otherwise) {
  const auto value = find(key);
  return value ? value->text() : otherwise;
}

std::vector<std::string> Request::texts(const std::string& key) {
  const auto value = find(key);
  if (!value) return {};
  if (value->json().is_string()) return {value->text()};
  std::vector<std::string> texts;
  for (const Reader& item : value->items()) texts.push_back(item.text());
  return texts;
}

bool Request::flag(const std::string& key) {
  const auto value = find(key);
  return value && value->boolean();
}

std::int64_t Request::count(const std::string& key, std::int64_t otherwise, std::int64_t lowest,
                            std::int64_t highest) {
  const auto value = find(key);
  return value ? value->integer(lowest, highest) : otherwise;
}

double Request::number(const std::string& key, double otherwise, double lowest, double highest) {
  const auto value = find(key);
  return value ? value->number(lowest, highest) : otherwise;
}

std::optional<NamedText> Request::file(const std::string& key) {
  const auto value = find(key);
  if (!value) return {};
  return file_in(*value);
}

std::vector<NamedText> Request::files(const std::string& key) {
  const auto value = find(key);
  if (!value) return {};
  if (value->json().is_object()) return {file_in(*value)};
  std::vector<NamedText> files;
  for (const Reader& item : value->items()) files.push_back(file_in(item));
  return files;
}

AnswerFormat Request::format(std::initializer_list<AnswerFormat> allowed) {
  std::vector<std::string> names;
  for (const AnswerFormat f : allowed) {
    names.emplace_back(name_of(f));
  }
  const std::string word = text("format", "json");
  const auto at = std::find(names.begin(), names.end(), word);
  if (at != names.end()) return *(allowed.begin() + (at - names.begin()));
  find("format")->fail("\"" + word + "\"", alternatives(names), nearest_name(word, names));
}

OutputForm Request::output(std::initializer_list<AnswerFormat> allowed) {
  return {format(allowed), style()};
}

Style Request::style() {
  constexpr std::int64_t kNarrowest = 80;
  constexpr std::int64_t kWidest = 200;
  Style style;
  style.color = flag("color");
  style.must_fit = has("width");
  style.width = static_cast<std::size_t>(
      count("width", static_cast<std::int64_t>(kTextWidth), kNarrowest, kWidest));
  return style;
}

std::string Request::named(const std::string& key) const {
  return asker_ == Asker::flags ? flag_of(key) : key;
}

std::string Request::origin() const { return options_.file(); }

// "train.yaml", which no name of ours ends like.
static bool ends_as_file(std::string_view name) {
  constexpr std::array<std::string_view, 9> kEndings = {".yaml",  ".yml",    ".toml", ".sh", ".py",
                                                        ".slurm", ".sbatch", ".log",  ".txt"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view end) { return name.ends_with(end); });
}

RequestDocument named_document(ConfigKind kind, const std::string& name,
                               const ConfigSource& configs) {
  if (const auto found = find_config(configs, kind, name)) {
    return {parse_json(found->text, found->file), found->file, directory_of(found->file)};
  }
  if (is_path(name) || ends_as_file(name)) {
    throw InputError(ErrorCode::not_found, name, "", "No such file or directory",
                     "a file that can be read");
  }
  const std::string word(name_of(kind));
  throw InputError(name, "", "no such " + word,
                   "a file, - or a name of `orrery list " + word + "s`",
                   nearest_name(name, config_names(configs, kind)));
}

RequestDocument request_document(const Reader& value) {
  value.must_be_object();
  if (!is_file(value.json())) {
    return {value.json(), value.path().empty() ? value.file() : value.path(), ""};
  }
  const NamedText file = file_in(value);
  return {parse_json(file.text, file.name), file.name, directory_of(file.name)};
}

}  // namespace orrery
