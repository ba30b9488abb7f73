// SPDX-License-Identifier: Apache-2.0
//
// JSON for headers that pass a document on or keep one without reading it. Files that read or write
// one include core/json.h.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

namespace orrery {

using Json = nlohmann::ordered_json;

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
