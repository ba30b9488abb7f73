// SPDX-License-Identifier: Apache-2.0
//
// A document as one page that stands alone: no other file, no network, light and dark, and it
// prints. Only charts of scripted.h need a script; a page without one has none.
#pragma once

#include <string>

#include "document/document.h"

namespace orrery {

std::string html_of(const AnswerDocument& document);

}  // namespace orrery
