// SPDX-License-Identifier: Apache-2.0
//
// The options of a command, each stated once: the member that it is read into, whose type says what
// it takes, the flag that gives it, and its words in help.
//
//   Option{into<&C::top>(1, 1000), "--top", "N", "number of strategies to show (5)"}
//
// read_options() reads a request by the rows, under the key `top`. The command line declares its
// flags by the same rows (cli/flags.h); help, completions, the manual page and the tools of `mcp`
// follow. Options that a request alone has are read beside them. Errors: InputError, from Request.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/member.h"
#include "engine/request.h"
#include "orrery/quantity.h"

namespace orrery {

// The type is in engine/given_run.h, the function in its source file.
struct GivenRun;
void read_run(Request& request, GivenRun& out);

// The key of a run's measured steps, a file, which comes with run and run_flags. With played_run it
// is refused and has no flag: their level scales no step that is played.
inline constexpr const char* kObservedKey = "observed";

// comma_texts: also as one word on the command line. count: not negative. run: RUN and the flags of
// a run; run_flags: these alone; runs: RUN, many.
enum class OptionKind : std::uint8_t {
  flag,
  text,
  texts,
  comma_texts,
  file,
  files,
  count,
  whole,
  number,
  run,
  played_run,
  run_flags,
  runs,
};

struct Option;

// How an option is read.
struct ReadOption {
  OptionKind kind = OptionKind::text;
  void (*read)(Request&, const Option&, void* choice) = nullptr;  // null: of the command line alone
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::vector<std::string> (*words)() = nullptr;  // that it takes, at the end of its help
};

struct Option {
  ReadOption by;
  const char* name = "RUN";  // the flag, "--top"; "METRIC" of a word in its place
  const char* type = "";     // of its value in help; "": as its kind has it
  const char* help = "";
  const char* key = "";    // of the request; "": the name's, in snake_case
  const char* group = "";  // of help
  const char* names = "";  // its values: a kind of document ("node") or a list of `orrery list`
};

using OptionRows = std::span<const Option>;

inline std::string key_of(const Option& o) { return *o.key != '\0' ? o.key : key_of(o.name); }

// An absent option keeps its value.
template <class V>
void read_option(Request& r, const Option& o, V& out) {
  const std::string key = key_of(o);
  if constexpr (std::is_same_v<V, bool>) {
    out = r.flag(key);
  } else if constexpr (std::is_integral_v<V>) {
    const std::int64_t least = std::is_unsigned_v<V> && o.by.least < 0 ? 0 : o.by.least;
    out = static_cast<V>(r.count(key, static_cast<std::int64_t>(out), least, o.by.most));
  } else if constexpr (std::is_same_v<V, std::string>) {
    out = r.text(key, out);
  } else if constexpr (std::is_same_v<V, std::vector<std::string>>) {
    out = r.texts(key);
  } else if constexpr (std::is_same_v<V, std::optional<NamedText>>) {
    out = r.file(key);
  } else if constexpr (std::is_same_v<V, std::vector<NamedText>>) {
    out = r.files(key);
  } else if constexpr (std::is_same_v<V, GivenRun>) {
    read_run(r, out);
  } else if (r.has(key)) {  // double, std::optional<double>, Seconds
    const bool open = o.by.least == ReadOption{}.least;
    out = V(open ? r.number(key, 0) : r.number(key, 0, double(o.by.least), double(o.by.most)));
  }
}

template <class V>
constexpr OptionKind kind_of() {
  if (std::is_same_v<V, bool>) return OptionKind::flag;
  if (std::is_integral_v<V>) return std::is_signed_v<V> ? OptionKind::whole : OptionKind::count;
  if (std::is_same_v<V, std::string>) return OptionKind::text;
  if (std::is_same_v<V, std::vector<std::string>>) return OptionKind::texts;
  if (std::is_same_v<V, std::optional<NamedText>>) return OptionKind::file;
  if (std::is_same_v<V, std::vector<NamedText>>) return OptionKind::files;
  return std::is_same_v<V, GivenRun> ? OptionKind::run : OptionKind::number;
}

// By a function: void(Request&, const Option&, Choice&).
template <class Choice, auto Read>
constexpr ReadOption by(OptionKind kind = OptionKind::text) {
  return {kind, [](Request& r, const Option& o, void* choice) {
            Read(r, o, *static_cast<Choice*>(choice));
          }};
}

// `Choice` where the member is of a base of it.
template <auto Member, class Choice = ObjectOf<Member>>
constexpr ReadOption into(OptionKind kind = kind_of<ValueOf<Member>>(),
                          std::int64_t least = ReadOption{}.least,
                          std::int64_t most = ReadOption{}.most) {
  const auto read = [](Request& r, const Option& o, void* choice) {
    read_option(r, o, static_cast<Choice*>(choice)->*Member);
  };
  return {kind, read, least, most};
}

template <auto Member, class Choice = ObjectOf<Member>>
constexpr ReadOption into(std::int64_t least, std::int64_t most) {
  return into<Member, Choice>(kind_of<ValueOf<Member>>(), least, most);
}

// One of these words.
template <auto Member>
constexpr ReadOption into(std::vector<std::string> (*words)()) {
  ReadOption by = into<Member>();
  by.words = words;
  return by;
}

template <class Choice>
Choice read_options(OptionRows options, Request& request) {
  Choice choice;
  for (const Option& o : options) {
    if (o.by.read != nullptr) o.by.read(request, o, &choice);
  }
  return choice;
}

}  // namespace orrery
