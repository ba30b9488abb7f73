// SPDX-License-Identifier: Apache-2.0
//
// The syntax tree of a script: lists of commands, their words, and the parts of a word. It holds
// what the text says; evaluate.h says what that comes to.
//
// Left out: coprocesses, `time` as a keyword (it is a word), and what a `<( … )` holds.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace orrery::shell {

struct List;
struct Parameter;
struct Word;

struct WordPart {
  enum class Kind { literal, parameter, substitution, arithmetic };

  Kind kind = Kind::literal;
  bool quoted = false;
  std::string text = {};  // of a literal its value, of others as written
  std::shared_ptr<const Parameter> parameter = {};
  std::shared_ptr<const List> commands = {};  // null where $( ) holds no script that can be read
  std::shared_ptr<const Word> expression = {};
};

struct Word {
  std::string written;
  std::vector<WordPart> parts = {};
};

// ${#name[key]sign operand/second}, and $name
struct Parameter {
  enum class Members { none, one, apart, joined };  // NAME, NAME[key], NAME[@], NAME[*]

  std::string name;
  bool counts = false;  // ${#NAME}
  bool keys = false;    // ${!NAME[@]}; ${!NAME} too
  Members members = Members::none;
  Word key = {};
  std::string sign = {};  // ":-", "-", "##", "/", "^^", "[" for what this program does not know
  Word operand = {};
  Word second = {};  // behind the second slash, or the second colon
};

struct ShellElement {
  bool keyed = false;
  Word key = {};
  Word value = {};
};

// NAME=value, NAME+=value, NAME[key]=value, NAME=( … )
struct ShellAssignment {
  std::string name;
  bool adds = false;
  bool keyed = false;
  bool is_array = false;
  Word key = {};
  Word value = {};
  std::vector<ShellElement> elements = {};
};

struct Item {
  Word word = {};
  std::shared_ptr<const ShellAssignment> assignment = {};
};

struct Redirection {
  enum class Kind { input, output, text, document };  // < and <( ), >, <<<, <<

  Kind kind = Kind::output;
  Word word = {};  // the file, the text, or the document
  std::size_t line = 0;
};

struct Statement;
using Body = std::shared_ptr<const List>;

struct Simple {
  std::vector<Item> items;
};

// [ … ] and [[ … ]]: words and signs between the brackets.
struct TestCommand {
  std::vector<Word> words;
};

struct Arithmetic {
  Word expression;
};

struct Choice {
  std::size_t line = 0;
  const char* what = "";
  Body condition = {};  // null for else
  Body body = {};
};

struct If {
  std::vector<Choice> choices;
};

struct Case {
  struct Branch {
    std::vector<Word> patterns;
    Body body;
    bool falls = false;  // ";&"
  };
  Word value;
  std::vector<Branch> branches = {};
};

struct For {
  std::string name;
  bool listed = false;
  std::vector<Word> words = {};
  Body body = {};
};

// for (( begin; holds; step ))
struct Counting {
  Word begin;
  Word holds;
  Word step;
  Body body = {};
};

struct While {
  bool until = false;
  Body condition = {};
  Body body = {};
};

struct Grouped {
  bool own_process = false;
  Body body = {};
  bool closed = true;  // text that is no script may not close it
};

struct Function {
  std::string name;
  std::shared_ptr<const Statement> body = {};
};

struct Statement {
  std::variant<Simple, TestCommand, Arithmetic, If, Case, For, Counting, While, Grouped, Function>
      what;
  std::vector<Redirection> redirections = {};
  std::size_t line = 0;  // where it ends
  std::size_t begins = 0;
};

struct Pipeline {
  bool negated = false;
  std::vector<std::shared_ptr<const Statement>> commands = {};
};

// One pipeline of a && b || c.
struct Link {
  enum class Join { first, both, either };

  Join join = Join::first;
  std::size_t line = 0;
  Pipeline pipeline = {};
};

using Chain = std::vector<Link>;

struct List {
  std::vector<Chain> chains;
};

}  // namespace orrery::shell
