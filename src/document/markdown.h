// SPDX-License-Identifier: Apache-2.0
//
// A document as Markdown with tables. Bars and charts are left out: their numbers stand beside
// them.
#pragma once

#include <string>

#include "document/document.h"

namespace orrery {

std::string markdown_of(const AnswerDocument& document);
std::string markdown_of(const Table& table);

}  // namespace orrery
