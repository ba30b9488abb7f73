// SPDX-License-Identifier: Apache-2.0
//
// SimuMax's system files: JSON that holds, below an operator's name ("matmul", "fp8_matmul"), its
// "tflops" and "accurate_efficient_factor", a table from the text of a shape
//
//   "b=1, m=4096, k=5120, n=1536, layout=TN, accumulate=False, out_dtype=bf16": 0.7877
//
// to the share of tflops reached (MooreThreads/SimuMax, configs/system). Matrix products are read,
// fp8 by the operator's name, else bf16; tables of other shapes (attention, whose shares count the
// FLOPs no mask leaves, and grouped products) are left out by name.
#include <optional>

#include "core/json.h"
#include "core/json_reader.h"
#include "core/units.h"
#include "cost/product.h"
#include "exchange/measurements/readers.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

constexpr const char* kTable = "accurate_efficient_factor";

// m, n, k, b of a key; nothing where it names another kind of shape.
std::optional<ProductShape> shape_of(const std::string& key) {
  ProductShape p;
  int found = 0;
  for (const std::string_view part : fields_of(key, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return {};
    const std::string_view name = part.substr(0, equals);
    const auto value = parse_number(part.substr(equals + 1));
    std::int64_t* field = name == "m"   ? &p.m
                          : name == "n" ? &p.n
                          : name == "k" ? &p.k
                          : name == "b" ? &p.groups
                                        : nullptr;
    if (field == nullptr) continue;
    constexpr double kMost = 1e9;
    if (!value || *value < 1 || *value > kMost) return {};
    *field = static_cast<std::int64_t>(*value);
    found += name == "b" ? 0 : 1;
  }
  return found == 3 ? std::optional(p) : std::nullopt;
}

void read_table(Reader op, const std::string& name, MeasurementSet& set) {
  const bool is_fp8 = name.find("fp8") != std::string::npos;
  Reader table = op.at(kTable);
  const double tflops = op.at("tflops").number(1e-3, 1e6);
  std::size_t unknown = 0;
  for (const std::string& key : table.keys()) {
    const double share = table.at(key).number(1e-6, 10);
    const auto shape = shape_of(key);
    if (!shape) {
      ++unknown;
      continue;
    }
    Measurement m;
    m.work = MeasuredProduct{*shape, is_fp8 ? Precision::fp8 : Precision::bf16};
    m.timed.time = product_flops<double>(*shape) / FlopsPerSecond(tflops * share * kTera);
    set.points.push_back(m);
  }
  if (unknown > 0) set.left_out.push_back(std::to_string(unknown) + " shapes of " + name);
}

void walk(Reader r, const std::string& name, MeasurementSet& set) {
  if (!r.json().is_object()) return;
  if (r.json().contains(kTable) && r.json()[kTable].is_object() && !r.json()[kTable].empty()) {
    read_table(r, name, set);
    return;
  }
  for (const std::string& key : r.keys()) {
    if (r.json()[key].is_object()) walk(r.at(key), key, set);
  }
}

}  // namespace

bool is_simumax(std::string_view text) { return is_json(text) && contains(text, kTable); }

MeasurementSet read_simumax(std::string_view text, const std::string& file,
                            const MeasurementHints& /*hints*/) {
  const Json document = parse_json(text, file);
  MeasurementSet set;
  walk(Reader(document, file), "", set);
  return set;
}

}  // namespace orrery
