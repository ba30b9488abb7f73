// SPDX-License-Identifier: Apache-2.0
//
// A file for text and images, or for more, holds its language model as an object within.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"

namespace orrery {

// The document that describes the language model, with what stands around it.
struct HfDocument {
  Json document;
  std::string path;
  std::string model_type;
  std::vector<std::string> others;  // parts that are not read
};

// `path`: of the document within its file.
HfDocument hf_language_model(const Json& document, const std::string& path);

}  // namespace orrery
