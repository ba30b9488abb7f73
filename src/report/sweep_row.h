// SPDX-License-Identifier: Apache-2.0
//
// One row of a sweep: which point, what was set, whether it fits, and the numbers of its answer.
//
// A point whose run breaks a rule is a row with status "illegal" and its reason, numbers empty; any
// other wrong input ends the sweep. Where a calibration is under it the row names it. Columns carry
// their unit in their name. The same row is a line of JSON or of CSV (RFC 4180).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_fwd.h"
#include "estimate/forward.h"
#include "explore/sweep.h"

namespace orrery {

struct ConfigLookup;  // estimate/config_lookup.h
struct SweepColumn;

enum class RowFormat : std::uint8_t { json, csv };

class SweepRows {
 public:
  // Errors: InputError where `columns` names none.
  SweepRows(const SweepPlan& sweep, const std::string& file, std::string id, RowFormat format);
  ~SweepRows();
  SweepRows(const SweepRows&) = delete;
  SweepRows& operator=(const SweepRows&) = delete;

  std::string header() const;  // "" of JSON lines

  // `run` is the sweep's run with the point's settings in it. Several threads may ask, each with a
  // workspace of its own.
  std::string row(std::int64_t point, const Json& run, const std::string& file,
                  const ConfigLookup& lookup, Workspace& workspace) const;

  // The same as an object, whatever the format.
  Json values(std::int64_t point, const Json& run, const std::string& file,
              const ConfigLookup& lookup, Workspace& workspace) const;

 private:
  // `key`: the name as a row in JSON has it, with quotes and colon.
  using AddCell =
      std::function<void(std::string_view name, std::string_view key, const Json& value)>;
  void each_cell(std::int64_t point, const Json& run, const std::string& file,
                 const ConfigLookup& lookup, Workspace& workspace, const AddCell& add) const;

  const SweepPlan& sweep_;
  std::string id_;
  RowFormat format_;
  bool calibrated_;
  std::vector<std::string> keys_;  // of the axes, as a row in JSON has them
  std::vector<SweepColumn> columns_;
};

}  // namespace orrery
