// SPDX-License-Identifier: Apache-2.0
#include "validate/config_text.h"

#include <algorithm>
#include <optional>

namespace orrery {
namespace {

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class Scanner {
 public:
  explicit Scanner(const std::string& text) : text_(text) {}

  std::optional<Span> find(const KeyPath& path) {
    target_ = &path;
    at_ = 0;
    value(0, true);
    return found_;
  }

 private:
  void space() {
    while (at_ < text_.size()) {
      if (text_.compare(at_, 2, "//") == 0) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.compare(at_, 2, "/*") == 0) {
        at_ = std::min(text_.find("*/", at_), text_.size() - 2) + 2;
      } else if (std::string(" \t\r\n,:").find(text_[at_]) != std::string::npos) {
        ++at_;
      } else {
        return;
      }
    }
  }

  std::string string() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    return text_.substr(begin, at_++ - begin);
  }

  // `on_path`: the first `depth` keys of the target lead here.
  void value(std::size_t depth, bool on_path) {
    space();
    const std::size_t begin = at_;
    if (at_ >= text_.size()) return;
    if (text_[at_] == '{') {
      object(depth, on_path);
    } else if (text_[at_] == '[') {
      ++at_;
      const std::string* key = on_path && depth < target_->size() ? &(*target_)[depth] : nullptr;
      std::size_t i = 0;
      for (space(); at_ < text_.size() && text_[at_] != ']'; space()) {
        value(depth + 1, key != nullptr && *key == std::to_string(i++));
      }
      ++at_;
    } else if (text_[at_] == '"') {
      string();
    } else {
      at_ = std::min(text_.find_first_of(",]} \t\r\n/", at_), text_.size());
    }
    if (on_path && depth == target_->size() && !found_) found_ = Span{begin, at_};
  }

  void object(std::size_t depth, bool on_path) {
    ++at_;
    for (space(); at_ < text_.size() && text_[at_] != '}'; space()) {
      const std::string key = string();
      value(depth + 1, on_path && depth < target_->size() && (*target_)[depth] == key);
    }
    ++at_;
  }

  const std::string& text_;
  const KeyPath* target_ = nullptr;
  std::size_t at_ = 0;
  std::optional<Span> found_;
};

}  // namespace

KeyPath dotted_path(const std::string& dotted) {
  KeyPath path;
  for (std::size_t begin = 0; begin <= dotted.size();) {
    const std::size_t end = std::min(dotted.find('.', begin), dotted.size());
    path.push_back(dotted.substr(begin, end - begin));
    begin = end + 1;
  }
  return path;
}

std::string value_at(const std::string& json, const KeyPath& path) {
  const std::optional<Span> found = Scanner(json).find(path);
  return found ? json.substr(found->begin, found->end - found->begin) : "";
}

bool replace_value(std::string& json, const KeyPath& path, const std::string& raw) {
  const std::optional<Span> found = Scanner(json).find(path);
  if (!found) return false;
  json.replace(found->begin, found->end - found->begin, raw);
  return true;
}

bool insert_key(std::string& json, const KeyPath& path, const std::string& key,
                const std::string& raw) {
  const std::optional<Span> found = Scanner(json).find(path);
  if (!found || json[found->begin] != '{') return false;
  const std::size_t next = json.find_first_not_of(" \t\r\n", found->begin + 1);
  const bool empty = next == std::string::npos || json[next] == '}';
  const std::string gap = empty ? "" : json.substr(found->begin + 1, next - found->begin - 1);
  json.insert(found->begin + 1, gap + "\"" + key + "\": " + raw + (empty ? "" : ","));
  return true;
}

}  // namespace orrery
