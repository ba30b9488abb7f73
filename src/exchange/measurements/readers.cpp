// SPDX-License-Identifier: Apache-2.0
//
// CSV of measurements. Lines that begin with # are comments; `# device: h100` and its like set the
// texts of exchange/measurements/readers.h, `# published: …` the source of numbers that were not
// measured here.
#include "exchange/measurements/readers.h"

#include <algorithm>
#include <set>

#include "core/json_reader.h"
#include "core/units.h"
#include "core/unknown_name.h"
#include "exchange/collective_names.h"
#include "exchange/measurements/measurements.h"
#include "exchange/text_lines.h"
#include "network/bus_factor.h"

namespace orrery {
namespace {

constexpr std::int64_t kMostElements = 1'000'000'000;
constexpr std::int64_t kMostMeasured = 10'000'000;
constexpr double kMostBytes = 1e15;
constexpr double kMostMicroseconds = 1e12;

std::int64_t extent(Reader& r, const std::string& key) {
  return r.at(key).integer(1, kMostElements);
}

Precision precision(Reader& r) { return r.at("dtype").choice<Precision>(); }

bool boolean_or(Reader& r, const std::string& key, bool otherwise) {
  const auto found = r.find(key);
  return found ? found->boolean() : otherwise;
}

constexpr std::array<std::string_view, 3> kLayouts = {"TN", "NN", "NT"};

MeasuredProduct read_product(Reader& r, std::string& layout) {
  MeasuredProduct p;
  if (const auto found = r.find("layout")) layout = kLayouts[found->choice(kLayouts)];
  p.shape.m = extent(r, "m");
  p.shape.n = extent(r, "n");
  p.shape.k = extent(r, "k");
  p.precision = precision(r);
  if (const auto groups = r.find("groups")) p.shape.groups = groups->integer(1, kMostMeasured);
  p.shape.grouped = p.shape.groups > 1;
  p.shape.weight_gradient = p.shape.grouped && boolean_or(r, "weight_gradient", false);
  return p;
}

MeasuredAttention read_attention(Reader& r) {
  MeasuredAttention a;
  a.kernel = r.at("kernel").choice<AttentionKernel>();
  a.pass = r.at("pass").choice<AttentionPass>();
  a.shape.groups = r.at("batch").integer(1, kMostMeasured) * r.at("heads").integer(1, 100'000);
  a.shape.queries = a.shape.keys = r.at("sequence").integer(1, kMostElements);
  a.shape.head_dim = a.shape.value_dim = r.at("head_dim").integer(1, 4096);
  a.shape.pairs = r.at("causal").boolean() ? 0.5 : 1;
  a.precision = precision(r);
  return a;
}

Bytes bytes_at(Reader& r) { return Bytes(r.at("bytes").number(1, kMostBytes)); }

void read_word(Reader& r, const std::string& key, std::string_view only) {
  if (r.at(key).text() != only) r.at(key).fail("\"" + std::string(only) + "\"");
}

MeasuredWork read_work(Reader& r, std::string& kernel) {
  if (r.has("m")) return read_product(r, kernel);
  if (r.has("head_dim")) return read_attention(r);
  if (r.has("collective")) {
    MeasuredCollective c = read_collective(r);
    c.size = bytes_at(r);
    return c;
  }
  if (r.has("copy")) {
    constexpr std::array<std::string_view, 2> kWays = {"host", kToHost};
    if (r.at("copy").choice(kWays) == 1) kernel = kToHost;
    return MeasuredHostCopy{bytes_at(r)};
  }
  if (r.has("launch")) {
    read_word(r, "launch", "empty");
    return MeasuredLaunch{};
  }
  if (r.has("kernel")) {
    kernel = r.at("kernel").text();
    return MeasuredMemory{bytes_at(r)};
  }
  r.fail("no kind of work known here",
         "m,n,k or head_dim or collective or kernel,bytes or copy or launch");
}

// The time of a collective from its busbw, in GB/s as nccl-tests prints it.
Seconds time_of_busbw(Reader& r, const MeasuredCollective& c) {
  if (r.has("us")) r.at("us").fail("nothing: `busbw` says it");
  return c.size * bus_factor(c.kind, c.ranks) /
         BytesPerSecond(r.at("busbw").number(1e-9, 1e6) * kGiga);
}

Seconds read_time(Reader& r, const Measurement& m) {
  const auto* collective = std::get_if<MeasuredCollective>(&m.work);
  if (collective != nullptr && r.has("busbw")) return time_of_busbw(r, *collective);
  const bool has_flops = !counts_bytes(m) && amount_of(m) > 0;
  if (has_flops && r.has("tflops")) {
    if (r.has("us")) r.at("us").fail("nothing: `tflops` says it");
    return Flops(amount_of(m)) / FlopsPerSecond(r.at("tflops").number(1e-6, 1e6) * kTera);
  }
  return Seconds(r.at("us").number(1e-6, kMostMicroseconds) * kMicro);
}

constexpr std::array<std::string_view, 4> kEnds = {"done", "out of time", "stopped", "lost"};
constexpr const char* kEnded = "the program ended while it was measured";

std::string line_of(const Json& j) {
  return j.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

class RowReader {
 public:
  MeasurementRows read(std::string_view text, const std::string& file) {
    while (true) {
      const std::size_t end = text.find('\n', out_.whole);
      if (end == std::string_view::npos) break;
      const std::string_view line = text.substr(out_.whole, end - out_.whole);
      const std::string place = file + ":" + std::to_string(++number_);
      read_line(line, place);
      out_.whole = end + 1;
    }
    for (const auto& [name, m] : measured_) out_.set.points.push_back(m);
    for (const std::string& name : begun_) out_.left_out[name] = kEnded;
    return std::move(out_);
  }

 private:
  void read_line(std::string_view line, const std::string& place) {
    const Json document = parse_json(line, place);
    Reader r(document, place);
    r.must_be_object();
    if (number_ == 1) {
      read_measurement_heading(r, out_.set);
    } else if (const auto begun = r.find("begun")) {
      begun_.insert(begun->text());
    } else if (const auto ended = r.find("ended")) {
      ended->choice(kEnds);
      out_.set.clocks = r.at("clocks").text();
      begun_.clear();
    } else if (const auto left_out = r.find("left_out")) {
      out_.left_out[left_out->text()] = r.at("why").text();
      begun_.erase(left_out->text());
    } else {
      keep(read_measured(r));
      return;
    }
    r.reject_unknown();
  }

  void keep(const Measurement& m) {
    const std::string name = name_of_work(m);
    begun_.erase(name);
    out_.left_out.erase(name);
    measured_[name] = m;
  }

  MeasurementRows out_;
  std::size_t number_ = 0;
  std::set<std::string> begun_;
  std::map<std::string, Measurement> measured_;
};

bool is_comment(std::string_view line) { return !line.empty() && line.front() == '#'; }

void read_remark(std::string_view line, MeasurementSet& set) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view remark = trimmed(line.substr(1, colon - 1));
  const bool published = remark == "published";
  const std::string_view name = published ? "source" : remark;
  for (const HeadingText& text : kHeadingTexts) {
    if (name == text.name) set.*text.field = std::string(trimmed(line.substr(colon + 1)));
  }
  if (published) set.measured_here = false;
}

Json cell(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto x = parse_number(text)) return *x;
  return std::string(text);
}

void check_header(const LinePlace& place, const std::vector<std::string_view>& names) {
  std::set<std::string_view> seen;
  for (const std::string_view name : names) {
    if (name.empty()) fail(place, "a column without a name", "a name for each column");
    if (!seen.insert(name).second) {
      fail(place, "the column \"" + std::string(name) + "\" twice", "each column once");
    }
  }
}

Measurement read_row(const LinePlace& place, const std::vector<std::string_view>& names,
                     std::string_view line) {
  const std::vector<std::string_view> fields = fields_of(line, ',');
  if (fields.size() != names.size()) {
    fail(place, std::to_string(fields.size()) + " fields",
         std::to_string(names.size()) + ", as the header has");
  }
  Json row = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!fields[i].empty()) row[std::string(names[i])] = cell(fields[i]);
  }
  return read_measured(Reader(row, place.file, "line " + std::to_string(place.line)));
}

constexpr std::size_t kMostPoints = 1'000'000;

void read_left_out(Reader& r, MeasurementSet& set) {
  const auto list = r.find("left_out");
  if (!list) return;
  for (const Reader& line : list->items()) set.left_out.push_back(line.text());
}

std::vector<double> numbers(const Reader& r, double highest) {
  std::vector<double> out;
  for (const Reader& x : r.items()) out.push_back(x.number(1e-9, highest));
  return out;
}

// A published curve: sizes and times side by side.
void read_curve(Reader& r, MeasurementSet& set) {
  set.measured_here = false;
  MeasuredCollective collective = read_collective(r);
  const Reader times = r.at("time_us");
  const std::vector<double> mib = numbers(r.at("size_mib"), 1e9);
  const std::vector<double> us = numbers(times, 1e12);
  if (mib.size() != us.size()) {
    times.fail(std::to_string(us.size()) + " times", std::to_string(mib.size()) + ", one a size");
  }
  for (std::size_t i = 0; i < mib.size(); ++i) {
    collective.size = Bytes(mib[i] * 0x1p20);
    Measurement m;
    m.work = collective;
    m.timed.time = Seconds(us[i] * 1e-6);
    set.points.push_back(m);
  }
}

}  // namespace

MeasuredCollective read_collective(Reader& r) {
  const Reader name = r.at("collective");
  const auto kind = collective_named(name.text());
  if (!kind) {
    name.fail(ErrorCode::unknown_name, brief(name.json()), alternatives(names_in<Collective>()));
  }
  MeasuredCollective c{*kind, r.at("ranks").integer(2, kMostMeasured), {}};
  if (const auto nodes = r.find("nodes")) {
    c.nodes = nodes->integer(1, c.ranks);
    if (c.ranks % c.nodes != 0) nodes->fail(std::to_string(c.nodes), "a divisor of the ranks");
  }
  if (const auto named = r.find("algorithm")) c.algorithm = named->choice<Algorithm>();
  return c;
}

Measurement read_measured(Reader r) {
  r.must_be_object();
  Measurement m;
  m.work = read_work(r, m.kernel);
  m.timed.time = read_time(r, m);
  if (const auto spread = r.find("spread")) m.timed.spread = spread->number(0, 10);
  r.reject_unknown();
  return m;
}

MeasurementRows read_measurement_rows(std::string_view text, const std::string& file) {
  return RowReader().read(text, file);
}

std::string heading_row(const MeasurementSet& set) { return line_of(heading_json(set)); }

std::string begun_row(const Measurement& m) { return line_of({{"begun", name_of_work(m)}}); }

std::string measured_row(const Measurement& m) { return line_of(measurement_json(m)); }

std::string left_out_row(const Measurement& m, const std::string& why) {
  return line_of({{"left_out", name_of_work(m)}, {"why", why}});
}

std::string ended_row(const Bench& bench) {
  const std::string how(kEnds[static_cast<std::size_t>(bench.end)]);
  return line_of({{"ended", how}, {"clocks", bench.set.clocks}});
}

bool is_csv(std::string_view text) {
  for (const std::string_view line : lines_of(text)) {
    if (line.empty() || is_comment(line)) continue;
    const auto names = fields_of(line, ',');
    return names.size() > 1 && std::any_of(names.begin(), names.end(), [](std::string_view n) {
             return n == "us" || n == "tflops" || n == "busbw";
           });
  }
  return false;
}

MeasurementSet read_csv_measurements(std::string_view text, const std::string& file,
                                     const MeasurementHints& /*hints*/) {
  MeasurementSet set;
  std::vector<std::string_view> names;
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const LinePlace place{file, i + 1};
    if (lines[i].empty()) continue;
    if (is_comment(lines[i])) {
      read_remark(lines[i], set);
    } else if (names.empty()) {
      names = fields_of(lines[i], ',');
      check_header(place, names);
    } else {
      set.points.push_back(read_row(place, names, lines[i]));
    }
  }
  return set;
}

void read_measurement_heading(Reader& r, MeasurementSet& set) {
  for (const HeadingText& text : kHeadingTexts) {
    if (const auto found = r.find(std::string(text.name))) set.*text.field = found->text();
  }
  if (const auto published = r.find("published")) set.measured_here = !published->boolean();
}

bool is_json(std::string_view text) { return first_character(text) == '{'; }

MeasurementSet read_json_measurements(std::string_view text, const std::string& file,
                                      const MeasurementHints& /*hints*/) {
  const Json document = parse_json(text, file);
  Reader r(document, file);
  MeasurementSet set;
  read_measurement_heading(r, set);
  read_left_out(r, set);
  if (r.has("time_us")) {
    read_curve(r, set);
  } else {
    const Reader list = r.at("measurements");
    if (list.json().size() > kMostPoints) list.fail("too many", "a million at most");
    for (const Reader& one : list.items()) set.points.push_back(read_measured(one));
  }
  r.reject_unknown();
  return set;
}

}  // namespace orrery
