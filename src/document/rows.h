// SPDX-License-Identifier: Apache-2.0
//
// A table as programs read it: CSV (RFC 4180) and JSON, an object a row under the columns' keys.
#pragma once

#include <string>

#include "document/table.h"

namespace orrery {

std::string csv_of(const Table& table);
Json json_rows(const Table& table);

}  // namespace orrery
