// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "exchange/shell/parse.h"
#include "exchange/shell/tokens.h"

namespace orrery::shell {
namespace {

// The length of NAME or NAME[key] in NAME=… and NAME+=…; 0 for other words.
std::size_t assigned(std::string_view word) {
  std::size_t end = end_of_name(word, 0);
  if (end == 0 || std::isdigit(static_cast<unsigned char>(word[0])) != 0) return 0;
  if (word.substr(end, 1) == "[") {
    const std::size_t close = closing(word, end + 1, '[', ']');
    if (close == kNone) return 0;
    end = close + 1;
  }
  const std::string_view rest = word.substr(end);
  return rest.substr(0, 1) == "=" || rest.substr(0, 2) == "+=" ? end : 0;
}

class SimpleParser {
 public:
  SimpleParser(Tokens& tokens, const std::shared_ptr<Statement>& out)
      : t_(tokens), c_(tokens.cursor()), out_(out) {}

  std::string command() {
    Simple all;
    bool any = false;
    while (!t_.at_end() && std::string_view("\n;|)").find(c_.next()) == kNone) {
      const bool redirects = redirection();
      any = any || redirects;
      if (redirects) continue;
      if (c_.next() == '&') break;
      Word w = t_.word();
      if (w.written.empty()) c_.fail("a sign that no command has here");
      if (all.items.empty() && assigned(w.written) == 0 && c_.take_sign("("))
        return function(w.written);
      any = true;
      add_item(std::move(w), all);
    }
    if (!any && !t_.at_end()) c_.take_line();
    out_->what = std::move(all);
    return "";
  }

  bool redirection() {
    c_.skip_blanks();
    // The 2 of 2>&1 is no word; the 2 of `-n 2 > log` is.
    const bool descriptor = std::isdigit(static_cast<unsigned char>(c_.next())) != 0;
    const std::size_t sign = descriptor || c_.next() == '&' ? 1 : 0;
    if (c_.next(sign) != '>' && (c_.next(sign) != '<' || c_.next() == '&')) return false;
    const bool errors = descriptor && c_.next() != '1';
    c_.move(sign);
    if (c_.take_sign("<<<")) return add(Redirection::Kind::text, t_.word()), true;
    if (c_.take_sign("<<")) return document(), true;
    const bool input = c_.next() == '<';
    while (c_.take_sign("<") || c_.take_sign(">") || c_.take_sign("&")) {
    }
    if (!c_.take_sign("(")) {
      Word target = t_.word();
      if (!errors) add(input ? Redirection::Kind::input : Redirection::Kind::output, target);
      return true;
    }
    t_.in_brackets();
    return true;
  }

 private:
  // NAME ( ); other brackets are passed over, in text that is no script.
  std::string function(const std::string& name) {
    if (c_.take_sign(")")) return name;
    t_.in_brackets();
    return "";
  }

  void add_item(Word w, Simple& all) {
    static constexpr std::string_view kDeclares[] = {"export", "declare", "local", "readonly",
                                                     "typeset"};
    const bool first = std::all_of(all.items.begin(), all.items.end(),
                                   [](const Item& i) { return i.assignment != nullptr; });
    const bool may_assign = first || is_in(plain_text(all.items.front().word), kDeclares);
    if (may_assign && assigned(w.written) > 0) {
      all.items.push_back({w, std::make_shared<ShellAssignment>(assignment(w))});
      return;
    }
    for (Word& each : braced_words(std::move(w))) all.items.push_back({std::move(each)});
  }

  ShellAssignment assignment(const Word& w) {
    const std::string_view text = w.written;
    const std::size_t end = assigned(text);
    const std::size_t name = end_of_name(text, 0);
    ShellAssignment a{std::string(text.substr(0, name))};
    a.adds = text[end] == '+';
    a.keyed = name < end;
    if (a.keyed) a.key = parse_unquoted(c_.inside(text.substr(name + 1, end - name - 2)));
    const std::string_view value = text.substr(end + (a.adds ? 2 : 1));
    a.is_array = value.empty() && c_.next() == '(' && c_.take_sign("(");
    if (a.is_array) {
      a.elements = elements();
    } else {
      a.value = parse_unquoted(c_.inside(value));
    }
    return a;
  }

  std::vector<ShellElement> elements() {
    std::vector<ShellElement> all;
    while (!c_.take_sign(")")) {
      if (t_.at_end()) c_.fail("an array that does not end");
      if (c_.next() == '\n') {
        t_.separators();
        continue;
      }
      Word w = t_.word();
      if (w.written.empty()) c_.fail("a sign that no array has here");
      const std::size_t key = w.written.front() == '[' ? assigned("a" + w.written) : 0;
      if (key == 0) {
        for (Word& each : braced_words(std::move(w))) all.push_back({false, {}, std::move(each)});
        continue;
      }
      const std::string_view text = w.written;
      all.push_back({true, parse_unquoted(c_.inside(text.substr(1, key - 3))),
                     parse_unquoted(c_.inside(text.substr(key)))});
    }
    return all;
  }

  void add(Redirection::Kind kind, Word target) {
    out_->redirections.push_back({kind, std::move(target), c_.line()});
  }

  void document() {
    const bool unindent = c_.next() == '-';
    if (unindent) c_.move(1);
    const Word end = t_.word();
    std::string text;
    bool quoted = end.written.find('\\') != kNone;
    for (const WordPart& p : end.parts) {
      text += p.text;
      quoted = quoted || p.quoted;
    }
    if (text.empty()) c_.fail("<< without a word");
    add(Redirection::Kind::document, {});
    t_.await({out_, out_->redirections.size() - 1, text, quoted, unindent});
  }

  Tokens& t_;
  Cursor& c_;
  const std::shared_ptr<Statement>& out_;
};

}  // namespace

std::string parse_simple(Tokens& tokens, const std::shared_ptr<Statement>& out) {
  return SimpleParser(tokens, out).command();
}

bool parse_redirection(Tokens& tokens, const std::shared_ptr<Statement>& out) {
  return SimpleParser(tokens, out).redirection();
}

}  // namespace orrery::shell
