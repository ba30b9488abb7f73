// SPDX-License-Identifier: Apache-2.0
#include "validate/rows.h"

#include <set>

#include "core/json.h"
#include "core/json_reader.h"
#include "validate/row_keys.h"

namespace orrery {
namespace {

template <class Q>
void read_in(const Reader& r, const Form& f, double unit, std::optional<Q>& out) {
  out = Q(r.number(f.least, f.most) * unit);
}

Row read_row(const Reader& r) {
  Row row = read_keys(kRowKeys, r);
  row.file = r.file();
  if (row.source.group.empty()) row.source.group = r.file();
  if (row.source.team.empty()) row.source.team = row.source.group;
  return row;
}

}  // namespace

void read_step_time_s(const Reader& r, std::optional<Seconds>& out) {
  read_in(r, key_row<&Measured::step_time>.forms.front(), 1, out);
}
void read_tokens_per_s(const Reader& r, std::optional<PerSecond>& out) {
  read_in(r, key_row<&Measured::tokens_per_gpu>.forms.front(), 1, out);
}
void read_tflops(const Reader& r, std::optional<FlopsPerSecond>& out) {
  read_in(r, key_row<&Measured::model_rate>.forms.front(), kTera, out);
}
void read_gib(const Reader& r, std::optional<Bytes>& out) {
  read_in(r, key_row<&Measured::peak_memory>.forms.front(), kGiB.si(), out);
}

void read_measured(const Reader& r, Measured& out) {
  out = read_keys(kMeasuredKeys, r);
  const bool has_kind = Reader(r).find("memory_kind").has_value();
  if (has_kind && !out.peak_memory) {
    r.fail("memory_kind alone", "memory_kind beside peak_memory_gib");
  }
  const bool anything = out.step_time || out.tokens_per_gpu || out.model_rate ||
                        out.hardware_rate || out.mfu || out.hfu || out.peak_memory ||
                        out.out_of_memory;
  if (!anything) r.fail("nothing measured", "at least one measured quantity");
}

void read_row_source(const Reader& r, RowSource& out) {
  if (r.json().is_string()) {
    out.group = out.title = r.text();
    return;
  }
  out = read_keys(kRowSourceKeys, r);
  if (out.group.empty()) out.group = out.title;
}

void read_row_run(const Reader& r, KeptJson& out) {
  r.must_be_object();
  out = r.json();
}

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
