// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "exchange/shell/parse.h"
#include "exchange/text_lines.h"

namespace orrery::shell {
namespace {

constexpr std::string_view kEndsWord = " \t\r\n;|&<>()";
constexpr const char* kOpen = "a quote or bracket that does not end within 64 levels";

// Longer signs first.
constexpr std::array<std::string_view, 19> kSigns = {":-", ":=", ":+", ":?", "##", "%%", "//",
                                                     "/#", "/%", ",,", "^^", "-",  "=",  "+",
                                                     "?",  "#",  "%",  "/",  ":"};

void read_members(const Cursor& cursor, std::string_view& rest, Parameter& p) {
  const std::size_t end = begins_with(rest, "[") ? closing(rest, 1, '[', ']') : kNone;
  if (end == kNone) return;
  const std::string_view key = rest.substr(1, end - 1);
  p.members = key == "@"   ? Parameter::Members::apart
              : key == "*" ? Parameter::Members::joined
                           : Parameter::Members::one;
  p.key = parse_unquoted(cursor.inside(key));
  rest.remove_prefix(end + 1);
}

void read_change(const Cursor& cursor, std::string_view rest, bool quoted, Parameter& p) {
  const auto* sign = std::find_if(kSigns.begin(), kSigns.end(),
                                  [&](std::string_view s) { return begins_with(rest, s); });
  if (sign == kSigns.end()) return void(p.sign = "[");
  p.sign = std::string(*sign);
  rest.remove_prefix(sign->size());
  const char apart = p.sign[0] == '/' ? '/' : p.sign == ":" ? ':' : '\0';
  const std::size_t second = apart == '\0' ? kNone : rest.find(apart);
  // A pattern is one in double quotes too.
  const bool text = quoted && rest.find('"') == kNone && p.sign.find_first_of("-=+?") != kNone;
  const auto read = [&](std::string_view part) {
    return text ? parse_quoted(cursor.inside(part)) : parse_unquoted(cursor.inside(part));
  };
  p.operand = read(rest.substr(0, second));
  if (second != kNone) p.second = read(rest.substr(second + 1));
}

Parameter parameter_of(const Cursor& cursor, bool quoted) {
  std::string_view rest = cursor.text();
  Parameter p;
  p.counts = rest.size() > 1 && rest[0] == '#' && end_of_name(rest, 1) > 1;
  p.keys = rest.size() > 1 && rest[0] == '!';
  if (p.counts || p.keys) rest.remove_prefix(1);
  const std::size_t end =
      std::max(end_of_name(rest, 0),
               std::min<std::size_t>(rest.find_first_of("@*#?") == 0 ? 1 : 0, rest.size()));
  p.name = std::string(rest.substr(0, end));
  rest.remove_prefix(end);
  read_members(cursor, rest, p);
  if (!rest.empty()) read_change(cursor, rest, quoted, p);
  return p;
}

class WordParser {
 public:
  explicit WordParser(Cursor& cursor) : c_(cursor) {}

  Word word() {
    return read([&] { return kEndsWord.find(c_.next()) != kNone; }, false);
  }

  Word all(bool quoted) {
    return read([] { return false; }, quoted);
  }

 private:
  template <class Ends>
  Word read(Ends ends, bool quoted) {
    const std::size_t begin = c_.at();
    while (!c_.ended() && !ends()) quoted ? in_quotes() : step();
    word_.written = std::string(c_.text().substr(begin, c_.at() - begin));
    return std::move(word_);
  }

  void literal(std::string_view text, bool quoted) {
    std::vector<WordPart>& parts = word_.parts;
    const bool follows = !parts.empty() && parts.back().kind == WordPart::Kind::literal &&
                         parts.back().quoted == quoted;
    if (!follows) parts.push_back({WordPart::Kind::literal, quoted, ""});
    parts.back().text += text;
  }

  void step() {
    const char c = c_.next();
    if (c == '\'') return single_quoted();
    if (c == '"') return double_quoted();
    if (c == '\\') return escaped();
    if (c == '$' && c_.next(1) == '\'') return c_.move(1), single_quoted(true);
    if (c == '$' || c == '`') return expansion(false);
    literal(c_.text().substr(c_.at(), 1), false);
    c_.move(1);
  }

  void in_quotes() {
    const char c = c_.next();
    const char next = c_.next(1);
    if (c == '\\' && next != '\0' && std::string_view("$`\"\\\n").find(next) != kNone)
      return escaped();
    if (c == '$' || c == '`') return expansion(true);
    literal(c_.text().substr(c_.at(), 1), true);
    c_.move(1);
  }

  void escaped() {
    if (c_.next(1) == '\0') return literal("\\", true), c_.move(1);
    if (c_.next(1) != '\n' && !(c_.next(1) == '\r' && c_.next(2) == '\n'))
      literal(c_.text().substr(c_.at() + 1, 1), true);
    c_.move(2);
  }

  // `coded`: $'a\n'
  void single_quoted(bool coded = false) {
    const std::size_t end = c_.text().find('\'', c_.at() + 1);
    if (end == kNone) c_.fail(kOpen);
    std::string inside(c_.text().substr(c_.at() + 1, end - c_.at() - 1));
    for (std::size_t at = inside.find('\\'); coded && at != kNone; at = inside.find('\\', at + 1)) {
      const std::size_t code = std::string_view("nt").find(inside[at + 1]);
      if (code != kNone) inside.replace(at, 2, 1, "\n\t"[code]);
    }
    literal(inside, true);
    c_.move(end + 1 - c_.at());
  }

  void double_quoted() {
    const std::size_t before = word_.parts.size();
    c_.move(1);
    while (!c_.ended() && c_.next() != '"') in_quotes();
    if (c_.ended()) c_.fail(kOpen);
    if (word_.parts.size() == before) literal("", true);
    c_.move(1);
  }

  void add(WordPart::Kind kind, bool quoted, std::size_t begin, WordPart rest) {
    rest.kind = kind;
    rest.quoted = quoted;
    if (rest.text.empty()) rest.text = std::string(c_.text().substr(begin, c_.at() - begin));
    word_.parts.push_back(std::move(rest));
  }

  void expansion(bool quoted) {
    const Deeper deeper(c_);
    const std::size_t begin = c_.at();
    const char next = c_.next(1);
    if (c_.next() == '`') return backquoted(quoted);
    if (c_.sees("$((") && arithmetic(quoted)) return;
    if (next == '(') return substitution(quoted);
    if (next == '{') return braced(quoted);
    const bool special = next != '\0' && std::string_view("#@*?$!-").find(next) != kNone;
    const bool digit = std::isdigit(static_cast<unsigned char>(next)) != 0;
    const std::size_t end =
        special || digit ? begin + 2 : std::max(end_of_name(c_.text(), begin + 1), begin + 1);
    const std::string name(c_.text().substr(begin + 1, end - begin - 1));
    c_.move(end - begin);
    if (name.empty()) return literal("$", quoted);
    add(WordPart::Kind::parameter, quoted, begin,
        {.parameter = std::make_shared<Parameter>(Parameter{name})});
  }

  bool arithmetic(bool quoted) {
    const std::size_t begin = c_.at();
    const std::size_t end = closing(c_.text(), begin + 3, '(', ')');
    if (end == kNone || c_.text().substr(end, 2) != "))") return false;
    const Word inside = parse_quoted(c_.inside(c_.text().substr(begin + 3, end - begin - 3)));
    c_.move(end + 2 - begin);
    add(WordPart::Kind::arithmetic, quoted, begin, {.expression = std::make_shared<Word>(inside)});
    return true;
  }

  // Text that is no script (a program of awk with odd quotes) is passed over up to its bracket.
  void substitution(bool quoted) {
    const Cursor before = c_;
    WordPart part;
    try {
      c_.move(2);
      part.commands = parse_substitution(c_);
    } catch (const InputError&) {
      c_ = before;
      const std::size_t end = closing(c_.text(), c_.at() + 2, '(', ')');
      if (end == kNone) c_.fail(kOpen);
      c_.move(end - c_.at());
    }
    c_.move(1);
    add(WordPart::Kind::substitution, quoted, before.at(), std::move(part));
  }

  void backquoted(bool quoted) {
    const std::size_t end = c_.text().find('`', c_.at() + 1);
    if (end == kNone) c_.fail(kOpen);
    const std::string_view inside = c_.text().substr(c_.at() + 1, end - c_.at() - 1);
    WordPart part;
    part.text = "$(" + std::string(inside) + ")";
    try {
      part.commands = parse_script(inside, c_.file(), c_.line(), c_.depth());
    } catch (const InputError&) {
      part.commands = nullptr;
    }
    c_.move(end + 1 - c_.at());
    add(WordPart::Kind::substitution, quoted, 0, std::move(part));
  }

  void braced(bool quoted) {
    const std::size_t begin = c_.at();
    const std::size_t end = closing(c_.text(), begin + 2, '{', '}');
    if (end == kNone) c_.fail(kOpen);
    const Parameter p =
        parameter_of(c_.inside(c_.text().substr(begin + 2, end - begin - 2)), quoted);
    c_.move(end + 1 - begin);
    add(WordPart::Kind::parameter, quoted, begin, {.parameter = std::make_shared<Parameter>(p)});
  }

  Cursor& c_;
  Word word_;
};

constexpr double kMostOfRange = 4096;

// The words of {1..8}; none where it is no range of whole numbers.
std::vector<std::string> range_words(std::string_view inside) {
  const std::size_t dots = inside.find("..");
  if (dots == kNone) return {};
  const auto first = parse_number(inside.substr(0, dots));
  const auto last = parse_number(inside.substr(dots + 2));
  std::vector<std::string> words;
  if (!first || !last || *last < *first || *last - *first > kMostOfRange) return {};
  for (double x = *first; x <= *last; ++x) words.push_back(shortest(x));
  return words;
}

std::vector<std::string> choices_in(std::string_view inside) {
  std::vector<std::string> parts = range_words(inside);
  if (!parts.empty() || inside.find(',') == kNone) return parts;
  for (std::size_t at = 0; at <= inside.size();) {
    const std::size_t end = std::min(inside.find(',', at), inside.size());
    parts.emplace_back(inside.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

}  // namespace

Word parse_word(Cursor& cursor) { return WordParser(cursor).word(); }

Word parse_quoted(Cursor cursor) { return WordParser(cursor).all(true); }

Word parse_unquoted(Cursor cursor) { return WordParser(cursor).all(false); }

std::string plain_text(const Word& word) {
  const bool plain = word.parts.size() == 1 && word.parts[0].kind == WordPart::Kind::literal &&
                     !word.parts[0].quoted;
  return plain ? word.parts[0].text : "";
}

std::vector<Word> braced_words(Word word) {
  for (std::size_t i = 0; i < word.parts.size(); ++i) {
    const WordPart& part = word.parts[i];
    if (part.kind != WordPart::Kind::literal || part.quoted) continue;
    const std::string text = part.text;
    const std::size_t open = text.find('{');
    const std::size_t close = text.find('}', open == kNone ? 0 : open);
    if (open == kNone || close == kNone) continue;
    std::vector<Word> words;
    for (const std::string& choice : choices_in(text.substr(open + 1, close - open - 1))) {
      words.push_back(word);
      words.back().parts[i].text = text.substr(0, open) + choice + text.substr(close + 1);
    }
    if (!words.empty()) return words;
  }
  return {std::move(word)};
}

}  // namespace orrery::shell
