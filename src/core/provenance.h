// SPDX-License-Identifier: Apache-2.0
//
// The source of a number of a document, as data.
//
// A document carries `source` for all of it and `sources`, an object from a path or the beginning
// of one ("peak", "tiers.0.bandwidth") to the source of the values below; the longest path wins. A
// source is a text, where somebody else's document states the value, or
//
//   {"kind": "fitted", "on": ["bigscience", "nemo"], "source": "runs with 4k to 1M tokens"}
//
// `on` names the data that had a say in the value: groups of validation/runs, "tier A" for all
// their rows of that tier, or documents. `prior` is the source of the value that a fit started
// from. A value may also stand beside its source, {"value": 105, "kind": "derived", "source": "…"}.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/enum_names.h"
#include "core/json_fwd.h"
#include "core/json_reader.h"

namespace orrery {

enum class SourceKind : std::uint8_t {
  unknown,
  stated,    // by a data sheet, a paper, a program's own text
  measured,  // by somebody, on such hardware
  fitted,    // so that predictions meet measurements
  derived,   // from another value
  assumed,
  memory,     // nobody has looked it up
  announced,  // by a vendor, of a product that nobody can measure yet
  run,        // the run file or a flag sets it
};
constexpr EnumNames<SourceKind> names_of(SourceKind) {
  return {"unknown", "stated", "measured",  "fitted", "derived",
          "assumed", "memory", "announced", "run"};
}

struct Source {
  SourceKind kind = SourceKind::unknown;
  std::vector<std::string> on;
  std::string text;
  std::string calibration;  // the overlay that brought the value
  std::string date;         // of that
};

Source read_source(const Json& entry);
Json source_json(const Source& source);

// "[fitted on bigscience, nemo] runs with 4k to 1M tokens"
std::string source_text(const Source& source);

// The source of the longest path of `sources` that holds `path`.
Source listed_source(const Json& document, const std::string& path);

// listed_source, else the document's own `source`.
Source document_source(const Json& document, const std::string& path);

// Reads `source` and `sources` of a document strictly.
void check_sources(Reader& document);

// Like merge_over(), but a source replaces the one before as a whole.
void merge_sourced(Json& document, const Json& change);

// Moves the sources of values that stand beside them to `sources`.
Json with_sources_apart(const Json& document);

}  // namespace orrery
