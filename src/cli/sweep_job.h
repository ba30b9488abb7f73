// SPDX-License-Identifier: Apache-2.0
//
// A sweep as its command has it: the file read, its run found, which points are asked for.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/session.h"
#include "explore/sweep.h"
#include "report/sweep_row.h"

namespace orrery {

struct SweepJob {
  SweepPlan sweep;
  std::string sweep_file;
  std::string run_file;
  ConfigLookup lookup;
  std::string id;  // whatever a row depends on; documents by name are part of the version
  Shard shard;
  std::int64_t mine = 0;  // points of the shard

  std::int64_t point(std::int64_t i) const { return shard.index + i * shard.count; }
};

struct SweepRequest {
  std::string file;         // path, or "-"
  std::string shard;        // "I/N"
  std::string calibration;  // under every point; "": the run's own
};

// Errors: InputError.
SweepJob read_sweep_job(const SweepRequest& request, const Session& s);

// A sweep asks for the same few documents again and again.
class ConfigMemory {
 public:
  explicit ConfigMemory(ConfigLookup lookup) : lookup_(std::move(lookup)) {}

  ConfigLookup remembering() {
    ConfigLookup l = lookup_;
    l.model = once(models_, lookup_.model);
    l.framework = once(frameworks_, lookup_.framework);
    const auto find = lookup_.hardware.find;
    l.hardware.find = [this, find](HardwareKind kind, const std::string& name) {
      const auto key = std::make_pair(kind, name);
      const auto known = hardware_.find(key);
      if (known != hardware_.end()) return known->second;
      return hardware_[key] = find(kind, name);
    };
    return l;
  }

 private:
  using Found = std::optional<ConfigText>;
  using Find = std::function<Found(const std::string&)>;

  static Find once(std::map<std::string, Found>& seen, const Find& find) {
    return [&seen, find](const std::string& name) {
      const auto known = seen.find(name);
      if (known != seen.end()) return known->second;
      return seen[name] = find(name);
    };
  }

  ConfigLookup lookup_;
  std::map<std::string, Found> models_;
  std::map<std::string, Found> frameworks_;
  std::map<std::pair<HardwareKind, std::string>, std::optional<HardwareText>> hardware_;
};

// The workers of a sweep: the rows of a stretch of its points, in order, and whole up to the first
// that an interrupt left out.
class SweepCrew {
 public:
  SweepCrew(const SweepJob& job, const SweepRows& rows, unsigned jobs);
  ~SweepCrew() = default;
  SweepCrew(const SweepCrew&) = delete;
  SweepCrew& operator=(const SweepCrew&) = delete;

  std::vector<std::string> rows(std::int64_t first, std::int64_t count);

 private:
  const SweepJob& job_;
  const SweepRows& rows_;
  std::vector<ConfigMemory> memories_;
  std::vector<ConfigLookup> lookups_;
};

}  // namespace orrery
