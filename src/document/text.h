// SPDX-License-Identifier: Apache-2.0
//
// A document as plain text. Paragraphs fit the style's width. A table is as wide as its cells;
// where that is too much, bars get shorter and prose wraps inside its column. Where it must fit (a
// terminal), every text wraps, and a table still too wide continues below with its first column
// repeated. Nothing is ever cut.
#pragma once

#include <string>

#include "document/document.h"

namespace orrery {

std::string text_of(const AnswerDocument& document, const Style& style);
std::string text_of(const Section& section, const Style& style);
std::string text_of(const Table& table, const Style& style);

}  // namespace orrery
