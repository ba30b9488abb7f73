// SPDX-License-Identifier: Apache-2.0
#include "exchange/python_calls.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_in.h"
#include "core/json_path.h"
#include "core/limits.h"
#include "core/units.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

// Calls whose arguments are those of the Trainer.
constexpr std::array<std::string_view, 5> kArguments = {"TrainingArguments", "SFTConfig",
                                                        "Seq2SeqTrainingArguments",
                                                        "UnslothTrainingArguments", "DPOConfig"};
constexpr std::array<std::string_view, 9> kOthers = {
    "from_pretrained", "get_peft_model", "LoraConfig",  "BitsAndBytesConfig", "SFTTrainer",
    "Trainer",         "DPOTrainer",     "GRPOTrainer", "GRPOConfig"};

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Code of a notebook's cells, without commands of the shell and of the notebook.
std::string code_of_notebook(const std::string& text) {
  const auto document = json_in(text);
  if (!document || !document->is_object()) return "";
  std::string code;
  for (const Json& cell : value_at(*document, "cells")) {
    if (value_at(cell, "cell_type") != "code") continue;
    const Json& source = value_at(cell, "source");
    std::string whole;
    if (source.is_string()) whole = source.get<std::string>();
    if (source.is_array()) {
      for (const Json& line : source) whole += line.is_string() ? line.get<std::string>() : "";
    }
    for (const std::string_view line : lines_of(whole)) {
      const std::string_view t = trimmed(line);
      const bool other = !t.empty() && (t.front() == '!' || t.front() == '%');
      if (!other) code += std::string(line) + "\n";
    }
  }
  return code;
}

// A cursor over Python's text that knows strings, comments and brackets.
class Code {
 public:
  explicit Code(std::string text) : text_(std::move(text)) {}

  const std::string& text() const { return text_; }

  // The end of the expression from `at` to a comma, or to the bracket that closes around it.
  std::size_t end_of_expression(std::size_t at) const {
    int depth = 0;
    while (at < text_.size()) {
      const char c = text_[at];
      if (c == '"' || c == '\'') {
        at = end_of_string(at);
        continue;
      }
      if (c == '#') {
        at = std::min(text_.find('\n', at), text_.size());
        continue;
      }
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') {
        if (depth == 0) return at;
        --depth;
      }
      if (c == ',' && depth == 0) return at;
      ++at;
    }
    return at;
  }

  std::size_t end_of_string(std::size_t at) const {
    const char quote = text_[at];
    const std::string triple(3, quote);
    const bool long_one = text_.compare(at, 3, triple) == 0;
    const std::string end = long_one ? triple : std::string(1, quote);
    std::size_t i = at + end.size();
    while (i < text_.size()) {
      if (text_[i] == '\\') {
        i += 2;
        continue;
      }
      if (text_.compare(i, end.size(), end) == 0) return i + end.size();
      if (!long_one && text_[i] == '\n') return i;
      ++i;
    }
    return text_.size();
  }

 private:
  std::string text_;
};

std::string without_comments(std::string_view expression) {
  std::string out;
  for (const std::string_view line : lines_of(expression)) {
    // A sign within a string is none.
    std::size_t at = 0;
    char quote = 0;
    for (; at < line.size(); ++at) {
      if (quote == 0 && line[at] == '#') break;
      if (quote == 0 && (line[at] == '"' || line[at] == '\''))
        quote = line[at];
      else if (line[at] == quote)
        quote = 0;
    }
    out += std::string(trimmed(line.substr(0, at))) + " ";
  }
  return std::string(trimmed(out));
}

using Names = std::map<std::string, Json, std::less<>>;

class PythonReader {
 public:
  explicit PythonReader(std::string text) : code_(std::move(text)) {}

  std::optional<Json> read() {
    assignments();
    bool any = false;
    for (const std::string_view call : kArguments) any = calls(call, true) || any;
    for (const std::string_view call : kOthers) any = calls(call, false) || any;
    if (!any) return {};
    out_["imports"] = imports();
    out_["calls"] = trainers();
    return std::move(out_);
  }

 private:
  // `name = literal` at the left margin, unless another line sets it otherwise.
  void assignments() {
    for (const std::string_view line : lines_of(code_.text())) {
      const std::size_t equals = line.find('=');
      if (equals == std::string_view::npos || equals == 0 || line[0] == ' ' || line[0] == '\t')
        continue;
      const std::string name(trimmed(line.substr(0, equals)));
      if (!std::all_of(name.begin(), name.end(), is_name) || line.substr(equals, 2) == "==")
        continue;
      const std::string value = without_comments(line.substr(equals + 1));
      const Json literal = literal_of(value);
      const auto known = names_.find(name);
      if (known != names_.end() && known->second != literal) {
        known->second = Json("$" + name);
      } else {
        names_[name] = literal;
      }
    }
  }

  Json imports() const {
    Json list = Json::array();
    for (const std::string_view line : lines_of(code_.text())) {
      for (const char* word : {"import ", "from "}) {
        if (!begins_with(trimmed(line), word)) continue;
        const std::string_view behind = trimmed(line).substr(std::string_view(word).size());
        const std::string module(behind.substr(0, behind.find_first_of(" .,")));
        if (std::find(list.begin(), list.end(), module) == list.end()) list.push_back(module);
      }
    }
    return list;
  }

  // Classes of trainers and of their arguments that are made: what is trained.
  Json trainers() const {
    Json list = Json::array();
    const std::string& text = code_.text();
    for (const std::string_view end : {"Trainer(", "Config(", "Arguments("}) {
      for (std::size_t at = text.find(end); at != std::string::npos && list.size() < kMostCalls;
           at = text.find(end, at + end.size())) {
        std::size_t begin = at;
        while (begin > 0 && is_name(text[begin - 1])) --begin;
        const std::string name = text.substr(begin, at + end.size() - 1 - begin);
        if (!is_definition(begin) && std::find(list.begin(), list.end(), name) == list.end())
          list.push_back(name);
      }
    }
    return list;
  }

  bool calls(std::string_view name, bool at_top) {
    const std::string& text = code_.text();
    bool any = false;
    std::size_t count = 0;
    for (std::size_t at = text.find(name); at != std::string::npos;
         at = text.find(name, at + name.size())) {
      const std::size_t open = at + name.size();
      const bool own = at == 0 || !is_name(text[at - 1]);
      if (!own || open >= text.size() || text[open] != '(' || is_definition(at)) continue;
      if (++count > kMostCalls) break;
      arguments(std::string(name), open + 1, at_top);
      any = true;
    }
    return any;
  }

  bool is_definition(std::size_t at) const {
    const std::size_t begin = code_.text().rfind('\n', at) + 1;
    const std::string_view line = trimmed(std::string_view(code_.text()).substr(begin, at - begin));
    return begins_with(line, "def ") || begins_with(line, "class ") || begins_with(line, "#");
  }

  void arguments(const std::string& call, std::size_t at, bool at_top) {
    const std::string& text = code_.text();
    std::size_t place = 0;
    while (at < text.size()) {
      const std::size_t end = code_.end_of_expression(at);
      const std::string part = without_comments(std::string_view(text).substr(at, end - at));
      argument(call, part, place++, at_top);
      if (end >= text.size() || text[end] == ')') return;
      at = end + 1;
    }
  }

  void argument(const std::string& call, const std::string& part, std::size_t place, bool at_top) {
    const std::size_t equals = part.find('=');
    const std::string name(trimmed(std::string_view(part).substr(0, equals)));
    const bool named = equals != std::string::npos && !name.empty() &&
                       std::all_of(name.begin(), name.end(), is_name) &&
                       part.substr(equals, 2) != "==";
    if (!named && (place > 0 || part.empty() || call != "from_pretrained")) return;
    const std::string key = named ? name : "model_name";
    const std::string value = named ? std::string(trimmed(part.substr(equals + 1))) : part;
    // "bf16 where the GPU has it", in two arguments.
    if (contains(value, "is_bfloat16_supported") || contains(value, "is_bf16_supported")) {
      if (!begins_with(value, "not ")) (at_top ? out_ : out_[call])[key] = "auto";
      return;
    }
    // A call within an argument is read by itself.
    if (is_known_call(value) || is_object_of_program(key)) return;
    Json& into = at_top ? out_ : out_[call];
    const Json read = literal_of(value);
    if (into.is_object() && into.contains(key) && into[key] != read) {
      into[key] = "$" + key;
    } else {
      into[key] = read;
    }
  }

  // Objects that a program passes on.
  static bool is_object_of_program(const std::string& key) {
    constexpr std::array<std::string_view, 10> kObjects = {
        "model",         "tokenizer",     "processing_class",
        "args",          "train_dataset", "eval_dataset",
        "data_collator", "peft_config",   "quantization_config",
        "callbacks"};
    return std::find(kObjects.begin(), kObjects.end(), key) != kObjects.end();
  }

  static bool is_known_call(const std::string& value) {
    const auto is_call = [&](std::string_view name) {
      return contains(value, std::string(name) + "(");
    };
    return std::any_of(kArguments.begin(), kArguments.end(), is_call) ||
           std::any_of(kOthers.begin(), kOthers.end(), is_call);
  }

  Json literal_of(const std::string& text) const {
    if (text == "True") return true;
    if (text == "False") return false;
    if (text == "None") return nullptr;
    if (const auto n = parse_number(without_underscores(text))) return number(*n);
    if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
        text.back() == text.front())
      return text.substr(1, text.size() - 2);
    if (text.size() >= 2 && text.front() == '[' && text.back() == ']') return list_of(text);
    if (begins_with(text, "torch.")) return text.substr(6);
    if (const auto known = names_.find(text); known != names_.end()) return known->second;
    return "$" + text.substr(0, 60);
  }

  static Json number(double n) {
    const auto whole = static_cast<std::int64_t>(n);
    constexpr double kMost = 1e15;
    return n < kMost && n > -kMost && static_cast<double>(whole) == n ? Json(whole) : Json(n);
  }

  static std::string without_underscores(std::string text) {
    std::erase(text, '_');
    return text;
  }

  Json list_of(const std::string& text) const {
    Json list = Json::array();
    const Code inner(text.substr(1, text.size() - 2));
    std::size_t at = 0;
    while (at < inner.text().size()) {
      const std::size_t end = inner.end_of_expression(at);
      const std::string part =
          without_comments(std::string_view(inner.text()).substr(at, end - at));
      if (!part.empty() && part.front() != '[') list.push_back(literal_of(part));
      at = end + 1;
    }
    return list;
  }

  static constexpr std::size_t kMostCalls = 64;

  Code code_;
  Names names_;
  Json out_ = Json::object();
};

}  // namespace

std::optional<Json> python_settings(const ForeignFile& file) {
  const bool notebook = file.name.ends_with(".ipynb");
  if (file.text.size() > (std::size_t{4} << 20)) return {};
  return PythonReader(notebook ? code_of_notebook(file.text) : file.text).read();
}

}  // namespace orrery
