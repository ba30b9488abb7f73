// SPDX-License-Identifier: Apache-2.0
#include "core/json_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "core/units.h"

namespace orrery {
namespace {

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53: beyond it a double skips integers

// Beyond these no quantity is meant, and products of them are soon infinite.
constexpr double kSmallest = 1e-15;
constexpr double kLargest = 1e30;

std::string range_text(const std::string& what, const std::string& lowest,
                       const std::string& highest, bool bounded) {
  return bounded ? what + " from " + lowest + " to " + highest : what + " of at least " + lowest;
}

// The number, if it is whole and exactly what the text said.
std::optional<std::int64_t> whole(const Json& number) {
  if (number.is_number_unsigned()) {
    const auto n = number.get<std::uint64_t>();
    if (n > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return {};
    return static_cast<std::int64_t>(n);
  }
  if (number.is_number_integer()) return number.get<std::int64_t>();
  const double x = number.get<double>();
  if (x != std::floor(x) || !(std::abs(x) < kExactIntegers)) return {};
  return static_cast<std::int64_t>(x);
}

}  // namespace

Reader::Reader(const Json& value, std::string file, std::string path)
    : Reader(value, std::make_shared<const std::string>(std::move(file)), std::move(path)) {}

Reader::Reader(const Json& value, std::shared_ptr<const std::string> file, std::string path)
    : value_(&value), file_(std::move(file)), path_(std::move(path)) {
  if (value.is_object()) asked_ = std::make_shared<std::vector<std::string>>();
}

std::string Reader::child_path(const std::string& key) const {
  return path_.empty() ? key : path_ + "." + key;
}

void Reader::fail(const std::string& found, const std::string& allowed,
                  const std::string& nearest) const {
  fail(ErrorCode::not_allowed, found, allowed, nearest);
}

void Reader::fail(ErrorCode code, const std::string& found, const std::string& allowed,
                  const std::string& nearest) const {
  throw InputError(code, *file_, path_, found, allowed, nearest);
}

void Reader::fail(const std::string& allowed) const { fail(brief(*value_), allowed); }

void Reader::fail_type(const std::string& allowed) const {
  fail(ErrorCode::wrong_type, brief(*value_), allowed);
}

void Reader::fail_range(const std::string& allowed) const {
  fail(ErrorCode::out_of_range, brief(*value_), allowed);
}

void Reader::must_be_object() const {
  if (!value_->is_object()) fail_type("an object");
}

bool Reader::is_asked(const std::string& key) const {
  return std::find(asked_->begin(), asked_->end(), key) != asked_->end();
}

void Reader::allow(const std::string& key) {
  if (asked_) asked_->push_back(key);
}

bool Reader::has(const std::string& key) {
  must_be_object();
  allow(key);
  const auto at = value_->find(key);
  return at != value_->end() && !at->is_null();
}

std::optional<Reader> Reader::find(const std::string& key) {
  must_be_object();
  allow(key);
  const auto at = value_->find(key);
  if (at == value_->end() || at->is_null()) return {};
  return Reader(*at, file_, child_path(key));
}

Reader Reader::at(const std::string& key) {
  std::optional<Reader> found = find(key);
  if (!found) fail_missing(key, "");
  return *std::move(found);
}

void Reader::fail_missing(const std::string& key, const std::string& values) const {
  throw InputError(ErrorCode::missing_key, *file_, child_path(key), "nothing",
                   "this key is required" + (values.empty() ? "" : ", " + values));
}

void Reader::reject_unknown() const {
  must_be_object();
  for (auto it = value_->begin(); it != value_->end(); ++it) {
    if (is_asked(it.key())) continue;
    std::vector<std::string> allowed = *asked_;
    std::sort(allowed.begin(), allowed.end());
    allowed.erase(std::unique(allowed.begin(), allowed.end()), allowed.end());
    throw InputError(ErrorCode::unknown_key, *file_, child_path(it.key()), "an unknown key",
                     alternatives(allowed), nearest_name(it.key(), allowed));
  }
}

std::vector<std::string> Reader::keys() const {
  must_be_object();
  std::vector<std::string> names;
  for (auto it = value_->begin(); it != value_->end(); ++it) names.push_back(it.key());
  return names;
}

std::vector<Reader> Reader::items() const {
  if (!value_->is_array()) fail_type("an array");
  std::vector<Reader> readers;
  readers.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) {
    readers.push_back(Reader((*value_)[i], file_, path_ + "[" + std::to_string(i) + "]"));
  }
  return readers;
}

bool Reader::boolean() const {
  if (!value_->is_boolean()) fail_type("true or false");
  return value_->get<bool>();
}

std::string Reader::text() const {
  if (!value_->is_string()) fail_type("a text");
  return value_->get<std::string>();
}

std::int64_t Reader::integer(std::int64_t lowest, std::int64_t highest) const {
  const bool is_number = value_->is_number();
  const std::optional<std::int64_t> n = is_number ? whole(*value_) : std::nullopt;
  if (n && *n >= lowest && *n <= highest) return *n;
  const std::string allowed =
      range_text("a whole number", std::to_string(lowest), std::to_string(highest),
                 highest != std::numeric_limits<std::int64_t>::max());
  if (is_number) fail_range(allowed);
  fail_type(allowed);
}

double Reader::number(double lowest, double highest) const {
  const bool is_number = value_->is_number();
  const double x = is_number ? value_->get<double>() : 0;
  if (is_number && x >= lowest && x <= highest) return x;
  const std::string allowed =
      range_text("a number", shortest(lowest), shortest(highest), std::isfinite(highest));
  if (is_number) fail_range(allowed);
  fail_type(allowed);
}

double Reader::quantity_si(Dimension d, bool zero_allowed) const {
  const auto form = [d] { return "a quantity such as \"" + example_of(d) + "\""; };
  double x = 0;
  if (value_->is_number()) {
    x = value_->get<double>();
  } else if (value_->is_string()) {
    const std::optional<double> parsed = parse_quantity(value_->get_ref<const std::string&>(), d);
    if (!parsed) {
      fail(ErrorCode::malformed, brief(*value_),
           form() + " (units: " + alternatives(units_of(d)) + ")");
    }
    x = *parsed;
  } else {
    fail_type(form());
  }
  if (!std::isfinite(x) || x < 0 || (x == 0 && !zero_allowed)) {
    fail_range(form() + (zero_allowed ? " that is not negative" : " above zero"));
  }
  if (x > kLargest || (x > 0 && x < kSmallest)) {
    fail_range(form() + ", from 1e-15 to 1e30 of its SI unit");
  }
  return x;
}

std::size_t Reader::choice(std::span<const std::string_view> names) const {
  if (value_->is_string()) {
    const auto at = std::find(names.begin(), names.end(), value_->get_ref<const std::string&>());
    if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  }
  const std::vector<std::string> all(names.begin(), names.end());
  if (!value_->is_string()) fail_type(alternatives(all));
  const auto& word = value_->get_ref<const std::string&>();
  fail(ErrorCode::unknown_name, brief(*value_), alternatives(all), nearest_name(word, all));
}

}  // namespace orrery
