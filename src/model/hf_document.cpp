// SPDX-License-Identifier: Apache-2.0
#include "model/hf_document.h"

#include <utility>

#include "model/hf_words.h"

namespace orrery {
namespace {

std::string type_of(const Json& document, const std::string& otherwise) {
  const auto at = document.find("model_type");
  const bool named =
      at != document.end() && at->is_string() && !at->get_ref<const std::string&>().empty();
  return named ? at->get<std::string>() : otherwise;
}

// The language model within, with the keys that the whole file says for it.
Json inner_model(const Json& outer, const Json& part) {
  Json inner = part;
  for (const char* key : {"tie_word_embeddings", "torch_dtype", "dtype"}) {
    if (!inner.contains(key) && outer.contains(key)) inner[key] = outer[key];
  }
  return inner;
}

// Parts of a larger model beside the one that is entered, each an object of its own.
void see_others(HfDocument& found, const std::string& entered) {
  constexpr std::string_view kNoPart =
      "quantization_config compression_config generation_config init_config rope_config "
      "sparse_config";
  for (auto it = found.document.begin(); it != found.document.end(); ++it) {
    const std::string& key = it.key();
    const bool named = has_word("vision_config audio_config talker_config", key);
    const bool part = (key.ends_with("_config") || key == "visual") && it->is_object() &&
                      !it->empty() && !has_word(kNoPart, key) && !has_word(hf_parts(), key);
    if ((named || part) && key != entered) found.others.push_back(key);
  }
}

bool enter(HfDocument& found, const std::string& part) {
  const auto at = found.document.find(part);
  if (at == found.document.end() || !at->is_object()) return false;
  see_others(found, part);
  // Fuyu has no encoder: its patches are projected to tokens.
  if (found.document.contains("patch_size")) found.others.emplace_back("the projection of patches");
  Json inner = inner_model(found.document, *at);
  // MiniMax-M3's code takes its language model for its own, whatever that calls itself.
  if (found.model_type != "minimax_m3_vl") found.model_type = type_of(inner, found.model_type);
  found.path += (found.path.empty() ? "" : ".") + part;
  found.document = std::move(inner);
  return true;
}

bool enter_any(HfDocument& found) {
  for (const std::string& part : words_in(hf_language_models())) {
    if (enter(found, part)) return true;
  }
  return false;
}

}  // namespace

HfDocument hf_language_model(const Json& document, const std::string& path) {
  HfDocument found{document, path, type_of(document, ""), {}};
  while (enter_any(found)) {
  }
  see_others(found, "");
  // Grok 2's file says "git", which is another model's name.
  if (found.model_type == "git" && found.document.contains("residual_moe")) {
    found.model_type = "grok2";
  }
  return found;
}

}  // namespace orrery
