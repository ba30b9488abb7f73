// SPDX-License-Identifier: Apache-2.0
#include "exchange/snapshot/pickle.h"

#include <limits>
#include <unordered_map>
#include <utility>

#include "core/error.h"

namespace orrery {

constexpr const char* kPlain = "a pickle of plain values, protocol 2 to 5";

// A stack of rows, marks in it, and a memo of rows by number, as pickletools describes them.
class Unpickler {
 public:
  Unpickler(std::string_view bytes, const std::string& file, Pickle& into)
      : left_(bytes), file_(file), into_(into) {}

  void run() {
    while (step()) {
    }
    into_.root_ = top();
  }

 private:
  using Row = std::uint32_t;
  using Kind = Pickle::Kind;

  [[noreturn]] void refuse(const std::string& found) const {
    throw InputError(ErrorCode::malformed, file_, "", found, kPlain);
  }

  std::string_view take(std::uint64_t count) {
    if (count > left_.size()) refuse("a pickle that is cut off");
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }

  // The lowest byte first.
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t n = 0;
    const std::string_view taken = take(bytes);
    for (std::size_t i = bytes; i-- > 0;) n = n << 8U | static_cast<unsigned char>(taken[i]);
    return n;
  }

  // Two's complement of any length; beyond 64 bits none.
  void push_long(std::uint64_t bytes) {
    if (bytes > sizeof(std::uint64_t)) {
      take(bytes);
      return push({});
    }
    const auto shift = static_cast<unsigned>(64 - 8 * bytes);
    const std::uint64_t n = bytes == 0 ? 0 : number(bytes) << shift;
    push_whole(bytes == 0 ? 0 : static_cast<std::int64_t>(n) >> shift);
  }

  void push(Pickle::Row row) {
    if (into_.rows_.size() >= std::numeric_limits<Row>::max())
      refuse("a pickle of too many values");
    stack_.push_back(static_cast<Row>(into_.rows_.size()));
    into_.rows_.push_back(std::move(row));
  }
  void push_whole(std::int64_t n) { push({Kind::whole, n, {}, {}}); }
  void push_text(std::size_t length_bytes) {
    push({Kind::text, 0, take(number(length_bytes)), {}});
  }
  void push_empty(Kind kind) { push({kind, 0, {}, {}}); }

  Row top() const {
    if (stack_.empty()) refuse("a pickle whose stack runs empty");
    return stack_.back();
  }
  Row pop() {
    const Row row = top();
    stack_.pop_back();
    return row;
  }

  // Rows that were put on the stack since the last mark, which goes.
  std::vector<Row> since_mark() {
    if (marks_.empty() || marks_.back() > stack_.size())
      refuse("a pickle without the mark it names");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Row> rows(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return rows;
  }
  std::vector<Row> last(std::size_t count) {
    std::vector<Row> rows(count);
    while (count-- > 0) rows[count] = pop();
    return rows;
  }

  void push_tuple(std::vector<Row> items) { push({Kind::list, 0, {}, std::move(items)}); }

  void add(const std::vector<Row>& items) {
    std::vector<Row>& all = into_.rows_[top()].items;
    all.insert(all.end(), items.begin(), items.end());
  }

  void remember(std::uint64_t place) { memo_[place] = top(); }
  void recall(std::uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) refuse("a pickle that recalls what it did not keep");
    stack_.push_back(found->second);
  }

  // False at the end.
  bool step() {
    const char code = take(1)[0];
    return code != '.' && (step_of_values(code) || step_of_containers(code) || step_of_memo(code) ||
                           (refuse_code(code), false));
  }

  [[noreturn]] void refuse_code(char code) const {
    if (code == 'c' || code == '\x93' || code == 'i' || code == 'R' || code == 'o' ||
        code == '\x81')
      refuse("a pickle of a class or a function, which is not called");
    refuse("instruction " + std::to_string(static_cast<unsigned char>(code)) + " of a pickle");
  }

  bool step_of_values(char code) {
    switch (code) {
      case 'N':     // NONE
      case '\x88':  // NEWTRUE
      case '\x89':  // NEWFALSE
        return push({}), true;
      case 'G':  // BINFLOAT
        return take(8), push({}), true;
      case 'J':  // BININT
        return push_long(4), true;
      case 'K':  // BININT1
        return push_whole(static_cast<std::int64_t>(number(1))), true;
      case 'M':  // BININT2
        return push_whole(static_cast<std::int64_t>(number(2))), true;
      case '\x8a':  // LONG1
        return push_long(number(1)), true;
      case '\x8b':  // LONG4
        return push_long(number(4)), true;
      case '\x8c':  // SHORT_BINUNICODE
      case 'U':     // SHORT_BINSTRING
      case 'C':     // SHORT_BINBYTES
        return push_text(1), true;
      case 'X':  // BINUNICODE
      case 'T':  // BINSTRING
      case 'B':  // BINBYTES
        return push_text(4), true;
      case '\x8d':  // BINUNICODE8
      case '\x8e':  // BINBYTES8
        return push_text(8), true;
      default:
        return false;
    }
  }

  bool step_of_containers(char code) {
    switch (code) {
      case '}':  // EMPTY_DICT
        return push_empty(Kind::dictionary), true;
      case ']':  // EMPTY_LIST
      case ')':  // EMPTY_TUPLE
        return push_empty(Kind::list), true;
      case '(':  // MARK
        return marks_.push_back(stack_.size()), true;
      case 't':  // TUPLE
        return push_tuple(since_mark()), true;
      case '\x85':  // TUPLE1
        return push_tuple(last(1)), true;
      case '\x86':  // TUPLE2
        return push_tuple(last(2)), true;
      case '\x87':  // TUPLE3
        return push_tuple(last(3)), true;
      case 'a':  // APPEND
        return add(last(1)), true;
      case 's':  // SETITEM
        return add(last(2)), true;
      case 'e':  // APPENDS
      case 'u':  // SETITEMS
        return add(since_mark()), true;
      default:
        return false;
    }
  }

  bool step_of_memo(char code) {
    switch (code) {
      case '\x80':  // PROTO
        return take(1), true;
      case '\x95':  // FRAME
        return take(8), true;
      case 'q':  // BINPUT
        return remember(number(1)), true;
      case 'r':  // LONG_BINPUT
        return remember(number(4)), true;
      case '\x94':  // MEMOIZE
        return remember(memo_.size()), true;
      case 'h':  // BINGET
        return recall(number(1)), true;
      case 'j':  // LONG_BINGET
        return recall(number(4)), true;
      case '0':  // POP
        return pop(), true;
      case '1':  // POP_MARK
        return since_mark(), true;
      case '2':  // DUP
        return stack_.push_back(top()), true;
      default:
        return false;
    }
  }

  std::string_view left_;
  const std::string& file_;
  Pickle& into_;
  std::vector<Row> stack_;
  std::vector<std::size_t> marks_;  // sizes of the stack
  std::unordered_map<std::uint64_t, Row> memo_;
};

Pickle::Pickle(std::string_view bytes, const std::string& file) {
  Unpickler(bytes, file, *this).run();
}

std::optional<std::int64_t> Pickle::Value::whole() const {
  const Row& row = of_->rows_[row_];
  return row.kind == Kind::whole ? std::optional(row.whole) : std::nullopt;
}

std::optional<std::string_view> Pickle::Value::text() const {
  const Row& row = of_->rows_[row_];
  return row.kind == Kind::text ? std::optional(row.text) : std::nullopt;
}

std::size_t Pickle::Value::size() const {
  const Row& row = of_->rows_[row_];
  return row.kind == Kind::list ? row.items.size() : 0;
}

Pickle::Value Pickle::Value::operator[](std::size_t i) const {
  return {*of_, of_->rows_[row_].items[i]};
}

std::optional<Pickle::Value> Pickle::Value::find(std::string_view key) const {
  const Row& row = of_->rows_[row_];
  if (row.kind != Kind::dictionary) return {};
  for (std::size_t i = 0; i + 1 < row.items.size(); i += 2) {
    if (of_->rows_[row.items[i]].text == key) return Value(*of_, row.items[i + 1]);
  }
  return {};
}

bool is_pickle(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

}  // namespace orrery
