// SPDX-License-Identifier: Apache-2.0
#include "exchange/shell/script.h"

#include <algorithm>

#include "exchange/shell/expansion.h"
#include "exchange/text_lines.h"

namespace orrery::shell {
namespace {

Mode within(Mode mode, Truth truth) {
  if (mode == Mode::skip || truth == false) return Mode::skip;
  return truth ? mode : Mode::doubt;
}

}  // namespace

void Script::run(Mode mode) {
  statements(mode);
  while (!text_.at_end()) {
    // A word that closes nothing, or a bracket: left over from text that is no script.
    if (text_.word().empty()) text_.line_rest();
    statements(mode);
  }
}

void Script::statements(Mode mode) {
  for (;;) {
    skip_lines(mode);
    if (text_.at_end() || text_.at_sign(";;") || text_.at_sign(")")) return;
    if (ends_part(text_.peek())) return;
    chain(s_.leave == Leave::nothing ? mode : Mode::skip);
  }
}

bool Script::ends_part(const std::string& word) {
  static constexpr std::string_view kEnds[] = {"fi",   "else", "elif", "done",
                                               "esac", "then", "do",   "}"};
  return is_one_of(word, kEnds);
}

void Script::skip_lines(Mode mode) {
  text_.skip_lines();
  while (text_.at_line_end() && !text_.at_end()) {
    const std::vector<HereDocument> read = text_.documents();
    if (read.empty()) return text_.skip_lines();
    for (const HereDocument& d : read) document(d, mode);
    text_.skip_lines();
  }
}

void Script::chain(Mode mode) {
  Truth truth = command(mode);
  for (;;) {
    const bool also = text_.at_sign("&&");
    if (!also && !text_.at_sign("||")) return;
    text_.take_sign(also ? "&&" : "||");
    skip_lines(mode);
    const std::size_t line = text_.line();
    const Truth next = also ? truth : negated(truth);
    const Truth done = perhaps(next == true, [&] {
      return in_part(within(mode, next), line, "&& or ||", [&](Mode m) { return command(m); });
    });
    truth = also ? both(truth, done) : either(truth, done);
  }
}

Truth Script::command(Mode mode) {
  ++depth_;
  if (depth_ > kDeepestNesting) text_.fail("commands nested deeper than 64");
  const Truth truth = command_by_word(mode);
  --depth_;
  return truth;
}

Truth Script::command_by_word(Mode mode) {
  if (text_.take_sign("((")) return arithmetic_truth(mode);
  if (text_.take_sign("(")) return subshell(mode);
  const std::string word = text_.peek();
  if (word == "!") return text_.word(), negated(command(mode));
  if (word == "if") return if_else(mode), Truth(true);
  if (word == "case") return cases(mode), Truth(true);
  if (word == "for" || word == "select") return for_each(mode), Truth(true);
  if (word == "while" || word == "until") return loop(mode), Truth(true);
  if (word == "{") return group(mode), Truth(true);
  if (word == "[" || word == "[[" || word == "test") return test();
  if (word == "function") return text_.word(), defines(text_.word(), mode), Truth(true);
  return simple(mode);
}

Truth Script::arithmetic_truth(Mode mode) {
  const std::string inside(text_.until('(', ')'));
  text_.take_sign(")");
  if (const Truth assigned = assign_number(inside, mode)) return assigned;
  const auto x = arithmetic(inside, s_.run.variables);
  return x ? Truth(*x != 0) : Truth();
}

Truth Script::assign_number(std::string_view text, Mode mode) {
  text = trimmed(text);
  const std::size_t end = end_of_name(text, 0);
  const std::string name(text.substr(0, end));
  const std::string_view rest = trimmed(text.substr(end));
  const bool changes = rest.size() > 1 && rest[1] == '=' &&
                       std::string_view("+-*/").find(rest[0]) != std::string_view::npos;
  const bool equals = rest.size() > 1 && rest[0] == '=' && rest[1] != '=';
  const bool counts = rest == "++" || rest == "--";
  if (name.empty() || mode == Mode::skip || (!changes && !equals && !counts)) return {};
  const std::string right = counts    ? name + rest[0] + "1"
                            : changes ? name + rest[0] + "(" + std::string(rest.substr(2)) + ")"
                                      : std::string(rest.substr(1));
  const auto x = arithmetic(right, s_.run.variables);
  if (!x) return forget(name), Truth();
  set(name, {std::to_string(*x)}, mode);
  return *x != 0;
}

Truth Script::subshell(Mode mode) {
  statements(mode);
  text_.take_sign(")");
  return true;
}

void Script::group(Mode mode) {
  text_.word();
  statements(mode);
  text_.take_word("}");
  redirections();
}

Truth Script::test() {
  const std::string open = text_.word();
  std::vector<std::string> words;
  for (;;) {
    std::string w = text_.peek();
    if (w == "]" || w == "]]") return text_.word(), truth_of(words);
    if (!w.empty()) {
      words.push_back(text_.word());
    } else if (open != "[[" || text_.at_end() || !sign_of_test(words)) {
      return truth_of(words);  // `test a = b`, or a bracket that does not end
    }
  }
}

bool Script::sign_of_test(std::vector<std::string>& words) {
  for (const char* sign : {"&&", "||", "(", ")", "<", ">"}) {
    if (text_.take_sign(sign)) return words.emplace_back(sign), true;
  }
  if (!text_.at_line_end()) return false;
  skip_lines(Mode::skip);
  return true;
}

Truth Script::truth_of(const std::vector<std::string>& words) const {
  return truth_of_test(words, s_.run.variables);
}

Truth Script::condition(Mode mode, std::string_view end, std::string& written) {
  const std::size_t line = text_.line();
  Truth truth = true;
  for (;;) {
    skip_lines(mode);
    if (text_.at_end() || ends_part(text_.peek())) break;
    truth = chain_truth(mode);
  }
  if (!text_.take_word(end)) text_.fail("a condition without \"" + std::string(end) + "\"");
  written = "line " + std::to_string(line);
  return truth;
}

Truth Script::chain_truth(Mode mode) {
  Truth truth = command(mode);
  for (;;) {
    const bool also = text_.at_sign("&&");
    if (!also && !text_.at_sign("||")) return truth;
    text_.take_sign(also ? "&&" : "||");
    const Truth next = command(mode);
    truth = also ? both(truth, next) : either(truth, next);
  }
}

void Script::if_else(Mode mode) {
  text_.word();
  Truth open = true;  // whether no branch was taken
  std::vector<Branch> all;
  bool whole = false;
  for (;;) {
    const std::size_t line = text_.line();
    std::string written;
    const Truth truth = condition(mode, "then", written);
    part(mode, both(open, truth), line, "if", all);
    open = both(open, negated(truth));
    if (text_.take_word("elif")) continue;
    const std::size_t other = text_.line();
    whole = text_.take_word("else");
    if (whole) part(mode, open, other, "else", all);
    break;
  }
  close("fi");
  join(all, whole);
  redirections();
}

void Script::part(Mode mode, Truth truth, std::size_t line, const char* what,
                  std::vector<Branch>& all) {
  const Mode inside = within(mode, truth);
  const auto take = [&] {
    return in_part(inside, line, what, [&](Mode m) { return statements(m), 0; });
  };
  if (mode != Mode::run || inside != Mode::doubt) {
    perhaps(truth == true, take);
    return;
  }
  Branch branch{line, what};
  s_.branch = &branch;
  s_.surely = true;
  take();
  s_.branch = nullptr;
  all.push_back(std::move(branch));
}

void Script::report_replaced(const std::vector<Branch>& all, bool whole) {
  const auto each = [&](const auto& holds) {
    return std::all_of(all.begin(), all.end(),
                       [&](const Branch& b) { return b.exits || holds(b); });
  };
  for (const Branch& b : all) {
    for (const auto& was : b.replaced) {
      const std::string& name = was.first;
      const auto& old = was.second;
      // Only branches that leave the script assign it.
      if (each([&](const Branch& o) { return o.assigned.count(name) == 0; })) {
        s_.run.variables[name] = old;
        continue;
      }
      if (whole && each([&](const Branch& o) { return o.values.count(name) > 0; })) continue;
      in_part(Mode::doubt, b.line, b.what, [&](Mode) { return add_doubt(old), 0; });
    }
  }
}

void Script::join(const std::vector<Branch>& all, bool whole) {
  report_replaced(all, whole);
  const auto stays = [](const Branch& b) { return !b.exits; };
  const auto first = std::find_if(all.begin(), all.end(), stays);
  if (!whole || first == all.end()) return;
  for (const auto& value : first->values) {
    const bool alike = std::all_of(first, all.end(), [&](const Branch& b) {
      const auto other = b.values.find(value.first);
      return b.exits || (other != b.values.end() && other->second == value.second);
    });
    if (alike) set(value.first, value.second, Mode::run);
  }
}

void Script::close(std::string_view word) {
  if (!text_.take_word(word)) text_.fail("a part without \"" + std::string(word) + "\"");
}

void Script::cases(Mode mode) {
  const std::size_t line = text_.line();
  text_.word();
  const std::string value = text_of_word(text_.word(), s_.run.variables);
  skip_lines(mode);
  if (!text_.take_word("in")) text_.fail("case without \"in\"");
  Truth open = true;
  std::vector<Branch> all;
  for (;;) {
    skip_lines(mode);
    if (text_.at_end()) text_.fail("case without \"esac\"");
    if (text_.take_word("esac")) return join(all, open == false);
    text_.take_sign("(");
    const Truth truth = pattern(value);
    part(mode, both(open, truth), line, "case", all);
    open = both(open, negated(truth));
    text_.take_sign(";;");
  }
}

Truth Script::pattern(const std::string& value) {
  Truth truth = false;
  do {
    const std::string shape = text_of_word(text_.word(), s_.run.variables);
    truth = either(truth, shape == "*" ? Truth(true) : matches_pattern(value, shape));
  } while (text_.take_sign("|"));
  if (!text_.take_sign(")")) text_.fail("a pattern of case without \")\"");
  return truth;
}

}  // namespace orrery::shell
