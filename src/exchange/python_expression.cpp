// SPDX-License-Identifier: Apache-2.0
#include "exchange/python_expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <vector>

#include "core/limits.h"
#include "core/units.h"
#include "exchange/python_text.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

using Read = std::optional<Json>;

std::size_t count_values(const Json& value) {
  std::size_t n = 1;
  if (value.is_structured()) {
    for (const Json& part : value) n += count_values(part);
  }
  return n;
}

Json number_of(double n) {
  constexpr double kMost = 1e15;
  const bool is_whole = n < kMost && n > -kMost && std::trunc(n) == n;
  return is_whole ? Json(static_cast<std::int64_t>(n)) : Json(n);
}

// The operators of one level of precedence; a longer one stands before its beginning.
struct BinarySign {
  std::string_view sign;
  std::optional<double> (*apply)(double, double);
};

std::optional<double> finite(double n) {
  return std::isfinite(n) ? std::optional<double>(n) : std::nullopt;
}

constexpr BinarySign kSums[] = {
    {"+", [](double a, double b) { return finite(a + b); }},
    {"-", [](double a, double b) { return finite(a - b); }},
};
constexpr BinarySign kProducts[] = {
    {"//", [](double a, double b) { return finite(std::floor(a / b)); }},
    {"/", [](double a, double b) { return finite(a / b); }},
    {"%", [](double a, double b) { return finite(a - b * std::floor(a / b)); }},
    {"*", [](double a, double b) { return finite(a * b); }},
};

class Evaluation {
 public:
  Evaluation(const std::string& text, PythonNames& names, int depth)
      : text_(text), names_(names), depth_(depth) {}

  Read read() {
    Read value = conditional();
    skip_blanks();
    return at_ == text_.size() ? value : Read();
  }

 private:
  // One level deeper for as long as it lives.
  class Level {
   public:
    explicit Level(int& depth) : depth_(++depth) {}
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    bool is_too_deep() const { return depth_ > kDeepestNesting; }

   private:
    int& depth_;
  };

  Json unknown() const { return unknown_python(text_); }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  char next() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool takes(std::string_view sign) {
    skip_blanks();
    if (text_.compare(at_, sign.size(), sign) != 0) return false;
    at_ += sign.size();
    return true;
  }

  bool takes_word(std::string_view word) {
    skip_blanks();
    const std::size_t end = at_ + word.size();
    if (text_.compare(at_, word.size(), word) != 0) return false;
    if (end < text_.size() && is_name_sign(text_[end])) return false;
    at_ = end;
    return true;
  }

  Read conditional() {
    const Level level(depth_);
    if (level.is_too_deep()) return {};
    Read value = disjunction();
    if (!value || !takes_word("if")) return value;
    const Read condition = disjunction();
    if (!condition || !takes_word("else")) return {};
    Read other = conditional();
    if (!other) return {};
    const auto truth = python_truth(*condition);
    if (truth) return *truth ? value : other;
    return *value == *other ? value : Read(unknown());
  }

  Read disjunction() {
    return joined("or", false, [&] { return conjunction(); });
  }
  Read conjunction() {
    return joined("and", true, [&] { return negation(); });
  }

  // Operands of `or` or `and`: a later one counts where those before it are of that truth.
  template <class Operand>
  Read joined(std::string_view word, bool goes_on, Operand operand) {
    Read value = operand();
    while (value && takes_word(word)) {
      const Read other = operand();
      if (!other) return {};
      const auto truth = python_truth(*value);
      if (!truth)
        value = unknown();
      else if (*truth == goes_on)
        value = other;
    }
    return value;
  }

  Read negation() {
    bool is_negated = false, is_truth = false;
    while (takes_word("not")) {
      is_negated = !is_negated;
      is_truth = true;
    }
    Read value = comparison();
    if (!value || !is_truth) return value;
    const auto truth = python_truth(*value);
    return truth ? Json(*truth != is_negated) : unknown();
  }

  // a < b < c is a < b and b < c.
  Read comparison() {
    Read left = sum();
    Read chain;
    while (left) {
      const std::string_view sign = comparison_sign();
      if (sign.empty()) return chain ? chain : left;
      Read right = sum();
      if (!right) return {};
      const Json link = compared(*left, *right, sign);
      if (!chain || link == false || (is_unknown(link) && *chain == true)) chain = link;
      left = std::move(right);
    }
    return {};
  }

  std::string_view comparison_sign() {
    for (const std::string_view sign : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (takes(sign)) return sign;
    }
    if (takes_word("is")) return takes_word("not") ? "is not" : "is";
    if (takes_word("in")) return "in";
    const std::size_t before = at_;
    if (takes_word("not") && takes_word("in")) return "not in";
    at_ = before;
    return "";
  }

  Json compared(const Json& a, const Json& b, std::string_view sign) const {
    if (is_unknown(a) || is_unknown(b)) return unknown();
    if (sign == "is") return a == b;
    if (sign == "is not") return a != b;
    if (sign == "==") return equals(a, b);
    if (sign == "!=") return !equals(a, b);
    if (sign.ends_with("in")) {
      const auto holds = contained(a, b);
      return holds ? Json(*holds == (sign == "in")) : unknown();
    }
    if (!a.is_number() || !b.is_number()) return unknown();
    const double x = a.get<double>(), y = b.get<double>();
    if (sign == "<=") return x <= y;
    if (sign == ">=") return x >= y;
    return sign == "<" ? x < y : x > y;
  }

  // True is 1.
  static bool equals(const Json& a, const Json& b) {
    const auto plain = [](const Json& j) {
      return j.is_boolean() ? Json(j.get<bool>() ? 1 : 0) : j;
    };
    return plain(a) == plain(b);
  }

  static std::optional<bool> contained(const Json& part, const Json& whole) {
    if (whole.is_array()) return std::find(whole.begin(), whole.end(), part) != whole.end();
    if (!part.is_string()) return {};
    const std::string word = part.get<std::string>();
    if (whole.is_object()) return whole.contains(word);
    if (whole.is_string()) return contains(whole.get<std::string>(), word);
    return {};
  }

  Read sum() {
    return operators(kSums, [&] { return product(); });
  }
  Read product() {
    return operators(kProducts, [&] { return unary(); });
  }

  template <std::size_t N, class Operand>
  Read operators(const BinarySign (&all)[N], Operand operand) {
    Read value = operand();
    while (value) {
      const auto* o = std::find_if(std::begin(all), std::end(all), [&](const BinarySign& each) {
        return next() == each.sign[0] && !is_power() && takes(each.sign);
      });
      if (o == std::end(all)) break;
      const Read other = operand();
      if (!other) return {};
      value = applied(*o, *value, *other);
    }
    return value;
  }

  bool is_power() const { return text_.compare(at_, 2, "**") == 0; }

  Json applied(const BinarySign& o, const Json& a, const Json& b) const {
    if (is_unknown(a) || is_unknown(b)) return unknown();
    if (a.is_number() && b.is_number()) {
      const auto n = o.apply(a.get<double>(), b.get<double>());
      return n ? number_of(*n) : unknown();
    }
    if (o.sign == "+" && a.is_string() && b.is_string()) {
      const std::string joined = a.get<std::string>() + b.get<std::string>();
      return joined.size() > kLongestExpression ? unknown() : Json(joined);
    }
    if (o.sign == "+" && a.is_array() && b.is_array()) {
      names_.repeated += count_values(a) + count_values(b);
      if (names_.repeated > kMostValues) return unknown();
      Json joined = a;
      for (const Json& part : b) joined.push_back(part);
      return joined;
    }
    return unknown();
  }

  Read unary() {
    const Level level(depth_);
    if (level.is_too_deep()) return {};
    const char sign = next();
    if (sign != '-' && sign != '+') return power();
    ++at_;
    const Read value = unary();
    if (!value) return {};
    if (!value->is_number()) return unknown();
    return sign == '-' ? number_of(-value->get<double>()) : *value;
  }

  Read power() {
    Read base = primary();
    if (!base || !takes("**")) return base;
    const Read exponent = unary();
    if (!exponent) return {};
    if (!base->is_number() || !exponent->is_number()) return unknown();
    const auto n = finite(std::pow(base->get<double>(), exponent->get<double>()));
    return n ? number_of(*n) : unknown();
  }

  Read primary() {
    const char c = next();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return digits();
    if (is_string_at(at_)) return strings();
    if (c == '(' || c == '[' || c == '{') {
      const auto inner = bracket();
      if (!inner) return {};
      Read value = c == '{' ? braces(*inner) : elements(*inner, c == '(');
      return trailers("", std::move(value));
    }
    return is_name_sign(c) ? name() : Read();
  }

  Read digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool is_sign =
          (c == '+' || c == '-') && at_ > begin && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
      if (!is_name_sign(c) && c != '.' && !is_sign) break;
      ++at_;
    }
    std::string digits = text_.substr(begin, at_ - begin);
    std::erase(digits, '_');
    const auto n = parse_number(digits);
    return n ? Read(number_of(*n)) : Read();
  }

  bool is_string_at(std::size_t at) const {
    while (at < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at])) != 0 &&
           at < at_ + 2)
      ++at;
    const bool is_prefix = std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                       text_.begin() + static_cast<std::ptrdiff_t>(at), [](char c) {
                                         return contains("rbufRBUF", {&c, 1});
                                       });
    return is_prefix && at < text_.size() && (text_[at] == '"' || text_[at] == '\'');
  }

  // Strings that stand beside each other are one.
  Read strings() {
    std::string joined;
    bool is_known = true;
    for (skip_blanks(); is_string_at(at_); skip_blanks()) {
      std::size_t begin = at_;
      while (text_[begin] != '"' && text_[begin] != '\'') ++begin;
      const bool is_format = contains(text_.substr(at_, begin - at_), "f") ||
                             contains(text_.substr(at_, begin - at_), "F");
      at_ = end_of_python_string(text_, begin);
      const std::size_t quotes = text_.compare(begin, 3, std::string(3, text_[begin])) == 0 ? 3 : 1;
      if (at_ < begin + 2 * quotes) return {};
      const std::string inner = text_.substr(begin + quotes, at_ - begin - 2 * quotes);
      is_known = is_known && !(is_format && contains(inner, "{"));
      joined += inner;
    }
    return trailers("", is_known ? Json(joined) : unknown());
  }

  // The text within the bracket that opens here.
  std::optional<std::string> bracket() {
    const std::size_t close = end_of_bracket(text_, at_);
    if (close >= text_.size()) return {};
    std::string inner = text_.substr(at_ + 1, close - at_ - 1);
    at_ = close + 1;
    return inner;
  }

  static std::vector<std::string> parts_of(const std::string& inner) {
    std::vector<std::string> parts = PythonText(inner).expressions(0);
    std::erase(parts, "");
    return parts;
  }

  // A value that goes on as a whole.
  Json passed(const std::string& text) const {
    if (names_.values.count(text) > 0) names_.passed.insert(text);
    return python_value(text, names_, depth_);
  }

  Read elements(const std::string& inner, bool is_tuple) const {
    const std::vector<std::string> parts = parts_of(inner);
    const bool is_one = is_tuple && parts.size() == 1 && trimmed(inner).back() != ',';
    if (is_one) return python_value(parts[0], names_, depth_);
    Json list = Json::array();
    for (const std::string& part : parts) list.push_back(passed(part));
    return list;
  }

  Read braces(const std::string& inner) const {
    Json object = Json::object();
    Json set = Json::array();
    for (const std::string& part : parts_of(inner)) {
      if (begins_with(part, "**")) {
        merge(object, python_value(part.substr(2), names_, depth_), part);
        continue;
      }
      const std::size_t colon = colon_of(part);
      if (colon == std::string::npos) {
        set.push_back(passed(part));
        continue;
      }
      const Json key = python_value(std::string(trimmed(part.substr(0, colon))), names_, depth_);
      put(object, key.is_string() ? key.get<std::string>() : key.dump(),
          passed(std::string(trimmed(part.substr(colon + 1)))));
    }
    return object.empty() && !set.empty() ? set : object;
  }

  static std::size_t colon_of(const std::string& part) {
    for (std::size_t at = 0; at < part.size(); ++at) {
      const char c = part[at];
      if (c == ':') return at;
      if (c == '"' || c == '\'') at = end_of_python_string(part, at) - 1;
      if (c == '(' || c == '[' || c == '{') at = end_of_bracket(part, at);
    }
    return std::string::npos;
  }

  // One key more than a reader takes is enough for it to refuse.
  static void put(Json& object, const std::string& key, Json value) {
    if (object.size() <= kMostKeys) object[key] = std::move(value);
  }

  // Entries behind **; `unread_arguments` names what is not known.
  static void merge(Json& into, const Json& from, const std::string& text) {
    if (from.is_object()) {
      for (const auto& [key, value] : from.items()) put(into, key, value);
    } else {
      into["unread_arguments"] = text.substr(0, kLongestQuote);
    }
  }

  Read name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_sign(text_[at_])) ++at_;
    const std::string word = text_.substr(begin, at_ - begin);
    if (word == "True" || word == "False") return Json(word == "True");
    if (word == "None") return Json(nullptr);
    if (word == "lambda" || word == "await" || word == "yield") return {};
    const auto known = names_.values.find(word);
    if (known == names_.values.end()) return trailers(word, {});
    names_.repeated += count_values(known->second);
    if (names_.repeated > kMostValues) return unknown();
    return trailers(word, known->second);
  }

  // Members, items and calls behind a value, or behind a dotted name that the file does not set.
  Read trailers(std::string path, Read value) {
    while (true) {
      const char c = next();
      if (c == '.') {
        ++at_;
        skip_blanks();
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_name_sign(text_[at_])) ++at_;
        const std::string member = text_.substr(begin, at_ - begin);
        path += "." + member;
        if (value && next() != '(') value = member_of(*value, member);
      } else if (c == '(') {
        const auto inner = bracket();
        if (!inner) return {};
        value = value ? method(*value, path, *inner) : call(path, *inner);
      } else if (c == '[') {
        const auto inner = bracket();
        if (!inner) return {};
        const Json index = python_value(*inner, names_, depth_);
        value = value ? item_of(*value, index) : of_environment(path, index);
      } else {
        break;
      }
    }
    return value ? value : Read(of_path(path));
  }

  Json member_of(const Json& value, const std::string& member) const {
    return value.is_object() && value.contains(member) ? value[member] : unknown();
  }

  Json item_of(const Json& value, const Json& index) const {
    if (index.is_string() && value.is_object()) return member_of(value, index.get<std::string>());
    if (!index.is_number_integer() || !value.is_array()) return unknown();
    const auto size = static_cast<std::int64_t>(value.size());
    const std::int64_t at = index.get<std::int64_t>();
    if (at >= size || at < -size) return unknown();
    return value[static_cast<std::size_t>(at < 0 ? at + size : at)];
  }

  Json of_environment(const std::string& path, const Json& name) const {
    const bool is_it = path.ends_with("environ") && name.is_string() && !is_unknown(name);
    return is_it ? unknown_python(name.get<std::string>()) : unknown();
  }

  Json of_path(const std::string& path) const {
    const std::string root = path.substr(0, path.find('.'));
    const std::string last = path.substr(path.rfind('.') + 1);
    const bool is_class = !last.empty() && std::isupper(static_cast<unsigned char>(last[0])) != 0;
    if (begins_with(path, "torch.")) return path.substr(std::string_view("torch.").size());
    const bool is_named = names_.imported.count(root) > 0 || is_class;
    return is_named && names_.stand_for_themselves ? Json(path) : unknown();
  }

  struct Arguments {
    std::vector<Json> placed;
    Json named = Json::object();
  };

  Arguments arguments(const std::string& inner) const {
    Arguments all;
    for (const std::string& part : parts_of(inner)) {
      const std::size_t equals = part.find('=');
      const std::string key(trimmed(std::string_view(part).substr(0, equals)));
      const bool is_named =
          equals != std::string::npos && is_python_name(key) && part.substr(equals, 2) != "==";
      if (begins_with(part, "**")) {
        merge(all.named, python_value(part.substr(2), names_, depth_), part);
      } else if (is_named) {
        put(all.named, key, passed(std::string(trimmed(part.substr(equals + 1)))));
      } else {
        all.placed.push_back(passed(part));
      }
    }
    return all;
  }

  Json method(const Json& of, const std::string& path, const std::string& inner) const {
    const Arguments a = arguments(inner);
    const bool is_get = path.ends_with(".get") && of.is_object() && !a.placed.empty();
    if (!is_get || !a.placed[0].is_string()) return unknown();
    const std::string key = a.placed[0].get<std::string>();
    if (of.contains(key)) return of[key];
    return a.placed.size() > 1 ? a.placed[1] : Json(nullptr);
  }

  Json call(const std::string& path, const std::string& inner) const {
    const Arguments a = arguments(inner);
    const std::string last = path.substr(path.rfind('.') + 1);
    if (path == "dict") {
      Json object = Json::object();
      for (const Json& each : a.placed) merge(object, each, inner);
      merge(object, a.named, inner);
      return object;
    }
    if (path.ends_with("environ.get") || path.ends_with("getenv"))
      return a.placed.size() > 1 ? a.placed[1] : unknown();
    if (last == "Path" || last == "deepcopy" || path == "list" || path == "tuple")
      return a.placed.size() == 1 ? a.placed[0] : unknown();
    if (const auto known = built_in(path, a.placed)) return *known;
    const bool is_class = !last.empty() && std::isupper(static_cast<unsigned char>(last[0])) != 0;
    if (!is_class || !names_.stand_for_themselves) return unknown();
    Json object = Json::object();
    object["type"] = last;
    if (!a.placed.empty()) object["args"] = a.placed;
    for (const auto& [key, value] : a.named.items()) put(object, key, value);
    return object;
  }

  static std::optional<Json> built_in(const std::string& name, const std::vector<Json>& placed) {
    if (placed.empty() || is_unknown(placed[0])) return {};
    const Json& first = placed[0];
    std::optional<double> n;
    if (first.is_number()) n = first.get<double>();
    if (first.is_string()) n = parse_number(first.get<std::string>());
    if (name == "int" && n) return number_of(std::trunc(*n));
    if (name == "float" && n) return number_of(*n);
    if (name == "abs" && n) return number_of(std::fabs(*n));
    if (name == "str") return first.is_string() ? first : Json(first.dump());
    if (name == "len" && first.is_structured()) return Json(first.size());
    if (name == "bool") {
      const auto truth = python_truth(first);
      if (truth) return Json(*truth);
    }
    const bool numbers = std::all_of(placed.begin(), placed.end(),
                                     [](const Json& each) { return each.is_number(); });
    if (!numbers || (name != "min" && name != "max")) return {};
    const auto less = [](const Json& a, const Json& b) {
      return a.get<double>() < b.get<double>();
    };
    return name == "min" ? *std::min_element(placed.begin(), placed.end(), less)
                         : *std::max_element(placed.begin(), placed.end(), less);
  }

  const std::string& text_;
  PythonNames& names_;
  int depth_;
  std::size_t at_ = 0;
};

}  // namespace

Json python_value(const std::string& text, PythonNames& names, int depth) {
  if (depth > kDeepestNesting) return unknown_python(text);
  const Read value = Evaluation(text, names, depth).read();
  return value ? *value : unknown_python(text);
}

bool is_unknown(const Json& value) {
  return value.is_string() && begins_with(value.get_ref<const std::string&>(), "$");
}

Json unknown_python(std::string_view text) {
  return "$" + std::string(trimmed(beginning_of(text)));
}

std::optional<bool> python_truth(const Json& value) {
  if (is_unknown(value)) return {};
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>() != 0;
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  return !value.is_null() && !value.empty();
}

std::size_t end_of_bracket(const std::string& text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = end_of_python_string(text, at) - 1;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      if (--depth == 0) return at;
    }
  }
  return text.size();
}

}  // namespace orrery
