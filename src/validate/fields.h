// SPDX-License-Identifier: Apache-2.0
//
// The constants of configs/ that a fit may move, by their path in a device's, a framework's or a
// node's document, and how a resolved run holds them.
//
// A change is of one of three kinds: `scale` multiplies by eˣ, `offset` adds x, `excess` multiplies
// what is above 1 by eˣ. A value beyond the range of its reader stays at that end.
// For a node: the efficiencies of its two innermost tiers; leaves out everything that is no number.
// Units: as in the document, SI.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/enum_names.h"

namespace orrery {

struct Run;

enum class FitDocument : std::uint8_t { device, framework, node };
constexpr EnumNames<FitDocument> names_of(FitDocument) { return {"device", "framework", "node"}; }

enum class ChangeKind : std::uint8_t { scale, offset, excess };
constexpr EnumNames<ChangeKind> names_of(ChangeKind) { return {"scale", "offset", "excess"}; }

struct Change {
  ChangeKind kind = ChangeKind::scale;
  double by = 0;
  double lowest = 0;
  double highest = 0;

  double operator()(double value) const;
};

struct FitField {
  std::string_view path;
  FitDocument document;
  double lowest;
  double highest;
  void (*apply)(Run& run, const Change& change);
};

std::span<const FitField> fit_fields();

}  // namespace orrery
