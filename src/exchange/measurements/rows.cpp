// SPDX-License-Identifier: Apache-2.0
#include "exchange/measurements/rows.h"

#include <set>

#include "core/json.h"
#include "core/json_reader.h"
#include "exchange/measurements/fields.h"
#include "exchange/measurements/readers.h"
#include "exchange/measurements/to_json.h"

namespace orrery {
namespace {

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
      detail::read_measurement_heading(r, out_.set);
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
      keep(detail::read_measured(r));
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

}  // namespace

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

}  // namespace orrery
