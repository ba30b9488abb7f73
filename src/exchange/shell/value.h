// SPDX-License-Identifier: Apache-2.0
//
// Values of a shell: known text, text that nobody knows from the script alone (and why), or one of
// several known texts. A branch whose condition is unknown gives the variables that it sets one of
// the values they have after it and without it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::shell {

enum class Why : std::uint8_t {
  known,
  outside,   // a variable that nothing in the script sets
  filled,    // from outside, and not empty: of a job
  computed,  // by a program, from a file
  branch,    // by a branch that may be taken
  more,      // words that a branch may add to those beside them; written as none
};

struct Piece {
  std::string text;  // known, or as written; "" of a branch: as the variable is written
  Why why = Why::known;
  std::vector<std::string> choices = {};  // all known; empty where some is not
};

// Pieces one behind the other; no piece is "".
using Text = std::vector<Piece>;

Text known(std::string text);
Text unknown(std::string written, Why why = Why::computed, std::vector<std::string> choices = {});
void append(Text& text, std::string_view more);
void append(Text& text, const Text& more);

bool is_known(const Text& text);
bool is_outside(const Text& text);  // nothing sets it
bool is_filled(const Text& text);   // not empty, whatever it is
bool is_more(const Text& text);     // only what a branch may add
bool is_gap(const Text& text);      // a member of an array that nothing has set
std::string written(const Text& text);

// The texts that it may be, 16 at most; nothing where it is unknown.
std::optional<std::vector<std::string>> choices_of(const Text& text);
// The text of one or several values, each given once; `written` where there are none.
Text one_of(std::vector<std::string> values, const std::string& written);

struct Variable {
  std::vector<Text> members = {};  // one, where it is no array
  std::map<std::string, Text> keyed = {};
};

bool operator==(const Piece& a, const Piece& b);
bool operator==(const Variable& a, const Variable& b);

// Values by name; nothing of a name that a change unsets.
using Changes = std::map<std::string, std::optional<Variable>, std::less<>>;

class Variables {
 public:
  const Variable* find(std::string_view name) const;
  void set(const std::string& name, std::optional<Variable> value);
  // More members of an array; the same as set() with all of them, but those before stay in place.
  void extend(const std::string& name, std::vector<Text> members);
  void set(const std::string& name, Text value) { set(name, Variable{{std::move(value)}}); }

  // Changes since `begin` are taken back by `end`, which returns what they came to.
  void begin() { before_.emplace_back(); }
  Changes end();

  bool in_branch() const { return !before_.empty(); }
  std::int64_t changes() const { return changes_; }
  const std::map<std::string, Variable, std::less<>>& all() const { return all_; }

 private:
  void keep(const std::string& name, const Variable* old);

  std::map<std::string, Variable, std::less<>> all_;
  std::vector<Changes> before_;
  std::int64_t changes_ = 0;
};

// The value of a variable, of which nobody knows which of these it is. `before`: its value before.
struct Merged {
  Variable value = {};
  std::vector<std::vector<std::string>> words = {};  // of each alternative, those that differ
};

Merged merged(const Variable* before, const std::vector<const Variable*>& alternatives);

}  // namespace orrery::shell
