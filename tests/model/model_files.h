// SPDX-License-Identifier: Apache-2.0
// Documents for the tests of the model module, from disk and from text.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "core/error.h"
#include "core/json.h"
#include "model/architecture_json.h"

namespace orrery {

inline Json json_file(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return parse_json(text.str(), path);
}

inline Json hf_sample(const std::string& name) {
  return json_file(ORRERY_TEST_DATA "/model/hf/" + name + ".json");
}

inline ModelDescription shipped_model(const std::string& name) {
  return read_model(json_file(ORRERY_CONFIG_DIR "/models/" + name + ".json"), name);
}

inline ModelDescription model_of(const std::string& text) {
  return read_model(parse_json(text, "m.json"), "m.json");
}

inline std::string refusal(const std::string& text) {
  try {
    model_of(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace orrery
