// SPDX-License-Identifier: Apache-2.0
//
// PyTorch profiler's table, `prof.key_averages(group_by_input_shape=True).table()`: columns as wide
// as the rows of dashes under their names, one row an operator and shape. Read are the products
// aten::mm, addmm and bmm by "Input Shapes" and the device's mean time ("CUDA time avg"); all else
// has no form here and is left out, counted. The table does not say what the elements are: the user
// does.
#include <array>
#include <cctype>
#include <optional>

#include "core/units.h"
#include "exchange/log_lines.h"
#include "exchange/measurement_readers.h"

namespace orrery::detail {
namespace {

using Cells = std::vector<std::string_view>;
using Shapes = std::vector<std::vector<std::int64_t>>;

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

bool is_rule(std::string_view line) {
  return line.size() > 20 && line.find_first_not_of("- ") == std::string_view::npos;
}

// Columns reach from the end of one run of dashes to the end of the next: names may be wider.
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
    const std::size_t first = cell.find_first_not_of(' ');
    const std::size_t last = cell.find_last_not_of(' ');
    cells.push_back(first == std::string_view::npos ? "" : cell.substr(first, last - first + 1));
  }
  return cells;
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

std::optional<ProductShape> product_of(std::string_view name, const Shapes& shapes) {
  const std::size_t first = name == "aten::addmm" ? 1 : 0;
  const std::size_t rank = name == "aten::bmm" ? 3 : 2;
  if (shapes.size() < first + 2) return {};
  const auto& a = shapes[first];
  const auto& b = shapes[first + 1];
  if (a.size() != rank || b.size() != rank || a[rank - 1] != b[rank - 2]) return {};
  ProductShape p{a[rank - 2], b[rank - 1], a[rank - 1]};
  if (rank == 3) p.groups = a[0];
  return p;
}

bool is_product(std::string_view name) {
  return name == "aten::mm" || name == "aten::addmm" || name == "aten::bmm";
}

// "12.345us", "1.2ms", "3s"
Seconds time_of(const LogPlace& place, std::string_view text) {
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
  std::size_t shapes = 0;
};

ProfileColumns profile_columns(const LogPlace& place, const Cells& names) {
  std::optional<std::size_t> time;
  std::optional<std::size_t> shapes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view n = names[i];
    if (n == "CUDA time avg" || n == "Device time avg" || n == "GPU time avg") time = i;
    if (n == "Input Shapes") shapes = i;
  }
  if (!time) fail(place, "no column \"CUDA time avg\"", "a profile of the device's own times");
  if (!shapes) fail(place, "no column \"Input Shapes\"", "key_averages(group_by_input_shape=True)");
  return {0, *time, *shapes};
}

void read_rows(const std::vector<std::string_view>& lines, std::size_t rule,
               const std::string& file, Precision precision, MeasurementSet& set) {
  const std::vector<Span> spans = spans_of(lines[rule]);
  const ProfileColumns columns =
      profile_columns({file, rule + 2}, cells_of(lines[rule + 1], spans));
  std::size_t others = 0;
  std::size_t elsewhere = 0;
  for (std::size_t i = rule + 3; i < lines.size() && !is_rule(lines[i]); ++i) {
    const LogPlace place{file, i + 1};
    const Cells cells = cells_of(lines[i], spans);
    if (!is_product(cells[columns.name])) {
      ++others;
      continue;
    }
    if (cells[columns.time] == "0.000us") {
      ++elsewhere;
      continue;
    }
    const auto shapes = shapes_of(cells[columns.shapes]);
    const auto shape = shapes ? product_of(cells[columns.name], *shapes) : std::nullopt;
    if (!shape) {
      fail(place, "the shapes \"" + std::string(cells[columns.shapes]) + "\"",
           "two matrices that fit each other");
    }
    Measurement m;
    m.work = MeasuredProduct{*shape, precision};
    m.timed.time = time_of(place, cells[columns.time]);
    set.points.push_back(m);
  }
  if (elsewhere > 0) {
    set.left_out.push_back(std::to_string(elsewhere) + " products that no GPU ran");
  }
  if (others > 0) set.left_out.push_back(std::to_string(others) + " rows of other operators");
}

}  // namespace

bool is_torch_profile(std::string_view text) {
  return text.find("Self CPU %") != std::string_view::npos &&
         text.find("# of Calls") != std::string_view::npos;
}

MeasurementSet read_torch_profile(std::string_view text, const std::string& file,
                                  const MeasurementHints& hints) {
  if (!hints.precision) {
    fail({file, 1}, "products of elements unsaid", "--dtype NAME: the table does not tell");
  }
  MeasurementSet set;
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i + 2 < lines.size(); ++i) {
    if (!is_rule(lines[i]) || !is_rule(lines[i + 2])) continue;
    read_rows(lines, i, file, *hints.precision, set);
    return set;
  }
  fail({file, 1}, "no table", "a line of names between two of dashes");
}

}  // namespace orrery::detail
