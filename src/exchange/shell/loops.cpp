// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "core/units.h"
#include "exchange/shell/expansion.h"
#include "exchange/shell/script.h"
#include "exchange/text_lines.h"

namespace orrery::shell {
namespace {

constexpr int kMostRounds = 4096;
constexpr int kMostOfWhile = 256;

// The words of {1..8}; nothing where it is no range of whole numbers.
std::vector<std::string> range_words(std::string_view inside) {
  const std::size_t dots = inside.find("..");
  if (dots == std::string_view::npos) return {};
  const auto first = parse_number(inside.substr(0, dots));
  const auto last = parse_number(inside.substr(dots + 2));
  std::vector<std::string> words;
  if (!first || !last || *last < *first || *last - *first > kMostRounds) return {};
  for (double x = *first; x <= *last; ++x) words.push_back(shortest(x));
  return words;
}

// a{b,c}d is abd and acd; a word without such braces is itself.
std::vector<std::string> braced_words(const std::string& word) {
  if (word.find_first_of("$'\"`") != std::string::npos) return {word};
  const std::size_t open = word.find('{');
  const std::size_t close = word.find('}', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return {word};
  const std::string_view inside = std::string_view(word).substr(open + 1, close - open - 1);
  std::vector<std::string> parts = range_words(inside);
  if (parts.empty() && inside.find(',') == std::string_view::npos) return {word};
  if (parts.empty()) {
    for (const std::string_view part : fields_of(inside, ',')) parts.emplace_back(part);
  }
  for (std::string& p : parts) {
    std::string whole = word.substr(0, open);
    whole += p;
    p = whole + word.substr(close + 1);
  }
  return parts;
}

bool is_arguments(const std::string& word) {
  return word == "$@" || word == "$*" || word == "\"$@\"" || word == "\"$*\"";
}

}  // namespace

void Script::for_each(Mode mode) {
  text_.word();
  if (text_.take_sign("((")) return counting_loop(mode);
  const std::string name = text_.word();
  const auto words = loop_words();
  if (mode == Mode::run && words) {
    rounds(name, *words, mode);
  } else {
    if (mode != Mode::skip) forget(name);
    body(mode);
  }
  s_.may_leave = s_.may_leave && s_.loops > 0;
}

std::optional<std::vector<std::string>> Script::loop_words() {
  std::vector<std::string> words;
  bool known = true;
  skip_lines(Mode::skip);
  const bool listed = text_.take_word("in");
  const auto add = [&](const std::string& word) {
    // A script is read as started without words of its own.
    if (is_arguments(word) && s_.run.variables.count("@") == 0) return;
    for (std::string& v : fields_of_word(word, s_.run.variables)) {
      known = known && v.find_first_of("$`*?") == std::string::npos;
      words.push_back(std::move(v));
    }
  };
  if (!listed) add("\"$@\"");
  while (listed && !text_.at_line_end() && !text_.at_sign(";")) {
    if (text_.peek().empty()) text_.fail("a list of for that does not end");
    for (const std::string& word : braced_words(text_.word())) add(word);
  }
  return known ? std::optional(std::move(words)) : std::nullopt;
}

void Script::rounds(const std::string& name, const std::vector<std::string>& words, Mode mode) {
  const ScriptText start = text_;
  if (words.empty()) return body(Mode::skip);
  for (const std::string& word : words) {
    text_ = start;
    const bool more = round(mode, [&](Mode m) {
      m == Mode::run ? set(name, {word}, m) : forget(name);
      body(m);
    });
    if (!more) return;
  }
}

template <class Run>
bool Script::round(Mode mode, Run run) {
  if (++s_.rounds > kMostRounds) text_.fail("more than 4096 rounds of loops");
  ++s_.loops;
  const std::size_t begin = text_.at();
  if (s_.may_leave && mode == Mode::run) {
    in_part(Mode::doubt, text_.line(), "a loop that may have been left",
            [&](Mode m) { return run(m), 0; });
  } else {
    run(mode);
  }
  --s_.loops;
  add_read(text_.at() - std::min(begin, text_.at()));
  const Leave left = s_.leave;
  if (left != Leave::function) s_.leave = Leave::nothing;
  return left == Leave::nothing || left == Leave::round;
}

void Script::counting_loop(Mode mode) {
  const std::string inside(text_.until('(', ')'));
  text_.take_sign(")");
  const std::size_t first = inside.find(';');
  const std::size_t second = inside.find(';', first == std::string::npos ? first : first + 1);
  if (second == std::string::npos) text_.fail("for (( without two \";\"");
  const std::string begins = inside.substr(0, first);
  const std::string holds = inside.substr(first + 1, second - first - 1);
  const std::string steps = inside.substr(second + 1);
  const ScriptText start = text_;
  if (mode == Mode::skip) return body(mode);
  assign_number(begins, Mode::run);
  for (;;) {
    const auto truth = arithmetic(holds, s_.run.variables);
    text_ = start;
    if (!truth || mode != Mode::run) {
      forget(std::string(trimmed(begins.substr(0, begins.find('=')))));
      return body(mode);
    }
    if (*truth == 0) return body(Mode::skip);
    if (!round(mode, [&](Mode m) { body(m); })) return;
    s_.may_leave = s_.may_leave && s_.loops > 0;
    assign_number(steps, Mode::run);
  }
}

void Script::body(Mode mode) {
  skip_lines(mode);
  close("do");
  perhaps(false, [&] { return statements(mode), 0; });
  close("done");
  redirections();
}

// A loop whose round changes no variable would not end: one round tells what it does. After many
// rounds what they change is unknown.
void Script::loop(Mode mode) {
  const std::size_t line = text_.line();
  const bool until = text_.word() == "until";
  const ScriptText start = text_;
  int count = 0;
  for (bool more = true; more; ++count) {
    text_ = start;
    std::string written;
    const Truth truth = condition(mode, "do", written);
    const Truth again = until ? negated(truth) : truth;
    const bool endless = count == kMostOfWhile;
    const bool runs = mode == Mode::run && again == true;
    const std::int64_t before = s_.changes;
    more = round(mode, [&](Mode m) {
      if (runs && endless) {
        in_part(Mode::doubt, line, "a loop of many rounds",
                [&](Mode d) { return statements(d), 0; });
      } else if (runs && m == Mode::run) {
        statements(m);
      } else {
        std::vector<Branch> rounds;
        part(m, again, line, "while", rounds);
        join(rounds, false);
      }
      close("done");
      redirections();
    });
    more = more && runs && !endless && before != s_.changes && !s_.may_leave;
  }
  s_.may_leave = s_.may_leave && s_.loops > 0;
}

}  // namespace orrery::shell
