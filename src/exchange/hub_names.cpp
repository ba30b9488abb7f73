// SPDX-License-Identifier: Apache-2.0
#include "exchange/hub_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace orrery {
namespace {

struct ModelName {
  std::string_view theirs;  // letters and digits alone
  std::string_view ours;
};
constexpr std::array kModels = {
    ModelName{"llama27b", "llama-2-7b"},
    ModelName{"llama213b", "llama-2-13b"},
    ModelName{"llama270b", "llama-2-70b"},
    ModelName{"llama38b", "llama-3-8b"},
    ModelName{"llama318b", "llama-3-8b"},
    ModelName{"llama370b", "llama-3-70b"},
    ModelName{"llama3170b", "llama-3-70b"},
    ModelName{"llama3370b", "llama-3-70b"},
    ModelName{"llama31405b", "llama-3-405b"},
    ModelName{"llama3405b", "llama-3-405b"},
    ModelName{"405b", "llama-3-405b"},
    ModelName{"mixtral8x7b", "mixtral-8x7b"},
    ModelName{"mixtral8x22b", "mixtral-8x22b"},
    ModelName{"qwen306b", "qwen3-0.6b"},
    ModelName{"qwen38b", "qwen3-8b"},
    ModelName{"qwen332b", "qwen3-32b"},
    ModelName{"qwen330ba3b", "qwen3-30b-a3b"},
    ModelName{"qwen3235ba22b", "qwen3-235b-a22b"},
    ModelName{"deepseekv3", "deepseek-v3"},
    ModelName{"deepseekv30324", "deepseek-v3"},
    ModelName{"deepseekr1", "deepseek-v3"},
    ModelName{"gptoss120b", "gpt-oss-120b"},
    ModelName{"gpt2", "gpt2"},
    ModelName{"gpt2xl", "gpt2-xl"},
    ModelName{"bloom", "bloom-176b"},
    ModelName{"gptneox20b", "gpt-neox-20b"},
    ModelName{"grok1", "grok-1"},
    ModelName{"nemotron4340b", "nemotron-4-340b"},
};

// Endings of names that leave the dimensions as they are.
constexpr std::string_view kEndings[] = {"bnb4bit", "bnb", "nf4",  "instruct", "chat", "hf",
                                         "base",    "it",  "2507", "v01",      "v02",  "v03",
                                         "bf16",    "fp8", "0528", "pt",       "yaml", "nemo"};

std::string letters_of(const std::string& name) {
  std::string out;
  const std::size_t slash = name.find_last_of("/\\");
  for (const char c : name.substr(slash == std::string::npos ? 0 : slash + 1)) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) continue;
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

bool drop_ending(std::string& word) {
  for (const std::string_view end : kEndings) {
    if (word.size() <= end.size() || word.compare(word.size() - end.size(), end.size(), end) != 0)
      continue;
    word.resize(word.size() - end.size());
    return true;
  }
  return false;
}

std::string known(const std::string& word) {
  const auto found = std::find_if(kModels.begin(), kModels.end(),
                                  [&](const ModelName& m) { return m.theirs == word; });
  return found == kModels.end() ? "" : std::string(found->ours);
}

}  // namespace

std::string shipped_model(const std::string& name) {
  std::string word = letters_of(name);
  if (word.compare(0, 4, "meta") == 0) word.erase(0, 4);
  for (;;) {
    const std::string ours = known(word);
    if (!ours.empty() || !drop_ending(word)) return ours;
  }
}

std::string quantised_base(const std::string& name) {
  const std::string word = letters_of(name);
  for (const char* way : {"awq", "gptq", "nf4", "bnb4bit", "int4", "int8", "aqlm", "hqq", "gguf"}) {
    if (word.find(way) != std::string::npos) return way;
  }
  return "";
}

}  // namespace orrery
