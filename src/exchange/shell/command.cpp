// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "exchange/shell/expansion.h"
#include "exchange/shell/script.h"
#include "exchange/text_lines.h"

namespace orrery::shell {
namespace {

constexpr std::size_t kMostText = std::size_t{1} << 20;

// Commands whose words set nothing: they print, move files, or leave.
constexpr std::string_view kSilent[] = {
    "echo",  "printf", "cd",     "mkdir", "rm",    "cp",    "mv",   "ls",      "exit",
    "sleep", "return", "wait",   "set",   "unset", "pip",   "pip3", "apt-get", "apt",
    "git",   "ulimit", "module", "conda", "which", "touch", "kill", "chmod",   "nvidia-smi",
    "true",  ":",      "head",   "tail",  "grep",  "sed",   "awk",  "trap"};
// Preparations: `cd … && torchrun …` goes on.
constexpr std::string_view kSucceeds[] = {"true",   ":",     "cd",    "echo",  "printf",  "mkdir",
                                          "rm",     "cp",    "mv",    "sleep", "wait",    "set",
                                          "unset",  "pip",   "pip3",  "apt",   "apt-get", "git",
                                          "module", "conda", "touch", "chmod", "ulimit",  "trap"};
constexpr std::string_view kDeclares[] = {"export", "declare", "local", "readonly", "typeset"};
constexpr std::string_view kReads[] = {"read", "mapfile", "readarray"};
// Positional words of the function that runs.
constexpr const char* kArguments = "@";

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
  here_.reset();
  const std::string target = std::exchange(target_, "");
  while (!text_.at_line_end()) {
    if (redirection()) {
      any = true;
      continue;
    }
    if (ends_command()) break;
    const std::string word = with_printed(text_.word(), mode);
    if (word.empty()) text_.fail("a sign that no command has here");
    if (text_.at_sign("(") && words.empty() && assigns(word) == 0) return function(word, mode);
    any = true;
    set_defaults(word, mode);
    const bool assignment = assigns(word) > 0 && (words.empty() || declares(words));
    if (assignment) {
      assign(word, mode);
    } else {
      for (std::string& f : fields_of_word(word, s_.run.variables)) words.push_back(std::move(f));
    }
  }
  if (!any && !text_.at_end()) text_.line_rest();
  redirected_ = !target_.empty();
  if (!redirected_) target_ = target;
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
  std::size_t end = end_of_name(word, 0);
  if (end == 0 || std::isdigit(static_cast<unsigned char>(word[0])) != 0) return 0;
  if (word.compare(end, 1, "[") == 0) {
    const std::size_t close = closing(word, end + 1, '[', ']');
    if (close == std::string::npos) return 0;
    end = close + 1;
  }
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
  if (mode == Mode::doubt) {
    const auto more = adds ? std::optional(value) : added_to_itself(name, right, value);
    if (more) return doubtful_more(name, {*more});
  }
  if (adds && mode == Mode::run) value = shell_value(s_.run.variables, name) + value;
  value.resize(std::min(value.size(), kLongestValue));
  set(name, {std::move(value)}, mode);
}

// ARGS="$ARGS --more", RUN="nsys profile $RUN": what the word adds to the value from before.
std::optional<std::string> Script::added_to_itself(const std::string& name,
                                                   const std::string& right,
                                                   const std::string& value) const {
  const std::string old = shell_value(s_.run.variables, name);
  std::string word = right;
  std::erase(word, '"');
  for (const std::string& itself : {"$" + name, "${" + name + "}"}) {
    const std::string behind = begins_with(word, itself) ? word.substr(itself.size()) : "?";
    const bool ends = itself.back() == '}' || behind.empty() || behind.front() == ' ';
    if (behind != "?" && ends && begins_with(value, old)) return value.substr(old.size());
    if (word.ends_with(" " + itself) && value.ends_with(old))
      return value.substr(0, value.size() - old.size());
  }
  return {};
}

// NAME, or one member: NAME[3], NAME[key].
void Script::set(const std::string& name, std::vector<std::string> values, Mode mode) {
  if (mode == Mode::doubt) return doubtful(name, values);
  const std::size_t bracket = name.find('[');
  if (bracket == std::string::npos) {
    std::vector<std::string>& old = s_.run.variables[name];
    if (old != values) ++s_.changes;
    old = std::move(values);
    return;
  }
  ++s_.changes;
  constexpr std::int64_t kMostMembers = 4096;
  const std::string key = text_of_word(
      std::string_view(name).substr(bracket + 1, name.size() - bracket - 2), s_.run.variables);
  const auto index = arithmetic(key, s_.run.variables);
  if (!index || *index < 0 || *index >= kMostMembers) {
    s_.run.variables[name.substr(0, bracket) + "[" + key + "]"] = std::move(values);
    return;
  }
  std::vector<std::string>& all = s_.run.variables[name.substr(0, bracket)];
  all.resize(std::max(all.size(), static_cast<std::size_t>(*index) + 1));
  all[static_cast<std::size_t>(*index)] = std::move(values.front());
}

void Script::set_defaults(const std::string& word, Mode mode) {
  for (std::size_t at = word.find("${"); at != std::string::npos; at = word.find("${", at + 2)) {
    const std::size_t end = end_of_name(word, at + 2);
    const bool colon = word.compare(end, 1, ":") == 0;
    const std::size_t sign = end + (colon ? 1 : 0);
    const std::size_t close = closing(word, at + 2, '{', '}');
    if (word.compare(sign, 1, "=") != 0 || close == std::string::npos || mode == Mode::skip)
      continue;
    const std::string name = word.substr(at + 2, end - at - 2);
    const auto known = s_.run.variables.find(name);
    const bool has = known != s_.run.variables.end() && !known->second.empty();
    if (has && !(colon && known->second.front().empty())) continue;
    set(name, {text_of_word(word.substr(sign + 1, close - sign - 1), s_.run.variables)}, mode);
  }
}

void Script::assign_array(const std::string& name, bool adds, Mode mode) {
  text_.take_sign("(");
  std::vector<std::string> values;
  bool keyed = false;
  while (!text_.take_sign(")")) {
    if (text_.at_end()) text_.fail("an array that does not end");
    if (text_.at_line_end()) {
      skip_lines(mode);
      continue;
    }
    const std::string word = with_printed(text_.word(), mode);
    if (word.empty()) text_.fail("a sign that no array has here");
    const std::size_t key = word.front() == '[' ? assigns(name + word) : 0;
    if (key > 0) {
      assign(name + word, mode);
      keyed = true;
    } else {
      for (std::string& f : fields_of_word(word, s_.run.variables)) values.push_back(std::move(f));
    }
  }
  if (mode == Mode::skip || (values.empty() && s_.run.variables.count(name) > 0 && adds)) return;
  if (mode == Mode::doubt) {
    // ARGS=("${ARGS[@]}" --more)
    const auto known = s_.run.variables.find(name);
    const std::size_t n = known == s_.run.variables.end() ? 0 : known->second.size();
    const bool itself = !adds && n > 0 && n <= values.size() &&
                        std::equal(known->second.begin(), known->second.end(), values.begin());
    if (itself) values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
    return adds || itself ? doubtful_more(name, values) : doubtful(name, values, false);
  }
  ++s_.changes;
  std::vector<std::string>& old = s_.run.variables[name];
  if (!adds && !keyed) old.clear();
  old.insert(old.end(), values.begin(), values.end());
  count(values);
}

void Script::doubtful(const std::string& name, const std::vector<std::string>& values, bool whole) {
  add_doubt(values);
  if (s_.branch != nullptr) {
    s_.branch->assigned.insert(name);
    const bool sure = whole && s_.surely && name.find('[') == std::string::npos;
    if (sure && std::all_of(values.begin(), values.end(), is_known)) {
      s_.branch->values[name] = values;
    } else {
      s_.branch->values.erase(name);
    }
  }
  s_.run.doubted.push_back(name);
  const auto old = s_.run.variables.find(name);
  const bool same = old != s_.run.variables.end() && old->second == values;
  if (old != s_.run.variables.end() && !same) replace_perhaps(name, old->second);
  if (!same) s_.run.variables.erase(name);
}

void Script::replace_perhaps(const std::string& name, const std::vector<std::string>& old) {
  if (s_.branch == nullptr) return add_doubt(old);
  s_.branch->replaced.emplace(name, old);
}

// Keeps the words that the variable has for sure and reports those that may be appended.
void Script::doubtful_more(const std::string& name, const std::vector<std::string>& more) {
  add_doubt(more);
  if (s_.branch != nullptr) s_.branch->values.erase(name);
  s_.run.doubted.push_back(name);
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
  if (text_.take_sign("<<<")) return here_ = text_of_word(text_.word(), s_.run.variables), true;
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
  if (!reading_.names.empty()) return fill(text, mode);
  if (s_.printed && last_ == "cat" && !redirected_) {
    *s_.printed += text;
    return;
  }
  if (is_one_of(last_, kShells)) {
    read_scheduler(text, s_.run.variables);
    return Script(s_, text, text_.file(), text_.line(), depth_ + 1).run(mode);
  }
  if (mode == Mode::run) s_.run.documents.push_back({target_, text});
}

Truth Script::execute(std::vector<std::string>& words, Mode mode) {
  last_ = words.front();
  const std::string& first = words.front();
  const auto function = s_.functions.find(first);
  if (function != s_.functions.end()) {
    call(std::string(function->second), words, mode);
    return true;
  }
  if (s_.printed && !redirected_) print(words, mode);
  if (first == "getopts" && s_.run.variables.count(kArguments) == 0) return false;
  if (is_one_of(first, kReads)) return read(words, mode);
  if (first == "shift") return shift(words), Truth(true);
  if (first == "let") {
    for (const std::string& w : words) assign_number(w, mode);
    return {};
  }
  if (first == "unset" && mode != Mode::skip) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (end_of_name(words[i], 0) == words[i].size()) set(words[i], {}, mode);
    }
  }
  if (first == "printf" && words.size() > 2 && words[1] == "-v") forget(words[2]);
  write_document(words, mode);
  if (first == "source" || first == ".") {
    if (words.size() > 1 && !include(words, 1, mode)) s_.run.sources.push_back(words[1]);
    return true;
  }
  if (leaves(first, mode)) return true;
  if (first == "exit" && s_.branch != nullptr && s_.surely) s_.branch->exits = true;
  if (is_one_of(first, kDeclares) || is_one_of(first, kSilent) || first == "cat") {
    return is_one_of(first, kSucceeds) || is_one_of(first, kDeclares) ? Truth(true) : Truth();
  }
  if (first == "false") return false;
  run_command(words, mode);
  return {};
}

// `tee FILE <<E` and `echo '{…}' > FILE` write it as `cat > FILE <<E` does.
void Script::write_document(const std::vector<std::string>& words, Mode mode) {
  if (words.front() == "tee" && words.size() > 1) target_ = words.back();
  const bool prints = words.front() == "echo" || words.front() == "printf";
  if (prints && redirected_ && mode == Mode::run && first_character(words.back()) == '{')
    s_.run.documents.push_back({target_, words.back()});
}

void Script::call(const std::string& body, const std::vector<std::string>& words, Mode mode) {
  const ShellVariables before = s_.run.variables;
  s_.run.variables[kArguments].assign(words.begin() + 1, words.end());
  ++s_.functions_in;
  Script(s_, body, text_.file(), text_.line(), depth_ + 8).run(mode);
  --s_.functions_in;
  if (s_.leave == Leave::function) s_.leave = Leave::nothing;
  const auto outer = before.find(kArguments);
  if (outer == before.end()) {
    s_.run.variables.erase(kArguments);
  } else {
    s_.run.variables[kArguments] = outer->second;
  }
}

void Script::shift(const std::vector<std::string>& words) {
  const auto known = s_.run.variables.find(kArguments);
  if (known == s_.run.variables.end()) return;
  const auto n = arithmetic(words.size() > 1 ? words[1] : "1", s_.run.variables).value_or(0);
  auto& all = known->second;
  const auto gone = std::clamp<std::int64_t>(n, 0, static_cast<std::int64_t>(all.size()));
  if (gone > 0) ++s_.changes;
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(gone));
}

// An option's last letter says whether a word belongs to it.
Truth Script::read(const std::vector<std::string>& words, Mode mode) {
  reading_ = {};
  reading_.lines = words.front() != "read";
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& w = words[i];
    if (w.empty() || w.front() != '-') {
      reading_.names.push_back(w);
      continue;
    }
    reading_.array = reading_.array || (!reading_.lines && w.back() == 'a');
    reading_.whole = reading_.whole || w.find('d') != std::string::npos;
    const std::string_view with_words = reading_.lines ? "dnOsuCc" : "dnNtupi";
    if (with_words.find(w.back()) != std::string_view::npos) ++i;
  }
  if (reading_.names.empty()) reading_.names.push_back(reading_.lines ? "MAPFILE" : "REPLY");
  if (here_) return fill(*here_, mode), Truth(true);
  for (const std::string& name : reading_.names) forget(name);
  if (!text_.awaits_document()) reading_ = {};
  return {};
}

void Script::fill(const std::string& text, Mode mode) {
  const Reading reading = std::exchange(reading_, {});
  const std::string blanks = shell_value(s_.run.variables, "IFS");
  std::string all = reading.whole || reading.lines ? text : text.substr(0, text.find('\n'));
  if (reading.lines) {
    std::vector<std::string> values;
    for (const std::string_view line : lines_of(all)) values.emplace_back(line);
    return set(reading.names.front(), std::move(values), mode);
  }
  if (!blanks.empty() && !reading.whole) std::replace(all.begin(), all.end(), blanks.front(), ' ');
  if (reading.array) return set(reading.names.front(), split_words(all), mode);
  std::vector<std::string> values = split_words(all);
  for (std::size_t i = 0; i < reading.names.size(); ++i) {
    const bool last = i + 1 == reading.names.size();
    std::string value = i < values.size() ? values[i] : "";
    for (std::size_t k = i + 1; last && k < values.size(); ++k) value += " " + values[k];
    set(reading.names[i], {value}, mode);
  }
}

}  // namespace orrery::shell
