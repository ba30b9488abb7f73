// SPDX-License-Identifier: Apache-2.0
#include "hardware/calibration_leaves.h"

namespace orrery {
namespace {

void add_leaves(const Json& value, std::vector<std::string> keys, std::vector<Leaf>& out) {
  if (!value.is_object()) {
    out.push_back({std::move(keys), value});
    return;
  }
  for (auto it = value.begin(); it != value.end(); ++it) {
    std::vector<std::string> below = keys;
    below.push_back(it.key());
    add_leaves(it.value(), std::move(below), out);
  }
}

}  // namespace

std::vector<Leaf> leaves_of(const Json& changes) {
  std::vector<Leaf> out;
  add_leaves(changes, {}, out);
  return out;
}

std::string path_of(const std::vector<std::string>& keys) {
  std::string path;
  for (const std::string& key : keys) path += (path.empty() ? "" : ".") + key;
  return path;
}

}  // namespace orrery
