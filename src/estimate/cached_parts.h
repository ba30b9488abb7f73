// SPDX-License-Identifier: Apache-2.0
//
// Parts of runs (a model, a cluster, a framework) that were resolved before, kept by the JSON that
// they came from: after one key changes, only the parts that depend on it are resolved again. The
// rules of other tools' files are kept likewise.
//
// A kept part cannot be stale: what was asked of the lookup while it was made is remembered with
// its answer, and asked again each time. A user's file that changed, a lookup that answers
// otherwise, another directory: the part is made again. Several threads may share one. Errors:
// those of making a part; nothing is kept then.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/json_fwd.h"

namespace orrery {

struct ConfigLookup;

enum class RunPart : std::uint8_t { model, cluster, framework, schedule, accuracy, tools };

struct CachedPart;

class CachedParts {
 public:
  using Any = std::shared_ptr<const void>;
  using Make = std::function<Any(const ConfigLookup&)>;

  // The part that `make` makes of `from`, values of `file`. It must ask the lookup it is given.
  Any get(RunPart part, const std::string& file, std::initializer_list<const Json*> from,
          const ConfigLookup& lookup, const Make& make);

 private:
  std::shared_ptr<const CachedPart> find(const std::string& key);
  void keep(const std::string& key, std::shared_ptr<const CachedPart> entry);

  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const CachedPart>> entries_;
};

// The same of a known type, from the parts that the lookup keeps; made in place where it keeps
// none.
CachedParts::Any cached_part(RunPart part, const std::string& file,
                             std::initializer_list<const Json*> from, const ConfigLookup& lookup,
                             const CachedParts::Make& make);

template <class T, class MakePart>
std::shared_ptr<const T> cached_part(RunPart part, const std::string& file,
                                     std::initializer_list<const Json*> from,
                                     const ConfigLookup& lookup, const MakePart& make) {
  const CachedParts::Make any = [&make](const ConfigLookup& asked) -> CachedParts::Any {
    return std::make_shared<const T>(make(asked));
  };
  return std::static_pointer_cast<const T>(cached_part(part, file, from, lookup, any));
}

}  // namespace orrery
