// SPDX-License-Identifier: Apache-2.0
//
// $(name …) of a function of the script itself.
#include <utility>

#include "exchange/shell/expansion.h"
#include "exchange/shell/script.h"

namespace orrery::shell {
namespace {

// Commands that print nothing.
constexpr std::string_view kQuiet[] = {"export", "declare", "local", "readonly", "typeset", "shift",
                                       "return", "true",    ":",     "set",      "unset"};

}  // namespace

void Script::print(const std::vector<std::string>& words, Mode mode) {
  const std::string& first = words.front();
  const bool document = first == "cat" && words.size() == 1 && text_.awaits_document();
  if (mode != Mode::run || (first != "echo" && !document && !is_one_of(first, kQuiet)))
    s_.prints_unknown = true;
  if (first != "echo") return;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (i > 1 || (words[i] != "-n" && words[i] != "-e")) *s_.printed += words[i] + " ";
  }
  *s_.printed += "\n";
}

std::optional<std::string> Script::printed_by(const std::string& command) {
  std::vector<std::string> words;
  for (const std::string& w : split_words(command)) {
    for (std::string& f : fields_of_word(w, s_.run.variables)) words.push_back(std::move(f));
  }
  // A substitution runs in its own process: its variables end with it.
  const ShellVariables before = s_.run.variables;
  const auto outer = std::exchange(s_.printed, std::string());
  const bool unknown = std::exchange(s_.prints_unknown, false);
  call(std::string(s_.functions.find(words.front())->second), words, Mode::run);
  s_.run.variables = before;
  auto text = std::exchange(s_.printed, outer);
  if (std::exchange(s_.prints_unknown, unknown)) return {};
  return text;
}

std::string Script::with_printed(std::string word, Mode mode) {
  if (mode != Mode::run || word.find('\'') != std::string::npos) return word;
  int number = 0;
  for (std::size_t at = word.find("$("); at != std::string::npos; at = word.find("$(", at + 2)) {
    const std::size_t close = closing(word, at + 2, '(', ')');
    if (close == std::string::npos) return word;
    const std::string inside = word.substr(at + 2, close - at - 2);
    const std::string name = inside.substr(0, inside.find_first_of(" \t"));
    const bool plain = inside.find_first_of("|;&<>`\n") == std::string::npos;
    if (!plain || s_.functions.count(name) == 0) continue;
    auto text = printed_by(inside);
    if (!text) continue;
    text->erase(text->find_last_not_of(" \n") + 1);
    count({*text});
    const std::string variable = "_printed_" + std::to_string(number++);
    s_.run.variables[variable] = {*text};
    word.replace(at, close + 1 - at, "${" + variable + "}");
  }
  return word;
}

}  // namespace orrery::shell
