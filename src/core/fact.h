// SPDX-License-Identifier: Apache-2.0
//
// A value of a run with its origin: who or what gave it, and where. Answers list the origins of all
// values, so that a default never passes for a statement. Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "core/json_fwd.h"

namespace orrery {

enum class Known : std::uint8_t {
  stated,        // by the user: a file, a flag, a request
  tool_default,  // the value that a tool takes by itself; `where` names the tool
  derived,       // follows from other values
  chosen,        // by a search, an advice, a plan
  open,          // nobody gave it, and it moves the answer; the value is the likeliest
};
constexpr EnumNames<Known> names_of(Known) {
  return {"stated", "default", "derived", "chosen", "open"};
}

struct Fact {
  std::string path;   // "parallel.dp"
  std::string value;  // "16"
  std::string why;    // "gpus/(tp·cp·pp)"
  Known known = Known::tool_default;
  std::string where = {};  // "train.sh:12 --micro-batch-size", "megatron-core 0.12", "--tp"
};

// A change of a run file, as --set takes it: "null" takes the key away.
struct Setting {
  std::string path;
  std::string value;
};

// `where` of defaults that are Orrery's own.
inline constexpr const char* kOurDefault = "orrery";

// `where` of values that stand in place of a name that was typed: "name 8xA100".
inline constexpr const char* kNameOf = "name ";

// nullptr where no fact is about `path`.
const Fact* find_fact(const std::vector<Fact>& facts, std::string_view path);

// True where a fact is about `path` and it was not stated.
bool is_assumed(const std::vector<Fact>& facts, std::string_view path);

// "default: not given (orrery)"
std::string origin_words(const Fact& fact);

// {"path", "value", "why", "known", "where"}
Json fact_json(const Fact& fact);

}  // namespace orrery
