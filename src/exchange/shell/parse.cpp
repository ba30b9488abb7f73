// SPDX-License-Identifier: Apache-2.0
#include "exchange/shell/parse.h"

#include <algorithm>
#include <utility>

#include "exchange/shell/tokens.h"

namespace orrery::shell {
namespace {

bool take_sign_of_test(Tokens& t, std::vector<Word>& words) {
  for (const char* sign : {"&&", "||", "(", ")", "<", ">"}) {
    if (!t.cursor().take_sign(sign)) continue;
    words.push_back({sign, {{WordPart::Kind::literal, false, sign}}});
    return true;
  }
  if (t.next() != '\n') return false;
  t.separators();
  return true;
}

TestCommand parse_test(Tokens& t) {
  const std::string open = t.word().written;
  TestCommand test;
  for (;;) {
    const Word w = t.word();
    if (w.written == "]" || w.written == "]]") return test;
    if (!w.written.empty()) {
      test.words.push_back(w);
    } else if (open != "[[" || t.at_end() || !take_sign_of_test(t, test.words)) {
      return test;  // `test a = b`, or a bracket that does not end
    }
  }
}

std::vector<Word> patterns_of_case(Tokens& t) {
  std::vector<Word> all;
  t.cursor().take_sign("(");
  do {
    all.push_back(t.word());
  } while (t.cursor().take_sign("|"));
  if (!t.cursor().take_sign(")")) t.cursor().fail("a pattern of case without \")\"");
  return all;
}

// Up to both brackets of (( … )).
Arithmetic parse_arithmetic(Tokens& t) {
  Arithmetic all{parse_quoted(t.cursor().inside(t.in_brackets()))};
  t.cursor().take_sign(")");
  return all;
}

Counting parse_counting(Tokens& t) {
  const std::string_view inside = t.in_brackets();
  const std::size_t first = inside.find(';');
  const std::size_t second = inside.find(';', first == kNone ? first : first + 1);
  if (second == kNone) t.cursor().fail("for (( without two \";\"");
  const auto part = [&](std::string_view text) { return parse_quoted(t.cursor().inside(text)); };
  t.cursor().take_sign(")");
  return {part(inside.substr(0, first)), part(inside.substr(first + 1, second - first - 1)),
          part(inside.substr(second + 1))};
}

class Parser {
 public:
  explicit Parser(Cursor& cursor) : t_(cursor), c_(cursor) {}

  List script() {
    List all = list();
    while (!t_.at_end()) {
      if (t_.word().written.empty()) c_.take_line();
      List more = list();
      std::move(more.chains.begin(), more.chains.end(), std::back_inserter(all.chains));
    }
    return all;
  }

  // Up to a word or sign that ends the part.
  List list() {
    const Deeper deeper(c_);
    List all;
    for (;;) {
      t_.separators();
      const bool ends = t_.at_end() || c_.sees(";;") || c_.sees(";&") || c_.next() == ')';
      if (ends || t_.ends_part()) return all;
      all.chains.push_back(chain());
    }
  }

 private:
  Chain chain() {
    Chain all = {{Link::Join::first, c_.line(), pipeline()}};
    for (;;) {
      c_.skip_blanks();
      const bool both = c_.sees("&&");
      if (!both && !c_.sees("||")) return all;
      c_.move(2);
      t_.separators();
      const std::size_t line = c_.line();
      all.push_back({both ? Link::Join::both : Link::Join::either, line, pipeline()});
    }
  }

  Pipeline pipeline() {
    Pipeline all;
    while (t_.take_word("!")) all.negated = !all.negated;
    for (;;) {
      all.commands.push_back(command());
      if (t_.next() != '|' || c_.next(1) == '|') return all;
      c_.move(c_.next(1) == '&' ? 2 : 1);
      t_.separators();
    }
  }

  std::shared_ptr<Statement> command() {
    const Deeper deeper(c_);
    auto made = std::make_shared<Statement>();
    c_.skip_blanks();
    made->begins = c_.line();
    if (compound(*made)) {
      while (parse_redirection(t_, made)) {
      }
      made->line = made->begins;
      return made;
    }
    const std::string name = parse_simple(t_, made);
    made->line = c_.line();
    if (!name.empty()) defines(name, *made);
    return made;
  }

  bool compound(Statement& out) {
    using Rule = void (Parser::*)(Statement&);
    static constexpr std::pair<std::string_view, Rule> kRules[] = {
        {"if", &Parser::if_else}, {"case", &Parser::cases},        {"for", &Parser::loop_over},
        {"while", &Parser::loop}, {"until", &Parser::loop},        {"select", &Parser::loop_over},
        {"{", &Parser::group},    {"function", &Parser::function},
    };
    static constexpr std::string_view kTests[] = {"[", "[[", "test"};
    if (c_.take_sign("((")) return out.what = parse_arithmetic(t_), true;
    if (c_.next() == '(') return group(out), true;
    const std::string first = t_.peek();
    if (is_in(first, kTests)) return out.what = parse_test(t_), true;
    for (const auto& [name, rule] : kRules) {
      if (name == first) return (this->*rule)(out), true;
    }
    return false;
  }

  Body body() { return std::make_shared<List>(list()); }

  void group(Statement& out) {
    const bool own_process = c_.next() == '(';
    c_.move(1);
    Grouped all{own_process, body()};
    all.closed = own_process ? c_.take_sign(")") : t_.take_word("}");
    out.what = std::move(all);
  }

  void if_else(Statement& out) {
    If all;
    t_.take_word("if");
    do {
      c_.skip_blanks();
      Choice choice{c_.line(), "if", body()};
      t_.expect("then", "a condition");
      choice.body = body();
      all.choices.push_back(std::move(choice));
    } while (t_.take_word("elif"));
    const std::size_t line = c_.line();
    if (t_.take_word("else")) all.choices.push_back({line, "else", nullptr, body()});
    t_.expect("fi", "a part");
    out.what = std::move(all);
  }

  void cases(Statement& out) {
    t_.take_word("case");
    Case all{t_.word()};
    t_.expect("in", "case");
    for (;;) {
      t_.separators();
      if (t_.at_end()) c_.fail("case without \"esac\"");
      if (t_.take_word("esac")) break;
      Case::Branch branch = {patterns_of_case(t_), body()};
      branch.falls = c_.take_sign(";&");
      if (!branch.falls && c_.take_sign(";;")) c_.take_sign("&");
      all.branches.push_back(std::move(branch));
    }
    out.what = std::move(all);
  }

  Body loop_body() {
    t_.expect("do", "a part");
    Body inside = body();
    t_.expect("done", "a part");
    return inside;
  }

  void loop_over(Statement& out) {
    t_.word();
    if (c_.take_sign("((")) {
      Counting all = parse_counting(t_);
      all.body = loop_body();
      return void(out.what = std::move(all));
    }
    For all{t_.word().written};
    t_.separators();
    all.listed = t_.take_word("in");
    while (all.listed && !t_.at_end() && c_.next() != '\n' && c_.next() != ';') {
      Word w = t_.word();
      if (w.written.empty()) c_.fail("a list of for that does not end");
      for (Word& each : braced_words(std::move(w))) all.words.push_back(std::move(each));
    }
    all.body = loop_body();
    out.what = std::move(all);
  }

  void loop(Statement& out) {
    While all{t_.word().written == "until", body()};
    all.body = loop_body();
    out.what = std::move(all);
  }

  void function(Statement& out) {
    t_.word();
    const std::string name = t_.word().written;
    if (c_.take_sign("(")) c_.take_sign(")");
    defines(name, out);
  }

  void defines(const std::string& name, Statement& out) {
    t_.separators();
    if (c_.next() != '{' && c_.next() != '(') c_.fail("a function without \"{\"");
    std::shared_ptr<Statement> body = command();
    const auto* group = std::get_if<Grouped>(&body->what);
    if (group != nullptr && !group->closed) c_.fail("a function without \"}\"");
    out.what = Function{name, std::move(body)};
  }

  Tokens t_;
  Cursor& c_;
};

}  // namespace

std::shared_ptr<const List> parse_script(std::string_view text, const std::string& file,
                                         std::size_t line, int depth) {
  Cursor cursor(text, file, line, depth);
  return std::make_shared<List>(Parser(cursor).script());
}

std::shared_ptr<const List> parse_substitution(Cursor& cursor) {
  auto all = std::make_shared<List>(Parser(cursor).list());
  cursor.skip_blanks();
  if (cursor.next() != ')') cursor.fail("\"$(\" that does not end");
  return all;
}

}  // namespace orrery::shell
