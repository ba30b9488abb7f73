// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "exchange/shell/expansion.h"
#include "exchange/shell/script.h"

namespace orrery::shell {
namespace {

constexpr std::size_t kMostText = std::size_t{1} << 20;

// Commands whose words set nothing: they print, move files, or leave.
constexpr std::string_view kSilent[] = {
    "echo",       "printf", "cd",     "mkdir",  "rm",    "cp",    "mv",    "ls",   "exit",
    "shift",      "sleep",  "return", "wait",   "set",   "unset", "pip",   "pip3", "apt-get",
    "apt",        "git",    "ulimit", "module", "conda", "which", "touch", "kill", "chmod",
    "nvidia-smi", "true",   ":",      "head",   "tail",  "grep",  "sed",   "awk",  "trap"};
constexpr std::string_view kDeclares[] = {"export", "declare", "local", "readonly", "typeset"};
constexpr std::string_view kShells[] = {"bash", "sh",     "/bin/bash", "/bin/sh",
                                        "srun", "sbatch", "ssh"};

}  // namespace

void Script::defines(const std::string& name, Mode mode) {
  if (text_.take_sign("(")) text_.take_sign(")");
  skip_lines(mode);
  if (!text_.take_sign("{")) text_.fail("a function without \"{\"");
  const std::string_view inside = text_.until('{', '}');
  if (mode != Mode::skip) s_.functions[name] = std::string(inside);
}

Truth Script::simple(Mode mode) {
  std::vector<std::string> words;
  bool any = false;
  while (!text_.at_line_end()) {
    if (redirection()) {
      any = true;
      continue;
    }
    if (ends_command()) break;
    const std::string word = text_.word();
    if (word.empty()) text_.fail("a sign that no command has here");
    if (text_.at_sign("(") && words.empty() && assigns(word) == 0) return function(word, mode);
    any = true;
    const bool assignment = assigns(word) > 0 && (words.empty() || declares(words));
    if (assignment) {
      assign(word, mode);
    } else {
      for (std::string& f : fields_of_word(word, s_.run.variables)) words.push_back(std::move(f));
    }
  }
  if (!any && !text_.at_end()) text_.line_rest();
  return mode == Mode::skip || words.empty() ? Truth(true) : execute(words, mode);
}

bool Script::ends_command() {
  for (const char* sign : {";", "&", "|", ")"}) {
    if (text_.at_sign(sign)) return true;
  }
  return false;
}

Truth Script::function(const std::string& name, Mode mode) {
  text_.take_sign("(");
  if (!text_.take_sign(")")) {  // no function: text that is no script
    text_.until('(', ')');
    return true;
  }
  defines(name, mode);
  return true;
}

bool Script::declares(const std::vector<std::string>& words) {
  return is_one_of(words.front(), kDeclares);
}

std::size_t Script::assigns(const std::string& word) {
  const std::size_t end = end_of_name(word, 0);
  if (end == 0 || std::isdigit(static_cast<unsigned char>(word[0])) != 0) return 0;
  const std::string_view rest = std::string_view(word).substr(end);
  return rest.substr(0, 1) == "=" || rest.substr(0, 2) == "+=" ? end : 0;
}

void Script::assign(const std::string& word, Mode mode) {
  const std::size_t end = assigns(word);
  const std::string name = word.substr(0, end);
  const bool adds = word[end] == '+';
  const std::string right = word.substr(end + (adds ? 2 : 1));
  if (right.empty() && text_.at_sign("(")) return assign_array(name, adds, mode);
  if (mode == Mode::skip) return;
  std::string value = text_of_word(right, s_.run.variables);
  if (mode == Mode::doubt) return doubtful(name, {value});
  std::vector<std::string>& old = s_.run.variables[name];
  if (adds && !old.empty()) value = old.front() + value;
  value.resize(std::min(value.size(), kLongestValue));
  old = {std::move(value)};
}

void Script::assign_array(const std::string& name, bool adds, Mode mode) {
  text_.take_sign("(");
  std::vector<std::string> values;
  while (!text_.take_sign(")")) {
    if (text_.at_end()) text_.fail("an array that does not end");
    if (text_.at_line_end()) {
      text_.skip_lines();
    } else {
      const std::string word = text_.word();
      if (word.empty()) text_.fail("a sign that no array has here");
      for (std::string& f : fields_of_word(word, s_.run.variables)) values.push_back(std::move(f));
    }
  }
  if (mode == Mode::skip) return;
  if (mode == Mode::doubt) return doubtful(name, values);
  std::vector<std::string>& old = s_.run.variables[name];
  if (!adds) old.clear();
  old.insert(old.end(), values.begin(), values.end());
  count(values);
}

void Script::doubtful(const std::string& name, const std::vector<std::string>& values) {
  add_doubt(values);
  const auto old = s_.run.variables.find(name);
  const bool same = old != s_.run.variables.end() && old->second == values;
  const bool list = old != s_.run.variables.end() && old->second.size() > 1;
  // An array keeps its members from before; the words that may come are reported.
  if (!same && !list) s_.run.variables.erase(name);
}

void Script::add_doubt(const std::vector<std::string>& words) {
  count(words);
  if (s_.run.doubts.empty() || s_.run.doubts.back().line != s_.doubt_line) {
    s_.run.doubts.push_back({s_.doubt_line, s_.doubt, {}});
  }
  std::vector<std::string>& all = s_.run.doubts.back().words;
  for (const std::string& w : words) split(w, all);
  all.emplace_back(";");
}

void Script::count(const std::vector<std::string>& words) {
  for (const std::string& w : words) s_.written += w.size() + 1;
  if (s_.written > kMostText) text_.fail("more than 1 MiB of words");
}

void Script::redirections() {
  while (redirection()) {
  }
}

bool Script::redirection() {
  const std::string word = text_.peek();
  const bool descriptor =
      word.size() == 1 && std::isdigit(static_cast<unsigned char>(word[0])) != 0;
  if (text_.at_sign("<<<")) return text_.take_sign("<<<"), text_.word(), true;
  if (text_.at_sign("<<")) return here_document();
  if (!text_.at_sign("<") && !text_.at_sign(">") && !text_.at_sign("&>")) {
    return descriptor && followed_by_redirection();
  }
  text_.take_sign("&");
  while (text_.take_sign("<") || text_.take_sign(">") || text_.take_sign("&")) {
  }
  if (text_.at_sign("(")) return text_.take_sign("("), text_.until('(', ')'), true;
  target_ = text_of_word(text_.word(), s_.run.variables);
  return true;
}

bool Script::followed_by_redirection() {
  ScriptText ahead = text_;
  ahead.word();
  if (!ahead.touches_redirection()) return false;
  text_ = ahead;
  return redirection();
}

bool Script::here_document() {
  text_.take_sign("<<");
  HereDocument d;
  d.unindent = text_.take_sign("-");
  const std::string end = text_.word();
  d.quoted = end.find_first_of("'\"\\") != std::string::npos;
  d.end = text_of_word(end, {});
  if (d.end.empty()) text_.fail("<< without a word");
  text_.expect_document(std::move(d));
  return true;
}

void Script::document(const HereDocument& d, Mode mode) {
  if (mode == Mode::skip) return;
  const std::string text = d.quoted ? d.text : text_of_document(d.text, s_.run.variables);
  s_.written += text.size();
  if (s_.written > kMostText) text_.fail("more than 1 MiB of words");
  if (is_one_of(last_, kShells)) return Script(s_, text, text_.line(), depth_ + 1).run(mode);
  if (mode == Mode::run) s_.run.documents.push_back({target_, text});
}

Truth Script::execute(std::vector<std::string>& words, Mode mode) {
  last_ = words.front();
  const std::string& first = words.front();
  const auto function = s_.functions.find(first);
  if (function != s_.functions.end()) {
    const std::string body = function->second;
    Script(s_, body, text_.line(), depth_ + 8).run(mode);
    return true;
  }
  if (first == "source" || first == ".") {
    if (words.size() > 1) s_.run.sources.push_back(words[1]);
    return true;
  }
  if (is_one_of(first, kDeclares) || is_one_of(first, kSilent) || first == "cat") {
    return first == "true" || first == ":" ? Truth(true) : Truth();
  }
  if (first == "false") return false;
  run_command(words, mode);
  return {};
}

void Script::run_command(const std::vector<std::string>& words, Mode mode) {
  count(words);
  if (words.front() == "eval") {
    std::string text;
    for (std::size_t i = 1; i < words.size(); ++i) text += words[i] + " ";
    return Script(s_, text, text_.line(), depth_ + 1).run(mode);
  }
  if (mode == Mode::doubt) return add_doubt(words);
  std::string script;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool text_of_shell = i >= 1 && (words[i - 1] == "-c" || words[i - 1] == "-lc") &&
                               words[i].find(' ') != std::string::npos;
    if (text_of_shell) {
      script = words[i];
    } else {
      split(words[i], s_.run.words);
    }
  }
  s_.run.words.emplace_back(";");
  if (!script.empty()) Script(s_, script, text_.line(), depth_ + 1).run(mode);
}

void Script::split(const std::string& word, std::vector<std::string>& out) {
  const std::size_t first = word.find_first_not_of(" \t\r\n");
  const bool argument = first != std::string::npos && word.compare(first, 2, "--") == 0 &&
                        word.find_first_of(" \t\n", first) != std::string::npos;
  if (!argument) return out.push_back(word);
  for (std::string& w : split_words(word)) out.push_back(std::move(w));
}

}  // namespace orrery::shell
