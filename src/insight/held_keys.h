// SPDX-License-Identifier: Apache-2.0
//
// The strategy of a run that a search leaves free, and the keys of it that it holds.
//
// Free are the axes of a search, sharding groups and offload excepted, and the switches of the
// framework; model, cluster, batch, length, precision, optimizer and framework stay. Held is what
// the user sets on top of the run file (a flag, `set`), what `--keep` names, and what `search.axes`
// lists. A held recompute holds its modules, layers, method and ranges of layers. Errors:
// InputError where `--keep` names no such key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/fact.h"
#include "core/json_fwd.h"

namespace orrery {

struct HeldKey {
  std::string path;   // of the run file
  std::string value;  // "" where the run leaves it open
  std::string by;     // "--tp", "--keep"
};

class HeldKeys {
 public:
  // `changes`: what went over the run file; defaults of a tool by name are free. `keep`: keys by
  // name or path; "parallel" is all.
  HeldKeys(const Json& run, const std::vector<Fact>& changes, const std::vector<std::string>& keep);

  // True where the key, or what holds it, is held.
  bool holds(std::string_view path) const;

  // In the order in which they were given, each once; whole strategies by their keys.
  const std::vector<HeldKey>& all() const { return held_; }

  // The run file without the rest of its strategy.
  Json freed(const Json& run) const;

 private:
  void hold(const Json& run, const std::string& path, const std::string& by);
  void list(const Json& run, const std::string& path, const std::string& by, bool is_named);

  std::vector<HeldKey> held_;
  std::vector<std::string> paths_;
};

}  // namespace orrery
