// SPDX-License-Identifier: Apache-2.0
//
// The keys of a document that say where its numbers come from (core/provenance.h).
#pragma once

#include "core/keys.h"
#include "core/provenance.h"

namespace orrery {

inline constexpr Form kSourceText = form::text("text");

inline constexpr auto kSourceRows = [] {
  constexpr auto row = [](std::string_view name, Forms forms, Otherwise otherwise,
                          std::string_view meaning) {
    return elsewhere(name, forms, otherwise, Vary::never, meaning);
  };
  return keys<Source>(
      row("kind", form::one_of(std::span(kNamesOf<SourceKind>).subspan<1, 7>()), kRequired,
          "how the value came about"),
      row("on", form::list(kSourceText, 1), kNothing, "data that had a say in it"),
      row("source", kSourceText, kNothing, "where it is said"),
      row("prior", form::any("a source"), kNothing, "of the value that a fit started from"),
      row("calibration", kSourceText, kNothing, "the overlay that brought the value"),
      row("date", kSourceText, kNothing, "of that overlay"));
}();
inline constexpr Keys<Source> kSourceKeys{"source", kSourceRows};

inline constexpr Forms kSourceForms = either(kSourceText, form::object(kSourceKeys, "source"));
inline constexpr Form kSourceForm = form::either(kSourceForms);

inline constexpr Key kSourceKey =
    elsewhere("source", kSourceForms, kNothing, Vary::never, "the source of all its values");
inline constexpr Key kSourcesKey =
    elsewhere("sources", form::map(kSourceForm), kNothing, Vary::never,
              "the source of the values below a path; the longest path wins");

}  // namespace orrery
