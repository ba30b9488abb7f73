// SPDX-License-Identifier: Apache-2.0
#include "exchange/kineto/trace_events.h"

#include <algorithm>
#include <cmath>

#include "core/json_in.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

constexpr std::string_view kKey = "\"traceEvents\"";
constexpr std::string_view kBetween = " \t\r\n,";

}  // namespace

bool has_trace_events(std::string_view text) { return contains(text, kKey); }

TraceEvents::TraceEvents(std::string_view text, const std::string& file)
    : text_(text), file_(file), key_(std::min(text.find(kKey), text.size())) {
  at_ = std::min(text_.find_first_not_of(" \t\r\n:", key_ + kKey.size()), text_.size());
  if (at_ >= text_.size() || text_[at_] != '[') refuse("no array \"traceEvents\"");
  ++at_;
}

void TraceEvents::refuse(const std::string& found) const {
  const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size()));
  const auto line = static_cast<std::size_t>(std::count(text_.begin(), end, '\n')) + 1;
  fail({file_, line}, found, "a whole trace: {…, \"traceEvents\": [{…}, …]}");
}

// Braces and brackets within strings are text.
std::size_t TraceEvents::end_of_object() const {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = at_; i < text_.size(); ++i) {
    const char c = text_[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return i + 1;
    }
  }
  refuse("an event that is cut off");
}

std::optional<std::string_view> TraceEvents::next() {
  at_ = std::min(text_.find_first_not_of(kBetween, at_), text_.size());
  if (at_ == text_.size()) refuse("the end of the file within the events");
  if (text_[at_] == ']') return {};
  if (text_[at_] != '{') refuse("no object among the events");
  const std::size_t begin = at_;
  at_ = end_of_object();
  return text_.substr(begin, at_ - begin);
}

Json TraceEvents::head() const {
  std::string members(text_.substr(0, key_));
  const std::size_t last = members.find_last_not_of(kBetween);
  members.resize(last == std::string::npos ? 0 : last + 1);
  std::optional<Json> head = json_in(members + "}");
  return head && head->is_object() ? *std::move(head) : Json::object();
}

Json TraceEvents::tail() const {
  if (at_ >= text_.size() || text_[at_] != ']') return Json::object();
  const std::size_t next = text_.find_first_not_of(kBetween, at_ + 1);
  if (next == std::string_view::npos) return Json::object();
  std::optional<Json> tail = json_in("{" + std::string(text_.substr(next)));
  return tail && tail->is_object() ? *std::move(tail) : Json::object();
}

std::string text_at(const Json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<std::int64_t> whole_at(const Json& object, const char* key) {
  constexpr double kMost = 9e15;
  const auto x = number_at(object, key);
  if (!x || std::abs(*x) > kMost || *x != std::floor(*x)) return {};
  return static_cast<std::int64_t>(*x);
}

std::optional<double> number_at(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return {};
  const double x = found->get<double>();
  return std::isfinite(x) ? std::optional(x) : std::nullopt;
}

}  // namespace orrery
