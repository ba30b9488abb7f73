// SPDX-License-Identifier: Apache-2.0
//
// A strict cursor over a JSON document. Every value is asked for by name and type; what is missing,
// unknown, of another type, out of range, fractional where a count belongs, or in another unit is
// an InputError with file, path, what was found, what is allowed and the nearest right name.
//
//   Reader run(document, "run.json");
//   const std::int64_t tp = run.at("parallel").at("tp").integer(1, 65536);
//   run.reject_unknown();            // keys nobody asked for
//
// A Reader refers to the document: keep that alive. Copies share the record of keys asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "core/error.h"
#include "core/json_fwd.h"
#include "orrery/quantity.h"

namespace orrery {

class Reader {
 public:
  Reader(const Json& value, std::string file, std::string path = "");

  // --- objects
  void must_be_object() const;
  bool has(const std::string& key);                    // counts as asking for it
  Reader at(const std::string& key);                   // required
  std::optional<Reader> find(const std::string& key);  // absent or null: nothing
  void allow(const std::string& key);                  // known, and read elsewhere
  void reject_unknown() const;
  // `values`: what may stand there, "" where that is not known.
  [[noreturn]] void fail_missing(const std::string& key, const std::string& values) const;
  std::vector<std::string> keys() const;

  // --- arrays
  std::vector<Reader> items() const;

  // --- values
  bool boolean() const;
  std::string text() const;
  // 8, 8.0, 300e9; never 8.5.
  std::int64_t integer(std::int64_t lowest, std::int64_t highest) const;
  double number(double lowest, double highest) const;

  // "80 GiB" or a bare SI number. Negative values are refused; zero too unless allowed.
  template <Dimension D>
  Quantity<D> quantity(bool zero_allowed = false) const {
    return Quantity<D>(quantity_si(D, zero_allowed));
  }

  double quantity_si(Dimension d, bool zero_allowed) const;

  // The index of the text in `names`.
  std::size_t choice(std::span<const std::string_view> names) const;

  // The enumerator of that name.
  template <class E>
  E choice() const {
    return static_cast<E>(choice(kNamesOf<E>));
  }

  // --- errors
  [[noreturn]] void fail(const std::string& found, const std::string& allowed,
                         const std::string& nearest = "") const;
  [[noreturn]] void fail(const std::string& allowed) const;  // found: this value
  [[noreturn]] void fail(ErrorCode code, const std::string& found, const std::string& allowed,
                         const std::string& nearest = "") const;

  const Json& json() const { return *value_; }
  const std::string& file() const { return *file_; }
  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail_type(const std::string& allowed) const;
  [[noreturn]] void fail_range(const std::string& allowed) const;
  std::string child_path(const std::string& key) const;
  bool is_asked(const std::string& key) const;

  Reader(const Json& value, std::shared_ptr<const std::string> file, std::string path);

  const Json* value_;
  std::shared_ptr<const std::string> file_;
  std::string path_;
  std::shared_ptr<std::vector<std::string>> asked_;  // null where the value is no object
};

}  // namespace orrery
