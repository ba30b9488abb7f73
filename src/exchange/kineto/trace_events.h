// SPDX-License-Identifier: Apache-2.0
//
// The array "traceEvents" of a Chrome trace, one object at a time, so that a trace of hundreds of
// megabytes needs no more memory than its text. The text before the array is its head. An object is
// returned as text; the caller parses it. Errors: InputError with file and line, if there is no
// array, or if the file ends within it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/json_fwd.h"

namespace orrery {

class TraceEvents {
 public:
  TraceEvents(std::string_view text, const std::string& file);

  std::optional<std::string_view> next();

  // The members before the array; {} where they are no JSON.
  Json head() const;
  // The members behind it, once all events were taken; {} where they are no JSON.
  Json tail() const;

 private:
  [[noreturn]] void refuse(const std::string& found) const;
  std::size_t end_of_object() const;

  std::string_view text_;
  const std::string& file_;
  std::size_t key_ = 0;  // where the array's name stands
  std::size_t at_ = 0;
};

bool has_trace_events(std::string_view text);

// Members of an object; nothing where they are not there or of another type.
std::string text_at(const Json& object, const char* key);
std::optional<std::int64_t> whole_at(const Json& object, const char* key);
std::optional<double> number_at(const Json& object, const char* key);

}  // namespace orrery
