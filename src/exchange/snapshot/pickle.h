// SPDX-License-Identifier: Apache-2.0
//
// A Python pickle of plain values, protocols 2 to 5: None, booleans, integers, floats, texts,
// lists, tuples and dictionaries. Nothing is ever called: a pickle that names a class or a function
// is refused. The values are rows of one table that refer to each other by number, so that a shared
// list is held once, however often it is named, and neither depth nor repetition costs more than
// the text is long. A view of a value is valid as long as its Pickle and the text.
//
// Source: CPython, Lib/pickletools.py. Leaves out sets, bytes beyond a view of them, numbers beyond
// 64 bits (as none), persistent references, out-of-band buffers. Errors: InputError with the file,
// where the text ends early, or has another instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

class Pickle {
 public:
  Pickle(std::string_view bytes, const std::string& file);

  class Value {
   public:
    std::optional<std::int64_t> whole() const;
    std::optional<std::string_view> text() const;
    // Items of a list or a tuple; 0 of another value.
    std::size_t size() const;
    Value operator[](std::size_t i) const;
    // A dictionary's value; nothing where it has no such key, or of another value.
    std::optional<Value> find(std::string_view key) const;

   private:
    friend class Pickle;
    Value(const Pickle& of, std::size_t row) : of_(&of), row_(row) {}
    const Pickle* of_;
    std::size_t row_;
  };

  Value root() const { return {*this, root_}; }
  std::size_t values() const { return rows_.size(); }

 private:
  enum class Kind : std::uint8_t { other, whole, text, list, dictionary };
  struct Row {
    Kind kind = Kind::other;
    std::int64_t whole = 0;
    std::string_view text;
    std::vector<std::uint32_t> items;  // rows; of a dictionary key, value, key, …
  };
  friend class Unpickler;

  std::vector<Row> rows_;
  std::size_t root_ = 0;
};

bool is_pickle(std::string_view bytes);

}  // namespace orrery
