// SPDX-License-Identifier: Apache-2.0
//
// PyTorch profiler's table, `prof.key_averages(group_by_input_shape=True).table()`: columns as wide
// as the rows of dashes under their names, one row an operator and shape. Read are the products
// (exchange/kineto/work.h) by "Input Shapes", "# of Calls" and the device's time without
// that of operators below ("Self CUDA"; a copy of addmm's first input is no product); all else has
// no form here and is left out, counted. The table does not say what the elements are: the user
// does. Errors: InputError with file and line.
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "core/units.h"
#include "exchange/kineto/work.h"
#include "exchange/measurements/readers.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

using Cells = std::vector<std::string_view>;
using Shapes = std::vector<std::vector<std::int64_t>>;

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Between the rows of a table with call stacks stand lines of blanks.
bool is_rule(std::string_view line) {
  return line.size() > 20 && line.front() == '-' &&
         line.find_first_not_of("- ") == std::string_view::npos;
}

std::vector<Span> spans_of(std::string_view rule) {
  std::vector<Span> spans;
  for (std::size_t at = 0; at < rule.size();) {
    const std::size_t begin = rule.find('-', at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(rule.find(' ', begin), rule.size());
    spans.push_back({begin, end});
    at = end;
  }
  return spans;
}

Cells cells_of(std::string_view line, const std::vector<Span>& spans) {
  Cells cells;
  for (const Span& s : spans) {
    const bool is_last = &s == &spans.back();
    const std::string_view cell =
        s.begin < line.size()
            ? line.substr(s.begin, is_last ? std::string_view::npos : s.end - s.begin)
            : "";
    cells.push_back(trimmed(cell));
  }
  return cells;
}

// Names are wider than their columns ("CUDA time avg" by a letter) and push the next ones on: two
// spaces part them.
Cells names_of(std::string_view line) {
  Cells names;
  for (std::size_t at = line.find_first_not_of(' '); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find("  ", at), line.size());
    names.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(' ', end);
  }
  return names;
}

// "[[8192, 4096], [4096, 4096]]"; scalars are [].
std::optional<Shapes> shapes_of(std::string_view text) {
  Shapes shapes;
  int depth = 0;
  std::int64_t number = -1;
  for (const char c : text) {
    if (c == '[') {
      if (++depth > 2) return {};
      if (depth == 2) shapes.emplace_back();
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      constexpr std::int64_t kMost = 1'000'000'000;
      number = (number < 0 ? 0 : number) * 10 + (c - '0');
      if (depth != 2 || number > kMost) return {};
    } else if (c == ',' || c == ']') {
      if (depth == 2 && number > 0) shapes.back().push_back(number);
      number = -1;
      if (c == ']' && --depth < 0) return {};
    } else if (c != ' ') {
      return {};
    }
  }
  return depth == 0 ? std::optional(shapes) : std::nullopt;
}

// Shapes are cut to the width of their column (80 in a table() that is not told otherwise).
ProductShape product_of(const LinePlace& place, const TorchProduct& p, std::string_view text) {
  const auto shapes = shapes_of(text);
  if (!shapes && text.substr(0, 1) == "[") {
    fail(place, "the shapes \"" + std::string(text) + "\", cut off",
         "whole ones: table(max_shapes_column_width=200)");
  }
  const bool both = shapes && shapes->size() > p.first + 1;
  const auto shape = both ? shape_of(p, (*shapes)[p.first], (*shapes)[p.first + 1]) : std::nullopt;
  if (!shape) {
    fail(place, "the shapes \"" + std::string(text) + "\"", "two matrices that fit each other");
  }
  return *shape;
}

// "12.345us", "1.2ms", "3s"
Seconds time_of(const LinePlace& place, std::string_view text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr std::array<Unit, 3> kUnits = {{{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
  for (const Unit& u : kUnits) {
    if (text.size() <= u.name.size() || text.substr(text.size() - u.name.size()) != u.name)
      continue;
    return Seconds(positive(place, text.substr(0, text.size() - u.name.size()), "time") *
                   u.seconds);
  }
  fail(place, "the time \"" + std::string(text) + "\"", "a time such as 12.3us");
}

struct ProfileColumns {
  std::size_t name = 0;
  std::size_t time = 0;
  std::size_t calls = 0;
  std::size_t shapes = 0;
};

template <std::size_t N>
std::optional<std::size_t> column(const Cells& names, const std::array<std::string_view, N>& any) {
  for (const std::string_view name : any) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  }
  return {};
}

ProfileColumns profile_columns(const LinePlace& place, const Cells& names) {
  const auto time = column<3>(names, {"Self CUDA", "Self Device", "Self GPU"});
  const auto calls = column<1>(names, {"# of Calls"});
  const auto shapes = column<1>(names, {"Input Shapes"});
  if (!time || !calls) {
    fail(place, "no column \"Self CUDA\": a profile of the CPU alone",
         "one of profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])");
  }
  if (!shapes) fail(place, "no column \"Input Shapes\"", "key_averages(group_by_input_shape=True)");
  return {0, *time, *calls, *shapes};
}

class Rows {
 public:
  Rows(const ProfileColumns& columns, Precision precision)
      : columns_(columns), precision_(precision) {}

  void read(const LinePlace& place, const Cells& cells) {
    const std::string_view name = cells[columns_.name];
    const TorchProduct* product = torch_product(name);
    if (name.empty()) return;  // further lines of a call stack
    if (product == nullptr) {
      ++others_;
    } else if (product->eight_bits != (precision_ == Precision::fp8)) {
      ++elements_;
    } else if (cells[columns_.time] == "0.000us") {
      ++elsewhere_;
    } else {
      Measurement m;
      m.work = MeasuredProduct{product_of(place, *product, cells[columns_.shapes]), precision_};
      m.timed.time = time_of(place, cells[columns_.time]) /
                     static_cast<double>(whole(place, cells[columns_.calls], "# of Calls"));
      set_.points.push_back(m);
    }
  }

  MeasurementSet set() {
    const auto left_out = [this](std::size_t count, const char* what) {
      if (count > 0) set_.left_out.push_back(std::to_string(count) + what);
    };
    left_out(elements_, " products of other elements than --dtype says");
    left_out(elsewhere_, " products that no GPU ran");
    left_out(others_, " rows of other operators");
    return std::move(set_);
  }

 private:
  ProfileColumns columns_;
  Precision precision_;
  MeasurementSet set_;
  std::size_t others_ = 0;
  std::size_t elements_ = 0;
  std::size_t elsewhere_ = 0;
};

MeasurementSet read_table(const std::vector<std::string_view>& lines, std::size_t rule,
                          const std::string& file, const MeasurementHints& hints) {
  const std::vector<Span> spans = spans_of(lines[rule]);
  const Cells names = names_of(lines[rule + 1]);
  const LinePlace place{file, rule + 2};
  if (names.size() != spans.size()) {
    fail(place, std::to_string(names.size()) + " names of columns",
         std::to_string(spans.size()) + ", one over each run of dashes");
  }
  const ProfileColumns columns = profile_columns(place, names);
  if (!hints.precision) {
    fail({file, 1}, "products of elements unsaid", "--dtype NAME: the table does not tell");
  }
  Rows rows(columns, *hints.precision);
  for (std::size_t i = rule + 3; i < lines.size() && !is_rule(lines[i]); ++i) {
    rows.read({file, i + 1}, cells_of(lines[i], spans));
  }
  return rows.set();
}

}  // namespace

bool is_torch_profile(std::string_view text) {
  return contains(text, "Self CPU %") && contains(text, "# of Calls");
}

MeasurementSet read_torch_profile(std::string_view text, const std::string& file,
                                  const MeasurementHints& hints) {
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i + 2 < lines.size(); ++i) {
    if (is_rule(lines[i]) && is_rule(lines[i + 2])) return read_table(lines, i, file, hints);
  }
  fail({file, 1}, "no table", "a line of names between two of dashes");
}

}  // namespace orrery
