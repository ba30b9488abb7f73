// SPDX-License-Identifier: Apache-2.0
#include "validate/rows.h"

#include <limits>
#include <set>

#include "core/json.h"
#include "core/json_reader.h"

namespace orrery {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kAboveNone = std::numeric_limits<double>::min();

std::optional<double> positive(Reader& r, const std::string& key, double highest = kLargest) {
  const std::optional<Reader> found = r.find(key);
  if (!found) return {};
  return found->number(kAboveNone, highest);
}

template <class Q>
std::optional<Q> positive_quantity(Reader& r, const std::string& key, double unit) {
  const std::optional<double> x = positive(r, key);
  if (!x) return {};
  return Q(*x * unit);
}

void read_memory(Reader& r, Measured& m) {
  m.peak_memory = positive_quantity<Bytes>(r, "peak_memory_gib", kGiB.si());
  const std::optional<Reader> kind = r.find("memory_kind");
  if (kind) m.memory_kind = kind->choice<MemoryKind>();
  if (kind && !m.peak_memory) r.fail("memory_kind alone", "memory_kind beside peak_memory_gib");
}

Measured read_measured(Reader r) {
  Measured m;
  m.step_time = positive_quantity<Seconds>(r, "step_time_s", 1);
  m.tokens_per_gpu = positive_quantity<PerSecond>(r, "tokens_per_s_per_gpu", 1);
  m.model_rate = positive_quantity<FlopsPerSecond>(r, "model_tflops_per_gpu", kTera);
  m.hardware_rate = positive_quantity<FlopsPerSecond>(r, "hardware_tflops_per_gpu", kTera);
  m.mfu = positive(r, "mfu", 1);
  m.hfu = positive(r, "hfu", 1);
  read_memory(r, m);
  if (auto v = r.find("out_of_memory")) m.out_of_memory = v->boolean();
  r.reject_unknown();
  const bool anything = m.step_time || m.tokens_per_gpu || m.model_rate || m.hardware_rate ||
                        m.mfu || m.hfu || m.peak_memory || m.out_of_memory;
  if (!anything) r.fail("nothing measured", "at least one measured quantity");
  return m;
}

std::string text_or(Reader& r, const std::string& key, const std::string& otherwise) {
  const std::optional<Reader> found = r.find(key);
  return found ? found->text() : otherwise;
}

RowSource read_source(Reader r) {
  RowSource s;
  if (r.json().is_string()) {
    s.group = s.title = r.text();
    return s;
  }
  s.title = text_or(r, "title", "");
  s.where = text_or(r, "where", "");
  s.url = text_or(r, "url", "");
  s.group = text_or(r, "group", s.title);
  r.reject_unknown();
  return s;
}

std::vector<std::string> read_words(Reader& r, const std::string& key) {
  std::vector<std::string> words;
  const std::optional<Reader> found = r.find(key);
  if (!found) return words;
  for (const Reader& item : found->items()) words.push_back(item.text());
  return words;
}

Row read_row(Reader r) {
  Row row;
  row.file = r.file();
  row.id = r.at("id").text();
  if (auto v = r.find("tier")) row.tier = v->choice<RowTier>();
  if (auto v = r.find("source")) row.source = read_source(*v);
  if (row.source.group.empty()) row.source.group = r.file();
  const Reader run = r.at("run");
  run.must_be_object();
  row.run = run.json();
  row.measured = read_measured(r.at("measured"));
  row.unknown = read_words(r, "unknown");
  row.inferred = read_words(r, "inferred");
  if (auto v = r.find("tflops_kind")) row.flops_kind = v->choice<FlopsKind>();
  row.notes = text_or(r, "notes", "");
  row.repeats = text_or(r, "repeats", "");
  r.reject_unknown();
  return row;
}

}  // namespace

std::vector<Row> read_rows(std::string_view text, const std::string& file) {
  const Json document = parse_json(text, file);
  std::vector<Row> rows;
  std::set<std::string> ids;
  for (const Reader& r : Reader(document, file).items()) {
    rows.push_back(read_row(r));
    if (!ids.insert(rows.back().id).second) {
      Reader(r).at("id").fail("\"" + rows.back().id + "\" a second time", "an id of its own");
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& other = rows[i].repeats;
    if (other.empty() || (other != rows[i].id && ids.count(other) > 0)) continue;
    Reader(Reader(document, file).items()[i])
        .at("repeats")
        .fail("\"" + other + "\"", "the id of another row of this file");
  }
  return rows;
}

}  // namespace orrery
