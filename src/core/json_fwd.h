// SPDX-License-Identifier: Apache-2.0
//
// JSON for headers that pass a document on or keep one without reading it. Files that read or write
// one include core/json.h.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

#ifdef ORRERY_MOVING_JSON
#include ORRERY_MOVING_JSON
#endif

namespace orrery {

// An object and an array are vectors: a reference, an iterator or a Reader into one is lost when
// the next member is inserted. Builds with the address sanitizer move every member at each
// insertion, so that a use of a lost one fails there at once.
#ifdef ORRERY_MOVING_JSON
using Json = nlohmann::basic_json<MovingMap, MovingList>;
#else
using Json = nlohmann::ordered_json;
#endif

// A value kept as it was given, for a reader elsewhere; null where it is absent.
using GivenJson = std::shared_ptr<const Json>;

// A document that stays as it is; copies share it. Null until one is given.
class KeptJson {
 public:
  KeptJson() = default;
  KeptJson(Json document);  // NOLINT(google-explicit-constructor): a document is kept as it comes

  const Json& operator*() const;
  const Json* operator->() const { return &**this; }

 private:
  std::shared_ptr<const Json> kept_;
};

}  // namespace orrery
