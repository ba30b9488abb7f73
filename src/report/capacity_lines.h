// SPDX-License-Identifier: Apache-2.0
//
// Labelled lines about one option of a plan, each group about one subject; capacity_option.cpp puts
// them in order. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "insight/capacity_report.h"

namespace orrery {

struct Lines {
  std::vector<Paragraph> paragraphs;

  Lines& operator+=(const Lines& more) {
    paragraphs.insert(paragraphs.end(), more.paragraphs.begin(), more.paragraphs.end());
    return *this;
  }
  friend Lines operator+(Lines a, const Lines& b) { return a += b; }
};

inline Lines line(const std::string& label, const std::string& text) {
  return {{labelled(label, text)}};
}

// Losses to failures and checkpoints, and spares (capacity_recovery.cpp).
Lines failure_lines(const OptionAnswer& o);
Lines checkpoint_lines(const OptionAnswer& o);
Lines spare_line(const OptionAnswer& o);

// Energy and money (capacity_costs.cpp).
Lines energy_lines(const OptionAnswer& o);
Lines cost_lines(const OptionAnswer& o);
Lines rent_or_buy_line(const OptionAnswer& o);

// Storage, network, data and host memory that the training asks for (capacity_needs.cpp).
Lines needs_lines(const OptionAnswer& o);
Lines data_lines(const OptionAnswer& o);
Lines host_line(const OptionAnswer& o);

}  // namespace orrery
